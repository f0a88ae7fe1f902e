//! The table of a comparison: a group for each size, a row for each variant, and only the columns that
//! have something to show.

use crate::startups::{listed, needs_help};
use crate::summary::Summary;
use crate::{text, words};
use flowstart_control::entry::Certainty;
use flowstart_control::named::Named;
use flowstart_transport::sender::Limit;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Follows the name of an algorithm that is in parts a reconstruction.
pub(crate) const RECONSTRUCTED: &str = "†";
/// Follows the name of one that needs router, peer or cache support.
pub(crate) const HELPED: &str = "*";
/// What the largest limit is made of.
const LIMITED: &str = "limited_by with the largest mean of its share";
/// What completion times are made of.
const DONE: &str = "mean of fct_s where complete";

/// A table of text.
#[derive(Clone, Serialize)]
pub struct Grid {
    title: &'static str,
    columns: Vec<Column>,
    rows: Vec<Vec<String>>,
    /// Headings within the table, by the row that they stand above.
    groups: BTreeMap<usize, String>,
    /// The rows that are marked.
    marked: Vec<usize>,
}

#[derive(Clone, Default, Serialize)]
struct Column {
    title: String,
    number: bool,
    /// A terminal that is too narrow may leave it out, the largest numbers first; 0 for never.
    #[serde(skip_serializing_if = "is_zero")]
    spare: u8,
    /// What its numbers are made of, in the columns of the rows.
    #[serde(skip_serializing_if = "str::is_empty")]
    of: &'static str,
    /// Rows that they are made of in place of those that the table's row names.
    #[serde(rename = "where", skip_serializing_if = "Option::is_none")]
    other: Option<Value>,
    /// Whether the rows that the table's row is compared with are among them.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    compares: bool,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_zero(spare: &u8) -> bool {
    *spare == 0
}

impl Grid {
    /// The table as the page draws it: of its columns only title and side.
    pub(crate) fn plain(mut self) -> Grid {
        let columns = std::mem::take(&mut self.columns).into_iter();
        self.columns = columns
            .map(|column| Column {
                title: column.title,
                number: column.number,
                ..Column::default()
            })
            .collect();
        self
    }

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
            title: (*title).to_owned(),
            number: at > 0 && is_number(at),
            ..Column::default()
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

/// What repeats add to a table.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Judged {
    /// The title of the intervals.
    pub column: String,
    /// Whether something is drawn at random.
    pub drawn: bool,
    /// For each summary its interval and the share of repeats that are slower.
    pub cells: Vec<[String; 2]>,
}

/// A column, and the cell of the summary at a place.
type Cells<'a> = (Column, Box<dyn Fn(usize) -> String + 'a>);

/// The table of these summaries; within a group they are in the order of `order`. `acked` is whether
/// the times until the sender knew are of interest.
pub fn table(found: &[Summary], order: &[String], acked: bool, judged: Option<&Judged>) -> Grid {
    let place = |at: &usize| {
        let one = &found[*at];
        let place = order.iter().position(|name| *name == one.startup);
        (one.group(), place)
    };
    let mut places: Vec<usize> = (0..found.len()).collect();
    places.sort_by_key(place);
    let columns = columns(found, acked, judged);
    let mut groups = BTreeMap::new();
    let starts = |row: &usize| {
        let before = row
            .checked_sub(1)
            .map(|before| found[places[before]].group());
        before != Some(found[places[*row]].group())
    };
    for row in (0..places.len()).filter(starts) {
        groups.insert(row, found[places[row]].group_name());
    }
    let rows = places.iter();
    Grid {
        title: "",
        marked: (0..places.len())
            .filter(|row| found[places[*row]].best)
            .collect(),
        rows: rows
            .map(|at| columns.iter().map(|(_, cell)| cell(*at)).collect())
            .collect(),
        columns: columns.into_iter().map(|(column, _)| column).collect(),
        groups,
    }
}

