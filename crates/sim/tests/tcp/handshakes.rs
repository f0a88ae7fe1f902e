//! Handshakes that are made of packets, on a path of 100 Mbit/s and 100 ms. Unless a test states
//! otherwise, times are those until the last byte of a response of 10 kB, in milliseconds.

use super::outcome;
use flowstart_sim::Outcome;
use flowstart_sim::record::handshake::HandshakeRow;

/// TCP with TLS 1.3, of the server's stack `linux`.
const TLS13: &str = r#"preset = "linux", handshake = "tcp+tls13""#;
/// QUIC in datagrams of 1200 bytes.
const QUIC: &str = r#"preset = "quic", mss = "1167B""#;
/// QUIC with a window that holds the response, also after a loss.
const WIDE: &str = r#"preset = "quic", mss = "1167B", iw = 32"#;

fn on_rate(rate: &str, stack: &str, flow: &str) -> Outcome {
    outcome(&format!(
        r#"
        path = {{ rate = "{rate}", rtt = "100ms", buffer = "1000pkt" }}
        stack = {{ {stack} }}
        flows = [{{ {flow} }}]
        "#
    ))
}

fn run(stack: &str, flow: &str) -> Outcome {
    on_rate("100Mbps", stack, &format!(r#"size = "10kB", {flow}"#))
}

fn took(outcome: &Outcome) -> f64 {
    outcome.flows.row(0).fct_s.expect("it is complete") * 1e3
}

fn row(outcome: &Outcome) -> &HandshakeRow {
    &outcome.handshakes[0]
}

/// Until the client has the response behind a flight of the kind and this size.
fn response(stack: &str, kind: &str, flight: &str) -> f64 {
    let stack = format!(r#"{stack}, flight = "{kind}", server_flight = "{flight}""#);
    took(&run(&stack, ""))
}

/// The same where packets of the handshake are lost, behind a flight of 3 kB.
fn lossy(stack: &str, kind: &str, lost: &[&str]) -> f64 {
    let stack = format!(r#"{stack}, flight = "{kind}", server_flight = "3kB""#);
    let lost: Vec<String> = lost.iter().map(|part| format!("\"{part}\"")).collect();
    took(&run(
        &stack,
        &format!("handshake_drops = [{}]", lost.join(", ")),
    ))
}

fn assert_near(found: f64, expected: f64, what: &str) {
    let slack = (expected * 0.002).max(1.2);
    assert!(
        (found - expected).abs() < slack,
        "{what}: {found}, not {expected}"
    );
}

fn assert_responses(stack: &str, kind: &str, expected: &[(&str, f64)]) {
    for (flight, time) in expected {
        assert_near(response(stack, kind, flight), *time, flight);
    }
}

#[test]
fn a_flight_beyond_the_initial_window_costs_tcp_a_round_trip_for_each_doubling() {
    let expected = [
        ("3kB", 301.2),
        ("5kB", 301.3),
        ("14480B", 302.1),
        ("15kB", 401.1),
        ("44kB", 501.2),
        ("110kB", 602.0),
    ];
    assert_responses(TLS13, "classic", &expected);
}

#[test]
fn tls_1_2_takes_a_round_trip_more() {
    let stack = r#"preset = "linux", handshake = "tcp+tls12""#;
    let expected = [
        ("3kB", 401.2),
        ("15kB", 501.1),
        ("44kB", 601.2),
        ("110kB", 702.0),
    ];
    assert_responses(stack, "classic", &expected);
}

#[test]
fn a_smaller_initial_window_takes_more_rounds() {
    for (flight, time) in [("3kB", 300.4), ("5kB", 400.4), ("15kB", 500.6)] {
        let stack = format!(r#"{TLS13}, iw = 3, flight = "classic", server_flight = "{flight}""#);
        let found = row(&run(&stack, "")).first_byte_s.unwrap() * 1e3;
        assert_near(found, time, flight);
    }
}

#[test]
fn early_data_and_fast_open_each_save_a_round_trip() {
    let with = |handshake: &str| {
        let stack = format!(r#"preset = "linux", handshake = "{handshake}", flight = "resumed""#);
        took(&run(&stack, ""))
    };
    assert_near(with("tcp+tls13"), 301.0, "resumed");
    assert_near(with("tcp+0-rtt"), 201.0, "early data");
    assert_near(with("tcp+tfo+tls13"), 201.0, "fast open");
    assert_near(with("tcp+tfo+0-rtt"), 101.0, "both");
}

#[test]
fn another_key_share_takes_a_round_trip() {
    let stack = format!(r#"{TLS13}, flight = "classic", hello_retry = true"#);
    assert_near(took(&run(&stack, "")), 401.2, "HelloRetryRequest");
}

#[test]
fn without_validation_a_quic_flight_waits_at_three_times_what_has_come() {
    let expected = [
        ("3kB", 201.2),
        ("3403B", 201.0),
        ("3404B", 301.1),
        ("5kB", 301.2),
        ("15kB", 401.2),
        ("44kB", 501.8),
        ("110kB", 603.6),
    ];
    assert_responses(QUIC, "classic", &expected);
}

#[test]
fn a_post_quantum_hello_of_two_datagrams_doubles_the_limit() {
    let expected = [
        ("3kB", 201.3),
        ("5kB", 201.5),
        ("15kB", 301.9),
        ("44kB", 501.6),
        ("110kB", 603.4),
    ];
    assert_responses(QUIC, "post-quantum", &expected);
}

#[test]
fn a_token_lifts_the_limit_and_a_retry_costs_a_round_trip_for_it() {
    let token = format!("{QUIC}, token = true");
    let expected = [("5kB", 201.4), ("15kB", 301.4), ("44kB", 402.0)];
    assert_responses(&token, "classic", &expected);
    let retry = format!("{QUIC}, retry = true");
    assert_responses(&retry, "classic", &[("5kB", 301.4), ("15kB", 401.4)]);
}

#[test]
fn early_data_of_quic_is_answered_within_the_limit() {
    let early = format!(r#"{QUIC}, handshake = "0-rtt", flight = "resumed""#);
    assert_near(took(&run(&early, "")), 201.0, "without token");
    let token = format!("{early}, token = true");
    assert_near(took(&run(&token, "")), 101.0, "with a token");
}

#[test]
fn a_lost_packet_of_a_tcp_handshake_costs_its_timer() {
    let expected: [(&[&str], f64); 8] = [
        (&["syn"], 1301.0),
        (&["synack"], 1301.0),
        (&["ack"], 301.0),
        (&["hello"], 601.0),
        (&["finished"], 601.0),
        (&["syn", "syn:2"], 2301.0),
        (&["syn", "syn:2", "syn:3"], 3301.0),
        (
            &["syn", "syn:2", "syn:3", "syn:4", "syn:5", "syn:6"],
            7301.0,
        ),
    ];
    for (lost, time) in expected {
        assert_near(lossy(TLS13, "classic", lost), time, &lost.join(" "));
    }
    let doubling = format!("{TLS13}, syn_linear = 0");
    assert_near(lossy(&doubling, "classic", &["syn", "syn:2"]), 3301.0, "2");
    assert_near(
        lossy(&doubling, "classic", &["syn", "syn:2", "syn:3"]),
        7301.0,
        "3",
    );
}

#[test]
fn a_tail_loss_probe_repeats_a_hello_whose_retransmission_is_due_later() {
    // Two round trips and 200 ms (RFC 8985 §7.2), or three round trips (RFC 6298). Linux 6.18.44 took 1714 ms.
    for (sack, expected) in [(true, 1704.0), (false, 1804.0)] {
        let outcome = outcome(&format!(
            r#"
            path = {{ rate = "20Mbps", rtt = "300ms", buffer = "1000pkt" }}
            stack = {{ {TLS13}, flight = "classic", server_flight = "3kB", sack = {sack}, dsack = false }}
            flows = [{{ size = "5kB", handshake_drops = ["hello"] }}]
            "#
        ));
        assert_near(
            took(&outcome),
            expected,
            if sack { "probe" } else { "timer" },
        );
    }
}

#[test]
fn the_data_of_a_lost_syn_leaves_again_behind_the_next_one() {
    let fast = r#"preset = "linux", handshake = "tcp+tfo+tls13""#;
    assert_near(lossy(fast, "classic", &["syn"]), 1301.2, "syn");
}

/// RACK waits for a quarter of a round trip, and the timer's wheel has jiffies of 4 ms.
#[test]
fn a_lost_packet_of_a_tcp_flight_is_repaired_as_data_is() {
    for (lost, least, most) in [
        ("flight", 426.0, 444.0),
        ("flight:2", 426.0, 444.0),
        ("flight:3", 701.0, 749.0),
    ] {
        let found = lossy(TLS13, "classic", &[lost]);
        assert!((least..most).contains(&found), "{lost}: {found}");
    }
}

#[test]
fn of_a_hello_of_two_segments_the_first_is_found_lost_by_the_second() {
    assert_near(lossy(TLS13, "post-quantum", &["hello"]), 426.3, "first");
    assert_near(lossy(TLS13, "post-quantum", &["hello:2"]), 701.3, "second");
}

#[test]
fn a_lost_datagram_of_a_quic_handshake_costs_a_loss_delay_or_a_probe_timeout() {
    let expected = [
        ("hello", 1200.0),
        ("flight", 1200.0),
        ("flight:2", 314.0),
        ("flight:3", 413.0),
        ("finished", 501.0),
    ];
    for (lost, time) in expected {
        assert_near(lossy(WIDE, "classic", &[lost]), time, lost);
    }
}

#[test]
fn a_probe_of_the_first_space_alone_costs_another_loss_delay() {
    let one = format!("{WIDE}, probes_all_spaces = false");
    assert_near(lossy(&one, "classic", &["flight"]), 1437.0, "333 ms");
    let quick = format!(r#"{one}, rto_initial = "200ms""#);
    assert_near(lossy(&quick, "classic", &["flight"]), 537.5, "100 ms");
}

#[test]
fn a_lost_datagram_of_a_post_quantum_hello_is_repaired_by_the_client() {
    let expected: [(&[&str], f64); 3] = [
        (&["hello"], 314.0),
        (&["hello:2"], 501.0),
        (&["hello", "hello:2"], 1200.0),
    ];
    for (lost, time) in expected {
        assert_near(lossy(WIDE, "post-quantum", lost), time, &lost.join(" "));
    }
    let quick = format!(r#"{WIDE}, rto_initial = "200ms""#);
    let found = lossy(&quick, "post-quantum", &["hello", "hello:2"]);
    assert_near(found, 401.3, "both, with an initial round trip of 100 ms");
}

/// noq issue 806: raw public keys of Ed25519 and ML-DSA-65 on both sides, 152 and 288 ms until both
/// ends are done. There the flights are paced before a round trip is measured.
#[test]
fn paced_flights_take_what_noq_measured() {
    let complete = |more: &str, server: u32, client: u32| {
        let stack = format!(
            r#"preset = "noq", mss = "1167B", {more} flight = "classic", server_hello = "90B",
               server_flight = "{server}B", client_flight = "{client}B", request = "1B""#
        );
        row(&run(&stack.replace('\n', " "), ""))
            .handshake_complete_s
            .unwrap()
            * 1e3
    };
    assert!((complete("", 392, 181) - 152.0).abs() < 2.0);
    assert!((complete("", 5556, 5356) - 288.0).abs() < 2.9);
    assert!((complete(r#"pacing = "none","#, 5556, 5356) - 251.0).abs() < 1.0);
}

/// Its first datagram is lost and the limit reached: only the client's probe lets it continue.
#[test]
fn a_clients_probe_unblocks_a_server_at_its_limit() {
    let stack = format!(r#"{QUIC}, rto_initial = "300ms", flight = "chain""#);
    let outcome = run(&stack, r#"handshake_drops = ["flight"]"#);
    let row = row(&outcome);
    assert_near(row.handshake_blocked_s * 1e3, 300.0, "blocked");
    assert_near(
        row.handshake_s.unwrap() * 1e3,
        400.3,
        "the rest of the flight",
    );
}

#[test]
fn the_clients_probe_timeout_doubles() {
    let lost = ["hello", "hello:2", "hello:3"];
    assert_near(lossy(WIDE, "classic", &lost), 999.0 * 7.0 + 201.2, "quic");
    let quicly = r#"preset = "quicly", mss = "1167B""#;
    assert_near(
        lossy(quicly, "classic", &lost[..2]),
        198.0 * 3.0 + 201.2,
        "quicly",
    );
    // Timeouts of 250, 500, 1000, 1000 ms.
    let picoquic = r#"preset = "picoquic", mss = "1167B""#;
    let lost = ["hello", "hello:2", "hello:3", "hello:4"];
    for (count, wait) in [(2, 500.0), (3, 1000.0), (4, 1000.0)] {
        let [with, without] = [count, count - 1].map(|n| lossy(picoquic, "classic", &lost[..n]));
        assert_near(with - without, wait, "picoquic");
    }
}

#[test]
fn on_a_slow_path_padding_takes_time() {
    for (stack, flight, time) in [
        (TLS13, "3kB", 415.3),
        (TLS13, "4kB", 423.3),
        (QUIC, "3kB", 323.7),
        // The ACK of an Initial packet is padded too.
        (QUIC, "4kB", 412.6 + 9.5),
    ] {
        let stack = format!(r#"{stack}, flight = "classic", server_flight = "{flight}""#);
        let found = took(&on_rate("1Mbps", &stack, r#"size = "10kB""#));
        assert_near(found, time, &format!("{stack} {flight}"));
    }
}

/// A response of one segment does not change the window that it meets.
#[test]
fn the_response_meets_the_window_that_the_flight_has_opened() {
    for (flight, cwnd) in [
        ("3kB", 10.0),
        ("8kB", 12.0),
        ("13kB", 18.0),
        ("14480B", 20.0),
        ("44kB", 40.0),
    ] {
        let stack = format!(r#"{TLS13}, flight = "classic", server_flight = "{flight}""#);
        let row = on_rate("100Mbps", &stack, r#"size = "1kB""#).flows.row(0);
        assert!(
            (row.max_cwnd_segments - cwnd).abs() <= 1.0,
            "{flight}: {row:?}"
        );
    }
}

#[test]
fn at_three_times_what_has_come_the_window_does_not_grow() {
    let complete = |flight: &str| {
        let stack = format!(r#"{QUIC}, flight = "classic", server_flight = "{flight}""#);
        let outcome = on_rate("100Mbps", &stack, r#"size = "100kB""#);
        took(&outcome) - row(&outcome).first_byte_s.unwrap() * 1e3
    };
    assert_near(complete("5kB"), complete("1kB"), "5kB");
}

/// Data is counted without the flight, wherever it is written and lost.
#[test]
fn rows_count_the_response_alone() {
    for stack in [TLS13, QUIC] {
        let stack = format!(r#"{stack}, flight = "chain""#);
        let run = on_rate(
            "100Mbps",
            &stack,
            r#"writes = [{ at = "0s", size = "30kB" }, { at = "1s", size = "5kB" }]"#,
        );
        let flow = run.flows.row(0);
        assert_eq!(flow.bytes_delivered, 35_000);
        assert!(flow.complete);
        let bytes: Vec<u64> = run.transfers.iter().map(|write| write.bytes).collect();
        assert_eq!(bytes, [30_000, 5_000]);
        let first = run.transfers[0].first_delivered_s.unwrap();
        assert_eq!(Some(first), run.handshakes[0].first_byte_s);
        let sent = u64::from(
            run.transfers
                .iter()
                .map(|write| write.packets_sent)
                .sum::<u32>(),
        );
        assert!(sent < flow.packets_sent);
    }
}

/// Whatever is lost, both ends finish.
#[test]
fn random_loss_stops_no_handshake() {
    let stacks = [
        format!(r#"{TLS13}, flight = "chain""#),
        r#"preset = "linux", handshake = "tcp+tfo+0-rtt", flight = "resumed""#.into(),
        r#"preset = "rfc", handshake = "tcp+tls12", flight = "post-quantum""#.into(),
        format!(r#"{QUIC}, flight = "post-quantum""#),
        format!(r#"{QUIC}, handshake = "0-rtt", flight = "resumed""#),
        format!(r#"{QUIC}, flight = "chain", retry = true"#),
        r#"preset = "quinn", flight = "chain""#.into(),
        r#"preset = "s2n", flight = "chain""#.into(),
        r#"preset = "quiche", flight = "chain""#.into(),
        r#"preset = "neqo", flight = "chain""#.into(),
        r#"preset = "picoquic", flight = "chain""#.into(),
        r#"preset = "quicly", flight = "chain""#.into(),
        r#"preset = "tquic", flight = "post-quantum""#.into(),
        r#"preset = "noq", flight = "chain""#.into(),
    ];
    for (seed, stack) in (0..60).zip(stacks.iter().cycle()) {
        let run = outcome(&format!(
            r#"
            seed = {seed}
            path = {{ rate = "10Mbps", rtt = "60ms", buffer = "100pkt", loss = 0.1, reverse_loss = 0.1 }}
            stack = {{ {stack}, max_timeouts = 0 }}
            flows = [{{ size = "20kB" }}]
            "#
        ));
        let row = &run.handshakes[0];
        assert!(run.flows.row(0).complete, "{seed} {stack}: {row:?}");
        assert!(
            row.handshake_complete_s.is_some(),
            "{seed} {stack}: {row:?}"
        );
    }
}

/// A ClientHello that left before the Retry came has no token, and is answered with another one. The
/// flight follows the ClientHello of 100 ms, not the probe of 60 ms.
#[test]
fn a_hello_without_token_is_answered_with_a_retry_each_time() {
    let stack = format!(r#"{QUIC}, retry = true, rto_initial = "60ms", flight = "classic""#);
    let run = run(&stack, "");
    assert_near(row(&run).first_byte_s.unwrap() * 1e3, 300.6, "first byte");
}

/// A packet of the server without data shows nothing of what has come from the client.
#[test]
fn a_lost_finished_is_sent_again_whatever_else_the_server_sends() {
    let chatty = format!(r#"{WIDE}, id_update = "90B""#);
    for lost in [&["finished"][..], &["finished", "finished:2"]] {
        let found = lossy(&chatty, "classic", lost);
        assert!(found < 1200.0, "{lost:?}: {found}");
    }
}

/// Times of s2n-quic 1.91 with a response of 5 kB (docs/reference/native.md).
#[test]
fn s2n_repairs_its_flight_with_probes_in_pairs_and_few_samples() {
    for (size, lost, native) in [
        ("3kB", "flight", 1299.9),
        ("3kB", "flight:3", 451.2),
        ("15kB", "hello", 1300.3),
        ("15kB", "flight", 1300.4),
    ] {
        let stack = r#"preset = "s2n", receiver = "none", flight = "classic", request = "1B""#;
        let stack = format!(r#"{stack}, server_flight = "{size}""#);
        let flow = format!(r#"size = "5kB", handshake_drops = ["{lost}"]"#);
        let found = took(&on_rate("100Mbps", &stack, &flow));
        assert!(
            (found / native - 1.0).abs() < 0.001,
            "{size} {lost}: {found}"
        );
    }
}

#[test]
fn a_lost_end_of_an_s2n_handshake_costs_a_probe_timeout() {
    let lost = |packets: &str, iw: u32| {
        let stack = format!(r#"preset = "s2n", iw = {iw}"#);
        took(&run(&stack, &format!("forced_drops = [{packets}]")))
    };
    // Three round trips and 25 ms after the handshake, beside which one packet fits into no window.
    assert_near(lost("1", 1), lost("", 1) + 325.0 - 100.0, "the first");
    // Probes of data wait for no confirmation.
    assert!(lost("1, 2, 3, 4, 5, 6, 7, 8, 9", 10) < 600.0);
}

#[test]
fn a_lost_end_of_a_client_s_handshake_stops_no_stack() {
    let quic = [
        "quic", "quinn", "noq", "s2n", "quiche", "neqo", "picoquic", "quicly", "tquic",
    ];
    for preset in quic {
        for flight in ["resumed", "classic"] {
            let stack = format!(r#"preset = "{preset}", flight = "{flight}""#);
            let outcome = run(&stack, r#"handshake_drops = ["finished"]"#);
            assert!(outcome.flows.row(0).complete, "{preset}, {flight}");
        }
    }
}
