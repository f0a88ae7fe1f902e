//! What each discipline is for.

use super::{dropped, outcome};
use flowstart_sim::Outcome;
use flowstart_sim::record::trace::Event;

const RATE: f64 = 10e6;

/// Some bulk flows over 10 Mbit/s and 40 ms, with room for 480 ms in the buffer.
fn bulk(queue: &str, flows: u32) -> Outcome {
    outcome(&format!(
        r#"
        trace = true
        duration = "40s"
        path = {{ rate = "10Mbps", rtt = "40ms", buffer = "400pkt", queue = "{queue}" }}
        flows = [{{ count = {flows}, stagger = "100ms" }}]
        "#
    ))
}

/// How long arriving packets find the forward queue, in milliseconds, once the start is
/// over: on average and all but one in a hundred.
fn delay(outcome: &Outcome) -> (f64, f64) {
    let samples = &outcome.trace.as_ref().unwrap().queue_samples;
    let settled = |i: &usize| samples.direction[*i] == 0 && samples.time_ns[*i] > 10_000_000_000;
    let delay = |i: usize| samples.bytes[i] as f64 * 8e3 / RATE;
    let mut delays: Vec<f64> = (0..samples.time_ns.len())
        .filter(settled)
        .map(delay)
        .collect();
    delays.sort_by(f64::total_cmp);
    let mean = delays.iter().sum::<f64>() / delays.len() as f64;
    (mean, delays[delays.len() * 99 / 100])
}

#[test]
fn drop_tail_fills_its_buffer() {
    let (mean, _) = delay(&bulk("drop-tail", 1));
    assert!(mean > 250.0, "{mean}");
}

#[test]
fn codel_keeps_the_standing_queue_near_5_ms() {
    for flows in [1, 4] {
        let (mean, most) = delay(&bulk("codel", flows));
        assert!((2.0..10.0).contains(&mean) && most < 30.0, "{mean} {most}");
    }
    let (twice, _) = delay(&bulk("codel:target=20ms", 4));
    assert!((12.0..30.0).contains(&twice), "{twice}");
}

#[test]
fn pie_keeps_the_queue_near_15_ms() {
    for flows in [1, 4, 10] {
        let (mean, most) = delay(&bulk("pie", flows));
        assert!((11.0..20.0).contains(&mean) && most < 60.0, "{mean} {most}");
    }
}

#[test]
fn red_keeps_the_average_between_its_thresholds() {
    // 5 and 15 packets of 1.2 ms.
    for flows in [1, 4] {
        let (mean, _) = delay(&bulk("red:th_min=5,th_max=15", flows));
        assert!((6.0..18.0).contains(&mean), "{mean}");
    }
}

#[test]
fn a_managed_queue_costs_little_of_the_line() {
    for queue in ["red", "codel", "fq-codel", "pie"] {
        let use_of_line = bulk(queue, 4).links[0].utilisation;
        assert!(use_of_line > 0.95, "{queue} {use_of_line}");
    }
}

/// Completion time of 30 kB that begin while 2 MB jump, or alone.
fn beside_a_jump(queue: &str, jump: bool) -> f64 {
    let jump = match jump {
        true => "{ startup = \"jump-start\", size = \"2MB\" },",
        false => "",
    };
    let outcome = outcome(&format!(
        r#"
        path = {{ rate = "10Mbps", rtt = "40ms", buffer = "100pkt", queue = "{queue}" }}
        flows = [{jump} {{ size = "30kB", start = "30ms" }}]
        "#
    ));
    outcome.flows.iter().last().unwrap().fct_s.unwrap()
}

#[test]
fn fq_codel_protects_a_small_flow_from_one_that_jumps() {
    let alone = beside_a_jump("fq-codel", false);
    assert!(beside_a_jump("fq-codel", true) < 1.2 * alone);
    assert!(beside_a_jump("drop-tail", true) > 5.0 * alone);
}

/// A flow that jumps with so many packets where 93 find room, and five of ten packets
/// while it does.
fn jump(queue: &str, packets: u32) -> Outcome {
    outcome(&format!(
        r#"
        trace = true
        path = {{ rate = "10Mbps", rtt = "40ms", buffer = "60pkt", queue = "{queue}" }}
        flows = [
            {{ startup = "jump-start", size = "{packets}pkt" }},
            {{ size = "10pkt", count = 5, start = "20ms", stagger = "8ms" }},
        ]
        "#
    ))
}

#[test]
fn choke_hits_an_oversized_start_harder_and_others_less() {
    let lost_share = |outcome: &Outcome| {
        let jumper = outcome.flows.row(0);
        jumper.packets_dropped as f64 / jumper.packets_sent as f64
    };
    let (choke, tail) = (jump("choke", 250), jump("drop-tail", 250));
    assert!(lost_share(&choke) > 1.2 * lost_share(&tail));
    assert!(dropped(&choke) < dropped(&tail));
}

#[test]
fn choke_that_tries_marked_packets_first_spares_others_more() {
    let (first, alike) = (jump("choke:marked=first", 250), jump("choke", 250));
    assert!(dropped(&first) < dropped(&alike));
}

#[test]
fn marked_first_drops_only_marked_packets() {
    assert!(dropped(&jump("drop-tail", 150)) > 0);
    let outcome = jump("marked-first", 150);
    assert_eq!(dropped(&outcome), 0, "of flows without marks");
    // The jump, which is marked whole, takes one round trip from the handshake's end;
    // what is sent again carries no mark.
    let samples = &outcome.trace.as_ref().unwrap().flow_samples;
    let again = (0..samples.event.len()).find(|i| samples.event[*i] == Event::Retransmit as u8);
    let again = samples.time_ns[again.unwrap()];
    let is_drop = |i: &usize| samples.event[*i] == Event::Drop as u8;
    let drops: Vec<usize> = (0..samples.event.len()).filter(is_drop).collect();
    assert_eq!(drops.len() as u64, outcome.flows.row(0).packets_dropped);
    assert!(drops.iter().all(|i| samples.time_ns[*i] < again));
}

#[test]
fn red_with_two_averages_spares_what_is_not_marked() {
    let run = |queue: &str| dropped(&jump(queue, 250));
    let (first, alike) = (run("red:q_w=0.1,marked=first"), run("red:q_w=0.1"));
    assert!(first < alike, "{first} {alike}");
}

#[test]
fn each_direction_and_each_hop_has_its_own_discipline() {
    let both = outcome(
        r#"
        trace = true
        duration = "20s"
        path = { rate = "10Mbps", rtt = "40ms", buffer = "400pkt", queue = "codel", reverse_queue = "drop-tail" }
        flows = [{ count = 2, direction = "alternate" }]
        "#,
    );
    let [forward, reverse] = [0, 1].map(|i| both.links[i].max_queue_pkts);
    assert!(
        both.links[0].dropped > 0 && forward < 400 && reverse == 400,
        "{forward} {reverse}"
    );
    let chain = |first: &str, second: &str| {
        let outcome = outcome(&format!(
            r#"
            duration = "10s"
            path.hops = [
                {{ rate = "20Mbps", delay = "5ms", buffer = "1000pkt", queue = "{first}" }},
                {{ rate = "10Mbps", delay = "15ms", buffer = "1000pkt", queue = "{second}" }},
            ]
            stack = {{ window = "300pkt" }}
            flows = [{{}}]
            "#
        ));
        outcome.links[1].dropped
    };
    assert!(chain("drop-tail", "codel") > 0);
    assert_eq!(chain("codel", "drop-tail"), 0);
}
