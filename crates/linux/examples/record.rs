//! Runs a group of `tests/data/linux/cases.csv` in this machine's kernel and prints its figures:
//! `record GROUP RUNS [CASE-PREFIX]`. The lines are those of `figures.csv`. Only single transfers.

#[path = "../../sim/tests/linux/cases.rs"]
mod cases;

use cases::{Case, cases, scenario};
use flowstart_linux::{Driver, lab};
use flowstart_live::links::Outcome;
use flowstart_sim::Prepared;
use std::collections::BTreeMap;
use std::error::Error;
use std::sync::atomic::AtomicBool;

/// The values of a figure, one for each run that has it.
type Figures = BTreeMap<String, Vec<f64>>;

/// Attempts for each run.
const MOST_TRIES: usize = 4;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (group, runs, prefix) = match arguments.as_slice() {
        [group, runs] => (group, runs, ""),
        [group, runs, prefix] => (group, runs, prefix.as_str()),
        _ => return Err("record GROUP RUNS [CASE-PREFIX]".into()),
    };
    let runs: usize = runs.parse()?;
    for case in cases() {
        if case["group"] == *group && case["case"].starts_with(prefix) {
            record(&case, runs)?;
        }
    }
    Ok(())
}

/// Prints the median, the minimum and the maximum of each figure of a case, over so many runs in
/// which the emulator did not stall; others are repeated.
fn record(case: &Case, runs: usize) -> Result<(), Box<dyn Error>> {
    let prepared = Prepared::new(&scenario(case))?;
    let driver = Driver::Kernel(case["cc"].clone());
    let mut figures = Figures::new();
    let mut left = runs;
    for _ in 0..MOST_TRIES * runs {
        let outcome = lab::run(&prepared, &driver, &AtomicBool::new(false))?;
        if let Some(failure) = &outcome.failure {
            return Err(format!("{}: {failure}", case["case"]).into());
        }
        if outcome.lateness.unwrap_or_default().most > lab::STALL {
            continue;
        }
        for (name, value) in figures_of(case, &outcome) {
            figures.entry(name).or_default().push(value);
        }
        left -= 1;
        if left == 0 {
            break;
        }
    }
    if left > 0 {
        eprintln!("{}: {} of {runs} runs", case["case"], runs - left);
    }
    for (name, mut values) in figures {
        values.sort_by(f64::total_cmp);
        let [median, least, most] = [values.len() / 2, 0, values.len() - 1].map(|i| values[i]);
        println!("{},{name},{median},{least},{most}", case["case"]);
    }
    Ok(())
}

fn figures_of(case: &Case, outcome: &Outcome) -> Vec<(String, f64)> {
    let forced = case["forced_drops"].split_whitespace();
    let reached = |p: &&str| p.parse::<u64>().is_ok_and(|p| p <= outcome.packets_sent);
    let forced = forced.filter(reached).count() as u64;
    let completion = outcome.fct.map_or(f64::INFINITY, |fct| 1e3 * fct.secs());
    let (exit, cwnd) = exit(outcome);
    vec![
        ("completion".to_string(), (10.0 * completion).round() / 10.0),
        (
            "dropped".to_string(),
            (outcome.packets_dropped - forced) as f64,
        ),
        ("retransmitted".to_string(), outcome.packets_lost as f64),
        (
            "timeouts".to_string(),
            outcome.timeouts.map_or(0.0, |n| n as f64),
        ),
        ("max cwnd".to_string(), outcome.max_cwnd),
        (exit, cwnd),
    ]
}

/// Why the startup ended, as the recorded figures name it, and the window then.
fn exit(outcome: &Outcome) -> (String, f64) {
    let Some(exit) = &outcome.exit else {
        return ("exit none".to_string(), 0.0);
    };
    let reason = serde_json::to_value(exit.reason).expect("a reason is a word");
    (
        format!("exit {}", reason.as_str().unwrap_or("none")),
        exit.cwnd,
    )
}
