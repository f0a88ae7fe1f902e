//! QUIC's packets, acknowledgements, probes and handshakes next to TCP's, all else being equal.

use super::{Step, outcome, sends, steps, times};
use flowstart_sim::Outcome;
use flowstart_sim::record::flow::FlowRow;

/// What both transports are given, so that they differ in what a test names and no more.
const EQUAL: &str = r#"mss = "1460B", header = "40B", iw = "10pkt""#;

/// One flow over 10 Mbit/s and 100 ms.
fn transfer(stack: &str, flow: &str) -> Outcome {
    over(
        r#"rate = "10Mbps", rtt = "100ms", buffer = "100pkt""#,
        stack,
        flow,
    )
}

fn over(path: &str, stack: &str, flow: &str) -> Outcome {
    outcome(&format!(
        "trace = true\npath = {{ {path} }}\nstack = {{ {EQUAL}, {stack} }}\nflows = [{{ {flow} }}]"
    ))
}

fn row(outcome: &Outcome) -> FlowRow {
    outcome.flows.row(0)
}

/// Windows after each event of flow 0.
fn windows(outcome: &Outcome) -> impl Iterator<Item = f64> + '_ {
    let samples = &outcome.trace.as_ref().unwrap().flow_samples;
    samples.cwnd.iter().copied().filter(|w| !w.is_nan())
}

fn acknowledgements(outcome: &Outcome) -> usize {
    let is_ack = |(_, step): &(f64, Step)| matches!(step, Step::Ack(..));
    steps(outcome).iter().filter(|step| is_ack(step)).count()
}

