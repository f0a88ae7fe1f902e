//! What connections leave behind for later ones, and what uses it.

use super::outcome;
use flowstart_control::Reason;
use flowstart_sim::Outcome;
use flowstart_sim::record::flow::FlowRow;
use flowstart_sim::record::trace::Event;

/// Two transfers over 10 Mbit/s and 100 ms, the second when the first has closed.
fn one_after_the_other(stack: &str, startup: &str) -> [FlowRow; 2] {
    let run = outcome(&format!(
        r#"
        path = {{ rate = "10Mbps", rtt = "100ms" }}
        stack = {{ {stack} }}
        flows = [
            {{ startup = "slow-start:ssthresh=80", size = "1MB" }},
            {{ startup = "{startup}", start = "5s", size = "100pkt" }},
        ]
        "#
    ));
    [run.flows.row(0), run.flows.row(1)]
}

/// The window that a flow opens with, in segments.
fn opens_with(outcome: &Outcome, flow: u32) -> f64 {
    let t = &outcome.trace.as_ref().unwrap().flow_samples;
    let mut samples = 0..t.event.len();
    let open = samples.find(|i| t.flow[*i] == flow && t.event[*i] == Event::Open as u8);
    t.cwnd[open.unwrap()]
}

#[test]
fn fast_start_uses_what_an_earlier_connection_left() {
    let [_, alone] = one_after_the_other("", "fast-start");
    let [_, slow] = one_after_the_other("", "slow-start");
    assert_eq!(alone.fct_s, slow.fct_s, "without a memory it is slow start");
    let [_, fast] = one_after_the_other(r#"sharing = "remember""#, "fast-start");
    assert_eq!(fast.startup_exit_reason, Some(Reason::FirstAck));
    assert!(fast.fct_s.unwrap() < 0.8 * slow.fct_s.unwrap());
    assert_eq!(fast.packets_dropped, 0);
}

#[test]
fn a_memory_that_is_told_changes_nothing_for_others() {
    let [_, slow] = one_after_the_other("", "slow-start");
    let [_, told] = one_after_the_other(r#"sharing = "remember""#, "slow-start");
    assert_eq!(slow.fct_s, told.fct_s);
}

#[test]
fn temporal_sharing_opens_every_startup_with_the_old_window_and_spreads_it() {
    let [first, slow] = one_after_the_other("", "slow-start");
    let [_, shared] = one_after_the_other(r#"sharing = "temporal""#, "slow-start");
    assert!(shared.fct_s.unwrap() < 0.8 * slow.fct_s.unwrap());
    assert!(first.max_cwnd_segments > 40.0);
    // The burst would have been the whole window.
    assert!(shared.max_queue_pkts <= first.max_queue_pkts);
    let [_, capped] =
        one_after_the_other(r#"sharing = "temporal", sharing_cap = 20"#, "slow-start");
    let (capped, shared) = (capped.fct_s.unwrap(), shared.fct_s.unwrap());
    assert!(shared < capped && capped < slow.fct_s.unwrap());
}

#[test]
fn a_memory_that_is_too_old_is_forgotten() {
    let [_, slow] = one_after_the_other("", "slow-start");
    let stack = r#"sharing = "temporal", sharing_lifetime = "1s""#;
    let [_, forgotten] = one_after_the_other(stack, "slow-start");
    assert_eq!(forgotten.fct_s, slow.fct_s);
}

#[test]
fn ensemble_sharing_gives_a_new_connection_its_part_of_the_open_ones() {
    let run = outcome(
        r#"
        trace = true
        duration = "5s"
        path = { rate = "10Mbps", rtt = "100ms" }
        stack = { sharing = "ensemble" }
        flows = [
            { startup = "slow-start:iw=60,ssthresh=60", cc = "none" },
            { startup = "slow-start", start = "2s" },
        ]
        "#,
    );
    assert_eq!(opens_with(&run, 1), 30.0);
    let t = &run.trace.unwrap().flow_samples;
    let last = (0..t.event.len()).rfind(|i| t.flow[*i] == 0).unwrap();
    assert!(t.cwnd[last] <= 30.0, "{}", t.cwnd[last]);
}

#[test]
fn what_is_said_to_be_remembered_stands_for_an_earlier_connection() {
    let run = |cached_cwnd: &str, path: &str| {
        let run = outcome(&format!(
            r#"
            path = {{ rate = "10Mbps", rtt = "100ms", {path} }}
            flows = [{{ startup = "fast-start", size = "100pkt", cached_cwnd = "{cached_cwnd}" }}]
            "#
        ));
        run.flows.row(0)
    };
    let right = run("1bdp", "");
    assert_eq!((right.packets_dropped, right.timeouts), (0, 0));
    assert!(right.fct_s.unwrap() < 0.36, "{:?}", right.fct_s);
    // A memory of a faster path costs its own marked packets, and little time.
    let stale = run("400pkt", r#"buffer = "20pkt""#);
    assert!(stale.complete && stale.packets_dropped > 0);
    assert!(stale.fct_s.unwrap() < 2.0, "{:?}", stale.fct_s);
}

/// The slides' "resets TCP session".
#[test]
fn a_connection_is_given_up_after_consecutive_timeouts() {
    let run = |max: u32| {
        let lost: Vec<u64> = (5..100).collect();
        let run = outcome(&format!(
            r#"
            duration = "1000s"
            path = {{ rate = "10Mbps", rtt = "100ms" }}
            stack = {{ max_timeouts = {max} }}
            flows = [{{ size = "100pkt", forced_drops = {lost:?} }}]
            "#
        ));
        let flow = run.flows.row(0);
        (flow.reset, flow.complete, flow.timeouts)
    };
    assert_eq!(run(3), (true, false, 3));
    let (reset, complete, timeouts) = run(0);
    assert!(!reset && !complete && timeouts > 15, "{timeouts}");
}
