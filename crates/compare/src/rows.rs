//! The rows of a comparison: one for each flow, as `flowstart compare --json` has them.

use crate::part::Part;
use crate::plan::Plan;
use flowstart_sim::record::flow::FlowRow;
use serde_json::{Map, Value};

/// Measures of what follows the end of startup, for flows with an available rate.
const MEASURES: [&str; 6] = [
    "exit_dropped_pkts",
    "later_dropped_pkts",
    "exit_recoveries",
    "exit_to_90_s",
    "exit_queue_pkts",
    "mean_acked_s",
];

/// A flow's row, and which run it is of.
pub(crate) struct Row {
    pub(crate) run: usize,
    pub(crate) flow: FlowRow,
}

/// The rows of finished runs, in their order.
pub(crate) fn rows(parts: &[Option<&Part>]) -> Vec<Row> {
    let of_run = |(run, part): (usize, &Option<&Part>)| {
        let flows = part.iter().flat_map(|part| part.flows.iter().cloned());
        flows.map(|flow| Row { run, flow }).collect::<Vec<_>>()
    };
    parts.iter().enumerate().flat_map(of_run).collect()
}

/// A row as JSON, with its place in the comparison.
pub(crate) fn document(row: &Row, plan: &Plan, parts: &[Option<&Part>]) -> Value {
    let mut found = object(&row.flow);
    let variant = &plan.variants[row.run];
    found.insert("run".into(), row.run.into());
    found.insert("request".into(), Value::Null);
    if parts.iter().flatten().any(|part| !part.startups.is_empty()) {
        let startups = parts[row.run].map_or(&[][..], |part| &part.startups);
        let measured = startups.iter().find(|one| one.flow == row.flow.flow);
        let measured = measured.map(object).unwrap_or_default();
        for name in MEASURES {
            let value = measured.get(name).cloned().unwrap_or_default();
            found.insert(name.into(), value);
        }
    }
    found.insert("tested".into(), true.into());
    found.insert("variant".into(), variant.name.as_str().into());
    found.insert("size".into(), plan.size.as_str().into());
    found.insert("startup".into(), variant.startup.as_str().into());
    found.into()
}

fn object(row: &impl serde::Serialize) -> Map<String, Value> {
    match serde_json::to_value(row) {
        Ok(Value::Object(fields)) => fields,
        _ => Map::new(),
    }
}
