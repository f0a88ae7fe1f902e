//! Startups that the kernel runs without an agent: `flowstart_linux::startups`, in builds that have it.

use crate::errors::RequestError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The startups by name, each with its name among the kernel's congestion controls; none in other builds.
pub(crate) fn startups() -> Vec<(&'static str, &'static str)> {
    #[cfg(feature = "linux")]
    let startups = flowstart_linux::startups::STARTUPS
        .iter()
        .map(|startup| (startup.name, startup.control))
        .collect();
    #[cfg(not(feature = "linux"))]
    let startups = Vec::new();
    startups
}

/// What is to be loaded, as Python has it.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
#[cfg_attr(not(feature = "linux"), allow(dead_code, reason = "not in this build"))]
pub(crate) struct Load {
    startup: String,
    ports: Vec<u16>,
    /// Addresses, and the bits that those of a network share.
    networks: Vec<(std::net::IpAddr, u8)>,
    share: f64,
    seed: u32,
    cgroup: Option<std::path::PathBuf>,
    seconds: Option<f64>,
}

#[cfg(feature = "linux")]
mod built {
    use super::{Bound, Load, PyDict, PyDictMethods as _, PyResult, Python, RequestError};
    use flowstart_linux::startups::{self, Loaded, Network, Request, Startup, Status};
    use std::io;
    use std::time::Duration;

    fn named(name: &str) -> io::Result<Startup> {
        Startup::named(name).ok_or_else(|| io::Error::other(format!("`{name}` cannot be loaded")))
    }

    fn failed(error: io::Error) -> pyo3::PyErr {
        RequestError::new_err(error.to_string())
    }

    pub(crate) fn try_out(py: Python<'_>, name: &str) -> PyResult<()> {
        let tried = || {
            startups::check()?;
            Loaded::new(named(name)?).map(drop)
        };
        py.detach(tried).map_err(failed)
    }

    pub(crate) fn load(py: Python<'_>, given: Load) -> PyResult<()> {
        let network = |(address, bits)| Network { address, bits };
        let loaded = || {
            startups::load(&Request {
                startup: named(&given.startup)?,
                ports: given.ports,
                networks: given.networks.into_iter().map(network).collect(),
                share: given.share,
                seed: given.seed,
                cgroup: given.cgroup,
                time: given.seconds.map(Duration::from_secs_f64),
            })
        };
        py.detach(loaded).map_err(failed)
    }

    pub(crate) fn unload(py: Python<'_>) -> PyResult<bool> {
        py.detach(startups::unload).map_err(failed)
    }

    pub(crate) fn status(py: Python<'_>) -> PyResult<Option<Bound<'_, PyDict>>> {
        let found = py.detach(startups::status).map_err(failed)?;
        found.map(|found| dict(py, &found)).transpose()
    }

    fn dict<'py>(py: Python<'py>, found: &Status) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        let networks = found.networks.iter();
        let networks: Vec<_> = networks
            .map(|n| format!("{}/{}", n.address, n.bits))
            .collect();
        dict.set_item("startup", found.startup)?;
        dict.set_item("control", &found.control)?;
        dict.set_item("ports", &found.ports)?;
        dict.set_item("networks", networks)?;
        dict.set_item("share", found.share)?;
        dict.set_item("seed", found.seed)?;
        dict.set_item(
            "seconds_left",
            found.time_left.map(|time| time.as_secs_f64()),
        )?;
        dict.set_item("has_watchdog", found.has_watchdog)?;
        dict.set_item("with_startup", found.counts.treatment)?;
        dict.set_item("without_startup", found.counts.control)?;
        dict.set_item("application_choice", found.counts.kept)?;
        dict.set_item("refused", found.counts.failed)?;
        Ok(dict)
    }
}

/// Without the feature `linux` each is the same error.
#[cfg(not(feature = "linux"))]
mod built {
    use super::{Bound, Load, PyDict, PyResult, Python, RequestError};

    fn not_built<T>() -> PyResult<T> {
        Err(RequestError::new_err(
            "this build has no startups for the kernel; `make live-linux` in a checkout adds them",
        ))
    }

    pub(crate) fn try_out(_: Python<'_>, _: &str) -> PyResult<()> {
        not_built()
    }

    pub(crate) fn load(_: Python<'_>, _: Load) -> PyResult<()> {
        not_built()
    }

    pub(crate) fn unload(_: Python<'_>) -> PyResult<bool> {
        not_built()
    }

    pub(crate) fn status(_: Python<'_>) -> PyResult<Option<Bound<'_, PyDict>>> {
        not_built()
    }
}

pub(crate) use built::{load, status, try_out, unload};
