//! Outcomes as Python sees them: a dictionary of tables, each a dictionary of columns.

use flowstart_sim::record::trace::Trace;
use flowstart_sim::Outcome;
use numpy::IntoPyArray;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde::Serialize;

use crate::batch::Batch;
use crate::columns::Columns;
use crate::packets::FlowPackets;

/// What is known of a run as a whole.
#[derive(Serialize)]
struct RunRow<'a> {
    error: Option<&'a str>,
    simulated_s: Option<f64>,
    events: Option<u64>,
    buffer: Option<&'a str>,
    buffer_reading: Option<&'a str>,
}

/// The tables of one outcome or of many.
struct Tables<'py> {
    runs: Columns<'py>,
    flows: Columns<'py>,
    transfers: Columns<'py>,
    objects: Columns<'py>,
    links: Columns<'py>,
    startups: Columns<'py>,
}

impl<'a> RunRow<'a> {
    fn of(outcome: &'a Outcome) -> RunRow<'a> {
        RunRow {
            error: None,
            simulated_s: Some(outcome.simulated_s),
            events: Some(outcome.events),
            buffer: Some(&outcome.buffer),
            buffer_reading: Some(&outcome.buffer_reading),
        }
    }
}

impl<'py> Tables<'py> {
    fn new(py: Python<'py>) -> Tables<'py> {
        Tables {
            runs: Columns::new(py),
            flows: Columns::new(py),
            transfers: Columns::new(py),
            objects: Columns::new(py),
            links: Columns::new(py),
            startups: Columns::new(py),
        }
    }

    fn add(&mut self, run: usize, outcome: &Outcome) -> PyResult<()> {
        self.runs.extend(run, &[RunRow::of(outcome)])?;
        self.flows.extend(run, outcome.flows.iter())?;
        self.transfers.extend(run, &outcome.transfers)?;
        self.objects.extend(run, outcome.objects.iter())?;
        self.links.extend(run, &outcome.links)?;
        self.startups.extend(run, &outcome.startups)
    }

    fn add_failure(&mut self, run: usize, error: &str) -> PyResult<()> {
        let row = RunRow {
            error: Some(error),
            simulated_s: None,
            events: None,
            buffer: None,
            buffer_reading: None,
        };
        self.runs.extend(run, &[row])
    }

    fn into_dict(self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        dict.set_item("runs", self.runs.into_dict()?)?;
        dict.set_item("flows", self.flows.into_dict()?)?;
        dict.set_item("transfers", self.transfers.into_dict()?)?;
        dict.set_item("objects", self.objects.into_dict()?)?;
        dict.set_item("links", self.links.into_dict()?)?;
        dict.set_item("startups", self.startups.into_dict()?)?;
        Ok(dict)
    }
}

/// One outcome: its tables, and its trace and the packets of flows where they were asked for.
pub fn one(py: Python<'_>, outcome: Outcome) -> PyResult<Bound<'_, PyDict>> {
    let mut tables = Tables::new(py);
    tables.add(0, &outcome)?;
    let dict = tables.into_dict(py)?;
    dict.set_item(
        "trace",
        outcome
            .trace
            .map(|trace| trace_dict(py, trace))
            .transpose()?,
    )?;
    let packets = outcome.packets.into_iter().map(FlowPackets::of);
    dict.set_item("packets", packets.collect::<Vec<_>>())?;
    Ok(dict)
}

/// Many outcomes: their tables joined, column `run` telling which scenario a row is of.
pub fn many(py: Python<'_>, batch: Batch) -> PyResult<Bound<'_, PyDict>> {
    let mut tables = Tables::new(py);
    for (run, finished) in batch.finished.into_iter().enumerate() {
        match finished {
            Some(Ok(outcome)) => tables.add(run, &outcome)?,
            Some(Err(error)) => tables.add_failure(run, &error)?,
            None => {}
        }
    }
    let dict = tables.into_dict(py)?;
    dict.set_item("interrupted", batch.interrupted)?;
    Ok(dict)
}

/// So many rows are handed over together: as columns of Python they take some 20 MB.
const ROWS_AT_A_TIME: usize = 10_000;

/// Hands the rows of one outcome to `take(table, columns)`, some of them at a time, so that they
/// need not all be in memory as columns.
pub fn hand_over(outcome: &Outcome, take: &Bound<'_, PyAny>) -> PyResult<()> {
    in_parts("runs", [RunRow::of(outcome)].iter(), take)?;
    in_parts("flows", outcome.flows.iter(), take)?;
    in_parts("transfers", outcome.transfers.iter(), take)?;
    in_parts("objects", outcome.objects.iter(), take)?;
    in_parts("links", outcome.links.iter(), take)?;
    in_parts("startups", outcome.startups.iter(), take)
}

fn in_parts(
    table: &str,
    mut rows: impl Iterator<Item: Serialize>,
    take: &Bound<'_, PyAny>,
) -> PyResult<()> {
    loop {
        let mut columns = Columns::new(take.py());
        columns.extend(0, rows.by_ref().take(ROWS_AT_A_TIME))?;
        if columns.is_empty() {
            return Ok(());
        }
        take.call1((table, columns.into_dict()?))?;
    }
}

/// A dictionary of arrays from the named fields, moved and not copied.
macro_rules! arrays {
    ($py:expr, $samples:expr, $($field:ident),*) => {{
        let dict = PyDict::new($py);
        $(dict.set_item(stringify!($field), $samples.$field.into_pyarray($py))?;)*
        dict
    }};
}

fn trace_dict(py: Python<'_>, trace: Trace) -> PyResult<Bound<'_, PyDict>> {
    let (flows, queues) = (trace.flow_samples, trace.queue_samples);
    let departures = trace.queue_departures;
    let dict = PyDict::new(py);
    let samples = arrays!(
        py,
        flows,
        time_ns,
        flow,
        event,
        seq,
        sack_blocks,
        cwnd,
        ssthresh,
        flight,
        srtt_s,
        pacing_bps,
        delivery_bps
    );
    for (name, cells) in flows.own {
        samples.set_item(name, cells.into_pyarray(py))?;
    }
    dict.set_item("flow_samples", samples)?;
    dict.set_item(
        "queue_samples",
        arrays!(py, queues, time_ns, direction, packets, bytes, empty_ns, dropped),
    )?;
    dict.set_item(
        "queue_departures",
        arrays!(py, departures, time_ns, direction),
    )?;
    Ok(dict)
}
