//! What lets a window grow that the application does not use.

use super::outcome;
use flowstart_sim::Outcome;

/// Five writes of eight segments, a round trip or more apart, and then 200 segments.
fn writes(stack: &str, startup: &str) -> Outcome {
    outcome(&format!(
        r#"
        trace = true
        path = {{ rate = "100Gbps", rtt = "100ms", buffer = "100000pkt" }}
        stack = {{ {stack}, iw = "10" }}
        flows = [{{ startup = "{startup}", writes = [
            {{ at = "0s", size = "8pkt" }}, {{ at = "250ms", size = "8pkt" }},
            {{ at = "500ms", size = "8pkt" }}, {{ at = "750ms", size = "8pkt" }},
            {{ at = "1s", size = "8pkt" }}, {{ at = "1250ms", size = "200pkt" }},
        ] }}]
        "#
    ))
}

/// The window when the last write comes, and when all has arrived.
fn window_and_end(outcome: &Outcome) -> (f64, f64) {
    let samples = &outcome.trace.as_ref().unwrap().flow_samples;
    let last = samples.time_ns.partition_point(|at| *at < 1_200_000_000) - 1;
    let end = outcome.flows.row(0).fct_s.unwrap();
    (samples.cwnd[last], end)
}

fn window(stack: &str, startup: &str) -> f64 {
    window_and_end(&writes(stack, startup)).0
}

#[test]
fn eight_segments_at_a_time_leave_each_rules_window() {
    let stack = r#"ack = "every""#;
    for (gate, expected) in [
        ("none", 50.0),
        ("cwnd-limited", 10.0),
        ("linux", 16.0),
        ("ratelimited", 20.0),
    ] {
        for startup in ["slow-start", "hystart"] {
            let spec = format!("{startup}:growth_gate={gate}");
            assert_eq!(window(stack, &spec), expected, "{spec}");
        }
    }
}

#[test]
fn each_stack_has_the_rule_that_it_is_said_to_have() {
    const GATES: [&str; 4] = ["none", "cwnd-limited", "linux", "ratelimited"];
    for (preset, usual) in [
        ("rfc", "cwnd-limited"),
        ("quic", "cwnd-limited"),
        ("linux", "linux"),
        ("ns2", "none"),
    ] {
        let stack = format!(r#"preset = "{preset}", restart = "keep""#);
        let by_stack = window(&stack, "slow-start");
        for gate in GATES {
            let given = window(&stack, &format!("slow-start:growth_gate={gate}"));
            assert_eq!(given == by_stack, gate == usual, "{preset} {gate}");
        }
    }
}

#[test]
fn a_larger_window_lets_the_next_write_end_earlier() {
    let end = |gate: &str| {
        let startup = format!("slow-start:growth_gate={gate}");
        window_and_end(&writes(r#"ack = "every""#, &startup)).1
    };
    let [none, capped, limited] = ["none", "ratelimited", "cwnd-limited"].map(end);
    assert!(
        none < capped && capped < limited,
        "{none} {capped} {limited}"
    );
}

/// The first ACKs are of data above the lost segment, and acknowledge nothing cumulatively.
#[test]
fn a_gate_measures_the_flight_of_acks_of_what_was_selectively_acknowledged() {
    let outcome = outcome(
        r#"
        path = { rate = "10Mbps", rtt = "40ms" }
        stack = { preset = "linux" }
        flows = [{ startup = "slow-start:growth_gate=linux", size = "100kB", forced_drops = [1] }]
        "#,
    );
    assert!(outcome.flows.row(0).complete);
}
