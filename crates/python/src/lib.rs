//! The Python module `flowstart._native`: scenarios go in as JSON text, results come out
//! as columns. It holds no logic: what a scenario means and which are refused is the
//! simulator's business, what to do with the results is Python's.
//!
//! Simulations run on threads of their own without the interpreter's lock, while the
//! calling thread looks for Ctrl-C.

mod batch;
mod capture;
mod columns;
mod outcome;

use pyo3::prelude::*;

/// Errors as Python sees them; the classes themselves are written in Python.
mod errors {
    pyo3::import_exception!(flowstart.errors, RequestError);
    pyo3::import_exception!(flowstart.errors, SimulationError);
}

/// The native half of flowstart.
#[pymodule]
mod _native {
    use flowstart_sim::{Prepared, Scenario};
    use pyo3::exceptions::PyKeyboardInterrupt;
    use pyo3::prelude::*;
    use pyo3::types::PyDict;

    use crate::errors::{RequestError, SimulationError};
    use crate::{batch, capture, outcome};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        batch::keep_panics_quiet();
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }

    /// Runs one scenario and returns its tables as a dictionary of columns.
    #[pyfunction]
    fn run<'py>(py: Python<'py>, scenario: &str) -> PyResult<Bound<'py, PyDict>> {
        let batch = batch::run(py, vec![parse(scenario)?], 1, None)?;
        match batch.finished.into_iter().next().flatten() {
            Some(Ok(outcome)) => outcome::one(py, outcome),
            Some(Err(message)) => Err(SimulationError::new_err(message)),
            None => Err(PyKeyboardInterrupt::new_err(())),
        }
    }

    /// Runs many scenarios on `workers` threads (all cores where `None`) and returns their
    /// tables joined, in the order of the scenarios whatever the number of threads.
    ///
    /// Every scenario is checked before the first one runs. `progress(done, total)` is
    /// called a few times a second. Ctrl-C keeps what is finished and sets `interrupted`.
    #[pyfunction]
    #[pyo3(signature = (scenarios, workers=None, progress=None))]
    fn run_many<'py>(
        py: Python<'py>,
        scenarios: Vec<String>,
        workers: Option<i64>,
        progress: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let workers = match workers {
            None => std::thread::available_parallelism().map_or(1, usize::from),
            Some(n) if n >= 1 => n as usize,
            Some(n) => {
                let message = format!("workers = {n}: at least one is needed");
                return Err(RequestError::new_err(message));
            }
        };
        let scenarios = scenarios
            .iter()
            .map(|s| parse(s))
            .collect::<PyResult<_>>()?;
        outcome::many(py, batch::run(py, scenarios, workers, progress)?)
    }

    /// The whole configuration a scenario stands for, every default filled in, as JSON.
    #[pyfunction]
    fn resolve(scenario: &str) -> PyResult<String> {
        let whole = parse(scenario)?.resolved().map_err(request)?;
        serde_json::to_string(&whole).map_err(request)
    }

    /// Every start-up, avoidance and queue discipline with source, parameters and needs,
    /// as JSON.
    #[pyfunction]
    fn catalog() -> PyResult<String> {
        let mut all = flowstart_control::catalog::describe();
        all.extend(flowstart_sim::network::queue::describe());
        serde_json::to_string(&all).map_err(request)
    }

    /// Reads a packet capture or a Zeek `conn.log` and returns what is in it, as JSON.
    ///
    /// `progress(bytes, total)` is called a few times a second. Memory does not grow with
    /// the file, only with its connections.
    #[pyfunction]
    #[pyo3(signature = (path, progress=None))]
    fn read_capture(
        py: Python<'_>,
        path: std::path::PathBuf,
        progress: Option<Bound<'_, PyAny>>,
    ) -> PyResult<String> {
        let capture = capture::run(py, path, progress)?.map_err(request)?;
        py.detach(|| serde_json::to_string(&capture))
            .map_err(request)
    }

    /// The JSON Schema of a kind of document.
    #[pyfunction]
    fn schema(kind: &str) -> PyResult<String> {
        match kind {
            "scenario" => serde_json::to_string(&flowstart_sim::schema()).map_err(request),
            other => Err(request(format!(
                "no schema is called {other:?}: there is `scenario`"
            ))),
        }
    }

    /// The version of the simulator.
    #[pyfunction]
    fn version() -> &'static str {
        env!("CARGO_PKG_VERSION")
    }

    /// A scenario from JSON, checked.
    fn parse(json: &str) -> PyResult<Scenario> {
        let scenario = Scenario::from_json(json).map_err(request)?;
        Prepared::new(&scenario).map_err(request)?;
        Ok(scenario)
    }

    fn request(error: impl std::fmt::Display) -> PyErr {
        RequestError::new_err(error.to_string())
    }
}
