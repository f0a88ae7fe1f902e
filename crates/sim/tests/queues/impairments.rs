//! Processors of routers, and ACK aggregation.

use super::{link, outcome};
use flowstart_sim::Outcome;

/// 2 MB over 10 Mbit/s and 40 ms, acknowledged segment by segment.
fn transfer(path: &str) -> Outcome {
    outcome(&format!(
        r#"
        trace = true
        path = {{ rate = "10Mbps", rtt = "40ms", buffer = "1000pkt" {path} }}
        stack = {{ ack = "every" }}
        flows = [{{ size = "2MB" }}]
        "#
    ))
}

/// When acknowledgements reach the sender of flow 0, in nanoseconds.
fn acks(outcome: &Outcome) -> Vec<u64> {
    use flowstart_sim::record::trace::Event;
    let samples = &outcome.trace.as_ref().unwrap().flow_samples;
    let is_ack = |i: &usize| samples.event[*i] == Event::Ack as u8;
    let times = (0..samples.event.len()).filter(is_ack);
    times.map(|i| samples.time_ns[i]).collect()
}

#[test]
fn compression_changes_when_acknowledgements_come_and_not_how_many() {
    let (plain, batched) = (transfer(""), transfer(", ack_batch = \"5ms\""));
    assert_eq!(acks(&plain).len(), 1370);
    assert_eq!(acks(&batched).len(), 1370);
    assert!(acks(&batched).iter().all(|at| at % 5_000_000 == 0));
    assert_eq!(link(&batched, "gather-left-0").1, 0);
}

#[test]
fn thinning_leaves_one_acknowledgement_of_a_batch() {
    let thinned = transfer(", ack_batch = \"5ms\", ack_thinning = true");
    let times = acks(&thinned);
    assert!(times.windows(2).all(|t| t[0] < t[1]));
    // A segment takes 1.2 ms, so a batch has four.
    assert!((300..500).contains(&times.len()), "{}", times.len());
    let (passed, thrown_out) = link(&thinned, "gather-left-0");
    // With the handshake's answer.
    assert_eq!(passed + thrown_out, 1371);
    assert_eq!(thinned.flows.row(0).packets_dropped, 0);
    assert!(thinned.flows.row(0).complete);
}

#[test]
fn each_sender_has_a_separate_gate() {
    let outcome = outcome(
        r#"
        path = { rate = "10Mbps", rtt = "40ms", ack_batch = "2ms" }
        stack = { ack = "every" }
        flows = [{ size = "20kB", count = 2, direction = "alternate" }, { size = "20kB" }]
        "#,
    );
    let gates = ["gather-left-0", "gather-right-1", "gather-left-2"];
    for gate in gates {
        assert!(link(&outcome, gate).0 >= 10, "{gate}");
    }
}

#[test]
fn a_processor_forwards_both_directions_in_turn() {
    // The Quick-Start paper's Cisco 3640 forwards 5000 packets a second.
    let outcome = outcome(
        r#"
        path = { rate = "100Mbps", rtt = "40ms", router_pps = 5000, buffer = "1000pkt" }
        stack = { ack = "every" }
        flows = [{ size = "10MB" }]
        "#,
    );
    let flow = outcome.flows.row(0);
    // Data and acknowledgements share it: 2500 segments a second, not 8333.
    let rate = flow.packets_arrived as f64 / flow.duration_s.unwrap();
    assert!((2000.0..2500.0).contains(&rate), "{rate}");
    let both = link(&outcome, "forward").0 + link(&outcome, "reverse").0;
    assert!(link(&outcome, "router-0").0 >= both);
}

#[test]
fn a_chain_has_a_router_before_each_hop_and_one_behind() {
    let outcome = outcome(
        r#"
        [path]
        router_pps = 100000
        hops = [
            { rate = "10Mbps", delay = "1ms" },
            { rate = "20Mbps", delay = "1ms" },
            { rate = "30Mbps", delay = "1ms" },
        ]
        [[flows]]
        size = "1kB"
        from_hop = 1
        to_hop = 1
        "#,
    );
    let passed = [0, 1, 2, 3].map(|i| link(&outcome, &format!("router-{i}")).0);
    // SYN, its answer, one segment, its acknowledgement.
    assert_eq!(passed, [0, 4, 4, 0]);
}

#[test]
fn forwarding_adds_its_time_at_every_router() {
    let first_rtt = |path: &str| transfer(path).flows.row(0).min_rtt_s.unwrap();
    // Two routers, there and back, 1 ms each.
    let added = first_rtt(", router_pps = 1000") - first_rtt("");
    assert!((added - 0.004).abs() < 1e-9, "{added}");
}
