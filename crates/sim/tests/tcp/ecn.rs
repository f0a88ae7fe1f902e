//! Congestion marks from the queue to the window and back (RFC 3168).

use super::outcome;
use flowstart_control::Reason;
use flowstart_sim::Outcome;
use flowstart_sim::record::trace::Event;

const RECOVERIES: [&str; 8] = [
    "go-back-n",
    "tahoe",
    "reno",
    "newreno",
    "sack",
    "ns2-sack",
    "rack",
    "quic",
];

/// 5 MB over 10 Mbit/s and 40 ms, with room for 480 ms in the buffer.
fn transfer(queue: &str, stack: &str) -> Outcome {
    outcome(&format!(
        r#"
        trace = true
        path = {{ rate = "10Mbps", rtt = "40ms", buffer = "400pkt", queue = "{queue}" }}
        stack = {{ {stack} }}
        flows = [{{ size = "5MB" }}]
        "#
    ))
}

fn rows(outcome: &Outcome) -> String {
    serde_json::to_string(&outcome.flows).unwrap()
}

/// Times in seconds at which flow 0's window fell by more than a tenth at one acknowledgement,
/// and what was left of it.
fn falls(outcome: &Outcome) -> Vec<(f64, f64)> {
    let t = &outcome.trace.as_ref().unwrap().flow_samples;
    let acks: Vec<usize> = (0..t.time_ns.len())
        .filter(|i| t.flow[*i] == 0 && t.event[*i] == Event::Ack as u8)
        .collect();
    acks.windows(2)
        .map(|pair| {
            (
                t.time_ns[pair[1]] as f64 / 1e9,
                t.cwnd[pair[1]] / t.cwnd[pair[0]],
            )
        })
        .filter(|(_, left)| *left < 0.9)
        .collect()
}

#[test]
fn marks_spare_every_recovery_its_losses() {
    for recovery in RECOVERIES {
        for queue in [
            "codel:ecn=true",
            "fq-codel",
            "red:ecn=true,mark_p=1",
            "pie:ecn=true,mark_ecnth=1",
        ] {
            let run = transfer(queue, &format!("ecn = true, recovery = \"{recovery}\""));
            let flow = run.flows.row(0);
            let case = format!("{recovery} over {queue}: {flow:?}");
            assert!(flow.complete && flow.packets_marked > 0, "{case}");
            assert_eq!(flow.packets_marked, run.links[0].marked, "{case}");
            assert_eq!(
                (flow.packets_dropped, flow.packets_retransmitted),
                (0, 0),
                "{case}"
            );
            assert_eq!((flow.timeouts, flow.fast_retransmits), (0, 0), "{case}");
            assert_eq!(flow.startup_exit_reason, Some(Reason::Ecn), "{case}");
        }
    }
}

#[test]
fn every_mark_is_a_sample_of_the_trace() {
    let run = transfer("codel:ecn=true", "ecn = true");
    let samples = &run.trace.as_ref().unwrap().flow_samples;
    let marks = samples.event.iter().filter(|e| **e == Event::Mark as u8);
    assert_eq!(marks.count() as u64, run.flows.row(0).packets_marked);
}

#[test]
fn the_window_is_halved_once_a_round_trip_however_many_marks_come() {
    // The early averages of RED mark in every round trip for a while.
    for queue in ["red:ecn=true,mark_p=1,q_w=0.1,max_p=0.5", "codel:ecn=true"] {
        let run = transfer(queue, "ecn = true");
        let falls = falls(&run);
        assert!(falls.len() > 3, "{queue} {falls:?}");
        assert!(run.flows.row(0).packets_marked >= falls.len() as u64);
        for pair in falls.windows(2) {
            assert!(pair[1].0 - pair[0].0 >= 0.040, "{queue} {pair:?}");
        }
        for (at, left) in falls {
            assert!((0.4..0.6).contains(&left), "{queue} at {at}: {left}");
        }
    }
}

