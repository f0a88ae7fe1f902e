//! What limits a transfer, on paths where it can be worked out: a packet of 1500 bytes takes a
//! millisecond.

use crate::rfc_scenario;
use flowstart_sim::record::limits::LimitRow;
use flowstart_sim::{Outcome, Prepared};

fn run(path: &str, stack: &str, flow: &str) -> Outcome {
    let text = format!(
        r#"
        path = {{ rate = "12Mbps", rtt = "100ms", buffer = "1000pkt", {path} }}
        stack = {{ {stack} }}
        flows = [{{ {flow} }}]
        "#
    );
    let mut prepared = Prepared::new(&rfc_scenario(&text).unwrap()).unwrap();
    prepared.record_limits();
    prepared.run()
}

/// The row of the only flow, and its duration.
fn limits(stack: &str, flow: &str) -> (LimitRow, f64) {
    let mut outcome = run("", stack, flow);
    let duration_s = outcome.flows.row(0).duration_s.unwrap();
    (outcome.limits.remove(0), duration_s)
}

fn close(found: f64, expected: f64, margin: f64) {
    assert!((found - expected).abs() < margin, "{found} for {expected}");
}

#[test]
fn the_shares_of_all_reasons_add_up_to_the_transfers_time() {
    for stack in ["linux", "quinn", "quiche", "s2n", "rfc", "ns2", "picoquic"] {
        for more in ["", ", window = \"30pkt\"", ", send_buffer = \"50kB\""] {
            let stack = format!("preset = \"{stack}\"{more}");
            let outcome = run("", &stack, "size = \"300kB\"");
            let shares = outcome.limits[0].shares();
            close(shares.iter().map(|(_, share)| share).sum(), 1.0, 1e-12);
        }
    }
}

#[test]
fn recording_limits_changes_no_row() {
    let recorded = run("", "", "size = \"300kB\"");
    let text = r#"
        path = { rate = "12Mbps", rtt = "100ms", buffer = "1000pkt" }
        flows = [{ size = "300kB" }]
    "#;
    let plain = Prepared::new(&rfc_scenario(text).unwrap()).unwrap().run();
    assert!(plain.limits.is_empty());
    let rows = |outcome: &Outcome| serde_json::to_string(&outcome.flows).unwrap();
    assert_eq!(rows(&recorded), rows(&plain));
    assert_eq!(recorded.events, plain.events);
}

#[test]
fn the_handshake_lasts_one_round_trip_and_the_last_flight_is_the_links() {
    let (row, duration_s) = limits("ack = \"every\"", "size = \"10pkt\"");
    close(row.handshake_share * duration_s, 0.100, 1e-3);
    // All ten packets leave at once.
    close(row.link_share * duration_s, 0.110, 1e-3);
    assert_eq!((row.cwnd_share, row.limited_by.as_str()), (0.0, "link"));
    close(row.limited_from_s, 0.100, 1e-3);
}

#[test]
fn a_fixed_window_limits_once_cwnd_is_larger() {
    let (row, duration_s) = limits("ack = \"every\", window = \"20pkt\"", "size = \"210pkt\"");
    assert_eq!(row.limited_by, "receive-window");
    // Ten packets fill cwnd for a round trip, and twenty for the next, since cwnd grows with its ACKs
    // only: where both are full it is cwnd's.
    close(row.cwnd_share * duration_s, 0.200, 5e-3);
    // From the first ACK of these on the window stops the sender, until the tenth round of twenty.
    close(row.receive_window_share * duration_s, 0.820, 15e-3);
}

#[test]
fn a_window_of_quic_is_flow_control() {
    let (row, _) = limits("preset = \"quinn\", window = \"30kB\"", "size = \"300kB\"");
    assert_eq!(row.limited_by, "stream-flow-control");
    assert_eq!(row.receive_window_share, 0.0);
}

#[test]
fn a_small_send_buffer_limits_and_the_window_does_not() {
    let (row, _) = limits(
        "ack = \"every\", send_buffer = \"29200B\"",
        "size = \"200pkt\"",
    );
    assert_eq!(row.limited_by, "send-buffer");
    assert_eq!(row.receive_window_share, 0.0);
}

#[test]
fn between_two_writes_it_is_the_application() {
    let flow = "writes = [{ size = \"5pkt\", at = \"0s\" }, { size = \"5pkt\", at = \"1s\" }]";
    let (row, duration_s) = limits("ack = \"every\"", flow);
    close(row.application_share * duration_s, 0.9, 1e-3);
    assert_eq!(row.limited_by, "application");
}

#[test]
fn a_paced_sender_is_limited_by_its_pacer() {
    let (row, duration_s) = limits(
        "ack = \"every\"",
        "startup = \"jump-start\", size = \"40pkt\"",
    );
    assert!(row.pacing_share * duration_s > 0.05, "{row:?}");
}

#[test]
fn a_write_has_its_own_shares_and_the_time_before_it_is_not_its_own() {
    // Two writes of one packet each, a second apart, on a connection that is open.
    let flow = "handshake = false, writes = [{ size = \"1pkt\", at = \"0s\" }, { size = \"1pkt\", at = \"1s\" }]";
    let outcome = run("", "ack = \"every\"", flow);
    let shares: Vec<_> = (outcome.limits.iter())
        .map(|row| (row.transfer, row.link_share, row.application_share))
        .collect();
    assert_eq!(shares[1..], [(Some(0), 1.0, 0.0), (Some(1), 1.0, 0.0)]);
    let (transfer, _, application_share) = shares[0];
    assert_eq!(transfer, None);
    assert!(application_share > 0.8, "{application_share}");
}

#[test]
fn a_window_limits_the_write_that_is_larger() {
    let flow = "writes = [{ size = \"1pkt\", at = \"0s\" }, { size = \"210pkt\", at = \"1s\" }]";
    let outcome = run("", "ack = \"every\", window = \"20pkt\"", flow);
    let share = |at: usize| outcome.limits[at].receive_window_share;
    assert_eq!(share(1), 0.0);
    assert!(share(2) > 1.5 * share(0), "{} {}", share(2), share(0));
}