fn columns<'a>(found: &'a [Summary], acked: bool, judged: Option<&'a Judged>) -> Vec<Cells<'a>> {
    let is_rated = found.iter().any(|one| one.is_rate);
    let is_timed = found.iter().any(|one| one.measure.is_none());
    let mut columns = vec![words_of(found, "startup", "", |one| marked(&one.startup))];
    if is_rated {
        columns.extend(rates(found));
    }
    if found
        .iter()
        .any(|one| one.measure.is_some() && !one.is_rate)
    {
        columns.extend(delays(found));
    }
    if is_timed {
        columns.push(number(found, "FCT", 0, DONE, delivered));
    }
    if is_timed && found.iter().any(|one| one.seeds > 1 || one.web) {
        columns.extend([
            number(found, "min", 2, "least fct_s where complete", |one| {
                text::seconds(one.least_fct_s)
            }),
            number(found, "max", 2, "greatest fct_s where complete", |one| {
                text::seconds(one.worst_fct_s)
            }),
        ]);
    }
    if found.iter().any(Summary::has_flows) {
        columns.extend([
            number(found, "slowest", 0, "", |one| {
                text::seconds(one.slowest_flow_s)
            }),
            number(found, "Jain", 0, "", |one| text::ratio(one.fairness)),
        ]);
    }
    let of = match judged.is_some_and(|judged| judged.drawn) {
        _ if is_rated => "of goodputs: goodput_bps, against the baseline's; of others: fct_s",
        true => "geometric mean over seeds of fct_s, against the baseline's",
        false => "mean of fct_s where complete, against the baseline's",
    };
    columns.push(change(found, "change", of, |one| one.change));
    if let Some(judged) = judged {
        for (at, title) in [judged.column.as_str(), "slower >10 %"].iter().enumerate() {
            let column = Column {
                title: (*title).to_owned(),
                number: true,
                ..Column::default()
            };
            columns.push((column, Box::new(move |row| judged.cells[row][at].clone())));
        }
    }
    if acked {
        let of = "mean of duration_s where complete, against the baseline's";
        columns.extend([
            number(
                found,
                "acked",
                0,
                "mean of duration_s where complete",
                |one| text::seconds(one.duration_s),
            ),
            change(found, "change", of, |one| one.duration_change),
        ]);
    }
    columns.extend(counts(found));
    columns.extend(exits(found));
    let is_of_ends = |one: &Summary| one.limited_by.is_some_and(|l| Limit::OF_ENDS.contains(&l));
    if found.iter().any(is_of_ends) {
        columns.push(words_of(found, "limited by", LIMITED, limited));
    }
    if found.iter().any(|one| one.background_change.is_some()) {
        let of = "mean of fct_s of the background flows, against those under the baseline";
        let (mut column, cell) = change(found, "others", of, |one| one.background_change);
        column.other = Some(json!({"tested": false, "size_bytes": null, "web": null}));
        columns.push((column, cell));
    }
    columns
}

/// The rates of flows, and when their first bytes were delivered.
fn rates(found: &[Summary]) -> [Cells<'_>; 5] {
    [
        number(found, "rate", 0, "mean of goodput_bps", |one| {
            text::rate(one.goodput_bps)
        }),
        number(found, "of link", 0, "mean of goodput_share", |one| {
            share(one.goodput_share)
        }),
        number(found, "100 kB", 3, "mean of to_100kb_s", |one| {
            text::seconds(one.to_100kb_s)
        }),
        number(found, "1 MB", 2, "mean of to_1mb_s", |one| {
            text::seconds(one.to_1mb_s)
        }),
        number(found, "10 MB", 1, "mean of to_10mb_s", |one| {
            text::seconds(one.to_10mb_s)
        }),
    ]
}

