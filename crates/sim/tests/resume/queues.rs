//! Start-ups that go by delay: CircuitStart and Paced Chirping.

use crate::{acknowledgements, one, outcome};
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
            flows = [{{ startup = "circuit-start", avoidance = "vegas:alpha=3,beta=6", size = "1MB" }}]
            "#
        ));
        let flow = run.flows.row(0);
        assert_eq!(flow.startup_exit_reason, Some(Reason::Delay));
        assert_eq!(flow.packets_dropped, 0);
        let left = flow.startup_exit_cwnd_pkts.unwrap();
        assert!(left < product, "{left} at {rate}");
        let acks = acknowledgements(&run);
        let kept = acks.iter().find(|m| m.ssthresh.is_finite()).unwrap().cwnd;
        assert!(
            2.0 < kept && kept < left / 2.0,
            "{kept} of {left} at {rate}"
        );
    }
}

fn transfer(rate: &str, startup: &str, stack: &str) -> FlowRow {
    one(&format!(
        r#"
        path = {{ rate = "{rate}", rtt = "20ms" }}
        stack = {{ {stack} }}
        flows = [{{ startup = "{startup}", size = "3MB" }}]
        "#
    ))
}

/// Its authors claim two to three milliseconds at 20 ms.
#[test]
fn paced_chirping_fills_the_path_with_a_queue_of_a_few_milliseconds() {
    for (rate, packet_ms, product) in [("50Mbps", 0.24, 83.0), ("100Mbps", 0.12, 166.0)] {
        for stack in [r#"ack = "every""#, ""] {
            let chirped = transfer(rate, "paced-chirping", stack);
            assert_eq!(chirped.startup_exit_reason, Some(Reason::Estimate));
            assert_eq!(chirped.packets_dropped, 0);
            let queue = f64::from(chirped.max_queue_pkts as u32) * packet_ms;
            assert!(queue < 3.5, "{queue} ms at {rate}");
            // The last round's window is twice the path that was found.
            let found = chirped.startup_exit_cwnd_pkts.unwrap() / 2.0;
            assert!((found / product - 1.0).abs() < 0.2, "{found} at {rate}");
            let slow = transfer(rate, "slow-start", stack);
            let standing = f64::from(slow.max_queue_pkts as u32) * packet_ms;
            assert!(standing > 15.0, "{standing} ms at {rate}");
        }
    }
}

#[test]
fn paced_chirping_leaves_receivers_that_delay_where_it_is_told_to() {
    let left = transfer("50Mbps", "paced-chirping:delayed_acks=leave", "");
    assert_ne!(left.startup_exit_reason, Some(Reason::Estimate));
    let stays = transfer(
        "50Mbps",
        "paced-chirping:delayed_acks=leave",
        r#"ack = "every""#,
    );
    assert_eq!(stays.startup_exit_reason, Some(Reason::Estimate));
}

/// Between chirps there are gaps, and what queues makes the round trip longer.
#[test]
fn chirps_counted_without_their_gaps_may_never_fill_the_round_trip() {
    let spec = "paced-chirping:round_length=chirps";
    let goes_on = transfer("100Mbps", spec, r#"ack = "every""#);
    assert_eq!(goes_on.startup_exit_reason, None);
    assert!(goes_on.complete && goes_on.packets_dropped == 0);
}
