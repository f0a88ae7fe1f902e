//! The window at the end of startup, in whole runs.

use super::outcome;
use flowstart_sim::Outcome;

/// A transfer that overshoots a buffer of half of the bandwidth-delay product.
fn landed(stack: &str, flow: &str) -> Outcome {
    outcome(&format!(
        r#"
        path = {{ rate = "20Mbps", rtt = "50ms", buffer = "0.5bdp" }}
        stack = {{ {stack} }}
        flows = [{{ size = "2MB", cc = "cubic", {flow} }}]
        trace = true
        "#,
    ))
}

#[test]
fn every_landing_ends_the_same_startup_at_the_same_time() {
    let exit = |landing: &str| {
        let row = landed(r#"preset = "linux""#, landing).flows.row(0);
        assert!(row.complete, "{landing}");
        (row.startup_exit_s, row.startup_exit_cwnd_segments)
    };
    let usual = exit("");
    for landing in [
        "0.4",
        "\"delivered\"",
        "\"0.7bdp\"",
        "\"half-then-recovery\"",
    ] {
        assert_eq!(exit(&format!("landing = {landing}")), usual, "{landing}");
    }
}

#[test]
fn the_factor_of_the_congestion_control_changes_nothing() {
    let row = |flow: &str| format!("{:?}", landed(r#"preset = "linux""#, flow).flows.row(0));
    assert_eq!(row("landing = 0.7"), row("landing = \"startup\""));
    assert_ne!(row("landing = 0.4"), row(""));
}

#[test]
fn a_smaller_window_loses_fewer_packets_after_the_exit() {
    for stack in [r#"preset = "linux""#, r#"preset = "quic""#] {
        let dropped = |flow| landed(stack, flow).flows.row(0).packets_dropped;
        let [seven, four] = ["landing = 0.7", "landing = 0.4"].map(dropped);
        assert!(four < seven, "{stack}: {four} {seven}");
    }
}

#[test]
fn a_linux_sender_reduces_by_prr_unless_it_does_so_at_once() {
    let row = |given: &str| {
        let stack = format!(r#"preset = "linux"{given}"#);
        format!("{:?}", landed(&stack, "landing = 0.4").flows.row(0))
    };
    assert_eq!(row(""), row(r#", reduction = "prr""#));
    assert_ne!(row(""), row(r#", reduction = "instant""#));
}
