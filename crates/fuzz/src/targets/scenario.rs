//! The text of a scenario, in TOML or JSON: read, checked, and run where that is little.

use crate::sentence::assert_sentence;
use flowstart_control::catalog::{AVOIDANCES, STARTUPS};
use flowstart_network::queue::QUEUES;
use flowstart_sim::{Prepared, Scenario};
use flowstart_transport::stack::all_presets;

/// Events that a run may take; it is stopped there.
const MOST_EVENTS: u32 = 20_000;
/// Packets of a run whose accounts are checked.
const MOST_PACKETS: u64 = 20_000;
/// Longer texts are read and not run: lists of thousands of flows are no mistake.
const LONGEST_RUN: usize = 8192;

pub(super) const TOKENS: &[&str] = &[
    "path",
    "rate",
    "rtt",
    "buffer",
    "loss",
    "flows",
    "stack",
    "preset",
    "web",
    "size",
    "start",
    "startup",
    "cc",
    "queue",
    "hops",
    "seed",
    "duration",
    "[[flows]]\n",
    "[[web]]\n",
    "[path]\n",
    "= ",
    "\"1bdp\"",
    "\"1ns\"",
    "\"100Gbps\"",
    "\"1e30s\"",
    "\"-1ms\"",
    "\"0pkt\"",
    "\"1e-300bdp\"",
    "\"exponential:mean=0\"",
    "{",
    "}",
    "[",
    "]",
    ",",
    "'",
    "\"\"\"",
    "#",
    "nan",
    "inf",
    "\\u0000",
    "\u{1b}[2J",
    "count",
    "reverse",
    "[[[[[[[[[[[[[[[[",
];

/// Scenarios that name all presets, startups, congestion controls and queue disciplines, one field a line, so that
/// mutations combine them.
pub(super) fn seeds() -> Vec<String> {
    let presets: Vec<_> = all_presets().map(|preset| preset.name).collect();
    let most = [
        presets.len(),
        STARTUPS.len(),
        AVOIDANCES.len(),
        QUEUES.len(),
    ];
    let most = most.into_iter().max().unwrap_or_default();
    let seed = |i: usize| {
        format!(
            "[path]\nrate = \"20Mbps\"\nrtt = \"40ms\"\nqueue = \"{queue}\"\n[stack]\npreset = \"{preset}\"\n\
             [[flows]]\nsize = \"100kB\"\nstartup = \"{startup}\"\ncc = \"{cc}\"\n",
            queue = QUEUES[i % QUEUES.len()].name,
            preset = presets[i % presets.len()],
            startup = STARTUPS[i % STARTUPS.len()].name,
            cc = AVOIDANCES[i % AVOIDANCES.len()].name,
        )
    };
    (0..most).map(seed).collect()
}

/// A scenario.
pub(super) fn run(bytes: &[u8]) {
    let Some((text, read)) = read(bytes) else {
        return;
    };
    let prepared = read.and_then(|scenario| {
        assert_same_again(&scenario);
        Prepared::new(&scenario).map(|prepared| (scenario, prepared))
    });
    match prepared {
        Err(error) => assert_sentence(&error.to_string()),
        Ok((scenario, prepared)) => {
            prepared.resolved(&scenario);
            if text.len() <= LONGEST_RUN && is_little(&scenario) {
                let mut left = MOST_EVENTS;
                prepared.run_while(|| {
                    left -= 1;
                    left > 0
                });
            }
        }
    }
}

/// The accounts of a scenario that is run, whatever its fields are.
pub(super) fn conserves(bytes: &[u8]) {
    let Some((text, Ok(scenario))) = read(bytes) else {
        return;
    };
    let Some(prepared) = Prepared::new(&scenario).ok() else {
        return;
    };
    if text.len() <= LONGEST_RUN && is_little(&scenario) {
        let mut left = MOST_EVENTS;
        let more = || {
            left -= 1;
            left > 0
        };
        let outcome = prepared.run_within(more, |used| used.packets < MOST_PACKETS);
        outcome.audit(&scenario).unwrap();
    }
}

/// The text and what it is read as; none where it is no text.
fn read(bytes: &[u8]) -> Option<(&str, Result<Scenario, flowstart_sim::RequestError>)> {
    let text = std::str::from_utf8(bytes).ok()?;
    let read = match text.trim_start().starts_with('{') {
        true => Scenario::from_json(text),
        false => Scenario::from_toml(text),
    };
    Some((text, read))
}

/// Whether it has few connections: they are all set up before the first event.
fn is_little(scenario: &Scenario) -> bool {
    scenario.flows.len() <= 20 && scenario.web.is_empty()
}

/// A scenario that was read is written as JSON and read again.
fn assert_same_again(scenario: &Scenario) {
    let text = serde_json::to_string(scenario).expect("a scenario can be written");
    let again = Scenario::from_json(&text).expect("what was written can be read");
    let again = serde_json::to_string(&again).expect("a scenario can be written");
    assert_eq!(again, text);
}
