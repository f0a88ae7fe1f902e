//! What flows did over time, as bytes that are sent on as they are.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

use flowstart_control::{Duration, Instant};
use flowstart_sim::record::lines::{Drawn, EVENTS, FlowLines, Lines, LinesRequest, MOST_COLUMNS};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};

use crate::batch::Batch;
use crate::budget::Budget;
use crate::errors::RequestError;
use crate::outcome;

/// Ends the runs that were given it, from whichever thread.
#[pyclass(frozen, module = "flowstart._native")]
#[derive(Default)]
pub struct Cancel {
    budget: Arc<Budget>,
    ended: AtomicBool,
    place: Mutex<Option<String>>,
}

#[pymethods]
impl Cancel {
    #[new]
    #[pyo3(signature = (packets=f64::INFINITY, memory=f64::INFINITY, seconds=f64::INFINITY))]
    fn new(packets: f64, memory: f64, seconds: f64) -> Cancel {
        Cancel {
            budget: Arc::new(Budget::new(packets, memory, seconds)),
            ..Cancel::default()
        }
    }

    /// The runs end at their next event.
    fn cancel(&self) {
        self.budget.stop();
    }

    /// Whether that was requested.
    #[getter]
    fn cancelled(&self) -> bool {
        self.budget.is_over()
    }

    /// Whether the simulations are over, so that no hook of theirs is at work.
    #[getter]
    fn ended(&self) -> bool {
        self.ended.load(Relaxed)
    }

    /// The limit that has ended them: `packets`, `memory` or `time`.
    #[getter]
    fn exceeded(&self) -> Option<&'static str> {
        self.budget.exceeded()
    }

    /// Data packets that the runs have sent.
    #[getter]
    fn packets(&self) -> u64 {
        self.budget.packets()
    }

    /// The hook that was interrupted, in words; `None` where none was.
    #[getter]
    fn place(&self) -> Option<String> {
        self.place.lock().ok()?.clone()
    }
}

impl Cancel {
    /// Notes that the simulations are over, and which hook was interrupted.
    pub fn end(&self, place: Option<String>) {
        if let Ok(mut noted) = self.place.lock() {
            *noted = place;
        }
        self.ended.store(true, Relaxed);
    }

    /// What the runs are to keep to.
    pub fn budget(&self) -> Arc<Budget> {
        self.budget.clone()
    }
}

/// What is to be recorded of each of so many scenarios.
pub(crate) fn requests(
    flows: Vec<Vec<u32>>,
    (columns, from_s, to_s): (i64, f64, Option<f64>),
    scenarios: usize,
) -> PyResult<Vec<LinesRequest>> {
    if flows.len() != scenarios {
        let message = format!(
            "flows: {} lists of numbers; one for each scenario is needed, {scenarios}",
            flows.len()
        );
        return Err(RequestError::new_err(message));
    }
    let from = time("from_s", from_s)?;
    let to = to_s.map(|to| time("to_s", to)).transpose()?;
    if let Some(wrong) = to_s.filter(|to| *to <= from_s) {
        let message =
            format!("to_s: `{wrong}` is out of range; more than from_s, `{from_s}`, is needed");
        return Err(RequestError::new_err(message));
    }
    let columns = number("columns", columns, MOST_COLUMNS)?;
    let request = |flows| LinesRequest {
        flows,
        columns,
        from,
        to,
    };
    Ok(flows.into_iter().map(request).collect())
}

/// A number from 1 to `most`.
pub(crate) fn number(field: &str, given: i64, most: u32) -> PyResult<u32> {
    let number = u32::try_from(given).ok();
    number.filter(|n| (1..=most).contains(n)).ok_or_else(|| {
        let message = format!("{field}: `{given}` is out of range; 1 to {most} is needed");
        RequestError::new_err(message)
    })
}

fn time(field: &str, seconds: f64) -> PyResult<Instant> {
    if !(0.0..1e9).contains(&seconds) {
        let message = format!("{field}: `{seconds}` is out of range; seconds from 0 are needed");
        return Err(RequestError::new_err(message));
    }
    Ok(Instant::from_secs_f64(seconds))
}

/// The tables of all runs, and what their flows did over time in bins of one width.
pub(crate) fn found(py: Python<'_>, mut batch: Batch) -> PyResult<Bound<'_, PyDict>> {
    let mut all: Vec<Option<Lines>> = batch
        .finished
        .iter_mut()
        .map(|finished| finished.as_mut()?.as_mut().ok()?.lines.take())
        .collect();
    let mut there: Vec<&mut Lines> = all.iter_mut().flatten().collect();
    let (from, width) = (
        there
            .first()
            .map_or(Instant::ZERO, |lines| lines.bins().from()),
        Lines::align(&mut there),
    );
    let dict = outcome::many(py, &batch)?;
    let flows = |lines: &Option<Lines>| {
        let flows = lines.iter().flat_map(|lines| &lines.flows);
        let flows = flows.map(|flow| flow_dict(py, flow));
        PyList::new(py, flows.collect::<PyResult<Vec<_>>>()?)
    };
    dict.set_item("from_s", from.secs())?;
    dict.set_item("bin_s", Duration(width).secs())?;
    dict.set_item(
        "found",
        all.iter().map(flows).collect::<PyResult<Vec<_>>>()?,
    )?;
    Ok(dict)
}

/// `lines` as pairs of bytes, and `events` as those with a total.
fn flow_dict<'py>(py: Python<'py>, flow: &FlowLines) -> PyResult<Bound<'py, PyDict>> {
    let (lines, events) = (PyDict::new(py), PyDict::new(py));
    for (name, drawn) in flow.drawn() {
        let (bins, values) = bytes(py, &drawn);
        lines.set_item(name, (bins, values))?;
    }
    for (name, points) in EVENTS.iter().zip(&flow.events) {
        let (bins, values) = bytes(py, &points.drawn());
        events.set_item(name, (bins, values, points.total()))?;
    }
    let dict = PyDict::new(py);
    dict.set_item("lines", lines)?;
    dict.set_item("events", events)?;
    Ok(dict)
}

/// Bins as 16-bit numbers and values as 32-bit ones, both little endian.
fn bytes<'py>(py: Python<'py>, drawn: &Drawn) -> (Bound<'py, PyBytes>, Bound<'py, PyBytes>) {
    let bins: Vec<u8> = drawn
        .bins
        .iter()
        .flat_map(|bin| bin.to_le_bytes())
        .collect();
    let values: Vec<u8> = drawn.values.iter().flat_map(|v| v.to_le_bytes()).collect();
    (PyBytes::new(py, &bins), PyBytes::new(py, &values))
}