#[test]
fn without_loss_numbered_packets_change_nothing() {
    let run = |recovery| {
        let stack = format!(r#"recovery = "{recovery}""#);
        transfer(
            &stack,
            r#"size = "300pkt", startup = "slow-start:ssthresh=60""#,
        )
    };
    let (tcp, quic) = (run("sack"), run("quic"));
    assert_eq!(steps(&tcp), steps(&quic));
    assert_eq!(row(&tcp).fct_s, row(&quic).fct_s);
}

#[test]
fn a_hole_is_acknowledged_at_once_and_what_follows_it_is_not() {
    // TCP acknowledges every packet above a hole, QUIC every second.
    let run = |recovery| {
        let stack = format!(r#"recovery = "{recovery}""#);
        transfer(&stack, r#"size = "200pkt", forced_drops = [60]"#)
    };
    let (tcp, quic) = (run("sack"), run("quic"));
    assert_eq!(
        (
            row(&tcp).packets_retransmitted,
            row(&quic).packets_retransmitted
        ),
        (1, 1)
    );
    let (tcp, quic) = (acknowledgements(&tcp), acknowledgements(&quic));
    assert!(tcp > quic + 20, "{tcp} under TCP, {quic} under QUIC");
}

#[test]
fn a_retransmission_that_is_lost_is_found_by_the_next_acknowledgements() {
    // RFC 6675 waits for its timer.
    let drops = |stack: &str| {
        let run = transfer(stack, r#"size = "300pkt", forced_drops = [30]"#);
        // Ten packets leave before the first acknowledgement.
        let later = sends(&run);
        let again = 11
            + later
                .iter()
                .position(|step| *step == Step::Again(30))
                .unwrap();
        transfer(
            stack,
            &format!(r#"size = "300pkt", forced_drops = [30, {again}]"#),
        )
    };
    let tcp = drops(r#"recovery = "sack", ack = "every""#);
    let quic = drops(r#"recovery = "quic", ack = "every""#);
    assert_eq!((row(&tcp).timeouts, row(&quic).timeouts), (1, 0));
    assert_eq!(
        row(&quic).fast_retransmits,
        2,
        "what is lost in recovery begins another"
    );
    assert!(row(&quic).fct_s < row(&tcp).fct_s);
}

#[test]
fn probes_repair_a_lost_tail_and_cost_no_window_by_themselves() {
    let stack = r#"preset = "quic", ack = "every""#;
    let run = transfer(stack, r#"size = "20pkt", forced_drops = [18, 19, 20]"#);
    let timeouts = times(&run, |s| *s == Step::Timeout);
    assert_eq!(timeouts.len(), 1);
    let steps = steps(&run);
    let at = steps.iter().position(|(_, s)| *s == Step::Timeout).unwrap();
    let sent: Vec<Step> = steps[at + 1..].iter().map(|(_, s)| *s).take(3).collect();
    // Two of the three are repeated; the acknowledgement of the first shows that the others
    // were lost.
    assert_eq!(sent[..2], [Step::Again(18), Step::Again(19)]);
    assert_eq!(sent[2], Step::Ack(19, 13.5));
    assert_eq!(
        windows(&run).nth(at),
        Some(27.0),
        "a probe timeout is no congestion"
    );
    let tcp = transfer(
        r#"recovery = "sack", ack = "every""#,
        r#"size = "20pkt", forced_drops = [18, 19, 20]"#,
    );
    let spared = row(&tcp).fct_s.unwrap() - row(&run).fct_s.unwrap();
    assert!(spared > 0.9, "the timer waits for a second; {spared} s");
}

#[test]
fn losing_everything_for_long_collapses_the_window() {
    // A window of twenty and the probes of three timeouts are lost.
    let drops: Vec<String> = (11..37).map(|n| n.to_string()).collect();
    let flow = |drops: &str| format!(r#"size = "60pkt", forced_drops = [{drops}]"#);
    let stack = r#"preset = "quic", ack = "every""#;
    let run = transfer(stack, &flow(&drops.join(", ")));
    assert_eq!(row(&run).timeouts, 4);
    assert_eq!(windows(&run).skip(1).fold(f64::INFINITY, f64::min), 2.0);
    assert_eq!(row(&run).max_cwnd_segments, 20.0);
    assert!(row(&run).complete);
    // Where the probes of the first timeout arrive, half the window is left.
    let run = transfer(stack, &flow(&drops[..20].join(", ")));
    assert_eq!(row(&run).timeouts, 1);
    assert_eq!(windows(&run).skip(1).fold(f64::INFINITY, f64::min), 10.0);
}

#[test]
fn a_first_flight_that_is_lost_counts_like_any_other() {
    // The handshake was timed, so ten packets and the probes of three timeouts prove it.
    let drops: Vec<String> = (1..17).map(|n| n.to_string()).collect();
    let flow = format!(r#"size = "60pkt", forced_drops = [{}]"#, drops.join(", "));
    let run = transfer(r#"preset = "quic", ack = "every""#, &flow);
    assert!(row(&run).complete && row(&run).timeouts >= 4);
    assert_eq!(windows(&run).skip(1).fold(f64::INFINITY, f64::min), 2.0);
}

#[test]
fn every_handshake_ends_when_it_should() {
    let opened = |handshake: &str| {
        let stack = format!(r#"preset = "quic", {handshake}"#);
        let run = transfer(&stack, r#"size = "100kB""#);
        let first = steps(&run)
            .iter()
            .find(|(_, s)| *s == Step::Send(1))
            .unwrap()
            .0;
        (
            first,
            row(&run).fct_s.unwrap(),
            row(&run).ideal_fct_s.unwrap(),
        )
    };
    let (first, fct, ideal) = opened("");
    // Two padded packets of 1228 bytes over 10 Mbit/s.
    let round_trip = 0.1 + 2.0 * 1228.0 * 8.0 / 10e6;
    assert!((first - round_trip).abs() < 1e-6, "{first}");
    let trips = [
        (r#"handshake = "0-rtt""#, 0.0),
        (r#"handshake = "tcp+tls13""#, 2.0),
        (r#"handshake = "1-rtt", server_flight = "3600B""#, 1.0),
        (r#"handshake = "1-rtt", server_flight = "5kB""#, 2.0),
        (r#"handshake = "tcp+tls13", server_flight = "5kB""#, 2.0),
    ];
    for (handshake, trips) in trips {
        let found = opened(handshake);
        assert!(
            (found.0 - trips * round_trip).abs() < 1e-6,
            "{handshake}: {}",
            found.0
        );
        let ideal_saved = ideal - found.2;
        assert!(
            (ideal_saved - (1.0 - trips) * 0.1).abs() < 1e-9,
            "{handshake}"
        );
        // Early data follows the first packet on the wire, which the others do not wait for.
        let behind = if trips == 0.0 {
            1228.0 * 8.0 / 10e6
        } else {
            0.0
        };
        let saved = fct - found.1;
        let expected = (1.0 - trips) * round_trip - behind;
        assert!(
            (saved - expected).abs() < 1e-6,
            "{handshake}: {saved} saved"
        );
    }
}

#[test]
fn tcp_too_may_open_by_any_of_them() {
    let fct = |handshake: &str| {
        let stack = format!(r#"recovery = "sack", handshake = "{handshake}""#);
        row(&transfer(&stack, r#"size = "10kB""#)).fct_s.unwrap()
    };
    let round_trip = 0.1 + 2.0 * 40.0 * 8.0 / 10e6;
    assert!((fct("tcp+tls13") - fct("1-rtt") - round_trip).abs() < 1e-6);
    let behind = 40.0 * 8.0 / 10e6;
    assert!((fct("1-rtt") - fct("0-rtt") - round_trip + behind).abs() < 1e-6);
}

#[test]
fn a_lost_initial_is_repeated_after_999_milliseconds_and_is_a_congestion_event() {
    let run = transfer(
        r#"preset = "quic""#,
        r#"size = "50pkt", forced_drops = [0, 1]"#,
    );
    assert_eq!(times(&run, |s| *s == Step::Syn), [0, 999, 999 + 1998]);
    let opened = times(&run, |s| *s == Step::Open)[0];
    let first = steps(&run)
        .into_iter()
        .find(|(_, s)| matches!(s, Step::Ack(..)));
    // Half of ten; and the round trip is that of the packet that arrived.
    assert_eq!(windows(&run).nth(3), Some(5.0));
    assert!(
        row(&run).min_rtt_s.is_some_and(|rtt| rtt < 0.103),
        "{:?}",
        row(&run).min_rtt_s
    );
    assert!(first.is_some_and(|(at, _)| at * 1e3 < opened as f64 + 110.0));
}

#[test]
fn a_first_timer_that_is_shorter_than_the_path_is_no_congestion() {
    let path = r#"rate = "10Mbps", rtt = "3s""#;
    // The round trip is longer than the first timer, so two Initials are answered.
    let run = over(path, r#"preset = "quic""#, r#"size = "50pkt""#);
    assert_eq!(times(&run, |s| *s == Step::Syn), [0, 999, 999 + 1998]);
    assert!(windows(&run).skip(3).all(|w| w >= 10.0));
    assert!(row(&run).min_rtt_s.is_some_and(|rtt| rtt < 3.01));
}

#[test]
fn early_data_without_its_initial_is_of_no_use() {
    let stack = r#"preset = "quic", handshake = "0-rtt""#;
    let run = transfer(stack, r#"size = "20pkt", forced_drops = [0]"#);
    assert_eq!(times(&run, |s| *s == Step::Syn), [0, 999]);
    let row = row(&run);
    assert!(row.complete && row.packets_sent > 20);
    assert_eq!(
        row.fast_retransmits, 1,
        "one congestion event for all of it"
    );
}

#[test]
fn fewer_acknowledgements_open_the_window_as_far() {
    // RFC 9002 counts bytes: one acknowledgement of twenty packets is worth twenty of one.
    let run = |every: u32| {
        let stack = format!(r#"preset = "quic", ack_every = {every}, ack_timer = "10ms""#);
        transfer(&stack, r#"size = "100pkt""#)
    };
    let (often, seldom) = (run(1), run(20));
    assert!(acknowledgements(&seldom) * 3 < acknowledgements(&often));
    assert!((row(&often).max_cwnd_segments - row(&seldom).max_cwnd_segments).abs() <= 20.0);
    assert_eq!(row(&seldom).packets_retransmitted, 0);
}

#[test]
fn a_startup_that_counts_samples_finds_a_queue_later_where_acknowledgements_are_few() {
    // HyStart++ needs eight round trips in a round.
    let left = |every: u32| {
        let stack = format!(r#"preset = "quic", ack_every = {every}"#);
        let run = over(
            r#"rate = "20Mbps", rtt = "60ms""#,
            &stack,
            r#"size = "2MB", startup = "hystart-plus-plus""#,
        );
        row(&run).startup_exit_cwnd_segments.unwrap()
    };
    assert!(left(2) < left(10));
}

#[test]
fn a_lone_packet_is_acknowledged_after_max_ack_delay_which_is_not_the_paths() {
    let run = transfer(r#"preset = "quic", pacing = "rfc9002""#, r#"size = "1pkt""#);
    let acked = times(&run, |s| matches!(s, Step::Ack(..)))[0];
    let sent = times(&run, |s| *s == Step::Send(1))[0];
    assert_eq!(acked - sent, 126);
}

#[test]
fn pacing_spaces_packets_by_a_quarter_more_than_the_window_a_round_trip() {
    let stack = r#"preset = "quic", pacing = "rfc9002", ack = "every""#;
    let run = transfer(
        stack,
        r#"size = "200pkt", startup = "slow-start:ssthresh=10""#,
    );
    let at: Vec<f64> = steps(&run)
        .into_iter()
        .filter(|(_, s)| matches!(s, Step::Send(n) if (61..=80).contains(n)))
        .map(|(at, _)| at)
        .collect();
    // Some dozen packets a round trip: about 100 ms / (1.25 * 14) between two of them.
    let gaps: Vec<f64> = at.windows(2).map(|w| w[1] - w[0]).collect();
    assert!(gaps.iter().all(|gap| *gap > 0.004), "{gaps:?}");
    let burst = transfer(
        r#"preset = "quic", ack = "every""#,
        r#"size = "200pkt", startup = "slow-start:ssthresh=10""#,
    );
    assert!(row(&run).max_queue_pkts <= row(&burst).max_queue_pkts);
}

#[test]
fn acknowledgements_that_are_lost_lose_nothing() {
    // Each tells all that has arrived of late: a third may be lost.
    let path = r#"rate = "10Mbps", rtt = "100ms", buffer = "100pkt", reverse_loss = "30%""#;
    let run = over(
        path,
        r#"preset = "quic""#,
        r#"size = "1MB", startup = "slow-start:ssthresh=60""#,
    );
    assert_eq!(row(&run).packets_retransmitted, 0);
    assert!(row(&run).complete);
}

/// Samples of the delivery rate go by what packet numbers stand for.
#[test]
fn bbr_finds_the_same_path_by_packet_numbers_as_by_sack() {
    let flow = r#"startup = "bbr-startup", cc = "bbr", size = "3MB""#;
    let rows = ["quic", "rack"].map(|recovery| {
        let outcome = transfer(&format!("recovery = \"{recovery}\""), flow);
        let row = row(&outcome);
        let exit = row.startup_exit_cwnd_segments.expect("it leaves");
        (row.fct_s.expect("it ends"), exit)
    });
    let near = |a: f64, b: f64| (a / b - 1.0).abs() < 0.05;
    assert!(
        near(rows[0].0, rows[1].0) && near(rows[0].1, rows[1].1),
        "{rows:?}"
    );
}

/// A copy is a separate packet, so that it repairs a loss under its own number.
#[test]
fn halfbacks_copies_have_numbers() {
    let flow = r#"startup = "halfback", size = "60kB", forced_drops = [40]"#;
    let outcome = transfer("recovery = \"quic\"", flow);
    let row = row(&outcome);
    assert!(row.fct_s.is_some_and(|fct| fct < 0.5), "{row:?}");
    assert_eq!(row.timeouts, 0);
}

/// A round trip above `rto_max` lets the probe timer expire while pacing holds the probe back.
#[test]
fn probe_timers_wait_for_probes_that_are_not_sent_yet() {
    let run = outcome(
        "path = { rate = \"1Gbps\", rtt = \"30ms\" }\n\
         stack = { preset = \"ns2\", recovery = \"quic\", rto_max = \"2s\" }\n\
         flows = [{ startup = \"paced-gradual\", size = \"1B\", rtt = \"5s\" }]",
    );
    let row = row(&run);
    assert!(row.complete);
    assert!(row.timeouts < 10, "{} timeouts", row.timeouts);
}

/// The lowest window and the threshold in the first recovery, as shares of the window at the loss of
/// packet 300.
fn after_one_loss(startup: &str) -> (f64, f64) {
    let run = outcome(&format!(
        r#"
        trace = true
        path = {{ rate = "200Mbps", rtt = "50ms", buffer = "2000pkt" }}
        stack = {{ preset = "quicly", pacing = "rfc9002" }}
        flows = [{{ size = "2MB", cc = "pico", startup = "{startup}", forced_drops = [300] }}]
        "#
    ));
    let samples = &run.trace.as_ref().unwrap().flow_samples;
    let lost = samples.ssthresh.iter().position(|s| s.is_finite()).unwrap();
    let rest = |of: &[f64]| of[lost..].iter().copied().fold(f64::INFINITY, f64::min);
    let before = row(&run).startup_exit_cwnd_segments.unwrap();
    (
        rest(&samples.cwnd) / before,
        rest(&samples.ssthresh) / before,
    )
}

/// Bytes delivered lower the window and leave the threshold, so that slow start continues.
#[test]
fn after_one_loss_quicly_keeps_a_threshold_above_the_window() {
    let (cwnd, ssthresh) = after_one_loss("rapid-start:version=quicly");
    assert!((ssthresh - 53.0 / 60.0).abs() < 0.001, "{ssthresh}");
    assert!((0.70..0.80).contains(&cwnd), "{cwnd}");
    let (cwnd, ssthresh) = after_one_loss("rapid-start");
    assert!((cwnd - 0.7).abs() < 0.01, "{cwnd}");
    assert!((ssthresh - 0.7).abs() < 0.01, "{ssthresh}");
}
