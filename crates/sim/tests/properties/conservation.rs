//! Nothing is lost from the accounts, whatever fields a scenario has: sent = arrived + dropped + on
//! the way, what is complete has all its bytes, and nothing is faster than the ideal.

use super::catalog::presets;
use super::{preset, scenario_under};
use flowstart_sim::{Outcome, Prepared, Scenario};
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use proptest::test_runner::TestRunner;
use std::cell::Cell;

/// Fields that other properties leave alone, and values that they do not give: tiny segments,
/// windows that no segment fits into, flights that no path carries.
pub(super) const MORE: &[(&str, &str)] = &[
    ("[path]", "reverse_loss_burst = 3"),
    (
        "[path]",
        "reverse_rate_trace = \"tests/paths/uneven.trace\"",
    ),
    ("[path]", "rtt = \"1us\""),
    ("[path]", "rtt = \"64ms\""),
    ("[stack]", "ack_quick = 3"),
    ("[stack]", "ack_timer = \"1ms\""),
    ("[stack]", "comp_sack_delay = \"1ms\""),
    ("[stack]", "header = \"0B\""),
    ("[stack]", "header = \"120B\""),
    ("[stack]", "interrupt_min = \"1ms\""),
    (
        "[stack]",
        "recovery = \"quic\"\nreceiver_host = \"ideal:receive_buffer=5,cpu_packet=2ms\"",
    ),
    ("[stack]", "max_timeouts = 2"),
    ("[stack]", "receive_buffer_max = \"200000B\""),
    ("[stack]", "rto_initial = \"100ms\""),
    ("[stack]", "rto_max = \"2s\""),
    ("[stack]", "send_buffer = \"10kB\""),
    ("[stack]", "tick = \"100ms\""),
    ("[stack]", "tick_phase = 0.3"),
    ("[stack]", "mss = \"5B\""),
    ("[stack]", "mss = \"40B\""),
    ("[stack]", "window = \"1pkt\""),
    ("[stack]", "window = \"2pkt\""),
    ("[stack]", "window = \"1B\""),
    ("[stack]", "iw = 100000"),
    ("[[flows]]", "interface_rate = \"1Gbps\""),
    ("[[flows]]", "tick_phase = 0.7"),
    ("[[flows]]", "delays = { 5 = \"40ms\", 9 = \"1ms\" }"),
    ("[[flows]]", "cached_cwnd = \"100000pkt\""),
    ("[[flows]]", "count = 20"),
    ("[[flows]]", "size = \"100MB\""),
    ("[[flows]]", "from_hop = 1"),
    ("[[flows]]", "to_hop = 1"),
];
/// No run sends more, whatever it would need.
pub(super) const MOST_PACKETS: u64 = 50_000;

/// A scenario with these fields in place of those that it has, in the first table of each kind.
pub(super) fn with(text: &str, fields: &[(&str, &str)]) -> String {
    let mut lines: Vec<String> = text.lines().map(String::from).collect();
    for (table, field) in fields {
        let Some(at) = lines.iter().position(|line| line == table) else {
            continue;
        };
        let key = field.split('=').next().unwrap_or_default();
        let next = lines[at + 1..].iter().position(|l| l.starts_with('['));
        let end = next.map_or(lines.len(), |next| at + 1 + next);
        if let Some(old) = (at + 1..end).find(|i| lines[*i].starts_with(key)) {
            lines.remove(old);
        }
        lines.insert(at + 1, (*field).into());
    }
    lines.join("\n")
}

fn runs(text: &str) -> Option<(Scenario, Outcome)> {
    let scenario = Scenario::from_toml(text).ok()?;
    let prepared = Prepared::new(&scenario).ok()?;
    let outcome = prepared.run_within(|| true, |used| used.packets < MOST_PACKETS);
    Some((scenario, outcome))
}

fn conserves(text: &str) -> Result<(), TestCaseError> {
    let Some((scenario, outcome)) = runs(text) else {
        return Err(TestCaseError::reject("no scenario"));
    };
    outcome.audit(&scenario).map_err(TestCaseError::fail)
}

