//! Startups that decide what leaves in the first round trip: Initial Spreading, quicly's
//! jumpstart, Halfback.

use super::{acknowledgements, departures, one, outcome};
use flowstart_control::Reason;
use flowstart_sim::record::flow::FlowRow;

/// When the first packets leave, in milliseconds after the handshake.
fn first_packets(startup: &str, stack: &str, count: usize) -> Vec<f64> {
    let run = outcome(&format!(
        r#"
        trace = true
        path = {{ rate = "1Gbps", rtt = "100ms" }}
        stack = {{ {stack} }}
        flows = [{{ startup = "{startup}", size = "500kB" }}]
        "#
    ));
    let sent = departures(&run);
    let times = sent.iter().map(|t| ((t - sent[0]) * 10.0).round() / 10.0);
    times.take(count).collect()
}

#[test]
fn initial_spreading_sends_a_packet_each_tenth_of_the_round_trip() {
    let even = |apart: f64| (0..10).map(|k| f64::from(k) * apart).collect::<Vec<_>>();
    assert_eq!(first_packets("paced-initial-window", "", 10), even(10.0));
    assert_eq!(
        first_packets("paced-initial-window:iw=20", "", 10),
        even(5.0)
    );
    assert_eq!(
        first_packets("paced-initial-window:spread=0.5", "", 10),
        even(5.0)
    );
    assert_eq!(first_packets("slow-start", "", 10), [0.0; 10]);
    // Linux's own pacing exempts the first ten, and no more.
    let linux = r#"preset = "linux", pacing = "internal", iw = "20""#;
    let sent = first_packets("slow-start", linux, 20);
    assert_eq!(sent[..11], [0.0; 11]);
    assert!(sent[19] > 15.0, "{sent:?}");
}

/// The draft's example: 40 packets at 100 Mbit/s into a queue of ten before 50 Mbit/s.
#[test]
fn forty_packets_at_once_overflow_a_queue_that_never_sees_them_paced() {
    let drops = |startup: &str| {
        let flow = one(&format!(
            r#"
            path = {{ rate = "50Mbps", rtt = "30ms", buffer = "10pkt", access_rate = "100Mbps" }}
            flows = [{{ startup = "{startup}:iw=40", size = "40pkt" }}]
            "#
        ));
        (flow.packets_dropped, flow.max_queue_pkts)
    };
    let (lost, _) = drops("slow-start");
    assert!((8..=11).contains(&lost), "{lost}");
    assert_eq!(drops("paced-initial-window"), (0, 0));
}

#[test]
fn quiclys_jump_follows_the_initial_window_and_its_first_ack_ends_it() {
    let run = outcome(
        r#"
        trace = true
        path = { rate = "20Mbps", rtt = "100ms" }
        stack = { ack = "every" }
        flows = [{ startup = "quicly-jumpstart", size = "1MB" }]
        "#,
    );
    let sent = departures(&run);
    // Ten at once, 54 more in five sixths of a round trip.
    assert!(sent[9] - sent[0] < 0.1);
    let jump: Vec<f64> = sent[10..64]
        .windows(2)
        .map(|pair| pair[1] - pair[0])
        .collect();
    assert!(jump.iter().all(|gap| (1.5..1.6).contains(gap)), "{jump:?}");
    assert!(sent[63] - sent[0] < 100.0 && sent[64] - sent[0] > 100.0);
    let acks = acknowledgements(&run);
    // The initial window's ten ACKs open it further; the jump's first leaves what is out.
    assert_eq!(acks[9].cwnd, 74.0);
    let first = acks[10];
    assert!(
        first.cwnd <= acks[9].flight.max(first.flight) + 2.0,
        "{first:?}"
    );
    assert_eq!(run.flows.row(0).startup_exit_reason, Some(Reason::FirstAck));
}

#[test]
fn quiclys_loss_keeps_seven_tenths_of_what_passed_of_the_jump() {
    let run = outcome(
        r#"
        trace = true
        duration = "2s"
        path = { rate = "10Mbps", rtt = "100ms", buffer = "10pkt" }
        stack = { ack = "every" }
        flows = [{ startup = "quicly-jumpstart", cached_cwnd = "400pkt" }]
        "#,
    );
    let flow = run.flows.row(0);
    assert!(flow.packets_dropped > 100, "{}", flow.packets_dropped);
    // The path and its buffer hold 93 packets, and what is drained while the jump leaves comes
    // to another round trip's.
    let acks = acknowledgements(&run);
    let lifted = acks.iter().filter(|m| m.ssthresh.is_finite());
    let most = lifted.map(|m| m.ssthresh).fold(0.0, f64::max);
    assert!((60.0..150.0).contains(&most), "{most}");
}

fn short_flow(startup: &str, stack: &str, drops: &[u64]) -> FlowRow {
    one(&format!(
        r#"
        path = {{ rate = "10Mbps", rtt = "100ms" }}
        stack = {{ {stack} }}
        flows = [{{ startup = "{startup}", size = "30pkt", forced_drops = {drops:?} }}]
        "#
    ))
}

#[test]
fn halfback_repairs_a_lost_tail_without_a_timer() {
    for stack in ["", r#"preset = "linux""#, r#"recovery = "newreno""#] {
        for tail in [vec![30], vec![29, 30], (25..=30).collect()] {
            let half = short_flow("halfback", stack, &tail);
            assert_eq!(half.timeouts, 0, "{stack} {tail:?}");
            let paced = short_flow("jump-start", stack, &tail).fct_s.unwrap();
            // Two round trips and the spreading, where the paced flow alone waits for a timer.
            assert!(half.fct_s.unwrap() < 0.3 && paced > 0.6, "{stack} {tail:?}");
        }
    }
}

#[test]
fn halfback_sends_half_of_a_flow_twice_and_is_no_slower_for_it() {
    let [half, paced] = ["halfback", "jump-start"].map(|s| short_flow(s, r#"ack = "every""#, &[]));
    assert_eq!((half.packets_sent, paced.packets_sent), (45, 30));
    assert_eq!(half.fct_s, paced.fct_s);
    // No flow above the threshold is sent twice.
    let large = one(r#"
        path = { rate = "20Mbps", rtt = "100ms" }
        flows = [{ startup = "halfback", size = "200kB" }]
        "#);
    assert_eq!((large.packets_sent, large.packets_retransmitted), (137, 0));
}
