//! Two hundred transfers that contend for one path, by interval.

use super::{csv, field};
use flowstart_sim::record::flow::FlowRow;
use flowstart_sim::{Scenario, run};
use std::process::Command;

/// As many as make the mean steady.
const SEEDS: u64 = 24;

/// Median duration and share of packets dropped.
fn contention(startup: &str, interval: &str, seed: u64) -> (f64, f64) {
    let scenario = Scenario::from_toml(&format!(
        r#"
        seed = {seed}
        path = {{ rate = "5Mbps", rtt = "60ms", buffer = "60pkt", access_rate = "50Mbps", access_delay = "1ms", hosts = 100 }}
        stack = {{ preset = "ns2", iw = "3", window = "10000pkt", tick = "1ms", coarse_pacing = true }}
        flows = [{{ startup = "{startup}", size = "200pkt", count = 200, stagger = "{interval}s", jitter = "10ms", direction = "alternate" }}]
        "#
    ));
    let flows = run(&scenario.unwrap()).unwrap().flows;
    let mut durations: Vec<f64> = flows.iter().map(|f| f.duration_s.unwrap()).collect();
    durations.sort_by(f64::total_cmp);
    let median = f64::midpoint(durations[99], durations[100]);
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

/// A transfer as ns-2 had it: one of a run's two hundred.
struct Transfer {
    run: u32,
    start_ns: u64,
    /// ns-2 draws it as an agent is made.
    tick_phase: f64,
    end_us: f64,
}

fn transfers() -> Vec<Transfer> {
    let rows = csv("contention_flows.csv").into_iter();
    let transfers = rows.map(|row| Transfer {
        run: field(&row, 0),
        start_ns: field(&row, 2),
        tick_phase: field(&row, 3),
        end_us: field(&row, 4),
    });
    transfers.collect()
}

/// When each of these ends, in microseconds. The rates and the delay are odd so that packets of
/// different hosts do not come to a router at the very same time.
fn ends(transfers: &[&Transfer]) -> Vec<f64> {
    let mut text = r#"
        path = { rate = "4998713bps", rtt = "60ms", buffer = "60pkt", access_rate = "51234567bps", access_delay = "1037100ns", hosts = 200 }
        stack = { preset = "ns2", iw = "3", window = "10000pkt", tick = "1ms" }
        "#
    .to_string();
    for (i, transfer) in transfers.iter().enumerate() {
        let direction = ["forward", "reverse"][i % 2];
        text += &format!(
            "[[flows]]\nsize = \"200pkt\"\nstart = \"{}ns\"\ntick_phase = {}\ndirection = \"{direction}\"\n",
            transfer.start_ns, transfer.tick_phase,
        );
    }
    let flows = run(&Scenario::from_toml(&text).unwrap()).unwrap().flows;
    let end = |(flow, transfer): (FlowRow, &&Transfer)| {
        transfer.start_ns as f64 / 1e3 + flow.duration_s.unwrap() * 1e6
    };
    flows.iter().zip(transfers).map(end).collect()
}

/// Six hundred connections that contend, lose SYNs, back off and answer retransmissions after
/// their end: off by a packet anywhere, all that come later are.
#[test]
fn every_contending_connection_ends_when_it_does_in_ns2() {
    let all = transfers();
    for number in 1..=3 {
        let run: Vec<&Transfer> = all.iter().filter(|t| t.run == number).collect();
        assert_eq!(run.len(), 200);
        for (i, (ours, theirs)) in ends(&run).iter().zip(&run).enumerate() {
            let late = ours - theirs.end_us;
            assert!(
                late.abs() < 1.5,
                "run {number}, connection {i}: {late} us late"
            );
        }
    }
}

#[test]
#[ignore = "needs ns-2"]
fn ns2_itself_ends_connections_as_recorded() {
    let all = transfers();
    for number in 1..=3 {
        let run: Vec<&Transfer> = all.iter().filter(|t| t.run == number).collect();
        let start = |t: &&Transfer| format!("{}e-9", t.start_ns);
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/ns2/contention.tcl");
        let output = Command::new("ns")
            .args([script, "4998713", "51234567", "1.0371e-3"])
            .args(run.iter().map(start))
            .output();
        let Ok(output) = output else {
            eprintln!("skipped: ns-2 (`ns`) is not installed");
            return;
        };
        let text = String::from_utf8(output.stdout).unwrap();
        assert_eq!(text.lines().count(), run.len(), "{:?}", output.stderr);
        for line in text.lines() {
            let (flow, end) = line.split_once(' ').unwrap();
            let recorded = run[flow.parse::<usize>().unwrap()].end_us;
            let late = end.parse::<f64>().unwrap() * 1e6 - recorded;
            assert!(
                late.abs() < 1.0,
                "run {number}, {line}: {late} us after {recorded} us"
            );
        }
    }
}
