//! Flow control of QUIC receivers in whole transfers.

use super::outcome;
use flowstart_sim::{Outcome, Scenario, run};

/// One transfer under slow start over a queue without loss. Fields are given as TOML.
fn transfer(stack: &str, path: &str, size: &str) -> Outcome {
    outcome(&format!(
        r#"
        path = {{ {path}, buffer = "100MB" }}
        stack = {{ {stack} }}
        flows = [{{ startup = "slow-start", size = "{size}" }}]
        "#
    ))
}

/// Milliseconds from the beginning of the handshake until the last byte has arrived.
fn milliseconds(outcome: &Outcome) -> f64 {
    1e3 * outcome.flows.row(0).fct_s.expect("it ends")
}

const FAR: &str = r#"rate = "1Gbps", rtt = "150ms""#;
const USUAL: &str = r#"rate = "100Mbps", rtt = "100ms""#;
const QUINN: &str = r#"preset = "quinn", receiver = "quinn""#;

#[test]
fn quinn_takes_as_long_as_the_library_with_its_shipped_windows() {
    // quinn-proto 0.11.19 in virtual time, from the server's first byte on.
    for (path, rtt, size, library) in [
        (FAR, 150.0, "100MB", 14_640.6),
        (USUAL, 100.0, "10MB", 1_545.4),
    ] {
        let outcome = transfer(QUINN, path, size);
        let measured = milliseconds(&outcome) - rtt;
        let ratio = measured / library;
        assert!((ratio - 1.0).abs() < 0.01, "{measured} ms, {library} ms");
        assert_eq!(outcome.flows.row(0).packets_dropped, 0);
    }
}

#[test]
fn bursts_of_offers_let_the_window_of_quinn_grow_to_many_of_the_receivers() {
    // The library ends with 9.7.
    let row = transfer(QUINN, FAR, "100MB").flows.row(0);
    let windows = row.max_cwnd_segments * 1452.0 / 1_250_000.0;
    assert!((9.0..10.5).contains(&windows), "{windows}");
}

/// The largest cwnd of a transfer to a receiver of 1.25 MB, in windows of the receiver.
fn windows(preset: &str, cc: &str) -> f64 {
    let text = format!(
        r#"
        path = {{ {FAR}, buffer = "100MB" }}
        stack = {{ preset = "{preset}", receiver = "quinn" }}
        flows = [{{ startup = "slow-start", cc = "{cc}", size = "100MB" }}]
        "#
    );
    let scenario = Scenario::from_toml(&text).unwrap_or_else(|e| panic!("{e}"));
    let outcome = run(&scenario).unwrap_or_else(|e| panic!("{e}"));
    outcome.flows.row(0).max_cwnd_segments * 1452.0 / 1_250_000.0
}

#[test]
fn a_gate_on_growth_keeps_cwnd_near_what_the_receiver_lets_be_in_flight() {
    // What left while half of cwnd was in flight lets it grow, up to a flight later.
    for (preset, most) in [
        ("s2n", 2.1),
        ("quiche", 2.1),
        ("neqo", 3.4),
        ("quicly", 3.4),
    ] {
        let windows = windows(preset, "cubic");
        assert!(windows < most, "{preset}: {windows}");
    }
    for (preset, cc) in [("tquic", "cubic"), ("tquic", "reno"), ("picoquic", "reno")] {
        let windows = windows(preset, cc);
        assert!(windows > 30.0, "{preset}, {cc}: {windows}");
    }
}

#[test]
fn an_unlimited_window_is_no_flow_control() {
    let of = |fields: &str| {
        let outcome = transfer(&format!(r#"preset = "quinn", {fields}"#), USUAL, "3MB");
        serde_json::to_value(outcome.flows.row(0)).unwrap()
    };
    let unlimited = of(r#"window = "unlimited""#);
    assert_eq!(unlimited, of(r#"receiver = "none""#));
    assert_ne!(unlimited, of(r#"receiver = "quinn", window = "100kB""#));
}

#[test]
fn the_window_or_the_recovery_of_tcp_replaces_a_presets_flow_control() {
    let of = |fields: &str| {
        let stack = format!(r#"preset = "quinn", {fields}"#);
        milliseconds(&transfer(&stack, USUAL, "1MB"))
    };
    for fields in [
        r#"window_growth = "linux", window = "4pkt""#,
        r#"recovery = "sack""#,
    ] {
        assert_eq!(of(fields), of(&format!(r#"{fields}, receiver = "none""#)));
    }
}

#[test]
fn a_window_is_the_first_of_the_receivers_and_grows_by_its_rule() {
    let of = |receiver: &str| {
        let stack = format!(r#"preset = "quiche", receiver = "{receiver}", window = "100kB""#);
        milliseconds(&transfer(&stack, USUAL, "10MB"))
    };
    // 100 kB in a round trip of 100 ms take ten seconds; a window that doubles does not stay so small.
    assert!(of("quinn") > 10_000.0);
    assert!(of("quiche") < 3_000.0);
}

#[test]
fn a_receiver_that_answers_a_stopped_sender_offers_more_than_half_a_window_a_round_trip() {
    let of = |receiver: &str, size: u32| {
        let stack = format!(r#"preset = "quic", receiver = "{receiver}", window = "{size}B""#);
        milliseconds(&transfer(&stack, USUAL, "10MB"))
    };
    // Both update by half of what Chrome has, but only mvfst answers.
    let (ignored, answered) = (of("chrome", 1 << 20), of("mvfst", 1 << 20));
    assert!(answered < 0.85 * ignored, "{answered} ms, {ignored} ms");
}

#[test]
fn a_lost_offer_is_repeated() {
    let text = r#"
        path = { rate = "100Mbps", rtt = "100ms", reverse_loss = 0.3 }
        stack = { preset = "quic", receiver = "chrome", window = "60kB" }
        flows = [{ startup = "slow-start", size = "2MB" }]
    "#;
    let scenario = Scenario::from_toml(text).unwrap_or_else(|e| panic!("{e}"));
    let outcome = run(&scenario).unwrap_or_else(|e| panic!("{e}"));
    assert!(outcome.flows.row(0).fct_s.is_some());
}
