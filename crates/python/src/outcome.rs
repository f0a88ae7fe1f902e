//! Outcomes as Python sees them: a dictionary of tables.

use flowstart_sim::Outcome;
use flowstart_sim::record::run::RunRow;
use flowstart_sim::record::trace::{Cells, Trace};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde::Serialize;

use crate::arrays::array;
use crate::batch::Batch;
use crate::packets::FlowPackets;
use crate::table::Table;

/// The tables of one outcome or of many.
struct Tables {
    runs: Table,
    flows: Table,
    transfers: Table,
    objects: Table,
    links: Table,
    startups: Table,
    limits: Table,
    goodputs: Table,
    delays: Table,
    handshakes: Table,
}

impl Tables {
    fn new() -> PyResult<Tables> {
        Ok(Tables {
            runs: Table::new("runs")?,
            flows: Table::new("flows")?,
            transfers: Table::new("transfers")?,
            objects: Table::new("objects")?,
            links: Table::new("links")?,
            startups: Table::new("startups")?,
            limits: Table::new("limits")?,
            goodputs: Table::new("goodputs")?,
            delays: Table::new("delays")?,
            handshakes: Table::new("handshakes")?,
        })
    }

    fn add(&mut self, run: usize, outcome: &Outcome) -> PyResult<()> {
        self.runs.extend(run, [RunRow::of(outcome)])?;
        self.flows.extend(run, outcome.flows.iter())?;
        self.transfers.extend(run, &outcome.transfers)?;
        self.objects.extend(run, outcome.objects.iter())?;
        self.links.extend(run, &outcome.links)?;
        self.startups.extend(run, &outcome.startups)?;
        self.limits.extend(run, &outcome.limits)?;
        self.goodputs.extend(run, &outcome.goodputs)?;
        self.delays.extend(run, &outcome.delays)?;
        self.handshakes.extend(run, &outcome.handshakes)
    }

    fn into_dict(self, py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
        let dict = PyDict::new(py);
        dict.set_item("runs", self.runs)?;
        dict.set_item("flows", self.flows)?;
        dict.set_item("transfers", self.transfers)?;
        dict.set_item("objects", self.objects)?;
        dict.set_item("links", self.links)?;
        dict.set_item("startups", self.startups)?;
        dict.set_item("limits", self.limits)?;
        dict.set_item("goodputs", self.goodputs)?;
        dict.set_item("delays", self.delays)?;
        dict.set_item("handshakes", self.handshakes)?;
        Ok(dict)
    }
}

/// One outcome: its tables, and its trace and the packets of flows where they were requested.
pub(crate) fn one(py: Python<'_>, outcome: Outcome) -> PyResult<Bound<'_, PyDict>> {
    let mut tables = Tables::new()?;
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

/// Many outcomes: their tables joined, column `run` with the number of the scenario.
pub(crate) fn many<'py>(py: Python<'py>, batch: &Batch) -> PyResult<Bound<'py, PyDict>> {
    let mut tables = Tables::new()?;
    for (run, finished) in batch.finished.iter().enumerate() {
        match finished {
            Some(Ok(outcome)) => tables.add(run, outcome)?,
            Some(Err(error)) => tables.runs.extend(run, [RunRow::failed(error)])?,
            None => {}
        }
    }
    let dict = tables.into_dict(py)?;
    dict.set_item("interrupted", batch.interrupted)?;
    Ok(dict)
}

/// So many rows are handed over together: as frames of Python they take some MB.
const ROWS_AT_A_TIME: usize = 10_000;

/// Hands the rows of one outcome to `take(table)`, some of them at a time, so that they
/// need not all be in memory as columns.
pub(crate) fn hand_over(outcome: &Outcome, take: &Bound<'_, PyAny>) -> PyResult<()> {
    in_parts("runs", [RunRow::of(outcome)].iter(), take)?;
    in_parts("flows", outcome.flows.iter(), take)?;
    in_parts("transfers", outcome.transfers.iter(), take)?;
    in_parts("objects", outcome.objects.iter(), take)?;
    in_parts("links", outcome.links.iter(), take)?;
    in_parts("startups", outcome.startups.iter(), take)?;
    in_parts("goodputs", outcome.goodputs.iter(), take)?;
    in_parts("delays", outcome.delays.iter(), take)
}

fn in_parts(
    table: &str,
    mut rows: impl Iterator<Item: Serialize>,
    take: &Bound<'_, PyAny>,
) -> PyResult<()> {
    loop {
        let mut part = Table::new(table)?;
        part.extend(0, rows.by_ref().take(ROWS_AT_A_TIME))?;
        if part.rows() == 0 {
            return Ok(());
        }
        take.call1((part,))?;
    }
}

fn trace_dict(py: Python<'_>, trace: Trace) -> PyResult<Bound<'_, PyDict>> {
    let mut flows = trace.flow_samples;
    let own = std::mem::take(&mut flows.own);
    let samples = arrays(py, flows.into_columns())?;
    for (name, cells) in own {
        samples.set_item(name, array(py, cells)?)?;
    }
    let dict = PyDict::new(py);
    dict.set_item("flow_samples", samples)?;
    let queues = trace.queue_samples.into_columns();
    dict.set_item("queue_samples", arrays(py, queues)?)?;
    let departures = trace.queue_departures.into_columns();
    dict.set_item("queue_departures", arrays(py, departures)?)?;
    let turns = trace.limit_turns;
    let turns = vec![
        ("flow", Cells::from(turns.flow)),
        ("time_ns", Cells::from(turns.time_ns)),
        ("limit", Cells::from(turns.limit)),
    ];
    dict.set_item("limit_turns", arrays(py, turns)?)?;
    let hops = vec![("narrowest_hop", Cells::from(trace.narrowest_hops))];
    dict.set_item("flows", arrays(py, hops)?)?;
    Ok(dict)
}

/// A dictionary of arrays from columns.
fn arrays<'py>(py: Python<'py>, columns: Vec<(&str, Cells)>) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    for (name, cells) in columns {
        let array = match cells {
            Cells::U8(cells) => array(py, cells),
            Cells::U32(cells) => array(py, cells),
            Cells::U64(cells) => array(py, cells),
            Cells::F64(cells) => array(py, cells),
            Cells::Bool(cells) => array(py, cells),
        };
        dict.set_item(name, array?)?;
    }
    Ok(dict)
}