#[test]
fn linux_comes_down_step_by_step_to_what_cubic_leaves() {
    let run = transfer("codel:ecn=true", "preset = \"linux\", ecn = true");
    assert_eq!(falls(&run), [], "no acknowledgement takes a tenth");
    let t = &run.trace.as_ref().unwrap().flow_samples;
    let exit = run.flows.row(0).startup_exit_s.unwrap();
    let before = run.flows.row(0).startup_exit_cwnd_segments.unwrap();
    let later = |s: f64| {
        let i = t.time_ns.iter().position(|ns| *ns as f64 / 1e9 > exit + s);
        t.cwnd[i.unwrap()] / before
    };
    // The startup's queue makes the round trip 160 ms long.
    let halfway = later(0.08);
    assert!((0.8..0.9).contains(&halfway), "{halfway}");
    let after = later(0.163);
    assert!((after - 717.0 / 1024.0).abs() < 0.02, "{after}");
}

#[test]
fn who_does_not_speak_ecn_is_dropped_as_ever() {
    for recovery in RECOVERIES {
        let stack = format!("recovery = \"{recovery}\"");
        for (marking, plain) in [
            ("codel:ecn=true", "codel"),
            ("red:ecn=true", "red"),
            ("pie:ecn=true", "pie"),
            ("choke:ecn=true", "choke"),
            ("fq-codel", "fq-codel:ecn=false"),
        ] {
            let (one, other) = (transfer(marking, &stack), transfer(plain, &stack));
            assert_eq!(rows(&one), rows(&other), "{recovery} over {marking}");
            assert_eq!(one.links[0].marked, 0);
        }
    }
}

#[test]
fn speaking_ecn_changes_nothing_where_nobody_marks() {
    for (recovery, queue) in [("sack", "codel"), ("newreno", "pie"), ("sack", "drop-tail")] {
        let stack = |ecn| format!("recovery = \"{recovery}\", ecn = {ecn}");
        let (one, other) = (
            transfer(queue, &stack(true)),
            transfer(queue, &stack(false)),
        );
        assert_eq!(rows(&one), rows(&other), "{recovery} over {queue}");
    }
}

#[test]
fn a_loss_beside_a_mark_is_repaired_without_a_second_fall() {
    // The mark and the loss are of one window: RED marks what leaves the startup, and one
    // packet of the same flight is lost before it.
    let run = |dropped: &str| {
        outcome(&format!(
            r#"
            trace = true
            path = {{ rate = "10Mbps", rtt = "40ms", buffer = "400pkt", queue = "codel:ecn=true" }}
            stack = {{ ecn = true }}
            flows = [{{ size = "1MB", forced_drops = [{dropped}] }}]
            "#
        ))
    };
    let clean = run("");
    let t = &clean.trace.as_ref().unwrap().flow_samples;
    let marked = t
        .event
        .iter()
        .position(|e| *e == Event::Mark as u8)
        .unwrap();
    // The SYN is number 0, so this is the packet after the marked one.
    let next = t.seq_bytes[marked] / 1460 + 2;
    let both = run(&next.to_string());
    assert_eq!(
        (
            both.flows.row(0).packets_dropped,
            both.flows.row(0).fast_retransmits
        ),
        (1, 1)
    );
    let first = falls(&both)[0].0;
    let soon = falls(&both)
        .iter()
        .filter(|(at, _)| at - first < 0.1)
        .count();
    assert_eq!(soon, 1, "{:?}", falls(&both));
}

#[test]
fn an_echo_that_no_new_data_can_end_does_not_stop_the_slow_start_after_a_timeout() {
    // All of it leaves in one round trip, most of it is lost, and the rest is marked.
    let time = |queue: &str, ecn: bool| {
        let run = outcome(&format!(
            r#"
            path = {{ rate = "50Mbps", rtt = "80ms", buffer = "1bdp", queue = "{queue}" }}
            stack = {{ ecn = {ecn} }}
            flows = [{{ startup = "jump-start", size = "10MB" }}]
            "#
        ));
        run.flows.row(0).fct_s.unwrap()
    };
    let (marked, dropped) = (time("codel:ecn=true", true), time("codel", false));
    assert!(marked < 1.5 * dropped, "{marked} {dropped}");
}
