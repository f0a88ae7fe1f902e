//! Measurements of this machine's connections, by a BPF program of the kernel.

use pyo3::prelude::*;

#[cfg(feature = "linux")]
mod built {
    use std::io;
    use std::path::PathBuf;

    use flowstart_linux::collect::{self, Counts, Settings};
    use flowstart_linux::permission;
    use pyo3::prelude::*;
    use pyo3::types::PyBytes;

    use crate::errors::{RequestError, SimulationError};

    /// A BPF program that reports a row for each response, until this object is gone.
    #[pyclass(frozen, module = "flowstart._native")]
    pub struct Collector(collect::Collector);

    #[pymethods]
    impl Collector {
        /// A RequestError names what the machine lacks.
        #[new]
        fn new(cgroup: PathBuf, ports: Vec<u16>, sample: u32, most_open: u32) -> PyResult<Self> {
            let settings = Settings {
                cgroup: &cgroup,
                ports: &ports,
                sample,
                most_open,
            };
            if let Some(missing) = permission::no_btf() {
                return Err(RequestError::new_err(missing));
            }
            let started = collect::Collector::start(&settings);
            started.map(Collector).map_err(|e| match e.kind() {
                io::ErrorKind::PermissionDenied => RequestError::new_err(format!(
                    "collecting needs root, or CAP_BPF, CAP_PERFMON and CAP_NET_ADMIN: {e}"
                )),
                _ => RequestError::new_err(e.to_string()),
            })
        }

        /// The rows since the last call, as bytes.
        fn read<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
            Ok(PyBytes::new(py, &self.0.read().map_err(failed)?))
        }

        /// Connections open and collected, connections skipped, rows lost.
        fn counts(&self) -> PyResult<(u64, u64, u64, u64)> {
            let Counts {
                open,
                opened,
                skipped,
                lost,
            } = self.0.counts().map_err(failed)?;
            Ok((open, opened, skipped, lost))
        }
    }

    fn failed(error: io::Error) -> PyErr {
        SimulationError::new_err(error.to_string())
    }
}

/// Adds the collector where this build has it.
pub(crate) fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    #[cfg(feature = "linux")]
    {
        use flowstart_linux::collect::{EXITS, MOST_PORTS, ROW};
        module.add_class::<built::Collector>()?;
        module.add("COLLECTED", ROW.to_vec())?;
        module.add("COLLECTED_EXITS", EXITS.to_vec())?;
        module.add("MOST_PORTS", MOST_PORTS)?;
    }
    let _ = module;
    Ok(())
}
