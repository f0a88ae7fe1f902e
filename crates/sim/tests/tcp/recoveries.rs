//! Segments 1 and 3 of ten are lost, under every recovery.

use super::Step::{Again, Send, Timeout};
use super::{Event, Step, outcome, sends, steps, times};

/// An endless flow with ten segments out of which the given ones are lost, at a rate at
/// which acknowledgements come one by one.
fn ten_out(stack: &str, lost: &str) -> String {
    format!(
        r#"
        trace = true
        duration = "3s"
        path = {{ rate = "10Mbps", rtt = "100ms", buffer = "100pkt" }}
        stack = {{ iw = "10", ack = "every", {stack} }}
        flows = [{{ forced_drops = {lost} }}]
        "#
    )
}

#[test]
fn newreno_repairs_a_hole_with_each_partial_acknowledgement() {
    let run = outcome(&ten_out(
        "recovery = \"newreno\", limited_transmit = false",
        "[1, 3]",
    ));
    // The third duplicate sends 1 again; the sixth to eighth release 11 to 13; the
    // partial acknowledgement sends 3 again and releases 14; three duplicates release
    // 15 to 17; the full acknowledgement leaves with a window of 5, which has room for 18.
    let expected = [
        Again(1),
        Send(11),
        Send(12),
        Send(13),
        Again(3),
        Send(14),
        Send(15),
        Send(16),
        Send(17),
        Send(18),
    ];
    assert_eq!(sends(&run)[..10], expected);
    let full = steps(&run)
        .into_iter()
        .find(|(_, s)| matches!(s, Step::Ack(14, _)))
        .unwrap();
    assert_eq!(full.1, Step::Ack(14, 5.0));
}

#[test]
fn sack_repairs_what_is_lost_as_the_pipe_allows() {
    let run = outcome(&ten_out("recovery = \"sack\"", "[1, 3]"));
    // Limited transmit sends 11 and 12 on the first two duplicates. The pipe is 9 when
    // recovery begins, 4 when 9 is SACKed: then 3 is sent again, and new data after.
    let expected = [
        Send(11),
        Send(12),
        Again(1),
        Again(3),
        Send(13),
        Send(14),
        Send(15),
        Send(16),
        Send(17),
    ];
    assert_eq!(sends(&run)[..9], expected);
    // The flight without what limited transmit added was ten.
    let windows = steps(&run).into_iter().filter_map(|(_, s)| match s {
        Step::Ack(13, cwnd) => Some(cwnd),
        _ => None,
    });
    assert_eq!(windows.collect::<Vec<_>>(), [5.0]);
}

#[test]
fn reno_stops_recovering_at_the_first_new_acknowledgement() {
    let run = outcome(&ten_out("recovery = \"reno\"", "[1, 3]"));
    // The acknowledgement of 1 and 2 ends recovery with thirteen outstanding and a window
    // of five; the duplicates that follow belong to the same window of data, so 3 has to
    // wait for the timer.
    let expected = [
        Send(11),
        Send(12),
        Again(1),
        Send(13),
        Send(14),
        Send(15),
        Timeout,
        Again(3),
        Send(16),
    ];
    assert_eq!(sends(&run)[..9], expected);
}

#[test]
fn tahoe_goes_back_and_starts_slowly() {
    let run = outcome(&ten_out("recovery = \"tahoe\"", "[1, 3]"));
    let expected = [
        Send(11),
        Send(12),
        Again(1),
        Again(3),
        Again(4),
        Again(5),
        Send(13),
    ];
    assert_eq!(sends(&run)[..7], expected);
}

#[test]
fn go_back_n_waits_for_the_timer() {
    let run = outcome(&ten_out("recovery = \"go-back-n\"", "[1, 3]"));
    let expected = [
        Timeout,
        Again(1),
        Again(3),
        Again(4),
        Send(11),
        Send(12),
        Send(13),
    ];
    assert_eq!(sends(&run)[..7], expected);
}

#[test]
fn limited_transmit_sends_a_new_segment_on_each_of_two_duplicates() {
    for recovery in ["sack", "newreno", "reno", "tahoe"] {
        let stack = |on| format!("recovery = \"{recovery}\", limited_transmit = {on}");
        let with = outcome(&ten_out(&stack(true), "[1]"));
        assert_eq!(
            sends(&with)[..3],
            [Send(11), Send(12), Again(1)],
            "{recovery}"
        );
        let without = outcome(&ten_out(&stack(false), "[1]"));
        assert_eq!(sends(&without)[0], Again(1), "{recovery}");
    }
}

#[test]
fn limited_transmit_saves_a_small_window_from_the_timer() {
    // Three segments out and the first lost gives two duplicates, too few by themselves.
    let small = |limited| {
        format!(
            r#"
            trace = true
            path = {{ rate = "10Mbps", rtt = "100ms", buffer = "100pkt" }}
            stack = {{ iw = "3", ack = "every", limited_transmit = {limited} }}
            flows = [{{ size = "10pkt", forced_drops = [1] }}]
            "#
        )
    };
    assert_eq!(outcome(&small(true)).flows.row(0).timeouts, 0);
    assert_eq!(outcome(&small(false)).flows.row(0).timeouts, 1);
}

