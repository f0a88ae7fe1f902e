//! The table of a comparison: a row for each startup, as `flowstart compare` prints it.

use crate::startups::{listed, needs_help};
use crate::summary::Summary;
use crate::{text, words};
use flowstart_control::entry::Certainty;
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// Follows the name of an algorithm that is in parts a reconstruction.
pub(crate) const RECONSTRUCTED: &str = "†";
/// Follows the name of one that needs router, peer or cache support.
pub(crate) const HELPED: &str = "*";

/// A table of text.
#[derive(Clone, Serialize)]
pub(crate) struct Grid {
    title: &'static str,
    columns: Vec<Column>,
    rows: Vec<Vec<String>>,
    /// Headings within the table, by the row that they stand above.
    groups: BTreeMap<usize, String>,
    /// The rows that are marked.
    marked: Vec<usize>,
}

#[derive(Clone, Serialize)]
struct Column {
    title: &'static str,
    number: bool,
}

impl Grid {
    /// A table whose columns are numbers where all of their cells are.
    pub(crate) fn of(
        title: &'static str,
        columns: &[&'static str],
        rows: Vec<Vec<String>>,
    ) -> Grid {
        let is_number = |at: usize| {
            let mut cells = rows.iter().filter_map(|row| row.get(at));
            cells.all(|cell| cell == text::ABSENT || cell.starts_with(|c: char| c.is_ascii_digit()))
        };
        let column = |(at, title): (usize, &&'static str)| Column {
            title,
            number: at > 0 && is_number(at),
        };
        Grid {
            title,
            columns: columns.iter().enumerate().map(column).collect(),
            rows,
            groups: BTreeMap::new(),
            marked: Vec::new(),
        }
    }
}

/// The table of these summaries, with startups in this order. `acked` is whether the times until the
/// sender knew are of interest.
pub(crate) fn table(found: &[Summary], order: &[String], acked: bool) -> Grid {
    let several = found.iter().any(|one| one.flows > 1);
    let named = |name: &String| found.iter().find(|one| one.startup == *name);
    let found: Vec<&Summary> = order.iter().filter_map(named).collect();
    let marked = found.iter().enumerate().filter(|(_, one)| one.best);
    let first = found
        .first()
        .map(|one| (0, text::size(Some(one.size_bytes as f64))));
    Grid {
        title: "",
        columns: columns(several, acked),
        rows: found.iter().map(|one| cells(one, several, acked)).collect(),
        groups: first.into_iter().collect(),
        marked: marked.map(|(at, _)| at).collect(),
    }
}

fn columns(several: bool, acked: bool) -> Vec<Column> {
    let mut titles = vec!["startup", "FCT"];
    titles.extend(if several {
        &["slowest", "Jain"][..]
    } else {
        &[]
    });
    titles.push("change");
    titles.extend(if acked { &["acked", "change"][..] } else { &[] });
    titles.extend([
        "× ideal",
        "dropped",
        "retrans.",
        "RTOs",
        "exit reason",
        "exit cwnd",
    ]);
    titles.extend(["÷ BDP", "queue"]);
    let is_text = ["startup", "exit reason"];
    let column = |title| Column {
        title,
        number: !is_text.contains(&title),
    };
    titles.into_iter().map(column).collect()
}

fn cells(one: &Summary, several: bool, acked: bool) -> Vec<String> {
    let mut cells = vec![marked(&one.startup), delivered(one)];
    if several {
        cells.extend([text::seconds(slowest(one)), text::ratio(one.fairness)]);
    }
    cells.push(text::percent(one.change));
    if acked {
        cells.extend([
            text::seconds(one.duration_s),
            text::percent(one.duration_change),
        ]);
    }
    let of_bdp = one.exit_cwnd_segments.filter(|_| one.bdp_pkts > 0);
    let of_bdp = of_bdp.map(|(low, high)| (low / one.bdp_pkts as f64, high / one.bdp_pkts as f64));
    cells.extend([
        text::ratio(one.slowdown),
        text::count(Some(one.dropped)),
        text::count(Some(one.retransmitted)),
        text::count(Some(one.timeouts)),
        reason(one),
        ends(one.exit_cwnd_segments, text::count),
        ends(of_bdp, text::ratio),
        text::count(Some(one.max_queue_pkts as f64)),
    ]);
    cells
}

/// The ends of a range of numbers: `0.17–3.9`, or one of them where both look the same.
fn ends(range: Option<(f64, f64)>, shown: fn(Option<f64>) -> String) -> String {
    let (low, high) = (shown(range.map(|it| it.0)), shown(range.map(|it| it.1)));
    match low == high {
        true => low,
        false => format!("{low}–{high}"),
    }
}

/// The time of the slowest flow; none if one was not done.
fn slowest(one: &Summary) -> Option<f64> {
    one.worst_fct_s.filter(|_| one.complete == one.flows)
}

/// A startup's name with its marks.
pub fn marked(name: &str) -> String {
    let Some(entry) = listed(name) else {
        return words::short(name).to_owned();
    };
    let helped = if needs_help(entry) { HELPED } else { "" };
    let is_reconstructed = entry.certainty == Certainty::Reconstructed;
    let reconstructed = if is_reconstructed { RECONSTRUCTED } else { "" };
    format!("{name}{helped}{reconstructed}")
}

/// The mean completion time, with what it does not count.
fn delivered(one: &Summary) -> String {
    let mut parts = Vec::new();
    if one.complete < one.flows {
        parts.push(format!("{} of {} done", one.complete, one.flows));
    }
    if one.reset > 0 {
        parts.push(format!("{} reset", one.reset));
    }
    let time = text::seconds(one.fct_s);
    match parts.is_empty() {
        true => time,
        false => format!("{time} ({})", parts.join(", ")),
    }
}

fn reason(one: &Summary) -> String {
    let reason = one
        .exit_reason
        .and_then(|reason| serde_json::to_value(reason).ok());
    let reason = reason
        .as_ref()
        .and_then(Value::as_str)
        .unwrap_or(text::ABSENT);
    match one.exit_share >= 1.0 {
        true => reason.to_owned(),
        false => format!("{reason} ({:.0}%)", 100.0 * one.exit_share),
    }
}
