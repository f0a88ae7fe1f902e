//! How windows open and what bounds them: growth by round, the peer's window, idling.

use super::{MSS, Step, outcome, steps};
use flowstart_sim::Outcome;

/// A path without queues: rounds stay apart.
fn open(stack: &str, flow: &str) -> Outcome {
    outcome(&format!(
        r#"
        trace = true
        path = {{ rate = "100Gbps", rtt = "100ms", buffer = "100000pkt" }}
        stack = {{ {stack} }}
        flows = [{{ size = "3000pkt", {flow} }}]
        "#
    ))
}

/// The window in whole segments at the beginning of each round of 100 ms, once what
/// arrives then is dealt with.
fn rounds(run: &Outcome, count: usize) -> Vec<u64> {
    let t = &run.trace.as_ref().unwrap().flow_samples;
    let window_at = |round: usize| {
        let until = 100_000_000 * (round as u64 + 1) + 5_000_000;
        let last = t.time_ns.partition_point(|at| *at < until) - 1;
        t.cwnd[last] as u64
    };
    (0..count).map(window_at).collect()
}

#[test]
fn the_window_doubles_each_round_where_every_segment_is_acknowledged() {
    let run = open("iw = \"3\", ack = \"every\"", "");
    let expected = [3, 6, 12, 24, 48, 96, 192, 384, 768, 1536];
    assert_eq!(rounds(&run, 10), expected);
    let sent = |round: u64| {
        let until = 0.1 * (round + 1) as f64 + 0.05;
        let sends = steps(&run).into_iter();
        sends
            .filter(|(t, s)| *t < until && matches!(s, Step::Send(_)))
            .count()
    };
    let sent: Vec<usize> = (0..7).map(sent).collect();
    assert_eq!(sent, [3, 9, 21, 45, 93, 189, 381]);
}

#[test]
fn counting_two_segments_an_acknowledgement_makes_up_for_delayed_ones() {
    let run = open("iw = \"10\", ack = \"delayed\"", "");
    assert_eq!(rounds(&run, 6), [10, 20, 40, 80, 160, 320]);
}

#[test]
fn counting_acknowledgements_grows_by_half_where_they_are_delayed() {
    // ns-2's timer of 100 ms fires for the odd last segment of a round, together with
    // what the next round brings.
    let run = open("preset = \"ns2\", iw = \"3\", ack = \"delayed\"", "");
    let expected = [3, 4, 6, 9, 13, 19, 28, 42, 63, 94, 141, 211, 316, 474];
    assert_eq!(rounds(&run, 14), expected);
}

#[test]
fn rounds_needed_by_initial_window() {
    for (iw, expected) in [
        (1, [7, 7, 8, 10]),
        (2, [6, 6, 7, 9]),
        (3, [5, 6, 7, 8]),
        (4, [5, 5, 6, 8]),
    ] {
        for (packets, rounds) in [64, 120, 200, 685].into_iter().zip(expected) {
            let run = outcome(&format!(
                r#"
                path = {{ rate = "100Gbps", rtt = "100ms", buffer = "100000pkt" }}
                stack = {{ iw = "{iw}", ack = "every" }}
                flows = [{{ size = "{packets}pkt" }}]
                "#
            ));
            let taken = (run.flows.row(0).duration_s.unwrap() / 0.1) as u64 - 1;
            assert_eq!(taken, rounds, "{packets} packets, initial window {iw}");
        }
    }
}

fn most_outstanding(run: &Outcome) -> u64 {
    let t = &run.trace.as_ref().unwrap().flow_samples;
    t.flight_bytes.iter().copied().max().unwrap()
}

#[test]
fn the_peers_window_bounds_what_is_outstanding() {
    let run = open("window = \"200kB\", ack = \"every\"", "");
    // 200 kB is advertised in steps of four bytes, and a segment leaves whole or not.
    assert_eq!(most_outstanding(&run), 200_000 / MSS * MSS);
    let unscaled = open(
        "window = \"200kB\", ack = \"every\", window_scaling = false",
        "",
    );
    assert_eq!(most_outstanding(&unscaled), 65_535 / MSS * MSS);
}

#[test]
fn the_first_flight_sees_the_unscaled_window_of_the_handshake() {
    let run = open("window = \"1MB\"", "startup = \"jump-start\"");
    let before_the_first_ack = steps(&run)
        .into_iter()
        .take_while(|(_, s)| !matches!(s, Step::Ack(..)))
        .filter(|(_, s)| matches!(s, Step::Send(_)))
        .count();
    assert_eq!(before_the_first_ack as u64, 65_535 / MSS);
}

#[test]
fn a_window_that_the_application_does_not_use_does_not_grow() {
    // 60 writes of one segment, one each round trip.
    let writes: Vec<String> = (0..60)
        .map(|i| format!("{{ at = \"{}ms\", size = \"1pkt\" }}", 150 * i))
        .collect();
    let run = outcome(&format!(
        r#"
        path = {{ rate = "10Mbps", rtt = "100ms" }}
        stack = {{ iw = "4", ack = "every" }}
        flows = [{{ writes = [{}] }}]
        "#,
        writes.join(", ")
    ));
    assert_eq!(run.flows.row(0).max_cwnd_segments, 4.0);
}

