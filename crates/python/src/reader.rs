//! Scenarios from JSON to what is simulated.

use std::sync::Arc;

use flowstart_sim::{Compiler, Prepared, RequestError, Scenario};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::batch::Task;
use crate::custom::{Callables, Failure};
use crate::errors;

/// Reads scenarios and compiles them, once for all that is done with them.
pub(crate) struct Reader {
    callables: Callables,
    /// Where it is noted that a Python startup of theirs has raised.
    pub failure: Arc<Failure>,
    compiler: Compiler,
}

impl Reader {
    /// A reader with these startups in Python.
    pub(crate) fn new(custom: Option<Bound<'_, PyDict>>) -> PyResult<Reader> {
        let callables = Callables::read(custom)?;
        let failure = Arc::default();
        let compiler = Compiler::new(callables.custom(&failure));
        Ok(Reader {
            callables,
            failure,
            compiler,
        })
    }

    /// A scenario in JSON, and the same checked.
    pub(crate) fn compile(&mut self, json: &str) -> PyResult<(Scenario, Prepared)> {
        let scenario = Scenario::from_json(json).map_err(errors::request)?;
        let prepared = self.prepare(&scenario).map_err(errors::request)?;
        Ok((scenario, prepared))
    }

    /// A scenario, checked.
    pub(crate) fn prepare(&mut self, scenario: &Scenario) -> Result<Prepared, RequestError> {
        self.compiler.compile(scenario)
    }

    /// A scenario in JSON, to be run.
    pub(crate) fn task(&mut self, json: &str) -> PyResult<Task> {
        let scenario = Scenario::from_json(json).map_err(errors::request)?;
        self.task_of(&scenario)
    }

    /// A scenario, to be run.
    pub(crate) fn task_of(&mut self, scenario: &Scenario) -> PyResult<Task> {
        Ok(Task {
            prepared: self.prepare(scenario).map_err(errors::request)?,
            calls_python: self.callables.take_part(scenario),
        })
    }
}
