//! Flow control of HTTP/2 and yamux above TCP in whole transfers.

use super::outcome;
use crate::rfc_scenario;
use flowstart_sim::{Outcome, Prepared};

const NEAR: &str = r#"rate = "100Mbps", rtt = "100ms""#;
const FAR: &str = r#"rate = "1Gbps", rtt = "150ms""#;

/// One transfer between hosts of Linux without a limit of TCP, over a queue without loss.
fn transfer(receiver: &str, path: &str, size: &str) -> Outcome {
    with(receiver, path, size, r#"window = "unlimited""#)
}

fn with(receiver: &str, path: &str, size: &str, fields: &str) -> Outcome {
    outcome(&text(receiver, path, size, fields))
}

fn text(receiver: &str, path: &str, size: &str, fields: &str) -> String {
    format!(
        r#"
        path = {{ {path}, buffer = "1GB" }}
        stack = {{ preset = "linux", receiver = "{receiver}", {fields} }}
        flows = [{{ startup = "slow-start", size = "{size}" }}]
        "#
    )
}

/// Milliseconds from the first data on until its last byte has arrived, without the handshake.
fn milliseconds(outcome: &Outcome, rtt: f64) -> f64 {
    1e3 * outcome.flows.row(0).fct_s.expect("it ends") - rtt
}

fn close(measured: f64, expected: f64, tolerance: f64) {
    let off = (measured / expected - 1.0).abs();
    assert!(off < tolerance, "{measured} is not {expected}");
}

/// Published: grpc-go #2400 has 4 MiB, as Go's client; rust-yamux #176; haproxy #293, whose 12 s
/// are a round trip of 79 ms.
#[test]
fn published_rates_of_http_2_and_yamux_follow_from_the_windows() {
    for (receiver, rtt, megabytes, published) in [
        ("go", 100.0, 1_000.0, 40.0),
        ("rust-yamux-0.12", 60.0, 50.0, 33.0 / 8.0),
        ("node", 79.0, 10.0, 10.0 / 12.0),
    ] {
        let path = format!(r#"rate = "10Gbps", rtt = "{rtt}ms""#);
        let outcome = transfer(receiver, &path, &format!("{megabytes}MB"));
        close(
            1e3 * megabytes / milliseconds(&outcome, rtt),
            published,
            0.1,
        );
    }
}

/// grpc-go #1310: an RPC of 100 MB over a connection in use takes 5 s with a round trip of 152 ms.
/// Reads do not divide a quarter of 4 MiB, so a round trip brings three quarters.
#[test]
fn grpc_go_takes_as_long_as_published_at_its_largest_estimate() {
    let until = |size| {
        milliseconds(
            &transfer("grpc-go-1.16", r#"rate = "1Gbps", rtt = "152ms""#, size),
            0.0,
        )
    };
    close(until("300MB") - until("200MB") + 152.0, 5_000.0, 0.1);
}

/// V22, columns B and D.
#[test]
fn ten_megabytes_take_so_long_from_each_receiver() {
    for (receiver, near, far) in [
        ("rust-yamux-0.12", 4_547.6, 6_264.8),
        ("node", 15_850.2, 23_215.0),
    ] {
        close(
            milliseconds(&transfer(receiver, NEAR, "10MB"), 100.0),
            near,
            0.01,
        );
        close(
            milliseconds(&transfer(receiver, FAR, "10MB"), 150.0),
            far,
            0.01,
        );
    }
    close(
        milliseconds(&transfer("hyper", FAR, "10MB"), 150.0),
        1_883.6,
        0.01,
    );
}

#[test]
fn an_estimate_of_the_bdp_grows_with_what_a_round_trip_brings() {
    let of = |receiver| milliseconds(&transfer(receiver, FAR, "10MB"), 150.0);
    let (estimating, fixed, none) = (of("grpc-go"), of("node"), of("none"));
    assert!(
        none < estimating && estimating < 0.1 * fixed,
        "{estimating} ms, {fixed} ms, {none} ms"
    );
}

/// V21: 1 MB over 100 ms arrives 150 ms after its first byte has left.
#[test]
fn a_client_sends_64_kib_of_an_upload_before_the_settings_of_the_server_come() {
    let path = r#"rate = "100Gbps", rtt = "100ms""#;
    let fields = r#"window = "unlimited", iw = "1000""#;
    let measured = |receiver| milliseconds(&with(receiver, path, "1MB", fields), 100.0);
    for receiver in ["go-server", "nginx", "h2o"] {
        close(measured(receiver), 150.0, 0.01);
    }
    close(measured("none"), 50.0, 0.01);
}

#[test]
fn tcps_own_window_holds_too() {
    let of = |receiver, fields| milliseconds(&with(receiver, NEAR, "10MB", fields), 100.0);
    let small = r#"window = "30kB""#;
    let (tcp, both) = (of("none", small), of("node", small));
    close(both, tcp, 0.01);
    assert!(tcp > 2.0 * of("node", r#"window = "unlimited""#));
}

#[test]
fn a_sender_without_credit_is_limited_by_flow_control() {
    let limits = |receiver| {
        let scenario = rfc_scenario(&text(receiver, NEAR, "1MB", r#"window = "unlimited""#));
        let mut prepared = Prepared::new(&scenario.unwrap()).unwrap();
        prepared.record_limits();
        prepared.run().limits.remove(0)
    };
    let (node, grpc_go) = (limits("node"), limits("grpc-go"));
    assert_eq!(node.limited_by, "stream-flow-control");
    // Two round trips of slow start behind the handshake bring less than the window.
    assert!((node.limited_from_s - 0.3).abs() < 0.01, "{node:?}");
    assert_eq!(grpc_go.limited_by, "connection-flow-control");
}

#[test]
fn a_lost_window_update_is_repeated() {
    let path = r#"rate = "100Mbps", rtt = "100ms", reverse_loss = 0.3"#;
    assert!(transfer("node", path, "2MB").flows.row(0).fct_s.is_some());
}

#[test]
fn a_receiver_that_does_not_speak_over_the_transport_is_refused() {
    for (preset, receiver, transport) in [("linux", "quinn", "TCP"), ("quinn", "grpc-go", "QUIC")] {
        let scenario = rfc_scenario(&format!(
            r#"
            path = {{ {NEAR} }}
            stack = {{ preset = "{preset}", receiver = "{receiver}" }}
            flows = [{{ size = "1MB" }}]
            "#
        ));
        let refused = Prepared::new(&scenario.unwrap()).err().unwrap().to_string();
        let expected = format!("stack.receiver: `{receiver}` is out of range; over {transport} ");
        assert!(refused.starts_with(&expected), "{refused}");
    }
}
