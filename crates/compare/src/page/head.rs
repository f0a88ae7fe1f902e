//! The part of an answer that does not depend on the time that is looked at.

use crate::headline::{Headline, small_buffers, window_of};
use crate::notes::{Legend, Setting, drawn, without_effect};
use crate::omissions::omissions;
use crate::page::scenario_file;
use crate::page::view::View;
use crate::part::{Finished, Part};
use crate::path::interface;
use crate::plan::CACHED;
use crate::rows::{MEASURES, Row};
use crate::summary::{Summary, order, summaries};
use crate::table::{Grid, table};
use serde::Serialize;
use serde_json::{Map, Value};

/// The table, and the text and the rows that belong to it.
#[derive(Serialize)]
pub(crate) struct Head {
    headline: String,
    startups: Vec<String>,
    command: String,
    scenario: String,
    table: Grid,
    legend: String,
    warnings: Vec<String>,
    rows: Vec<Value>,
}

impl Head {
    /// The head of a view's finished runs with the rows of the first flows of each, and these rows in
    /// the order of the table. `resolved` has the scenario of each startup with every default.
    pub(crate) fn of(
        view: &View,
        resolved: &[Value],
        finished: &[Option<Finished>],
        most: u32,
    ) -> (Head, Vec<Row>) {
        let plan = &view.plan;
        let parts = finished.iter().zip(plan.first_cases(view.seed));
        let of_run = |(run, (finished, case)): (usize, (&Option<Finished>, _))| {
            let part = finished.as_ref()?.as_ref().ok()?;
            Some(crate::rows::rows(plan, run, case, part.rows()))
        };
        let mut rows: Vec<Row> = parts.enumerate().filter_map(of_run).flatten().collect();
        let found = summaries(&rows, plan, &[1]);
        let order = order(&found, plan);
        // Studies made with ns-2 count until the last ACK.
        let acked = rows.iter().any(|row| row.flow.stack == "ns2");
        let notes = notes(view, resolved, finished);
        let headline = headline(view, resolved, &rows, finished);
        rows.retain(|row| row.flow.flow < most);
        let is_measured = rows.iter().any(|row| row.measures.is_some());
        let first = resolved.first().unwrap_or(&Value::Null);
        let head = Head {
            headline,
            startups: plan.names().into_iter().map(str::to_owned).collect(),
            command: view.command(),
            scenario: scenario(view),
            table: table(&found, &order, acked, None).plain(),
            legend: legend(view, &found, &notes, acked),
            warnings: [warnings(view, first), failures(view, finished)].concat(),
            rows: rows
                .iter()
                .map(|row| document(row, view, is_measured))
                .collect(),
        };
        let name = |row: &Row| &plan.variants[row.run].name;
        rows.sort_by_key(|row| order.iter().position(|one| one == name(row)));
        (head, rows)
    }
}

/// The scenario of the first startup as a file.
fn scenario(view: &View) -> String {
    let flow = view.flow();
    let parts = [
        ("[path]", view.path.fields()),
        ("[stack]", view.stack.fields()),
        ("[[flows]]", flow.as_slice()),
    ];
    scenario_file::written(view.seed, parts)
}

fn headline(
    view: &View,
    resolved: &[Value],
    rows: &[Row],
    finished: &[Option<Finished>],
) -> String {
    let mut controls: Vec<String> = rows.iter().map(|row| row.flow.cc.to_string()).collect();
    controls.sort_unstable();
    controls.dedup();
    let bdps = rows.iter().map(|row| row.flow.bdp_pkts);
    let mut parts = finished.iter().flatten().flatten();
    let headline = Headline {
        resolved: resolved.to_vec(),
        bdp: bdps.clone().min().zip(bdps.max()),
        entries: vec![0],
        web: Vec::new(),
        controls,
        seeds: (view.seed, view.seed),
        buffer: parts.next().map(|part: &Part| part.buffer.clone()),
        with_window: true,
    };
    headline.written()
}

