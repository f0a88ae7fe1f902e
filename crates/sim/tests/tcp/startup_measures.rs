//! What is measured of startups, on paths where it can be worked out: a packet of 1500 bytes takes
//! a millisecond.

use super::outcome;
use flowstart_sim::record::startup::StartupRow;
use flowstart_sim::{Outcome, Prepared};

fn run(path: &str, stack: &str, flow: &str) -> Outcome {
    outcome(&format!(
        r#"
        path = {{ rate = "12Mbps", buffer = "1000pkt", {path} }}
        stack = {{ ack = "every", {stack} }}
        flows = [{{ available_rate = "12Mbps", {flow} }}]
        "#
    ))
}

fn measured(path: &str, stack: &str, flow: &str) -> StartupRow {
    run(path, stack, flow).startups.remove(0)
}

/// Acknowledgements and SYNs take some microseconds.
fn close(found: Option<f64>, expected: f64) {
    let found = found.unwrap();
    assert!((found - expected).abs() < 5e-4, "{found} for {expected}");
}

#[test]
fn slow_start_reaches_a_rate_in_the_round_whose_packets_make_it_up() {
    // Rounds of 10, 20, 40, 80 and 160 packets arrive from 151, 252, 353, 454 and 555 ms on. Half of
    // a round trip's hundred is there with the 50th of the fourth, 90 % with the 90th of the fifth.
    let row = measured("rtt = \"100ms\"", "iw = 10", "size = \"400pkt\"");
    close(row.ramp_50_s, 0.503);
    close(row.ramp_90_s, 0.644);
}

#[test]
fn a_flow_that_is_never_so_fast_has_no_time_for_it() {
    let row = measured("rtt = \"100ms\"", "window = \"60pkt\"", "size = \"400pkt\"");
    assert!(row.ramp_50_s.is_some());
    assert_eq!(row.ramp_90_s, None);
}

#[test]
fn a_burst_waits_for_itself() {
    // 50 packets at once wait for 0, 1, ... 49 ms, and 20 of them are the path's.
    let row = measured("rtt = \"20ms\"", "iw = 50", "size = \"50pkt\"");
    close(row.queue_pkt_s, 1.225);
    close(row.overshoot_pkts, 30.0);
}

#[test]
fn other_queues_count_the_same() {
    let queue = |name: &str| {
        let path = format!("rtt = \"20ms\", queue = \"{name}\"");
        measured(&path, "", "size = \"200pkt\"").queue_pkt_s
    };
    assert_eq!(queue("drop-tail"), queue("marked-first"));
}

#[test]
fn a_window_that_the_path_holds_does_not_overshoot() {
    let row = measured(
        "rtt = \"100ms\"",
        "window = \"100pkt\"",
        "size = \"400pkt\"",
    );
    assert_eq!(row.overshoot_pkts, Some(0.0));
}

#[test]
fn a_bottleneck_idles_while_slow_start_waits_and_while_the_last_packet_is_on_its_way() {
    // 10 packets, of which the first is answered after 101 ms, 20 packets, and 50 ms.
    let row = measured("rtt = \"100ms\"", "iw = 10", "size = \"30pkt\"");
    close(row.idle_s, 0.091 + 0.050);
}

#[test]
fn what_comes_two_round_trips_after_the_end_is_no_part_of_the_startup() {
    let of = |size: &str| {
        let flow = format!("forced_drops = [30], size = \"{size}\"");
        measured("rtt = \"20ms\"", "", &flow)
    };
    let (short, long) = (of("500pkt"), of("5000pkt"));
    assert_eq!(short.queue_pkt_s, long.queue_pkt_s);
    assert_eq!(short.overshoot_pkts, long.overshoot_pkts);
}

