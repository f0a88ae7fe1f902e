//! Applications that write by a clock, on the path of `goodput.rs`: what the startup costs each write.

use crate::rfc_scenario;
use flowstart_sim::record::delay::DelayRow;
use flowstart_sim::{Outcome, run};

fn outcome(stack: &str, flow: &str) -> Outcome {
    let text = format!(
        r#"
        path = {{ rate = "100Mbps", rtt = "100ms", buffer = "20000pkt" }}
        stack = {{ {stack} }}
        flows = [{{ handshake = false, {flow} }}]
        "#
    );
    let scenario = rfc_scenario(&text).unwrap_or_else(|e| panic!("{e}"));
    run(&scenario).unwrap_or_else(|e| panic!("{e}"))
}

const DOUBLING: &str =
    r#"mss = "1448B", header = "52B", iw = "10", window = "1250pkt", ack = "every""#;

/// The delays of some writes in milliseconds, and the row of the flow.
fn delays(source: &str, writes: &[usize]) -> (Vec<f64>, DelayRow) {
    let mut outcome = outcome(DOUBLING, &format!(r#"source = "{source}""#));
    let delay = |write: &usize| {
        let row = &outcome.transfers[*write];
        1e3 * (row.delivered_s.unwrap() - row.available_s.unwrap())
    };
    let delays = writes.iter().map(delay).collect();
    (delays, outcome.delays.remove(0))
}

fn close(found: &[f64], expected: &[f64]) {
    let pairs = found.iter().zip(expected);
    let differ = |(found, expected): (&f64, &f64)| (found - expected).abs() > 1.0;
    let same = found.len() == expected.len() && !pairs.clone().any(differ);
    assert!(same, "{found:?} for {expected:?}");
}

#[test]
fn a_game_at_20_mbps_has_late_frames_until_the_window_holds_its_rate() {
    let source = "size=41667B,every=16.67ms,count=600,deadline=60ms";
    let (found, row) = delays(source, &[0, 1, 2, 5, 10, 20, 40]);
    close(&found, &[152.0, 237.0, 319.0, 370.0, 385.0, 253.0, 53.5]);
    assert_eq!(row.late_share, Some(40.0 / 600.0));
    assert_eq!(row.recovered_s, Some(0.6668));
}

#[test]
fn a_call_at_5_mbps_is_late_for_twelve_frames() {
    let source = "rate=5Mbps,every=33.333ms,count=300,deadline=60ms";
    let (found, row) = delays(source, &[0, 1, 2, 5, 10, 20]);
    close(&found, &[151.0, 119.0, 185.0, 186.0, 119.0, 52.0]);
    assert_eq!(row.recovered_s, Some(12.0 * 0.033333));
}

#[test]
fn the_blocks_of_iperf3_at_20_mbps_are_late_until_the_window_holds_one() {
    let source = "rate=20Mbps,every=52.4288ms,count=100,deadline=70ms";
    let (found, row) = delays(source, &[0, 1, 2]);
    close(&found, &[353.0, 402.0, 360.0]);
    assert_eq!(row.late_share, Some(0.13));
}

/// The largest window of a flow with writes of so many packets, each after the last is acknowledged.
fn window(preset: &str, gate: &str, packets: u64) -> f64 {
    let stack = format!(r#"preset = "{preset}", iw = "10", mss = "1448B""#);
    let source = format!("size={}B,every=250ms,count=10", packets * 1448);
    let flow = format!(r#"startup = "slow-start{gate}", source = "{source}""#);
    outcome(&stack, &flow).flows.row(0).max_cwnd_segments
}

#[test]
fn small_writes_leave_the_window_that_the_stack_allows_to_grow() {
    for (packets, expected) in [(5, 10.0), (7, 14.0), (12, 24.0)] {
        assert_eq!(window("linux", "", packets), expected, "{packets}");
    }
    for preset in ["quinn", "quiche", "s2n", "quic", "rfc"] {
        assert_eq!(window(preset, "", 5), 10.0, "{preset}");
    }
    for preset in ["quinn", "quiche"] {
        assert_eq!(window(preset, "", 7), 10.0, "{preset}");
    }
    let always = window("linux", ":growth_gate=none", 5);
    assert_eq!(always, 10.0 + 10.0 * 5.0, "five more by each write");
}

/// The windows of a Linux sender that writes 150 packets and then these.
fn windows_of_linux(writes: &str) -> Vec<f64> {
    let text = format!(
        r#"
        trace = true
        path = {{ rate = "100Gbps", rtt = "100ms", buffer = "20000pkt" }}
        stack = {{ preset = "linux", iw = "10" }}
        flows = [{{ handshake = false, startup = "slow-start", writes = [
            {{ at = "0s", size = "150pkt" }}{writes}
        ] }}]
        "#
    );
    let outcome = run(&rfc_scenario(&text).unwrap()).unwrap();
    outcome.trace.unwrap().flow_samples.cwnd.clone()
}

#[test]
fn linux_halves_the_window_for_each_timeout_of_an_idle_time() {
    // 150 packets leave a window of 160; the last of them leave after 300 ms, and the RTO is 300 ms.
    for (idle_ms, expected) in [
        (250, 160.0),
        (350, 80.0),
        (700, 40.0),
        (1000, 20.0),
        (3000, 10.0),
    ] {
        let at = 300 + idle_ms;
        let cwnd = windows_of_linux(&format!(r#", {{ at = "{at}ms", size = "1pkt" }}"#));
        assert_eq!(cwnd.last(), Some(&expected), "{idle_ms} ms");
    }
}

/// Linux 6.18.44 kept 1046 segments for 5.8 s of such writes, of which 105 were out: acknowledgements set
/// `snd_cwnd_stamp` (`tcp_cong_avoid`), so `tcp_cwnd_application_limited` does not come.
#[test]
fn linux_keeps_a_window_of_which_regular_writes_use_a_part() {
    let small = |write| format!(r#", {{ at = "{}ms", size = "20pkt" }}"#, 400 + 40 * write);
    let writes: String = (0..75).map(small).collect();
    let cwnd = windows_of_linux(&writes);
    assert!(cwnd.is_sorted(), "{cwnd:?}");
    assert!(cwnd.last() >= Some(&160.0), "{cwnd:?}");
}

#[test]
fn a_block_that_leaves_at_the_rate_of_the_interface_waits_at_the_bottleneck() {
    for (rate, expected) in [("10Mbps", 45.5), ("100Mbps", 41.4)] {
        let text = format!(
            r#"
            path = {{ rate = "{rate}", rtt = "100ms", buffer = "1000pkt", nic_rate = "1Gbps" }}
            stack = {{ mss = "1448B", header = "52B", iw = "46", ack = "every" }}
            flows = [{{ handshake = false, source = "size=66608B,every=1s,count=1" }}]
            "#
        );
        let outcome = run(&rfc_scenario(&text).unwrap()).unwrap();
        let queue = outcome.flows.row(0).max_queue_pkts as f64;
        assert!((queue - expected).abs() < 1.0, "{queue} for {expected}");
    }
}

#[test]
fn a_source_above_the_rate_of_the_link_is_reported_as_far_as_it_was_delivered() {
    let text = r#"
        duration = "10s"
        path = { rate = "1Mbps", rtt = "100ms", buffer = "20000pkt" }
        flows = [{ source = "rate=2Mbps,every=100ms,deadline=1s" }]
    "#;
    let row = run(&rfc_scenario(text).unwrap()).unwrap().delays.remove(0);
    assert_eq!(row.writes, 100);
    assert!(row.undelivered > 45, "{row:?}");
    assert_eq!((row.delay_p95_s, row.recovered_s), (None, None));
    assert!(row.late_share.unwrap() > 0.7, "{row:?}");
}

#[test]
fn a_source_contradicts_a_size_and_listed_writes() {
    for (flow, problem) in [
        (
            r#"source = "every=1s,size=1kB", size = "1kB""#,
            "contradicts `size`",
        ),
        (r#"source = "every=1s""#, "needs one of `size` and `rate`"),
    ] {
        let text = format!("path = {{ rate = '1Mbps', rtt = '10ms' }}\nflows = [{{ {flow} }}]");
        let refused = rfc_scenario(&text).and_then(|scenario| run(&scenario));
        let refused = refused.expect_err("it is refused").to_string();
        assert!(refused.starts_with("flows[0].source: "), "{refused}");
        assert!(refused.contains(problem), "{refused}");
    }
}
