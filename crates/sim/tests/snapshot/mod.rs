//! Results pinned to the last bit, traces included. A change of behaviour shows in review as a
//! change of the files next to this one, which `UPDATE=1 cargo test -p flowstart-sim --test
//! snapshot` writes anew.
//!
//! Every startup is pinned under every recovery and every preset, every congestion control, queue
//! discipline, ingredient of a path and behaviour of endpoints with some of them. What is new to
//! the catalog and not pinned fails the test.

mod cases;

use cases::Case;
use flowstart_sim::record::flow::FlowRow;
use flowstart_sim::record::trace::Trace;
use flowstart_sim::{Scenario, run};
use std::collections::HashSet;
use std::path::PathBuf;

const HEADING: &str = "case | flow fct_s duration_s | sent dropped marked again timeouts | exit at_s cwnd | max_cwnd | trace";
/// Of web sessions and crowds, so many flows have separate lines; the trace has all.
const FLOWS_SHOWN: usize = 2;

fn result(flow: &FlowRow) -> String {
    let seconds = |t: Option<f64>| t.map_or("-".to_string(), |t| format!("{t:.9}"));
    let reason = flow.startup_exit_reason;
    format!(
        "{} {} {} | {} {} {} {} {} | {} {} {} | {}",
        flow.flow,
        seconds(flow.fct_s),
        seconds(flow.duration_s),
        flow.packets_sent,
        flow.packets_dropped,
        flow.packets_marked,
        flow.packets_retransmitted,
        flow.timeouts,
        reason.map_or("-".to_string(), |r| format!("{r:?}")),
        seconds(flow.startup_exit_s),
        flow.startup_exit_cwnd_segments
            .map_or("-".to_string(), |w| w.to_string()),
        flow.max_cwnd_segments,
    )
}

/// FNV-1a, 64 bits.
struct Digest(u64);

impl Digest {
    fn add(&mut self, word: u64) {
        for byte in word.to_le_bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}

/// Every number of a trace in one.
fn digest(trace: &Trace) -> String {
    let mut digest = Digest(0xcbf2_9ce4_8422_2325);
    let (flows, queues) = (&trace.flow_samples, &trace.queue_samples);
    for i in 0..flows.time_ns.len() {
        digest.add(flows.time_ns[i]);
        digest.add(
            u64::from(flows.flow[i]) << 16
                | u64::from(flows.event[i]) << 8
                | u64::from(flows.sack_blocks[i]),
        );
        digest.add(flows.seq_bytes[i]);
        digest.add(flows.cwnd[i].to_bits());
        digest.add(flows.ssthresh[i].to_bits());
        digest.add(flows.flight_bytes[i]);
    }
    for i in (0..queues.time_ns.len()).filter(|i| queues.hop[*i] == trace.bottleneck_hop) {
        digest.add(queues.time_ns[i]);
        digest.add(u64::from(queues.direction[i]) << 1 | u64::from(queues.dropped[i]));
        digest.add(queues.packets[i]);
        digest.add(queues.bytes[i]);
    }
    format!("{:016x}", digest.0)
}

fn lines_of(case: &Case) -> Vec<String> {
    let name = &case.name;
    let scenario = Scenario::from_toml(&format!("trace = true\n{}", case.scenario));
    let scenario = scenario.unwrap_or_else(|error| panic!("{name}: {error}\n{}", case.scenario));
    let outcome = run(&scenario).unwrap_or_else(|error| panic!("{name}: {error}"));
    let trace = digest(outcome.trace.as_ref().expect("it was asked for"));
    let shown = outcome.flows.iter().take(FLOWS_SHOWN);
    shown
        .map(|flow| format!("{name} | {} | {trace}", result(&flow)))
        .collect()
}

fn check(group: &str, cases: &[Case]) {
    let file =
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("tests/snapshot/{group}.txt"));
    let lines: Vec<String> = cases.iter().flat_map(lines_of).collect();
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&file, format!("{HEADING}\n{}\n", lines.join("\n"))).unwrap();
    }
    let kept = std::fs::read_to_string(&file).unwrap();
    let kept: Vec<&str> = kept.lines().skip(1).collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let (again, new) = split(&lines, &kept);
    let (then, gone) = split(&kept, &lines);
    let changed: Vec<_> = again.iter().zip(&then).filter(|(a, b)| a != b).collect();
    if let Some((now, then)) = changed.first() {
        panic!(
            "{} of {} lines changed, the first:\nnow  {now}\nthen {then}",
            changed.len(),
            lines.len()
        );
    }
    assert_eq!(again.len(), then.len(), "lines of the same cases");
    for (these, what) in [(new, "are not pinned"), (gone, "are pinned and gone")] {
        assert!(
            these.is_empty(),
            "{} lines {what}, the first:\n{}\nNo other line has changed. To have {group}.txt \
             follow: UPDATE=1 cargo test -p flowstart-sim --test snapshot",
            these.len(),
            these[0]
        );
    }
}

fn case_of(line: &str) -> &str {
    line.split(" | ").next().unwrap_or(line)
}

/// Those of the lines whose cases the others have too, and the rest.
fn split<'a>(lines: &[&'a str], others: &[&str]) -> (Vec<&'a str>, Vec<&'a str>) {
    let known: HashSet<&str> = others.iter().copied().map(case_of).collect();
    lines.iter().partition(|line| known.contains(case_of(line)))
}

#[test]
fn every_startup_under_every_recovery() {
    check("recoveries", &cases::recoveries());
}

#[test]
fn every_startup_under_every_preset() {
    check("presets", &cases::presets());
}

#[test]
fn every_avoidance_under_every_preset() {
    check("avoidances", &cases::avoidances());
}

#[test]
fn every_queue_discipline_with_marks_and_without() {
    check("queues", &cases::queues());
}

#[test]
fn scalable_flows_next_to_classic_ones() {
    check("l4s", &cases::l4s());
}

#[test]
fn every_ingredient_of_a_path() {
    check("ingredients", &cases::ingredients());
}

#[test]
fn every_behaviour_of_endpoints() {
    check("endpoints", &cases::endpoints());
}