/// The delays of writes.
fn delays(found: &[Summary]) -> [Cells<'_>; 5] {
    [
        number(found, "p50", 2, "mean of delay_p50_s", |one| {
            text::seconds(one.delay_p50_s)
        }),
        number(found, "p95", 0, "mean of delay_p95_s", |one| {
            let is_delay = one.measure.is_some() && !one.is_rate;
            text::seconds(one.fct_s.filter(|_| is_delay))
        }),
        number(found, "p99", 0, "mean of delay_p99_s", |one| {
            text::seconds(one.delay_p99_s)
        }),
        number(found, "longest", 1, "greatest delay_max_s", |one| {
            text::seconds(one.delay_max_s)
        }),
        number(found, "late", 0, "mean of late_share", |one| {
            share(one.late_share)
        }),
    ]
}

fn share(share: Option<f64>) -> String {
    share.map_or_else(
        || text::ABSENT.into(),
        |share| format!("{:.1} %", 100.0 * share),
    )
}

fn counts(found: &[Summary]) -> [Cells<'_>; 4] {
    [
        number(
            found,
            "× ideal",
            0,
            "mean of slowdown where complete",
            |one| text::ratio(one.slowdown),
        ),
        number(found, "dropped", 0, "mean of packets_dropped", |one| {
            text::count(Some(one.dropped))
        }),
        number(
            found,
            "retrans.",
            3,
            "mean of packets_retransmitted",
            |one| text::count(Some(one.retransmitted)),
        ),
        number(found, "RTOs", 0, "mean of timeouts", |one| {
            text::count(Some(one.timeouts))
        }),
    ]
}

fn exits(found: &[Summary]) -> [Cells<'_>; 4] {
    let windows = "least and greatest startup_exit_cwnd_segments with this exit reason";
    let of_bdp =
        "least and greatest startup_exit_cwnd_segments with this exit reason, divided by bdp_pkts";
    [
        words_of(
            found,
            "exit reason",
            "most frequent startup_exit_reason",
            reason,
        ),
        number(found, "exit cwnd", 1, windows, |one| {
            let ends = [one.min_exit_cwnd_segments, one.max_exit_cwnd_segments];
            text::ends(ends, text::count)
        }),
        number(found, "÷ BDP", 4, of_bdp, |one| {
            text::ends([one.min_exit_bdp, one.max_exit_bdp], text::ratio)
        }),
        number(found, "queue", 5, "greatest max_queue_pkts", |one| {
            text::count(Some(one.max_queue_pkts as f64))
        }),
    ]
}

fn words_of<'a>(
    found: &'a [Summary],
    title: &str,
    of: &'static str,
    cell: fn(&Summary) -> String,
) -> Cells<'a> {
    let (mut column, cells) = number(found, title, 0, of, cell);
    column.number = false;
    (column, cells)
}

fn number<'a>(
    found: &'a [Summary],
    title: &str,
    spare: u8,
    of: &'static str,
    cell: fn(&Summary) -> String,
) -> Cells<'a> {
    let column = Column {
        title: title.to_owned(),
        number: true,
        spare,
        of,
        ..Column::default()
    };
    (column, Box::new(move |at| cell(&found[at])))
}

/// A change against the baseline.
fn change<'a>(
    found: &'a [Summary],
    title: &str,
    of: &'static str,
    share: fn(&Summary) -> Option<f64>,
) -> Cells<'a> {
    let column = Column {
        title: title.to_owned(),
        number: true,
        of,
        compares: true,
        ..Column::default()
    };
    let cell = move |at: usize| text::percent(share(&found[at]));
    (column, Box::new(cell))
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
    if one.seeds < one.planned_seeds {
        parts.push(format!("{} of {} seeds", one.seeds, one.planned_seeds));
    }
    let time = text::seconds(one.fct_s);
    match parts.is_empty() {
        true => time,
        false => format!("{time} ({})", parts.join(", ")),
    }
}

/// What limited flows for the largest share of their time, and that share.
fn limited(one: &Summary) -> String {
    let limit = one.limited_by.map(|limit| limit.name().replace('-', " "));
    let share = |limit| format!("{limit} {:.0} %", 100.0 * one.limited_share);
    limit.map_or_else(|| text::ABSENT.to_owned(), share)
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
