//! One transfer over the path of the Jump Start paper, at many sizes.

use super::{csv, field};
use flowstart_sim::{Scenario, run};

/// Rounding of the recordings, and of ns-2's traces.
const TOLERANCE_S: f64 = 1.5e-6;

fn scenario(startup: &str, rate: &str, stack: &str, packets: u64) -> Scenario {
    let text = format!(
        r#"
        path = {{ rate = "{rate}", rtt = "60ms", buffer = "60pkt", access_rate = "50Mbps", access_delay = "1ms" }}
        stack = {{ preset = "ns2", iw = "3", window = "10000pkt", {stack} }}
        flows = [{{ startup = "{startup}", size = "{packets}pkt" }}]
        "#
    );
    Scenario::from_toml(&text).unwrap_or_else(|e| panic!("{e}"))
}

/// A row of theirs and of ours.
#[derive(Debug)]
struct Row {
    times: [(f64, f64); 2],
    counts: [(u64, u64); 4],
}

impl Row {
    fn new(recorded: &[String], scenario: &Scenario) -> Row {
        let flow = run(scenario).unwrap().flows.row(0);
        Row {
            times: [
                (field(recorded, 1), flow.duration_s.unwrap()),
                (field(recorded, 2), flow.fct_s.unwrap()),
            ],
            counts: [
                (field(recorded, 3), flow.packets_sent),
                (field(recorded, 4), flow.packets_retransmitted),
                (field(recorded, 5), flow.timeouts),
                (field(recorded, 6), flow.packets_dropped),
            ],
        }
    }

    /// Where a timer fired the agent's clock decides when, and its phase depends on how
    /// many agents were made before it, which the recording does not show: there the
    /// times may differ by up to a tick.
    fn agrees(&self, tick_s: f64) -> bool {
        let timed_out = self.counts[2].0 > 0;
        let tolerance = if timed_out { tick_s } else { TOLERANCE_S };
        let on_time = self.times.iter().all(|(a, b)| (a - b).abs() <= tolerance);
        on_time && self.counts.iter().all(|(a, b)| a == b)
    }
}

#[test]
fn slow_start_takes_as_long_at_every_size() {
    let rows = csv("single_slow_start.csv");
    assert_eq!(rows.len(), 181);
    for recorded in rows {
        let packets = field(&recorded, 0);
        let row = Row::new(&recorded, &scenario("slow-start", "5Mbps", "", packets));
        assert!(
            row.agrees(0.010),
            "{packets} packets, (ns-2, ours): {row:?}"
        );
    }
}

/// ns-2's Jump Start paces by the round trip in whole ticks, of 0.1 ms here, and then
/// recovers as SACK does. (That it would halve what was delivered has no effect on
/// transfers that are all in the first flight.)
#[test]
fn jump_start_takes_as_long_at_every_size() {
    let rows = csv("single_jump_start.csv");
    assert_eq!(rows.len(), 181);
    for recorded in rows {
        let packets = field(&recorded, 0);
        // The handshake takes 641.5 ticks; how many are counted tells half of the phase.
        let phase = if &recorded[7] == "641" { 0.2 } else { 0.7 };
        let stack = format!("tick = \"100us\", coarse_pacing = true, tick_phase = {phase}");
        let agrees = |rate: &&str| {
            let scenario = scenario("jump-start", rate, &stack, packets);
            Row::new(&recorded, &scenario).agrees(100e-6)
        };
        assert!(rates(packets).iter().any(agrees), "{packets} packets");
    }
}

/// The rates under which a flight of this size may agree. Where packets reach the
/// bottleneck at a whole fraction of the 2.4 ms that it takes for one, many arrive at
/// the very instant at which another leaves. Which came first ns-2 leaves to the
/// rounding of its floating-point times; here a bit per second decides.
fn rates(packets: u64) -> &'static [&'static str] {
    /// The pacing gap is 64.2 ms/107, a quarter of 2.4 ms.
    const IN_STEP: u64 = 107;
    /// From here the gap is below the 0.24 ms of the access link, a tenth of 2.4 ms.
    const BACK_TO_BACK: u64 = 268;
    if packets == IN_STEP || packets >= BACK_TO_BACK {
        &["4999999bps", "5000001bps", "5Mbps"]
    } else {
        &["5Mbps"]
    }
}

/// The other half of the sizes, of which less is recorded: how long, and how many drops.
#[test]
fn both_agree_at_the_sizes_between() {
    let rows = csv("single_figure1.csv");
    assert_eq!(rows.len(), 362);
    for recorded in rows {
        let packets = field(&recorded, 0);
        let agrees = |scenario: &Scenario, column: usize, tick_s: f64| {
            let flow = run(scenario).unwrap().flows.row(0);
            let dropped: u64 = field(&recorded, column + 2);
            let tolerance = if dropped > 0 { tick_s } else { TOLERANCE_S };
            let late = (flow.duration_s.unwrap() - field::<f64>(&recorded, column)).abs();
            late <= tolerance && flow.packets_dropped == dropped
        };
        let slow_start = scenario("slow-start", "5Mbps", "", packets);
        assert!(
            agrees(&slow_start, 1, 0.010),
            "slow start, {packets} packets"
        );
        let clocks = [0.2, 0.7]
            .map(|phase| format!("tick = \"100us\", coarse_pacing = true, tick_phase = {phase}"));
        let jump_start = rates(packets).iter().any(|rate| {
            let run = |clock| scenario("jump-start", rate, clock, packets);
            clocks.iter().any(|clock| agrees(&run(clock), 2, 100e-6))
        });
        assert!(jump_start, "Jump Start, {packets} packets");
    }
}
