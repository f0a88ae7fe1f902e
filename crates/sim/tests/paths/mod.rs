//! Paths as they really are, seen from outside: what whole scenarios make of rates that vary,
//! bursts, jitter, policers and consecutive losses; and what HyStart's critics measured.

use flowstart_sim::record::trace::Event;
use flowstart_sim::{Outcome, run};

fn outcome(text: &str) -> Outcome {
    let scenario = crate::rfc_scenario(text).unwrap_or_else(|e| panic!("{e}"));
    run(&scenario).unwrap_or_else(|e| panic!("{e}"))
}

/// An endless flow for a minute over such a path; 40 ms.
fn bulk(path: &str) -> Outcome {
    outcome(&format!(
        r#"
        duration = "60s"
        path = {{ rtt = "40ms", buffer = "100pkt", {path} }}
        flows = [{{ startup = "hystart" }}]
        "#
    ))
}

/// What it delivered, as a share of what these bits a second carry.
fn share(outcome: &Outcome, bps: f64) -> f64 {
    let packets = outcome.flows.row(0).bytes_delivered as f64 / 1460.0;
    packets * 1500.0 * 8.0 / 60.0 / bps
}

#[test]
fn a_busy_line_delivers_what_its_trace_has_and_no_more() {
    // 969 opportunities in two seconds.
    let found = share(
        &bulk(r#"rate_trace = "tests/paths/uneven.trace""#),
        5_814_000.0,
    );
    assert!((0.97..=1.0).contains(&found), "{found}");
}

#[test]
fn a_busy_line_delivers_the_mean_of_its_steps_outages_included() {
    let steps = r#"rate_steps = [
        { rate = "10Mbps", lasts = "800ms" }, { rate = "0bps", lasts = "50ms" },
        { rate = "4Mbps", lasts = "150ms" },
    ]"#;
    let found = share(&bulk(&steps.replace('\n', " ")), 8_600_000.0);
    assert!((0.95..=1.0).contains(&found), "{found}");
}

#[test]
fn a_rate_that_varies_is_equal_for_all_flows_and_another_under_another_seed() {
    // Which rate holds shows in how long a lone packet takes, 20 ms apart.
    let delays = |seed: u32, size: &str| {
        let writes =
            (0..100).map(|n| format!("{{ at = \"{}ms\", size = \"{size}\" }}", 1000 + 200 * n));
        let writes: Vec<String> = writes.collect();
        let outcome = outcome(&format!(
            r#"
            seed = {seed}
            path = {{ rate = "1Mbps", rtt = "10ms", rate_variation = "wander:every=100ms" }}
            stack = {{ ack = "every", grow_when_app_limited = false }}
            flows = [{{ writes = [{}] }}]
            "#,
            writes.join(", ")
        ));
        let rows = outcome.transfers;
        let delay = |row: &flowstart_sim::record::flow::TransferRow| {
            row.delivered_s.unwrap() - row.available_s.unwrap()
        };
        rows.iter().map(delay).collect::<Vec<f64>>()
    };
    let (one, other) = (delays(1, "1460B"), delays(1, "960B"));
    // A packet of 1500 bytes takes half as long again as one of 1000.
    let ratio = |(a, b): (&f64, &f64)| (a - 0.005) / (b - 0.005);
    let alike = one.iter().zip(&other).map(ratio);
    let alike = alike.filter(|r| (r - 1.5).abs() < 0.01).count();
    assert!(
        alike >= 95,
        "{alike}: a few are on the line while the rate changes"
    );
    assert_ne!(one, delays(2, "1460B"));
}

#[test]
fn a_policed_flow_has_a_burst_at_full_rate_and_then_the_policers() {
    let path = r#"rate = "100Mbps", policer_rate = "10Mbps", policer_burst = "1MB""#;
    let outcome = bulk(path);
    let found = share(&outcome, 10e6);
    // A burst of 1 MB is a share of 0.013 of the minute's.
    assert!((0.6..1.014).contains(&found), "{found}");
    let names: Vec<&str> = outcome.links.iter().map(|l| l.name.as_str()).collect();
    assert_eq!(names, ["forward", "reverse", "policer"]);
    // The burst overflows the buffer besides; all that is dropped is the flow's.
    let [queue, _, policer] = [0, 1, 2].map(|link| outcome.links[link].dropped);
    assert_eq!(queue + policer, outcome.flows.row(0).packets_dropped);
    assert!(policer > 10 * queue && queue > 0, "{policer} {queue}");
}

