//! What flows did over time: JSON that shows where in a frame's tail the numbers are.

use crate::page::frame::Tail;
use crate::rows::Row;
use flowstart_control::{Duration, Instant};
use flowstart_sim::record::flow::FlowRow;
use flowstart_sim::record::lines::{Drawn, EVENTS, FlowLines, Lines};
use serde_json::{Map, Value, json};

/// The lines of all runs, with bins of one width.
pub(crate) struct Traced {
    runs: Vec<Option<Lines>>,
    from: Instant,
    width: Duration,
}

impl Traced {
    /// Gives the lines of all runs the same bins.
    pub(crate) fn of(mut runs: Vec<Option<Lines>>) -> Traced {
        let mut there: Vec<&mut Lines> = runs.iter_mut().flatten().collect();
        let from = there
            .first()
            .map_or(Instant::ZERO, |lines| lines.bins().from());
        let width = Duration(Lines::align(&mut there));
        Traced { runs, from, width }
    }

    /// When the first bin begins, in seconds.
    pub(crate) fn begin_s(&self) -> f64 {
        self.from.secs()
    }

    /// How long each bin is, in seconds.
    pub(crate) fn bin_s(&self) -> f64 {
        self.width.secs()
    }

    /// What the flow of a row did; `None` where it was not recorded.
    pub(crate) fn document(&self, row: &Row, startup: &str, tail: &mut Tail) -> Option<Value> {
        let flows = &self.runs.get(row.run)?.as_ref()?.flows;
        let found = flows.iter().find(|lines| lines.flow == row.flow.flow)?;
        let flow = &row.flow;
        let opened_s = flow.opened_s.unwrap_or(0.0);
        let mut last = None;
        let mut lines = Map::new();
        for (name, drawn) in found.drawn() {
            last = last.max(drawn.bins.last().copied());
            lines.insert(name.to_owned(), place(&drawn, tail));
        }
        Some(json!({
            "startup": startup,
            "flow": flow.flow,
            "bdp_pkts": flow.bdp_pkts,
            "done_s": flow.fct_s.map(|fct_s| opened_s + fct_s),
            "end_s": self.end_s(flow, last),
            "exit": exit(flow),
            "lines": lines,
            "events": events(found, tail),
        }))
    }

    /// When the last byte was acknowledged; else when anything happened last.
    fn end_s(&self, flow: &FlowRow, last: Option<u16>) -> f64 {
        match (flow.opened_s, flow.duration_s) {
            (Some(opened_s), Some(duration_s)) => opened_s + duration_s,
            _ => self.begin_s() + last.map_or(0.0, |bin| f64::from(bin) + 1.0) * self.bin_s(),
        }
    }
}

fn events(found: &FlowLines, tail: &mut Tail) -> Map<String, Value> {
    let of = |(name, points): (&&str, &flowstart_sim::record::lines::BinnedPoints)| {
        let mut place = place(&points.drawn(), tail);
        place["total"] = points.total().into();
        ((*name).to_owned(), place)
    };
    EVENTS.iter().zip(&found.events).map(of).collect()
}

/// Bins as 16-bit numbers and values as 32-bit ones, little endian.
fn place(drawn: &Drawn, tail: &mut Tail) -> Value {
    let bins = tail.add(drawn.bins.iter().flat_map(|bin| bin.to_le_bytes()));
    let values = tail.add(drawn.values.iter().flat_map(|value| value.to_le_bytes()));
    json!({"bins": bins, "values": values, "count": drawn.bins.len()})
}

/// When, at which window and why startup ended.
fn exit(flow: &FlowRow) -> Option<Value> {
    let (opened_s, exit_s) = (flow.opened_s?, flow.startup_exit_s?);
    Some(json!({
        "at_s": opened_s + exit_s,
        "cwnd_segments": flow.startup_exit_cwnd_segments,
        "reason": flow.startup_exit_reason,
    }))
}
