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

fn limits(stack: &str, flow: &str) -> LimitRow {
    run("", stack, flow).limits.remove(0)
}

fn sum(row: &LimitRow) -> f64 {
    let flow_control = row.stream_flow_control_s + row.connection_flow_control_s;
    let application = row.handshake_s + row.application_s + row.send_buffer_s;
    let window = row.receive_window_s + row.cwnd_s + row.pacing_s;
    flow_control + application + window + row.link_s
}

fn close(found: f64, expected: f64, margin: f64) {
    assert!((found - expected).abs() < margin, "{found} for {expected}");
}

#[test]
fn the_times_of_all_reasons_add_up_to_the_transfers() {
    for stack in ["linux", "quinn", "quiche", "s2n", "rfc", "ns2", "picoquic"] {
        for more in ["", ", window = \"30pkt\"", ", send_buffer = \"50kB\""] {
            let stack = format!("preset = \"{stack}\"{more}");
            let outcome = run("", &stack, "size = \"300kB\"");
            let flow = outcome.flows.row(0);
            close(sum(&outcome.limits[0]), flow.duration_s.unwrap(), 1e-9);
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
    let row = limits("ack = \"every\"", "size = \"10pkt\"");
    close(row.handshake_s, 0.100, 1e-3);
    // All ten packets leave at once.
    close(row.link_s, 0.110, 1e-3);
    assert_eq!((row.cwnd_s, row.limited_by.as_str()), (0.0, "link"));
    close(row.limited_from_s, 0.100, 1e-3);
}

#[test]
fn a_fixed_window_limits_once_cwnd_is_larger() {
    let row = limits("ack = \"every\", window = \"20pkt\"", "size = \"210pkt\"");
    assert_eq!(row.limited_by, "receive-window");
    // Ten packets fill cwnd for a round trip, and twenty for the next, since cwnd grows with its ACKs
    // only: where both are full it is cwnd's.
    close(row.cwnd_s, 0.200, 5e-3);
    // From the first ACK of these on the window stops the sender, until the tenth round of twenty.
    close(row.receive_window_s, 0.820, 15e-3);
}

#[test]
fn a_window_of_quic_is_flow_control() {
    let row = limits("preset = \"quinn\", window = \"30kB\"", "size = \"300kB\"");
    assert_eq!(row.limited_by, "stream-flow-control");
    assert_eq!(row.receive_window_s, 0.0);
}

#[test]
fn a_small_send_buffer_limits_and_the_window_does_not() {
    let row = limits(
        "ack = \"every\", send_buffer = \"29200B\"",
        "size = \"200pkt\"",
    );
    assert_eq!(row.limited_by, "send-buffer");
    assert_eq!(row.receive_window_s, 0.0);
}

#[test]
fn between_two_writes_it_is_the_application() {
    let flow = "writes = [{ size = \"5pkt\", at = \"0s\" }, { size = \"5pkt\", at = \"1s\" }]";
    let row = limits("ack = \"every\"", flow);
    close(row.application_s, 0.9, 1e-3);
    assert_eq!(row.limited_by, "application");
}

#[test]
fn a_paced_sender_is_limited_by_its_pacer() {
    let row = limits(
        "ack = \"every\"",
        "startup = \"jump-start\", size = \"40pkt\"",
    );
    assert!(row.pacing_s > 0.05, "{row:?}");
}