#[test]
fn the_rescue_retransmission_saves_the_end_of_a_transfer() {
    // Ten segments of which the last and one before are lost: nothing above the last is
    // ever SACKed.
    let tail = |rule| {
        format!(
            r#"
            trace = true
            path = {{ rate = "10Mbps", rtt = "100ms", buffer = "100pkt" }}
            stack = {{ iw = "10", ack = "every", next_seg_rule_4 = {rule} }}
            flows = [{{ size = "10pkt", forced_drops = [5, 10] }}]
            "#
        )
    };
    let with = outcome(&tail(true));
    assert_eq!(sends(&with), [Again(5), Again(10)]);
    assert_eq!(with.flows.row(0).timeouts, 0);
    let without = outcome(&tail(false));
    assert_eq!(sends(&without), [Again(5), Timeout, Again(10)]);
}

#[test]
fn rule_3_sends_again_what_is_not_yet_known_to_be_lost() {
    // 8 of 10 is lost too, with only two segments above it to tell.
    let holes = |rule| {
        format!(
            r#"
            trace = true
            path = {{ rate = "10Mbps", rtt = "100ms", buffer = "100pkt" }}
            stack = {{ iw = "10", ack = "every", next_seg_rule_3 = {rule}, next_seg_rule_4 = false }}
            flows = [{{ size = "10pkt", forced_drops = [2, 8] }}]
            "#
        )
    };
    assert_eq!(sends(&outcome(&holes(true))), [Again(2), Again(8)]);
    assert_eq!(
        sends(&outcome(&holes(false))),
        [Again(2), Timeout, Again(8)]
    );
}

#[test]
fn a_lost_retransmission_is_found_by_the_timer_alone() {
    // Packet 1 is the first and the thirteenth packet: the two of limited transmit come
    // between.
    let run = outcome(&ten_out("recovery = \"sack\"", "[1, 13]"));
    assert_eq!(run.flows.row(0).timeouts, 1);
    let again = times(&run, |s| *s == Again(1));
    assert_eq!(again.len(), 2);
    assert_eq!(times(&run, |s| *s == Timeout), again[1..]);
}

#[test]
fn a_timeout_behind_an_open_hole_never_raises_the_threshold() {
    // The first retransmission is dropped in the overshoot, and new data flows for a
    // second until the timer fires: many windows outstanding, one of them in the network.
    let run = outcome(
        "trace = true\n\
         path = { rate = \"100Mbps\", rtt = \"100ms\", buffer = \"700pkt\" }\n\
         flows = [{ size = \"40MB\" }]",
    );
    let t = &run.trace.as_ref().unwrap().flow_samples;
    let timeouts: Vec<usize> = (1..t.event.len())
        .filter(|i| t.event[*i] == Event::Timeout as u8)
        .collect();
    assert!(t.ssthresh[timeouts[0]] < t.ssthresh[timeouts[0] - 1]);
    assert!(timeouts.iter().all(|i| t.ssthresh[*i] <= t.ssthresh[i - 1]));
}

/// Rates, segments and headers are scaled alike, so that every run takes the same time; what is
/// above the hole exceeds 32 bits on the faster paths.
#[test]
fn a_hole_with_any_amount_above_it_is_repaired_alike() {
    for recovery in ["sack", "rack", "ns2-sack"] {
        let times: Vec<f64> = [40, 200, 240, 400]
            .map(|gbps| {
                let run = outcome(&format!(
                    r#"
                    path = {{ rate = "{gbps}Gbps", rtt = "150ms", buffer = "10000000pkt" }}
                    [stack]
                    recovery = "{recovery}"
                    mss = "{}B"
                    header = "{}B"
                    iw = "10"
                    [[flows]]
                    startup = "slow-start"
                    size = "500000pkt"
                    forced_drops = [260000]
                    "#,
                    150 * gbps,
                    gbps
                ));
                let flow = run.flows.row(0);
                assert_eq!(flow.packets_retransmitted, 1, "{recovery}, {gbps} Gbit/s");
                flow.fct_s.unwrap()
            })
            .into();
        for time in &times {
            assert!((time - times[0]).abs() < 1e-4, "{recovery}: {times:?}");
        }
    }
}

/// ns-2's agents send whole packets only, and its pipe is an `int` of them.
#[test]
fn ns2s_pipe_counts_from_less_than_three_segments_where_writes_are_small() {
    let outcome = outcome(
        r#"
        path = { rate = "10Mbps", rtt = "40ms" }
        stack = { preset = "rfc", recovery = "ns2-sack", ack = "every", iw = "10" }
        flows = [{ forced_drops = [2], writes = [
            { at = "0ms", size = "1pkt" }, { at = "100ms", size = "100B" }, { at = "101ms", size = "100B" }, { at = "102ms", size = "100B" },
            { at = "103ms", size = "100B" }, { at = "104ms", size = "100B" },
        ] }]
        "#,
    );
    let flow = outcome.flows.row(0);
    assert_eq!((flow.fast_retransmits, flow.timeouts), (1, 0));
}
