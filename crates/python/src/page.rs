//! The explore view of the explorer, with startups in Python, and its rules for other tables.

use std::sync::Arc;

use flowstart_compare::page::Page;
use flowstart_compare::{
    Custom, Failure, Finished, Headline, Legend, Part, Run, Setting, SmallBuffer,
};
use flowstart_control::Named;
use flowstart_transport::flow_control::ReceiverName;
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::batch::{self, Task};
use crate::custom::{self, Callables};
use crate::errors::{self, RequestError};
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
        &mut dyn FnMut(Vec<Run>) -> PyResult<Vec<Option<Finished>>>,
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
        let finished = |one: Option<Result<_, String>>| {
            let one = one.ok_or_else(|| PyKeyboardInterrupt::new_err(()))?;
            Ok(Some(one.map(Part::from)))
        };
        batch.finished.into_iter().map(finished).collect()
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

/// Functions with a number in words as their result.
macro_rules! number_words {
    ($($name:ident),*) => {$(
        #[pyfunction]
        pub(crate) fn $name(value: Option<f64>) -> String {
            flowstart_compare::text::$name(value)
        }
    )*};
}

number_words!(seconds, size, rate, percent, count, ratio);

/// The headline of a comparison or a run, whose facts are JSON.
#[pyfunction]
pub(crate) fn headline(facts: &str) -> PyResult<String> {
    let facts: Headline = serde_json::from_str(facts).map_err(refused)?;
    Ok(facts.written())
}

/// The legend of a table of changes, whose facts are JSON.
#[pyfunction]
pub(crate) fn legend(facts: &str) -> PyResult<String> {
    let facts: Legend = serde_json::from_str(facts).map_err(refused)?;
    Ok(facts.written())
}

/// The footnotes of a table, whose setting is JSON, and those of them that a short summary has,
/// which may have intervals from `repeated` runs.
#[pyfunction]
pub(crate) fn notes(setting: &str, repeated: bool) -> PyResult<(Vec<String>, Vec<String>)> {
    let setting: Setting = serde_json::from_str(setting).map_err(refused)?;
    Ok((setting.notes(), setting.cautions(repeated)))
}

/// What is drawn at random in a scenario with every default filled in, which is JSON.
#[pyfunction]
pub(crate) fn drawn(resolved: &str) -> PyResult<Vec<String>> {
    let resolved = serde_json::from_str(resolved).map_err(no_json)?;
    Ok(flowstart_compare::drawn(&resolved))
}

/// The buffers of a path that were given in BDPs and came to less than the initial window: packets,
/// field and what was given. The path is JSON, as it was `given` and with every default filled in.
#[pyfunction]
pub(crate) fn small_buffers(
    given: &str,
    resolved: &str,
    window: u64,
) -> PyResult<Vec<(u64, String, String)>> {
    let [given, resolved] = [given, resolved].map(serde_json::from_str);
    let (given, resolved) = (given.map_err(refused)?, resolved.map_err(refused)?);
    let found = flowstart_compare::small_buffers(&given, &resolved, window);
    let found = found.into_iter();
    Ok(found
        .map(|one| (one.packets, one.field, one.given))
        .collect())
}

/// What a resolved scenario has that changes nothing in it, in a sentence each.
#[pyfunction]
pub(crate) fn without_effect(resolved: &str) -> PyResult<Vec<String>> {
    let resolved = serde_json::from_str(resolved).map_err(no_json)?;
    Ok(flowstart_compare::without_effect(&resolved))
}

/// What the presets of resolved scenarios leave out, and which of that can decide the startup.
#[pyfunction]
pub(crate) fn omissions(scenarios: &str) -> PyResult<(Vec<String>, Vec<String>)> {
    let scenarios: Vec<_> = serde_json::from_str(scenarios).map_err(no_json)?;
    Ok(flowstart_compare::omissions(&scenarios))
}

/// The rules that a preset leaves out: what each decides of a result, the rule and its source.
#[pyfunction]
pub(crate) fn preset_omissions(name: &str) -> Vec<(&'static str, &'static str, &'static str)> {
    let preset = flowstart_transport::stack::all_presets().find(|preset| preset.name == name);
    let omissions = preset.into_iter().flat_map(|preset| preset.omissions);
    omissions
        .map(|one| (one.touches.name(), one.rule, one.source))
        .collect()
}

/// What to report of such a buffer; `place` are further words on where it is.
#[pyfunction]
pub(crate) fn buffer_warning(
    packets: u64,
    field: String,
    given: String,
    place: &str,
    window: u64,
) -> String {
    let found = SmallBuffer {
        field,
        given,
        packets,
    };
    found.warning(place, window)
}

/// The whole packets of an initial window, as a stack has it, of segments that carry `mss`.
#[pyfunction]
pub(crate) fn initial_window(rule: &str, mss: &str) -> u64 {
    flowstart_compare::initial_window(rule, mss)
}

/// The first window of a receiver with QUIC's flow control, in bytes, and None of one without.
#[pyfunction]
pub(crate) fn receiver_window(receiver: &str) -> Option<u64> {
    let options = ReceiverName::named(receiver)?.of_quic()?;
    Some(options.first())
}

/// A startup's name with its marks.
#[pyfunction]
pub(crate) fn marked(name: &str) -> String {
    flowstart_compare::marked(name)
}

/// The fields of a request that may have the `known` ones, as JSON; none of them is null.
#[pyfunction]
pub(crate) fn request_fields(request: &[u8], known: Vec<String>) -> PyResult<String> {
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    flowstart_compare::request_fields(request, &known).map_err(refused)
}

/// Refuses an option that is `given` and changes nothing under these startups and this stack.
///
/// Both mappings are JSON. `custom` are startups in Python.
#[pyfunction]
pub(crate) fn check_options(
    given: &str,
    startups: Vec<String>,
    stack: &str,
    custom: Option<Bound<'_, PyDict>>,
) -> PyResult<()> {
    let given = serde_json::from_str(given).map_err(refused)?;
    let stack = serde_json::from_str(stack).map_err(refused)?;
    let hooks = Callables::read(custom)?.hooks();
    flowstart_compare::check_options(&given, &startups, &stack, &hooks).map_err(errors::request)
}

/// A stack such as `ns2:recovery=newreno,iw=3`: its fields, the preset ahead, as JSON.
#[pyfunction]
pub(crate) fn stack_fields(text: &str) -> PyResult<String> {
    let fields = flowstart_compare::stack_fields(text).map_err(errors::request)?;
    serde_json::to_string(&fields).map_err(refused)
}

/// A value of a stack's field as JSON, a number or a truth value where the field has one.
#[pyfunction]
pub(crate) fn stack_value(field: &str, text: String) -> String {
    flowstart_compare::typed(field, text).to_string()
}

/// Splits a list of names at its commas; several parameters stay with their algorithm.
#[pyfunction]
pub(crate) fn split(text: &str) -> Vec<String> {
    flowstart_compare::split(text)
}

/// Known names that an unknown one may mean: those that contain it, or the nearest.
#[pyfunction]
pub(crate) fn near(name: &str, known: Vec<String>) -> Vec<String> {
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    let found = flowstart_compare::near(name, &known).into_iter();
    found.map(str::to_owned).collect()
}
