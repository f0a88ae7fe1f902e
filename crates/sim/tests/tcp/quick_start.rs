//! Quick-Start between real endpoints and routers: what is granted, refused and paid for.

use super::{Step, outcome, steps};
use flowstart_control::Reason;
use flowstart_sim::Outcome;
use flowstart_sim::record::trace::Event;

/// A transfer over a path for which ns-2's times are known: access 1 Gbit/s, 2 ms; 50 ms; 4 ms.
fn vector(rate: &str, request: &str, packets: u64) -> Outcome {
    outcome(&format!(
        r#"
        trace = true
        [path]
        hops = [
            {{ rate = "1Gbps", delay = "2ms" }},
            {{ rate = "{rate}", delay = "50ms" }},
            {{ rate = "1Gbps", delay = "4ms" }},
        ]
        buffer = "1000pkt"
        [stack]
        preset = "ns2"
        iw = "3"
        coarse_pacing = true
        [[flows]]
        startup = "quick-start:request={request},sizing=fixed"
        size = "{packets}pkt"
        "#
    ))
}

/// The window that a flow opens with.
fn opens_with(outcome: &Outcome, flow: u32) -> f64 {
    let t = &outcome.trace.as_ref().unwrap().flow_samples;
    let mut samples = 0..t.event.len();
    let open = samples.find(|i| t.flow[*i] == flow && t.event[*i] == Event::Open as u8);
    t.cwnd[open.unwrap()]
}

fn window_at_open(outcome: &Outcome) -> f64 {
    opens_with(outcome, 0)
}

fn first_ack(outcome: &Outcome) -> (f64, f64) {
    let steps = steps(outcome);
    let ack = steps.iter().find_map(|(at, step)| match step {
        Step::Ack(_, cwnd) => Some((*at, *cwnd)),
        _ => None,
    });
    ack.unwrap()
}

#[test]
fn a_granted_rate_is_a_window_at_once() {
    let run = vector("10Mbps", "8.192Mbps", 80);
    assert_eq!(window_at_open(&run), 47.0);
    let (at, cwnd) = first_ack(&run);
    assert!((at - 0.22532).abs() < 1e-5, "{at}");
    assert_eq!(cwnd, 48.0);
    let flow = run.flows.row(0);
    assert!((flow.duration_s.unwrap() - 0.37698).abs() < 1e-5);
    assert_eq!(flow.startup_exit_reason, Some(Reason::Router));
}

#[test]
fn the_first_ack_leaves_the_window_that_was_used() {
    let run = vector("100Mbps", "81.92Mbps", 400);
    assert_eq!(window_at_open(&run), 764.0);
    let (at, cwnd) = first_ack(&run);
    assert!((at - 0.22416).abs() < 1e-5, "{at}");
    assert_eq!(cwnd, 401.0);
    assert!((run.flows.row(0).duration_s.unwrap() - 0.28160).abs() < 1e-5);
}

#[test]
fn a_window_no_larger_than_the_initial_one_is_not_used() {
    let run = vector("384kbps", "320kbps", 80);
    assert_eq!(window_at_open(&run), 3.0);
    assert!((run.flows.row(0).duration_s.unwrap() - 2.77688).abs() < 1e-5);
}

/// One flow over 10 Mbit/s and 100 ms; what is more on the path and before the flow.
fn on(path: &str, others: &str) -> Outcome {
    outcome(&format!(
        r#"
        trace = true
        duration = "20s"
        [path]
        rate = "10Mbps"
        rtt = "100ms"
        {path}
        [[flows]]
        startup = "quick-start"
        start = "5s"
        size = "100pkt"
        {others}
        "#
    ))
}

#[test]
fn routers_that_do_not_know_the_option_cost_nothing() {
    let without = r#"quick_start = { admission = "none" }"#;
    let ignored = on(without, "");
    assert_eq!(window_at_open(&ignored), 10.0);
    let slow = outcome(
        r#"
        path = { rate = "10Mbps", rtt = "100ms" }
        flows = [{ start = "5s", size = "100pkt" }]
        "#,
    );
    let late = ignored.flows.row(0).fct_s.unwrap() - slow.flows.row(0).fct_s.unwrap();
    // Eight bytes on the SYN and on the first segment, which reports that there is no rate.
    assert!((0.0..1e-4).contains(&late), "{late}");
}