/// How long 1000 packets take, all sent at once, at 1 Gbit/s and 2 ms, in milliseconds.
fn sent_at_once(path: &str) -> f64 {
    let outcome = outcome(&format!(
        r#"
        path = {{ rate = "1Gbps", rtt = "2ms", buffer = "2000pkt", {path} }}
        stack = {{ iw = "1000", ack = "every" }}
        flows = [{{ size = "1460kB" }}]
        "#
    ));
    let row = outcome.flows.row(0);
    assert_eq!(row.packets_dropped, 0);
    row.fct_s.unwrap() * 1e3
}

#[test]
fn a_shaper_lets_a_burst_pass_at_the_lines_rate_and_the_rest_at_its_own() {
    // The handshake takes 2 ms and the delay 1 ms. A packet of 1500 bytes takes 12 us on the line and
    // the tokens of 600 us at 20 Mbit/s.
    let shaper = |burst| format!(r#"shaper_rate = "20Mbps", shaper_burst = "{burst}""#);
    let whole = sent_at_once(&shaper("2MB"));
    assert!((whole - (3.0 + 1000.0 * 0.012)).abs() < 0.01, "{whole}");
    // Ten have tokens at once, but for those that SYN and ACK took and that came since.
    let small = sent_at_once(&shaper("15kB"));
    assert!(
        (small - (3.0 + 990.0 * 0.6 + 0.012)).abs() < 0.02,
        "{small}"
    );
}

#[test]
fn a_shaper_is_the_bottleneck_of_a_faster_line() {
    let path = r#"rate = "1Gbps", shaper_rate = "10Mbps", shaper_burst = "15kB""#;
    let outcome = bulk(path);
    let found = share(&outcome, 10e6);
    assert!((0.99..1.0005).contains(&found), "{found}");
    // What waits for tokens waits in the buffer of the line.
    assert_eq!(outcome.links[0].max_queue_pkts, 100);
}

#[test]
fn the_queue_of_a_delay_holds_no_more_than_its_limit() {
    // A flight of 40 packets waits in it for the whole round trip.
    for (limit, lost) in [(41, 0), (40, 0), (39, 1), (10, 30)] {
        let outcome = outcome(&format!(
            r#"
            path = {{ rate = "1Gbps", rtt = "100ms", delay_at = "forward", delay_limit = {limit} }}
            stack = {{ iw = "40", ack = "every" }}
            duration = "150ms"
            flows = [{{ size = "58400B" }}]
            "#
        ));
        assert_eq!(outcome.flows.row(0).packets_dropped, lost, "{limit}");
    }
}

#[test]
fn a_limit_with_the_queue_counts_what_waits_for_the_line_too() {
    let queued = |with_queue: &str| {
        let outcome = outcome(&format!(
            r#"
            path = {{ rate = "1.2Mbps", rtt = "50ms", buffer = "1000pkt", delay_at = "forward", delay_limit = 20{with_queue} }}
            stack = {{ iw = "10", ack = "every" }}
            duration = "20s"
            flows = [{{}}]
            "#
        ));
        outcome.links[0].max_queue_pkts
    };
    // Of 20 packets, five are in the delay and one is in transmission.
    assert_eq!(queued(", delay_limit_with_queue = true"), 14);
    assert!(queued("") > 100);
}

#[test]
fn both_directions_of_a_loopback_pass_one_queue_and_one_line() {
    let path = r#"rate = "10Mbps", delay_at = "loopback", delay_limit = 1000"#;
    let outcome = bulk(path);
    let names: Vec<&str> = outcome.links.iter().map(|l| l.name.as_str()).collect();
    assert_eq!(names, ["forward", "delay"]);
    let row = outcome.flows.row(0);
    assert!((row.min_rtt_s.unwrap() - 0.04).abs() < 0.002);
    // Acknowledgements of 40 bytes for every second packet take a share of 1.3 %.
    // An acknowledgement for every second packet of data.
    let acks = outcome.links[0].packets + row.packets_dropped - row.packets_sent;
    let ratio = acks as f64 / row.packets_arrived as f64;
    assert!((0.49..0.53).contains(&ratio), "{ratio}");
    // They wait behind data and come together, so that the line idles (Zhang, Shenker and Clark,
    // SIGCOMM 1991).
    let found = share(&outcome, 10e6);
    assert!((0.8..0.9).contains(&found), "{found}");
}

/// 2 MB over 20 Mbit/s and 40 ms, traced.
fn transfer(path: &str) -> Outcome {
    outcome(&format!(
        r#"
        trace = true
        path = {{ rate = "20Mbps", rtt = "40ms", buffer = "2000pkt" {path} }}
        stack = {{ ack = "every" }}
        flows = [{{ size = "2MB" }}]
        "#
    ))
}

/// When acknowledgements reach the sender, in nanoseconds.
fn acks(outcome: &Outcome) -> Vec<u64> {
    let samples = &outcome.trace.as_ref().unwrap().flow_samples;
    let is_ack = |i: &usize| samples.event[*i] == Event::Ack as u8;
    let times = (0..samples.event.len()).filter(is_ack);
    times.map(|i| samples.time_ns[i]).collect()
}

#[test]
fn a_shared_medium_hands_packets_on_in_bursts_and_loses_none() {
    let outcome = transfer(r#", aggregation = "4ms""#);
    let mut times = acks(&outcome);
    assert_eq!(times.len(), 1370);
    times.dedup();
    // A packet takes 0.6 ms: six or seven of them leave together, and so do their answers.
    assert!(times.len() < 1370 / 5, "{}", times.len());
    assert_eq!(outcome.flows.row(0).packets_retransmitted, 0);
}

#[test]
fn jitter_that_keeps_order_costs_nothing_and_jitter_that_does_not_looks_like_loss() {
    let jitter = r#", jitter = "exponential:mean=5ms""#;
    let kept = transfer(jitter);
    assert_eq!(kept.flows.row(0).packets_retransmitted, 0);
    let free = transfer(&format!("{jitter}, reordering = true"));
    let again = free.flows.row(0).packets_retransmitted;
    assert!(
        again > 0 && free.flows.row(0).packets_dropped == 0,
        "{again}"
    );
    assert!(free.flows.row(0).complete);
}

#[test]
fn a_ripple_varies_the_round_trip_by_its_size() {
    // One segment at a time, so that nothing waits.
    let rtts = |path: &str| {
        let writes =
            (0..50).map(|n| format!("{{ at = \"{}ms\", size = \"100B\" }}", 1000 + 70 * n));
        let outcome = outcome(&format!(
            r#"
            path = {{ rate = "1Gbps", rtt = "40ms" {path} }}
            stack = {{ ack = "every" }}
            flows = [{{ writes = [{}] }}]
            "#,
            writes.collect::<Vec<_>>().join(", ")
        ));
        // The first waits for the handshake.
        let rtts = outcome
            .transfers
            .into_iter()
            .skip(1)
            .map(|row| row.acked_s.unwrap() - row.available_s.unwrap());
        rtts.fold((f64::MAX, 0.0), |(low, high), rtt| {
            (f64::min(low, rtt), f64::max(high, rtt))
        })
    };
    let (low, high) = rtts(r#", ripple = "10ms", ripple_period = "1s""#);
    assert!((0.0400..0.0401).contains(&low), "{low}");
    assert!((0.0499..0.0501).contains(&high), "{high}");
}

#[test]
fn losses_in_bursts_are_as_many_and_come_together() {
    let lost = |path: &str| {
        let outcome = outcome(&format!(
            r#"
            path = {{ rate = "1Gbps", rtt = "1ms", buffer = "10000pkt", loss = "1%" {path} }}
            flows = [{{ size = "100MB" }}]
            "#
        ));
        let flow = outcome.flows.row(0);
        let windows = flow.fast_retransmits + flow.timeouts;
        (
            flow.packets_dropped as f64 / flow.packets_sent as f64,
            windows,
        )
    };
    let ((single, often), (bursts, seldom)) = (lost(""), lost(", loss_burst = 10"));
    for share in [single, bursts] {
        assert!((0.006..0.014).contains(&share), "{share}");
    }
    assert!(2 * seldom < often, "{seldom} {often}");
}

/// HyStart of the `linux` stack over such a path, under twenty seeds: the window at which it left
/// as a share of what the path holds, and why.
fn exits(path: &str) -> Vec<(f64, String)> {
    let exit = |seed| {
        let outcome = outcome(&format!(
            r#"
            seed = {seed}
            path = {{ buffer = "1000pkt", {path} }}
            stack = {{ preset = "linux" }}
            flows = [{{ startup = "hystart", size = "20MB" }}]
            "#
        ));
        let flow = outcome.flows.row(0);
        let window = flow.startup_exit_cwnd_segments.unwrap_or(f64::INFINITY);
        let reason = flow.startup_exit_reason.map(|r| format!("{r:?}"));
        (window / flow.bdp_pkts as f64, reason.unwrap_or_default())
    };
    (1..=20).map(exit).collect()
}

/// At least `least` of twenty leave at the sight of a delay, with less than the path holds.
#[track_caller]
fn assert_early(path: &str, least: usize) {
    let found = exits(path);
    let early = |(share, why): &&(f64, String)| *share < 0.9 && why == "Delay";
    assert!(found.iter().filter(early).count() >= least, "{found:?}");
}

/// All leave by their trains of acknowledgements, having filled the path.
#[track_caller]
fn assert_in_time(path: &str) {
    let found = exits(path);
    let in_time = |(share, why): &(f64, String)| *share >= 1.0 && why == "AckTrain";
    assert!(found.iter().all(in_time), "{found:?}");
}

#[test]
fn hystart_is_misled_where_wi_fi_hands_on_bursts() {
    // The premature exits over wireless links that SEARCH is for (draft-chung-ccwg-search).
    let path = r#"rate = "100Mbps", rtt = "20ms""#;
    assert_in_time(path);
    let bursts = format!(r#"{path}, aggregation = "exponential:mean=4ms""#);
    assert_early(&bursts, 10);
}

#[test]
fn hystart_leaves_early_where_the_round_trip_swings_as_on_a_low_orbit() {
    let path = r#"rate = "150Mbps", rtt = "30ms""#;
    assert_in_time(path);
    let ripple = format!(r#"{path}, ripple = "10ms", ripple_period = "100ms""#);
    assert_early(&ripple, 20);
    let jitter = format!(r#"{path}, jitter = "uniform:most=8ms", jitter_every = "10ms""#);
    assert_early(&jitter, 16);
}

#[test]
fn hystart_hardly_minds_jitter_that_differs_from_packet_to_packet() {
    // The least of eight samples of a round hides it; a few trains look longer.
    let path = r#"rate = "150Mbps", rtt = "30ms", jitter = "uniform:most=3ms""#;
    let found = exits(path);
    let misled = |(share, why): &&(f64, String)| *share < 0.9 && why == "Delay";
    assert_eq!(found.iter().filter(misled).count(), 0, "{found:?}");
    let in_time = found.iter().filter(|(share, _)| *share >= 0.9).count();
    assert!(in_time >= 16, "{found:?}");
}

#[test]
fn what_comes_in_bursts_is_sent_again_once() {
    // Acknowledgements that come at once let new data and retransmissions leave together: the
    // new data's arrival says nothing of a retransmission that left at its side.
    for path in [r#"aggregation = "4ms""#, r#"ack_batch = "2ms""#] {
        let outcome = outcome(&format!(
            r#"
            path = {{ rate = "100Mbps", rtt = "20ms", buffer = "340pkt", {path} }}
            stack = {{ preset = "linux" }}
            flows = [{{ size = "10MB" }}]
            "#
        ));
        let flow = outcome.flows.row(0);
        assert!(flow.packets_dropped > 300, "{}", flow.packets_dropped);
        assert_eq!(flow.packets_retransmitted, flow.packets_dropped, "{path}");
    }
}