/// What columns and marks of the table mean, and the notes on its rows.
fn legend(view: &View, found: &[Summary], notes: &[String], acked: bool) -> String {
    let legend = Legend {
        startups: view.plan.variants.len(),
        baseline: view.plan.baseline.clone(),
        sized: false,
        averaged: found.iter().any(|one| one.flows > 1),
        marked: found.iter().any(|one| one.best),
        acked,
        repeats: String::new(),
    };
    [&[legend.written()], notes].concat().join("\n")
}

/// Footnotes of the table.
fn notes(view: &View, resolved: &[Value], finished: &[Option<Finished>]) -> Vec<String> {
    let failed = finished.iter().flatten().filter(|one| one.is_err()).count();
    let startups = view.plan.variants.iter();
    let queue = |resolved: &Value| {
        resolved["path"]["queue"]
            .as_str()
            .unwrap_or_default()
            .into()
    };
    let names = view.plan.names().into_iter().map(str::to_owned);
    let setting = Setting {
        startups: startups.map(|one| one.begins().to_owned()).collect(),
        cached_cwnd: vec![Some(
            view.given.text("cached_cwnd").unwrap_or(CACHED).to_owned(),
        )],
        cache_option: "`cached_cwnd`".into(),
        interfaces: vec![interface(&view.path.object()).map(str::to_owned)],
        queues: names.zip(resolved.iter().map(queue)).collect(),
        drawn: resolved.first().map(drawn).unwrap_or_default(),
        seeds: 1,
        seed_option: "--repeat 20 runs twenty".into(),
        spared: 0,
        missing: match failed {
            0 => String::new(),
            _ => {
                let (rest, all) = (finished.len() - failed, finished.len());
                format!("some runs failed, {rest} of {all} runs are finished")
            }
        },
    };
    setting.notes()
}

/// The warnings about buffers, about fields that change nothing, and about what a preset leaves out
/// that can decide the startup.
fn warnings(view: &View, resolved: &Value) -> Vec<String> {
    let window = window_of(&resolved["stack"]);
    let found = small_buffers(&view.path.object().into(), &resolved["path"], window);
    let buffers = found.iter().map(|one| one.warning("", window));
    let lines = buffers.chain(without_effect(resolved));
    lines
        .chain(omissions(std::slice::from_ref(resolved)).1)
        .collect()
}

/// Why runs failed.
fn failures(view: &View, finished: &[Option<Finished>]) -> Vec<String> {
    let failed = view.plan.variants.iter().zip(finished);
    let failed = failed.filter_map(|(variant, one)| Some((variant, one.as_ref()?.as_ref().err()?)));
    let (size, seed) = (&view.size, view.seed);
    failed
        .map(|(variant, error)| format!("{} with {size}, seed {seed}: {error}", variant.name))
        .collect()
}

/// A row as `flowstart compare --json` has it.
fn document(row: &Row, view: &View, is_measured: bool) -> Value {
    let mut found = object(&row.flow);
    found.insert("run".into(), row.run.into());
    found.insert("request".into(), Value::Null);
    if is_measured {
        let measured = row.measures.as_ref().map(object).unwrap_or_default();
        for name in MEASURES {
            let value = measured.get(name).cloned().unwrap_or_default();
            found.insert(name.into(), value);
        }
    }
    if let Some(limits) = &row.limits {
        let of_flow = object(limits).into_iter();
        found.extend(of_flow.filter(|(name, _)| !["flow", "transfer"].contains(&name.as_str())));
    }
    found.insert("tested".into(), true.into());
    let variant = &view.plan.variants[row.run];
    found.insert("variant".into(), variant.name.as_str().into());
    found.insert("size".into(), view.size.as_str().into());
    found.into()
}

fn object(row: &impl Serialize) -> Map<String, Value> {
    match serde_json::to_value(row) {
        Ok(Value::Object(fields)) => fields,
        _ => Map::new(),
    }
}
