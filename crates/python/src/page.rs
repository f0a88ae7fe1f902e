//! The explore view of the explorer, with startups in Python.

use std::sync::Arc;

use flowstart_page::{Custom, Failure, Finished, Page, Run};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::batch::{self, Task};
use crate::custom::{self, Callables};
use crate::errors::RequestError;
use crate::lines::Cancel;

/// What the page of the explorer is answered about one path.
#[pyclass(frozen, module = "flowstart._native")]
pub struct Explorer(Page);

/// Startups in Python, threads, and what ends the runs.
type Means<'py> = (
    Option<Bound<'py, PyDict>>,
    usize,
    Option<Bound<'py, Cancel>>,
);

#[pymethods]
impl Explorer {
    /// One with these settings, as JSON.
    #[new]
    fn new(settings: &str) -> PyResult<Explorer> {
        let settings = serde_json::from_str(settings).map_err(refused)?;
        Ok(Explorer(Page::new(settings)))
    }

    /// The options of a state, which is JSON, with values of their types.
    fn typed(&self, given: &str) -> PyResult<String> {
        let given = serde_json::from_str(given).map_err(no_json)?;
        self.0.typed(&given).map_err(refused)
    }

    /// The startups in Python that take part in a request.
    fn custom(&self, request: &[u8]) -> Vec<String> {
        self.0.custom(request)
    }

    /// Checks that a state can be compared.
    #[pyo3(signature = (given, custom=None))]
    fn check(&self, given: &str, custom: Option<Bound<'_, PyDict>>) -> PyResult<()> {
        let given = serde_json::from_str(given).map_err(no_json)?;
        let (callables, failure) = (Callables::read(custom)?, Arc::default());
        let custom = known(&callables, &failure);
        self.0.check(&given, &custom).map_err(refused)
    }

    /// The table of a comparison, and what every startup did over time, as a frame.
    ///
    /// `means` are startups in Python, the number of threads, and what may end the runs from another
    /// thread, which raises KeyboardInterrupt.
    fn compare<'py>(
        &self,
        py: Python<'py>,
        request: &[u8],
        means: Means<'py>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let found = within(py, means, |custom, runs| {
            self.0.compare(request, custom, runs)
        })?;
        Ok(PyBytes::new(py, &found))
    }

    /// The first packets of a startup's flow, as JSON.
    fn packets(&self, py: Python<'_>, request: &[u8], means: Means<'_>) -> PyResult<String> {
        within(py, means, |custom, runs| {
            self.0.packets(request, custom, runs)
        })
    }
}

/// An answer whose runs are on threads, and on this one where they call Python.
fn within<T>(
    py: Python<'_>,
    (custom, workers, cancel): Means<'_>,
    answer: impl FnOnce(
        &Custom,
        &mut dyn FnMut(Vec<Run>) -> PyResult<Vec<Finished>>,
    ) -> Result<T, Failure<PyErr>>,
) -> PyResult<T> {
    let (callables, failure) = (Callables::read(custom)?, Arc::default());
    let budget = cancel.map_or_else(Arc::default, |cancel| cancel.get().budget());
    let mut runs = |runs: Vec<Run>| {
        let task = |run: Run| Task {
            calls_python: callables.take_part(&run.scenario),
            prepared: run.prepared,
        };
        let tasks = runs.into_iter().map(task).collect();
        let batch = batch::run(py, tasks, &failure, (workers, &budget), None)?;
        let finished: Option<Vec<Finished>> = batch.finished.into_iter().collect();
        finished.ok_or_else(|| PyKeyboardInterrupt::new_err(()))
    };
    answer(&known(&callables, &failure), &mut runs).map_err(|failure| match failure {
        Failure::Refused(refusal) => refused(refusal),
        Failure::Ended(error) => error,
    })
}

fn known(callables: &Callables, failure: &Arc<custom::Failure>) -> Custom {
    Custom {
        startups: callables.custom(failure),
        hooks: callables.hooks(),
    }
}

fn no_json(error: serde_json::Error) -> PyErr {
    refused(format!("the request is not JSON: {error}"))
}

fn refused(error: impl std::fmt::Display) -> PyErr {
    RequestError::new_err(error.to_string())
}