#[test]
fn what_ends_a_handshake_is_counted_when_it_leaves() {
    let text = "path = { rate = \"10Mbps\", rtt = \"40ms\" }\nstack = { preset = \"s2n\" }\n\
                flows = [{ size = \"1kB\" }]";
    conserves(text).unwrap();
    let row = runs(text).unwrap().1.flows.row(0);
    assert_eq!((row.packets_sent, row.packets_arrived), (2, 2));
}

#[test]
fn segments_of_a_few_bytes_leave_beside_what_a_quic_handshake_takes() {
    for preset in ["quiche", "s2n"] {
        let text = format!(
            "path = {{ rate = \"64kbps\", rtt = \"0s\" }}\n\
             stack = {{ preset = \"{preset}\", mss = \"5B\", header = \"0B\" }}\n\
             flows = [{{ size = \"20B\" }}]"
        );
        conserves(&text).unwrap();
        assert!(runs(&text).unwrap().1.flows.row(0).complete, "{preset}");
    }
}

#[test]
fn a_dropped_packet_without_data_is_no_write_s() {
    let text = r#"
        path = { rate = "10Mbps", rtt = "50ms" }
        stack = { preset = "s2n" }
        flows = [{ forced_drops = [1], writes = [{ at = "0s", size = "1kB" }, { at = "1s", size = "1kB" }] }]
    "#;
    conserves(text).unwrap();
    let (_, outcome) = runs(text).unwrap();
    let of_write = &outcome.transfers[0];
    assert_eq!(outcome.flows.row(0).packets_dropped, 1);
    assert_eq!((of_write.packets_sent, of_write.packets_dropped), (1, 0));
}

#[test]
fn zero_window_probes_are_sent_as_often_as_they_arrive_or_are_dropped() {
    for (mss, window) in [(5, 1), (40, 2), (5, 4)] {
        let text = format!(
            "duration = \"300s\"\n[path]\nrate = \"10Mbps\"\nrtt = \"50ms\"\nloss = 0.2\n[stack]\n\
             preset = \"linux\"\nmss = \"{mss}B\"\nwindow = \"{window}pkt\"\n[[flows]]\n\
             size = \"20pkt\"\n"
        );
        conserves(&text).unwrap();
        let (_, outcome) = runs(&text).unwrap();
        assert!(outcome.flows.row(0).complete, "{mss} {window}");
    }
}

#[test]
fn a_write_whose_first_packet_has_no_header_is_not_faster_than_its_ideal() {
    conserves(
        r#"
        path = { rate = "64kbps", rtt = "30ms" }
        stack = { preset = "ns2", iw = 3 }
        [[flows]]
        handshake = false
        writes = [{ at = "215ms", size = "29125B" }, { at = "2104ms", size = "9630B" }]
        "#,
    )
    .unwrap();
}

/// As many scenarios for each preset. `--nocapture` shows how many ran.
#[test]
fn nothing_is_lost_from_the_accounts_under_any_preset() {
    let presets = presets();
    let config = ProptestConfig::default();
    let cases = config.cases.div_ceil(presets.len() as u32);
    let mut failures = Vec::new();
    for name in presets {
        let config = ProptestConfig {
            cases,
            max_global_rejects: 100 * cases,
            ..config.clone()
        };
        let scenario = (
            scenario_under(preset(vec![name])),
            subsequence(MORE.to_vec(), 0..4),
            select(vec![1, 20, 300]),
        );
        let (tried, ran) = (Cell::new(0), Cell::new(0));
        let tested = TestRunner::new(config).run(&scenario, |(text, few, seconds)| {
            tried.set(tried.get() + 1);
            let text = with(&text.replace("trace = true\n", ""), &few);
            conserves(&format!("duration = \"{seconds}s\"\n{text}"))?;
            ran.set(ran.get() + 1);
            Ok(())
        });
        println!("{name:<16}{} ran of {}", ran.get(), tried.get());
        if let Err(error) = tested {
            failures.push(format!("{name}: {error}"));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