#[test]
fn one_router_that_does_not_know_the_option_spoils_the_approval() {
    let hops = |knows: bool| {
        let run = outcome(&format!(
            r#"
            trace = true
            path.hops = [
                {{ rate = "10Mbps", delay = "25ms" }},
                {{ rate = "10Mbps", delay = "25ms", quick_start = {knows} }},
            ]
            flows = [{{ startup = "quick-start", size = "100pkt" }}]
            "#
        ));
        window_at_open(&run)
    };
    assert!(hops(true) > 30.0);
    assert_eq!(hops(false), 10.0);
}

#[test]
fn a_link_in_use_grants_less_and_a_full_one_nothing() {
    let beside = |window: &str| {
        let others = format!(
            r#"
            [[flows]]
            startup = "slow-start:iw={window},ssthresh={window}"
            cc = "none"
            "#
        );
        window_at_open(&on("", &others))
    };
    let [idle, half, full] = [window_at_open(&on("", "")), beside("30"), beside("100")];
    assert!(idle > 40.0 && idle > half && half > 10.0, "{idle} {half}");
    assert_eq!(full, 10.0);
}

#[test]
fn approvals_are_booked_so_that_not_all_get_the_same() {
    let run = outcome(
        r#"
        trace = true
        path = { rate = "10Mbps", rtt = "100ms" }
        flows = [{ startup = "quick-start", size = "100pkt", count = 3, stagger = "1ms" }]
        "#,
    );
    let windows: Vec<f64> = (0..3).map(|flow| opens_with(&run, flow)).collect();
    assert!(windows[0] > windows[1] && windows[1] > 10.0, "{windows:?}");
    assert_eq!(windows[2], 10.0);
    assert!(run.flows.iter().all(|flow| flow.packets_dropped == 0));
}

#[test]
fn a_lost_syn_repeats_no_request() {
    let run = outcome(
        r#"
        trace = true
        path = { rate = "10Mbps", rtt = "100ms" }
        flows = [{ startup = "quick-start", size = "100pkt", forced_drops = [0] }]
        "#,
    );
    assert_eq!(window_at_open(&run), 1.0);
    assert!(run.flows.row(0).complete);
}

#[test]
fn a_loss_of_the_approved_flight_leads_back_to_the_initial_window() {
    let run = outcome(
        r#"
        trace = true
        path = { rate = "10Mbps", rtt = "100ms" }
        flows = [{ startup = "quick-start", size = "100pkt", forced_drops = [20] }]
        "#,
    );
    let flow = run.flows.row(0);
    assert!(flow.complete && flow.timeouts == 0);
    let windows = steps(&run).into_iter().filter_map(|(_, step)| match step {
        Step::Ack(_, cwnd) => Some(cwnd),
        _ => None,
    });
    let least = windows.fold(f64::INFINITY, f64::min);
    assert_eq!(least, 10.0);
}

/// Two packets are approved and one ACK covers them; ns-2 takes 0.58 s.
#[test]
fn one_ack_for_the_whole_flight_ends_its_pace() {
    let time = |stack: &str, startup: &str| {
        let run = outcome(&format!(
            r#"
            [path]
            rate = "20Mbps"
            rtt = "36ms"
            buffer = "1000pkt"
            access_rate = "100Mbps"
            access_delay = "1ms"
            quick_start = {{ admission = "target", threshold = "90%", allocation = "90%" }}
            [stack]
            preset = "{stack}"
            iw = "1"
            window = "10000pkt"
            ack = "delayed"
            [[flows]]
            startup = "{startup}"
            size = "300pkt"
            "#
        ));
        run.flows.row(0).duration_s.unwrap()
    };
    let quick = "quick-start:request=640kbps,sizing=fixed,pacing=window";
    let ns2 = time("ns2", quick);
    assert!((0.575..0.585).contains(&ns2), "{ns2}");
    let (quick, slow) = (time("rfc", quick), time("rfc", "slow-start"));
    assert!(quick < slow, "{quick} {slow}");
}
