//! Scalable flows: ECT(1), marks that are counted, and a queue that couples them to classic flows.

use super::outcome;
use flowstart_control::Reason;
use flowstart_sim::Outcome;
use flowstart_sim::record::trace::Event;
use std::collections::HashMap;

const CUBIC: u32 = 0;
const PRAGUE: u32 = 1;
const RTT: f64 = 0.010;
const SETTLED: f64 = 5.0;
const END: f64 = 25.0;

/// A CUBIC flow and a Prague flow at one bottleneck of 40 Mbit/s and 10 ms. Prague grows as over
/// 25 ms, and CUBIC's packets wait for 15 ms: so they have about the same round trip.
fn beside_each_other(queue: &str, stack: &str) -> Outcome {
    outcome(&format!(
        r#"
        trace = true
        duration = "{END}s"
        path = {{ rate = "40Mbps", rtt = "10ms", buffer = "2000pkt", queue = "{queue}" }}
        stack = {{ ecn = "l4s", ack = "every", {stack} }}
        flows = [
            {{ startup = "hystart", cc = "cubic" }},
            {{ startup = "slow-start", cc = "prague", start = "1s" }},
        ]
        "#
    ))
}

/// What a flow's packets waited, seconds, in order of size, and how many bytes were acknowledged,
/// once both flows had settled.
fn waits(outcome: &Outcome, flow: u32) -> (Vec<f64>, u64) {
    let t = &outcome.trace.as_ref().unwrap().flow_samples;
    let of_flow = (0..t.time_ns.len()).filter(|i| t.flow[*i] == flow);
    // By where the segment ends, which is where the next one begins.
    let (mut left, mut last) = (HashMap::new(), None);
    let (mut waits, mut acked) = (Vec::new(), Vec::new());
    for i in of_flow {
        let at = t.time_ns[i] as f64 / 1e9;
        match t.event[i] {
            e if e == Event::Send as u8 => {
                if let Some(before) = last.replace(at) {
                    left.insert(t.seq_bytes[i], before);
                }
            }
            e if e == Event::Ack as u8 && at >= SETTLED => {
                acked.push(t.seq_bytes[i]);
                if let Some(sent) = left.get(&t.seq_bytes[i]) {
                    waits.push(at - sent - RTT);
                }
            }
            _ => {}
        }
    }
    waits.sort_by(f64::total_cmp);
    (
        waits,
        acked.iter().max().unwrap() - acked.iter().min().unwrap(),
    )
}

fn quantile(sorted: &[f64], share: f64) -> f64 {
    sorted[(share * (sorted.len() - 1) as f64) as usize]
}

