//! Two hundred transfers that contend for one path, by interval.

use crate::{csv, field};
use flowstart_sim::{run, Scenario};

/// As many as make the mean steady.
const SEEDS: u64 = 12;

/// Median duration and share of packets dropped.
fn contention(startup: &str, interval: &str, seed: u64) -> (f64, f64) {
    let scenario = Scenario::from_toml(&format!(
        r#"
        seed = {seed}
        path = {{ rate = "5Mbps", rtt = "60ms", buffer = "60pkt", access_rate = "50Mbps", access_delay = "1ms", hosts = 100 }}
        stack = {{ preset = "ns2", iw = "3", window = "10000pkt", tick = "1ms", coarse_pacing = true }}
        flows = [{{ startup = "{startup}", size = "200pkt", count = 200, interval = "{interval}s", jitter = "10ms", direction = "alternate" }}]
        "#
    ));
    let flows = run(&scenario.unwrap()).unwrap().flows;
    let mut durations: Vec<f64> = flows.iter().map(|f| f.duration_s.unwrap()).collect();
    durations.sort_by(f64::total_cmp);
    let median = (durations[99] + durations[100]) / 2.0;
    let dropped: u64 = flows.iter().map(|f| f.packets_dropped).sum();
    let sent: u64 = flows.iter().map(|f| f.packets_sent).sum();
    (median, dropped as f64 / sent as f64)
}

/// The runs are jittered and ours draw other numbers, so it is means that agree: medians
/// within 5 %, losses within a point.
#[test]
fn contending_transfers_take_as_long_and_lose_as_much() {
    for row in csv("contention.csv") {
        let runs: Vec<(f64, f64)> = (1..=SEEDS)
            .map(|seed| contention(&row[0], &row[1], seed))
            .collect();
        let mean = |pick: fn(&(f64, f64)) -> f64| runs.iter().map(pick).sum::<f64>() / SEEDS as f64;
        let (median, loss) = (mean(|r| r.0), mean(|r| r.1));
        let (their_median, their_loss) = (field::<f64>(&row, 2), field::<f64>(&row, 3));
        let near = (median / their_median - 1.0).abs() < 0.05 && (loss - their_loss).abs() < 0.01;
        assert!(near, "{row:?}, we have {median} and {loss}");
    }
}
