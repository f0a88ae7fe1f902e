//! Queue disciplines and the smaller impairments of a path, seen from outside: what whole
//! scenarios make of them.

mod disciplines;
mod impairments;

use flowstart_sim::{Outcome, run};

fn outcome(text: &str) -> Outcome {
    let scenario = crate::rfc_scenario(text).unwrap_or_else(|e| panic!("{e}"));
    run(&scenario).unwrap_or_else(|e| panic!("{e}"))
}

/// Data packets of these flows that were dropped.
/// Packets dropped of all flows but the first.
fn dropped(outcome: &Outcome) -> u64 {
    outcome
        .flows
        .iter()
        .skip(1)
        .map(|f| f.packets_dropped)
        .sum()
}

/// What passed a link, and what it dropped.
fn link(outcome: &Outcome, name: &str) -> (u64, u64) {
    let row = outcome.links.iter().find(|l| l.name == name).unwrap();
    (row.packets, row.dropped)
}