#[test]
fn an_idle_time_longer_than_the_timeout_restarts_the_window() {
    for (restart, window) in [("initial-window", 10.0), ("one", 1.0), ("keep", 80.0)] {
        let run = outcome(&format!(
            r#"
            trace = true
            path = {{ rate = "100Mbps", rtt = "100ms" }}
            stack = {{ ack = "every", restart = "{restart}" }}
            flows = [{{ writes = [{{ at = "0s", size = "70pkt" }}, {{ at = "5s", size = "90pkt" }}] }}]
            "#
        ));
        let t = &run.trace.as_ref().unwrap().flow_samples;
        let again = t.time_ns.partition_point(|at| *at < 5_000_000_000);
        assert_eq!(t.cwnd[again], window, "{restart}");
        let at_once = t.time_ns[again..]
            .iter()
            .filter(|at| **at == 5_000_000_000)
            .count();
        assert_eq!(at_once as f64, window, "{restart}");
    }
}

/// A field without bounds does not hold a growing window at 65 535 bytes.
#[test]
fn a_window_grows_beyond_sixteen_bits_where_its_field_has_no_bounds() {
    let transfer = |growth: &str| {
        let text = format!(
            r#"
            path = {{ rate = "100Mbps", rtt = "100ms", buffer = "2000pkt" }}
            stack = {{ preset = "quic", window_growth = "{growth}" }}
            flows = [{{ startup = "slow-start", size = "5MB" }}]
            "#
        );
        let outcome = flowstart_sim::run(&flowstart_sim::Scenario::from_toml(&text).unwrap());
        outcome.unwrap().flows.row(0).fct_s.unwrap()
    };
    let (grown, fixed) = (transfer("linux"), transfer("none"));
    assert!(
        grown < 1.2 * fixed,
        "{grown} s where it grows, {fixed} s without"
    );
}

/// The buffer follows a window that is given, however large; so does what a run resolves to.
#[test]
fn a_linux_receiver_may_be_given_any_window() {
    let text = r#"
        path = { rate = "100Mbps", rtt = "100ms" }
        stack = { preset = "linux", window = "1000000pkt" }
        flows = [{ startup = "slow-start", size = "100kB" }]
    "#;
    let scenario = flowstart_sim::Scenario::from_toml(text).unwrap();
    let resolved = serde_json::to_string(&scenario.resolved().unwrap()).unwrap();
    let again = flowstart_sim::Scenario::from_json(&resolved).unwrap();
    let fct = |scenario| flowstart_sim::run(scenario).unwrap().flows.row(0).fct_s;
    assert_eq!(fct(&scenario), fct(&again));
}

/// Without a handshake to announce it, the peer has offered its window before.
#[test]
fn the_first_flight_of_an_open_connection_keeps_to_the_peers_window() {
    const OPEN: u8 = flowstart_sim::record::trace::Event::Open as u8;
    let sent_first = |stack: &str, flow: &str| {
        let run = outcome(&format!(
            r#"
            trace = true
            path = {{ rate = "100Mbps", rtt = "100ms", buffer = "1000pkt" }}
            stack = {{ {stack} }}
            flows = [{{ startup = "jump-start", size = "1MB", {flow} }}]
            "#
        ));
        let t = &run.trace.as_ref().unwrap().flow_samples;
        let opened = t.event.iter().position(|e| *e == OPEN);
        let opened = opened.map_or(0, |at| t.time_ns[at]);
        let sent = (0..t.time_ns.len()).filter(|i| t.time_ns[*i] < opened + 99_000_000);
        sent.map(|i| t.flight_bytes[i]).max().unwrap()
    };
    let open = "handshake = false";
    assert_eq!(sent_first("window = \"3kB\"", open), 3000 / MSS * MSS);
    assert!(sent_first("", open) > 900_000);
    assert_eq!(
        sent_first("preset = \"linux\", window = \"10kB\"", open),
        6 * 1448
    );
    // An opener has had the whole window of its peer, scaled.
    assert!(sent_first("preset = \"linux\"", open) > 900_000);
    let early = "preset = \"quic\", handshake = \"0-rtt\", window = \"20kB\"";
    assert!(sent_first(early, "") <= 20_000);
}

/// A policer that passes 10 Mbit/s drops nothing of a flow paced at 9 Mbit/s from the first flight on.
#[test]
fn a_pacing_rate_below_a_policers_loses_nothing() {
    let run = |stack: &str| {
        let run = outcome(&format!(
            r#"
            path = {{ rate = "100Mbps", rtt = "40ms", buffer = "1000pkt", policer_rate = "10Mbps", policer_burst = "30kB" }}
            stack = {{ preset = "linux", pacing = "internal", {stack} }}
            flows = [{{ startup = "slow-start", size = "5MB" }}]
            "#
        ));
        let row = run.flows.row(0);
        (row.packets_dropped, row.fct_s.unwrap())
    };
    let (bounded, free) = (run("pacing_max = \"9Mbps\""), run(""));
    assert_eq!(bounded.0, 0);
    assert!(free.0 > 10, "{}", free.0);
    // 5 MB at 9 Mbit/s less headers take 4.6 s.
    assert!((4.5..4.8).contains(&bounded.1), "{}", bounded.1);
}

#[test]
fn a_startup_that_paces_is_bounded_as_well() {
    let run = |stack: &str| {
        let run = outcome(&format!(
            r#"
            path = {{ rate = "100Mbps", rtt = "40ms" }}
            stack = {{ preset = "linux", pacing = "internal", {stack} }}
            flows = [{{ startup = "bbr-startup", cc = "bbr", size = "5MB" }}]
            "#
        ));
        run.flows.row(0).fct_s.unwrap()
    };
    assert!(run("") < 1.0);
    assert!(run("pacing_max = \"9Mbps\"") > 4.5);
}
