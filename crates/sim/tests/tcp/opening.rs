//! Handshakes, lost and found; timers that back off; connections given up.

use super::{Step, outcome, sends, steps, times};

fn lossy(flow: &str) -> String {
    format!(
        r#"
        trace = true
        path = {{ rate = "10Mbps", rtt = "100ms", buffer = "100pkt" }}
        stack = {{ ack = "every" }}
        flows = [{{ size = "20pkt", {flow} }}]
        "#
    )
}

#[test]
fn a_lost_syn_leaves_an_initial_window_of_one() {
    let run = outcome(&lossy("forced_drops = [0, 1]"));
    assert_eq!(times(&run, |s| *s == Step::Syn), [0, 1000, 3000]);
    assert_eq!(run.flows.row(0).syn_retransmits, 2);
    assert_eq!(run.flows.row(0).packets_sent, 20);
    let steps: Vec<Step> = steps(&run).into_iter().map(|(_, s)| s).collect();
    let first = [Step::Open, Step::Send(1), Step::Ack(2, 2.0)];
    assert_eq!(steps[3..6], first);
}

#[test]
fn after_a_lost_syn_data_waits_three_seconds_for_its_acknowledgement() {
    // RFC 6298 §5.7. The SYN is lost, then the first data.
    let run = outcome(&lossy("forced_drops = [0, 2]"));
    let opened = times(&run, |s| *s == Step::Open)[0];
    assert_eq!(times(&run, |s| *s == Step::Timeout), [opened + 3000]);
}

#[test]
fn the_handshake_gives_the_first_sample() {
    // 100 ms of round trip: a timeout of 300 ms, below the bound of one second.
    let run = outcome(&lossy("forced_drops = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]"));
    assert_eq!(times(&run, |s| *s == Step::Timeout), [1100]);
    assert_eq!(run.flows.row(0).min_rtt_s, Some(0.100064));
}

#[test]
fn timeouts_double_up_to_a_minute_and_then_the_connection_is_given_up() {
    let drops: Vec<String> = (1..40).map(|n| n.to_string()).collect();
    let run = outcome(&lossy(&format!("forced_drops = [{}]", drops.join(", "))));
    let timeouts = times(&run, |s| *s == Step::Timeout);
    let gaps: Vec<u64> = timeouts.windows(2).map(|w| (w[1] - w[0]) / 1000).collect();
    assert_eq!(gaps[..6], [2, 4, 8, 16, 32, 60]);
    assert_eq!(timeouts.len(), 15);
    let flow = run.flows.row(0);
    assert!(!flow.complete && flow.duration_s.is_none() && flow.fct_s.is_none());
}

#[test]
fn a_peer_that_never_answers_is_given_up_after_seven_syns() {
    let run = outcome(
        r#"
        trace = true
        path = { rate = "10Mbps", rtt = "100ms", reverse_loss = "100%" }
        flows = [{ size = "1kB" }]
        "#,
    );
    let expected = [0, 1000, 3000, 7000, 15000, 31000, 63000];
    assert_eq!(times(&run, |s| *s == Step::Syn), expected);
    let flow = run.flows.row(0);
    assert_eq!(
        (flow.syn_retransmits, flow.packets_sent, flow.complete),
        (6, 0, false)
    );
}

#[test]
fn the_threshold_falls_once_however_often_a_segment_times_out() {
    // RFC 5681 §3.1: ten out, so five; the second timeout of the same leaves it there.
    let run = outcome(&lossy("forced_drops = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]"));
    assert_eq!(times(&run, |s| *s == Step::Timeout), [1100, 3100]);
    let t = &run.trace.as_ref().unwrap().flow_samples;
    assert_eq!(t.ssthresh.last(), Some(&5.0));
}

#[test]
fn a_byte_is_a_transfer() {
    let run = outcome(
        r#"
        path = { rate = "10Mbps", rtt = "100ms" }
        flows = [{ size = "1B" }, { size = "1461B" }]
        "#,
    );
    let sent: Vec<u64> = run.flows.iter().map(|f| f.packets_sent).collect();
    assert_eq!(sent, [1, 2]);
    assert!(
        run.flows
            .iter()
            .all(|f| f.complete && f.bytes_delivered == f.size_bytes.unwrap())
    );
}

#[test]
fn data_without_a_handshake_leaves_at_once() {
    let run = outcome(&lossy("handshake = false"));
    let steps = steps(&run);
    assert!(
        steps[..10]
            .iter()
            .all(|(t, s)| *t == 0.0 && matches!(s, Step::Send(_)))
    );
    assert!(sends(&run).iter().all(|s| matches!(s, Step::Send(_))));
}

/// 1460 bytes of 100 Mbit/s in 100 ms are 856 segments; the link beyond takes no notice.
#[test]
fn a_startup_is_told_of_the_interface_that_a_flow_says_it_has() {
    let window = |flow: &str| {
        let run = outcome(&format!(
            r#"
            path = {{ rate = "10Mbps", rtt = "100ms", buffer = "2000pkt" }}
            flows = [{{ size = "1000pkt", startup = "qs-app", {flow} }}]
            "#
        ));
        run.flows.row(0).startup_exit_cwnd_segments
    };
    assert_eq!(window(""), Some(85.0));
    assert_eq!(window("interface_rate = \"100Mbps\""), Some(856.0));
}

#[test]
fn so_are_the_responses_of_web_sessions() {
    let window = |web: &str| {
        let run = outcome(&format!(
            r#"
            path = {{ rate = "10Mbps", rtt = "100ms", buffer = "2000pkt" }}
            web = [{{ size = "1000", startup = "qs-app", {web} }}]
            "#
        ));
        run.flows.row(1).startup_exit_cwnd_segments
    };
    assert_eq!(window(""), Some(85.0));
    assert_eq!(window("interface_rate = \"100Mbps\""), Some(856.0));
}