#[test]
fn a_scalable_flow_and_a_classic_one_share_a_link_and_only_one_of_them_waits() {
    for queue in ["dualpi2", "dualpi2:preset=rfc9332"] {
        let run = beside_each_other(queue, r#"preset = "linux", pacing = "internal""#);
        let [(c, classic), (l, scalable)] = [CUBIC, PRAGUE].map(|flow| waits(&run, flow));
        let rate = |bytes: u64| bytes as f64 * 8.0 / (END - SETTLED);
        let share = (rate(scalable) + rate(classic)) / 40e6;
        assert!(share > 0.93, "{queue}: {share} of the link is used");
        let ratio = rate(scalable) / rate(classic);
        assert!((0.6..1.67).contains(&ratio), "{queue}: {ratio}");
        let (median, late) = (quantile(&l, 0.5), quantile(&l, 0.99));
        assert!(median < 0.0015 && late < 0.003, "{queue}: {median} {late}");
        let median = quantile(&c, 0.5);
        assert!((0.008..0.022).contains(&median), "{queue}: {median}");
        assert_eq!(run.flows.row(PRAGUE).packets_dropped, 0);
    }
}

#[test]
fn alone_a_scalable_flow_fills_the_link_with_a_millisecond_of_queue() {
    for stack in ["linux", "rfc", "quic"] {
        let run = outcome(&format!(
            r#"
            path = {{ rate = "40Mbps", rtt = "20ms", buffer = "2000pkt", queue = "dualpi2" }}
            stack = {{ preset = "{stack}", ecn = "l4s" }}
            flows = [{{ cc = "prague", size = "50MB" }}]
            "#
        ));
        let flow = run.flows.row(0);
        assert!(flow.slowdown.unwrap() < 1.2, "{stack}: {flow:?}");
        assert_eq!(flow.packets_dropped, 0, "{stack}");
        assert!(flow.packets_marked > 100, "{stack}: {flow:?}");
        assert_eq!(flow.startup_exit_reason, Some(Reason::Ecn), "{stack}");
        // A millisecond of 40 Mbit/s is three packets and a third; slow start overshoots.
        assert!(flow.max_queue_pkts < 60, "{stack}: {flow:?}");
    }
}

#[test]
fn a_scalable_flow_takes_more_marks_than_a_classic_one_and_neither_loses_anything() {
    let run = |cc: &str, ecn: &str| {
        outcome(&format!(
            r#"
            path = {{ rate = "40Mbps", rtt = "40ms", buffer = "2000pkt", queue = "codel:ecn=true" }}
            stack = {{ preset = "linux", ecn = "{ecn}" }}
            flows = [{{ startup = "hystart", cc = "{cc}", size = "30MB" }}]
            "#
        ))
        .flows
        .row(0)
    };
    let (scalable, classic) = (run("prague", "l4s"), run("reno", "classic"));
    assert!(scalable.packets_marked > 2 * classic.packets_marked);
    assert_eq!((scalable.packets_dropped, classic.packets_dropped), (0, 0));
}

#[test]
fn a_classic_flow_is_the_same_on_a_stack_that_counts_marks() {
    for recovery in ["sack", "rack", "quic"] {
        let rows = |ecn: &str| {
            let run = outcome(&format!(
                r#"
                path = {{ rate = "10Mbps", rtt = "40ms", buffer = "400pkt", queue = "dualpi2" }}
                stack = {{ recovery = "{recovery}", ecn = "{ecn}" }}
                flows = [{{ cc = "cubic", size = "5MB" }}]
                "#
            ));
            assert!(run.flows.row(0).packets_marked > 0);
            serde_json::to_string(&run.flows).unwrap()
        };
        assert_eq!(rows("l4s"), rows("classic"), "{recovery}");
    }
}

#[test]
fn marks_of_acknowledgements_are_not_those_of_data() {
    let run = outcome(
        r#"
        path = { rate = "10Mbps", rtt = "20ms", buffer = "400pkt", queue = "dualpi2" }
        stack = { ecn = "l4s" }
        flows = [
            { cc = "prague", size = "5MB" },
            { cc = "prague", size = "5MB", direction = "reverse" },
        ]
        "#,
    );
    let of_flows: u64 = run.flows.iter().map(|flow| flow.packets_marked).sum();
    let of_links: u64 = run.links.iter().map(|link| link.marked).sum();
    assert!(0 < of_flows && of_flows < of_links, "{of_flows} {of_links}");
}

#[test]
fn losses_halve_a_scalable_flow_that_marks_hardly_touch() {
    let goodput = |loss: &str| {
        let run = outcome(&format!(
            r#"
            duration = "20s"
            path = {{ rate = "40Mbps", rtt = "40ms", buffer = "2000pkt", queue = "dualpi2", loss = "{loss}" }}
            stack = {{ preset = "linux", ecn = "l4s" }}
            flows = [{{ cc = "prague" }}]
            "#
        ));
        run.flows.row(0).bytes_delivered
    };
    // By Reno's formula a share of 1 % leaves 12 packets a round trip, 3.6 Mbit/s.
    let (clean, lossy) = (goodput("0%"), goodput("1%"));
    assert!(clean > 80_000_000, "{clean}");
    assert!((6_000_000..16_000_000).contains(&lossy), "{lossy}");
}
