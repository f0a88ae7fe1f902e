//! Fig. 2 of the HyStart paper: two flows, ten seconds apart, over 100 Mbit/s and 106 ms with
//! a buffer of one bandwidth-delay product, under six startups.

use super::outcome;
use flowstart_control::Reason;
use flowstart_sim::Outcome;
use flowstart_sim::record::flow::FlowRow;

const BDP: f64 = 883.0;

fn figure_2(startup: &str, more: &str) -> Outcome {
    outcome(&format!(
        r#"
        duration = "40s"
        path = {{ rate = "100Mbps", rtt = "106ms", buffer = "883pkt" }}
        stack = {{ iw = "2", ack = "quick-then-delayed", ack_timer = "40ms" }}
        flows = [{{ startup = "{startup}:growth=per-ack{more}", count = 2, stagger = "10s" }}]
        "#
    ))
}

fn two_flows(startup: &str, more: &str) -> [FlowRow; 2] {
    let flows = figure_2(startup, more).flows;
    [flows.row(0), flows.row(1)]
}

/// Packets that the first flow loses before the end of its startup.
fn losses(startup: &str) -> u64 {
    two_flows(startup, "")[0].packets_dropped
}

#[test]
fn slow_start_loses_much_limited_slow_start_little_and_hystart_hardly_anything() {
    let [slow, limited, hybrid] = ["slow-start", "limited-slow-start", "hystart"].map(losses);
    // A model of the paper's first flow: 887 packets, 26, and none or one.
    assert!(slow.abs_diff(887) <= 9, "{slow}");
    assert!(limited.abs_diff(26) <= 2, "{limited}");
    assert!(hybrid <= 1, "{hybrid}");
}

#[test]
fn hystart_leaves_by_the_ack_train_on_an_empty_path_and_by_delay_on_a_full_one() {
    let [first, second] = two_flows("hystart", "");
    assert_eq!(first.startup_exit_reason, Some(Reason::AckTrain));
    let cwnd = first.startup_exit_cwnd_segments.unwrap();
    assert!(
        (cwnd - 870.0).abs() < 0.1 * 870.0,
        "published 870, found {cwnd}"
    );
    assert_eq!(second.startup_exit_reason, Some(Reason::Delay));
    let cwnd = second.startup_exit_cwnd_segments.unwrap();
    assert!((283.0..=519.0).contains(&cwnd), "{cwnd}");
    assert_eq!(second.packets_dropped, 0);
}

/// Linux begins without a threshold, and adaptive start only raises it.
#[test]
fn adaptive_start_without_a_threshold_is_slow_start() {
    let counts = |row: &FlowRow| (row.packets_sent, row.packets_dropped, row.max_cwnd_segments);
    let adaptive = two_flows("adaptive-start", ",ssthresh=1000000,response=standard");
    let slow = two_flows("slow-start", "");
    for (adaptive, slow) in adaptive.iter().zip(&slow) {
        assert_eq!(counts(adaptive), counts(slow));
    }
}

#[test]
fn vegas_leaves_far_too_early() {
    for flow in two_flows("vegas-slow-start", "") {
        assert_eq!(flow.startup_exit_reason, Some(Reason::Delay));
        let cwnd = flow.startup_exit_cwnd_segments.unwrap();
        assert!(cwnd < BDP / 4.0, "{cwnd}");
    }
}

/// The threshold that the packet pairs of a lone flow's first second give, over the product
/// of bandwidth and delay, for each of so many seeds, sorted.
fn estimates(noise: &str) -> Vec<f64> {
    let estimate = |seed: u64| {
        let run = outcome(&format!(
            r#"
            seed = {seed}
            duration = "1s"
            trace = true
            path = {{ rate = "100Mbps", rtt = "106ms", buffer = "883pkt" }}
            stack = {{ iw = "2", ack = "quick-then-delayed", ack_timer = "40ms", {noise} }}
            flows = [{{ startup = "packet-pair-start:variant=closest,growth=per-ack" }}]
            "#
        ));
        let samples = run.trace.unwrap().flow_samples;
        let mut thresholds = samples.ssthresh.iter().copied();
        thresholds.rfind(|s| s.is_finite()).unwrap() / BDP
    };
    let mut estimates: Vec<f64> = (0..41).map(estimate).collect();
    estimates.sort_by(f64::total_cmp);
    estimates
}

/// The paper's two flows saw 2.5 and 3.1 times the rate. Hosts that are interrupted every 60
/// to 100 us hand up packets that came 120 us apart in ones and twos.
#[test]
fn packet_pairs_measure_the_hosts_and_not_the_path_where_interrupts_are_as_rare_as_packets() {
    let clean = estimates("");
    assert_eq!((clean[0], clean[40]), (1.0, 1.0));
    let noisy = estimates(r#"interrupt_max = "100us""#);
    assert!(noisy[0] > 1.5 && noisy[40] < 3.5, "{noisy:?}");
    assert!((1.9..3.0).contains(&noisy[20]), "median {}", noisy[20]);
    assert!(noisy[30] > 2.3, "upper quarter {}", noisy[30]);
}