#[test]
fn only_losses_after_the_startup_are_counted() {
    let rounds = |drops: &str| {
        let flow = format!("size = \"500pkt\", forced_drops = [{drops}]");
        measured("rtt = \"20ms\"", "", &flow).loss_rounds
    };
    assert_eq!(rounds(""), None, "it has not ended");
    assert_eq!(rounds("30"), Some(0));
    assert_eq!(rounds("30, 400"), Some(1));
}

#[test]
fn repairs_count_as_they_arrive_and_are_no_burst() {
    // 39 of 40 arrive, and are delivered at once with the repair, beside what is sent meanwhile.
    let flow = "size = \"100pkt\", forced_drops = [5]";
    let row = measured("rtt = \"100ms\"", "iw = 40", flow);
    assert_eq!(row.ramp_50_s, None);
}

#[test]
fn only_flows_with_a_rate_are_measured() {
    let outcome = outcome(
        r#"
        path = { rate = "12Mbps", rtt = "20ms" }
        flows = [{ size = "9pkt" }, { size = "9pkt", count = 2, available_rate = "6Mbps" }]
        "#,
    );
    let flows: Vec<u32> = outcome.startups.iter().map(|row| row.flow).collect();
    assert_eq!(flows, [1, 2]);
}

#[test]
fn the_record_of_packets_is_the_same_with_and_without_measures() {
    let packets = |measured: &str| {
        let scenario = crate::rfc_scenario(&format!(
            r#"
            path = {{ rate = "64kbps", rtt = "0s" }}
            stack = {{ sharing = "ensemble" }}
            [[flows]]
            writes = [{{ at = "0ms", size = "8274B" }}, {{ at = "613ms", size = "8274B" }}]
            start = "626us"
            count = 3
            handshake = false
            {measured}
            [[flows]]
            size = "2pkt"
            handshake = false
            {measured}
            "#
        ));
        let mut prepared = Prepared::new(&scenario.unwrap()).unwrap();
        prepared.log_packets(&[0]).unwrap();
        format!("{:?}", prepared.run().packets[0].entries)
    };
    assert_eq!(packets("available_rate = \"5Mbps\""), packets(""));
}

#[test]
fn a_smaller_landing_loses_less_after_the_exit_and_takes_longer_to_fill_the_path() {
    let of = |landing: &str| {
        let path = "rtt = \"100ms\", buffer = \"50pkt\"".to_string();
        let flow = format!("size = \"3000pkt\", cc = \"cubic\", landing = {landing}");
        outcome(&format!(
            r#"
            path = {{ rate = "12Mbps", {path} }}
            stack = {{ preset = "linux" }}
            flows = [{{ available_rate = "12Mbps", {flow} }}]
            "#
        ))
        .startups
        .remove(0)
    };
    let [seven, five, two] = ["0.7", "0.5", "0.2"].map(of);
    for row in [&seven, &five, &two] {
        // The sender learns of the loss a round trip after the queue was full for the first time.
        assert!(row.exit_queue_pkts.unwrap() >= 48, "{row:?}");
        assert!(row.exit_dropped_pkts.unwrap() > 0 && row.exit_recoveries.unwrap() >= 1);
        assert!(row.mean_acked_s.unwrap() > 0.0);
    }
    assert!(seven.later_dropped_pkts.unwrap() >= five.later_dropped_pkts.unwrap());
    assert!(
        two.exit_to_90_s
            .is_none_or(|two| two > five.exit_to_90_s.unwrap())
    );
    assert!(two.mean_acked_s.unwrap() > five.mean_acked_s.unwrap());
}

#[test]
fn a_startup_without_an_end_has_no_landing() {
    let row = measured("rtt = \"100ms\"", "iw = 10", "size = \"30pkt\"");
    assert_eq!((row.exit_dropped_pkts, row.exit_recoveries), (None, None));
    assert_eq!((row.exit_to_90_s, row.exit_queue_pkts), (None, None));
    // Ten packets are answered from 201 ms on and twenty from 302 ms on, one a millisecond.
    close(row.mean_acked_s, (10.0 * 0.2055 + 20.0 * 0.3115) / 30.0);
}
