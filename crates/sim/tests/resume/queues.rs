//! Startups that go by delay: CircuitStart and Paced Chirping.

use super::{acknowledgements, outcome};
use flowstart_control::Reason;
use flowstart_sim::record::flow::FlowRow;

/// A buffer of one bandwidth-delay product, which a doubling too many overflows.
#[test]
fn circuit_start_leaves_before_the_buffer_overflows() {
    for (rate, product) in [("10Mbps", 83.0), ("20Mbps", 166.0), ("50Mbps", 416.0)] {
        let run = outcome(&format!(
            r#"
            trace = true
            path = {{ rate = "{rate}", rtt = "100ms", buffer = "1bdp" }}
            flows = [{{ startup = "circuit-start", cc = "vegas:alpha=3,beta=6", size = "1MB" }}]
            "#
        ));
        let flow = run.flows.row(0);
        assert_eq!(flow.startup_exit_reason, Some(Reason::Delay));
        assert_eq!(flow.packets_dropped, 0);
        let left = flow.startup_exit_cwnd_segments.unwrap();
        assert!(left < product, "{left} at {rate}");
        let acks = acknowledgements(&run);
        let kept = acks.iter().find(|m| m.ssthresh.is_finite()).unwrap().cwnd;
        assert!(
            2.0 < kept && kept < left / 2.0,
            "{kept} of {left} at {rate}"
        );
    }
}

/// Ten megabytes over an empty path: how chirping ended, and the window that it left.
fn chirped(spec: &str, rate: &str, rtt: &str, stack: &str) -> (FlowRow, Option<f64>) {
    let run = outcome(&format!(
        r#"
        trace = true
        path = {{ rate = "{rate}", rtt = "{rtt}" }}
        stack = {{ {stack} }}
        flows = [{{ startup = "paced-chirping:{spec}", cc = "none", size = "10MB" }}]
        "#
    ));
    let acks = acknowledgements(&run);
    let kept = acks.iter().find(|m| m.ssthresh.is_finite());
    (run.flows.row(0), kept.map(|m| m.cwnd))
}

const EVERY: &str = r#"ack = "every""#;

/// Its authors claim two to three milliseconds of queue at 20 ms.
#[test]
fn the_form_of_2020_leaves_with_what_the_path_carries_and_a_queue_of_a_few_packets() {
    for (rate, rtt, product) in [
        ("20Mbps", "20ms", 33.0),
        ("20Mbps", "100ms", 166.0),
        ("50Mbps", "20ms", 83.0),
        ("50Mbps", "40ms", 166.0),
        ("100Mbps", "40ms", 333.0),
    ] {
        for stack in [EVERY, ""] {
            let (flow, kept) = chirped("form=pc2020", rate, rtt, stack);
            assert_eq!(flow.startup_exit_reason, Some(Reason::Estimate));
            assert_eq!(flow.packets_dropped, 0);
            assert!(flow.max_queue_pkts <= 6, "{flow:?}");
            let share = kept.unwrap() / product;
            assert!((0.94..1.06).contains(&share), "{share} at {rate}, {rtt}");
        }
    }
}

#[test]
fn the_form_of_2018_sends_twice_what_the_path_carries_for_a_last_round_trip() {
    for (rate, rtt, product) in [
        ("20Mbps", "20ms", 33.0),
        ("20Mbps", "100ms", 166.0),
        ("50Mbps", "20ms", 83.0),
    ] {
        let (flow, _) = chirped("form=pc2018", rate, rtt, EVERY);
        assert_eq!(flow.startup_exit_reason, Some(Reason::Estimate));
        assert_eq!(flow.packets_dropped, 0);
        assert!(flow.max_queue_pkts <= 6, "{flow:?}");
        let found = flow.startup_exit_cwnd_segments.unwrap() / 2.0 / product;
        assert!((0.9..1.06).contains(&found), "{found} at {rate}, {rtt}");
    }
}

/// The gaps between its chirps count for nothing.
#[test]
fn the_form_of_2018_may_go_on_for_as_long_as_there_is_data() {
    let (flow, kept) = chirped("form=pc2018", "50Mbps", "40ms", EVERY);
    assert_eq!((flow.startup_exit_reason, kept), (None, None));
    assert!(flow.complete && flow.packets_dropped == 0);
}

#[test]
fn the_split_form_leaves_at_once_with_what_the_path_carries_where_each_packet_is_acknowledged() {
    for (rate, rtt, product) in [
        ("20Mbps", "20ms", 33.0),
        ("20Mbps", "100ms", 166.0),
        ("50Mbps", "40ms", 166.0),
        ("100Mbps", "20ms", 166.0),
    ] {
        let (flow, kept) = chirped("form=pc-split", rate, rtt, EVERY);
        assert_eq!(flow.startup_exit_reason, Some(Reason::Estimate));
        assert_eq!(flow.packets_dropped, 0);
        let share = kept.unwrap() / product;
        assert!((0.9..1.06).contains(&share), "{share} at {rate}, {rtt}");
    }
    // Two packets that share a delay look like a path that is faster than it is.
    let (flow, _) = chirped("form=pc-split", "20Mbps", "20ms", "");
    assert!(flow.packets_dropped > 0);
}

#[test]
fn paced_chirping_leaves_receivers_that_delay_where_configured() {
    for form in ["pc2020", "pc2018", "pc-split"] {
        let spec = format!("form={form},delayed_acks=leave");
        let (left, _) = chirped(&spec, "20Mbps", "20ms", "");
        assert_ne!(left.startup_exit_reason, Some(Reason::Estimate));
        let (stays, _) = chirped(&spec, "20Mbps", "20ms", EVERY);
        assert_eq!(stays.startup_exit_reason, Some(Reason::Estimate));
    }
}

/// Where much is out, each chirp shows little.
#[test]
fn two_hundred_chirps_are_too_few_for_a_long_fat_path() {
    let long = |spec: &str| {
        chirped(spec, "50Mbps", "100ms", EVERY)
            .0
            .startup_exit_reason
    };
    assert_eq!(long("form=pc2020"), Some(Reason::Loss));
    assert_eq!(long("maximum_chirps=400"), Some(Reason::Estimate));
}
