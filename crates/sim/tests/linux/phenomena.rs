//! The `linux` preset against recordings of Linux by phenomenon: packets that are late, lost or
//! marked, a second flow, windows, idle times, data from the end that accepted, short transfers.

use super::cases::{Case, cases, scenario, text};
use super::judge::{Figure, Tolerance, assert_listed, case_of, listed};
use flowstart_sim::record::flow::FlowRow;
use flowstart_sim::record::trace::Event;
use flowstart_sim::{Outcome, run};
use std::collections::{BTreeMap, BTreeSet};

/// A case's figures by name; `exit` is there once for each reason with which a run ended.
fn figures(of: &str) -> BTreeMap<String, Figure> {
    let text = text("figures.csv");
    let lines = text.lines().skip(1).map(|line| line.split(',').collect());
    lines
        .filter(|cells: &Vec<&str>| cells[0] == of)
        .map(|cells| {
            let number = |i: usize| cells[i].parse().unwrap();
            let figure = Figure {
                median: number(2),
                least: number(3),
                most: number(4),
            };
            (cells[1].to_string(), figure)
        })
        .collect()
}

/// What a run of ours has for the recorded figures, by their names.
struct Ours<'a> {
    case: &'a Case,
    outcome: Outcome,
}

impl Ours<'_> {
    /// None for an `exit`, which is not a number.
    fn figure(&self, name: &str) -> Option<f64> {
        if let Some(name) = name.strip_prefix("second ") {
            return self.of_flow(1, name);
        }
        self.of_flow(0, name)
    }

    fn of_flow(&self, flow: u32, name: &str) -> Option<f64> {
        let row = self.row(flow);
        let kept = match name {
            "completion" => {
                let ms = 1e3 * row.fct_s.unwrap_or(f64::INFINITY);
                ms - self.second_write_ns().map_or(0.0, |ns| ns as f64 / 1e6)
            }
            "retransmitted" => row.packets_retransmitted as f64,
            "dropped" => (row.packets_dropped - self.forced(&row)) as f64,
            "timeouts" => row.timeouts as f64,
            "marked" => row.packets_marked as f64,
            "max cwnd" => row.max_cwnd_segments,
            "cuts" => self.thresholds().len() as f64,
            "flight" => self.flight(),
            "cwnd before" => self.cwnd_before(),
            name => {
                let n: usize = name.strip_prefix("threshold ")?.parse().unwrap();
                *self.thresholds().get(n - 1)?
            }
        };
        Some(kept)
    }

    fn row(&self, flow: u32) -> FlowRow {
        self.outcome.flows.row(flow)
    }

    /// Packets lost at stated positions rather than at the queue.
    fn forced(&self, row: &FlowRow) -> u64 {
        let positions = self.case["forced_drops"].split_whitespace();
        let reached = |p: &&str| p.parse::<u64>().unwrap() <= row.packets_sent;
        positions.filter(reached).count() as u64
    }

    /// Of an idle connection.
    fn second_write_ns(&self) -> Option<u64> {
        let ms: f64 = self.case["write2_ms"].parse().ok()?;
        Some((1e6 * ms) as u64)
    }

    /// Of the first flow's sender: when, what, which byte.
    fn at_sender(&self) -> impl Iterator<Item = (usize, u64, u8, u64)> + '_ {
        let t = &self.outcome.trace.as_ref().unwrap().flow_samples;
        (0..t.time_ns.len())
            .filter(|i| t.flow[*i] == 0 && t.event[*i] < Event::Drop as u8)
            .map(|i| (i, t.time_ns[i], t.event[i], t.seq_bytes[i]))
    }

    /// Finite thresholds, one after another. The kernel's were kept up to the sixtieth.
    fn thresholds(&self) -> Vec<f64> {
        let t = &self.outcome.trace.as_ref().unwrap().flow_samples;
        let mut all: Vec<f64> = self.at_sender().map(|(i, ..)| t.ssthresh[i]).collect();
        all.dedup();
        all.retain(|threshold| threshold.is_finite());
        all.truncate(60);
        all
    }

    /// Packets that leave, of the second write where there is one, before an acknowledgement of
    /// any of them is back.
    fn flight(&self) -> f64 {
        let (from, before) = match self.second_write_ns() {
            Some(ns) => (ns - 1000, self.case["bytes"].parse().unwrap()),
            None => (0, 0),
        };
        self.at_sender()
            .filter(|(_, ns, ..)| *ns >= from)
            .take_while(|(_, _, event, seq)| *event != Event::Ack as u8 || *seq <= before)
            .filter(|(_, _, event, _)| *event <= Event::Retransmit as u8)
            .count() as f64
    }

    /// The window in front of the second write.
    fn cwnd_before(&self) -> f64 {
        let until = self.second_write_ns().unwrap() - 1000;
        let earlier = self.at_sender().take_while(|(_, ns, ..)| *ns < until);
        let (last, ..) = earlier.last().unwrap();
        self.outcome.trace.as_ref().unwrap().flow_samples.cwnd[last]
    }

    /// Why the startup ended, as the recorded figures name it, and the window then.
    fn exit(&self, flow: u32) -> (String, f64) {
        let row = self.row(flow);
        let reason = row
            .startup_exit_reason
            .map(|r| serde_json::to_value(r).unwrap());
        let reason = reason.as_ref().and_then(|r| r.as_str()).unwrap_or("none");
        (
            reason.to_string(),
            row.startup_exit_cwnd_segments.unwrap_or(0.0),
        )
    }
}

/// How far each figure may be off.
fn tolerance(case: &Case, figure: &str) -> Tolerance {
    let jitter = case["delays"].starts_with("jitter");
    let (share, floor) = match figure.strip_prefix("second ").unwrap_or(figure) {
        "completion" if jitter => (0.05, 3.0),
        "completion" if ["loss", "far-burst"].contains(&&*case["group"]) => (0.03, 3.0),
        "completion" => (0.02, 3.0),
        "retransmitted" | "dropped" if jitter => (0.1, 5.0),
        "retransmitted" | "dropped" | "max cwnd" => (0.1, 2.0),
        "timeouts" => (0.0, 0.0),
        "marked" => (0.1, 3.0),
        "cuts" => (0.1, 1.0),
        "flight" => (0.05, 1.0),
        // Thresholds, and the windows at an exit and before an idle time.
        _ => (0.05, 2.0),
    };
    Tolerance { share, floor }
}

/// The figures of a case that do not agree.
fn misses(case: &Case) -> Vec<String> {
    let ours = Ours {
        case,
        outcome: run(&scenario(case)).unwrap(),
    };
    let recorded = figures(&case["case"]);
    assert!(!recorded.is_empty());
    let is_exit = |name: &str| name.starts_with("exit") || name.starts_with("second exit");
    let mut misses = Vec::new();
    for (name, figure) in recorded.iter().filter(|(name, _)| !is_exit(name)) {
        let found = ours.figure(name);
        if !found.is_some_and(|found| figure.agrees(found, tolerance(case, name))) {
            misses.push(format!("{}: {name} = {found:?}, {figure:?}", case["case"]));
        }
    }
    for (flow, exit) in [(0, "exit"), (1, "second exit")] {
        if !recorded.keys().any(|name| name.starts_with(exit)) {
            continue;
        }
        let (reason, cwnd) = ours.exit(flow);
        let figure = recorded.get(&format!("{exit} {reason}"));
        if !figure.is_some_and(|figure| figure.agrees(cwnd, tolerance(case, exit))) {
            misses.push(format!(
                "{}: {exit} = {reason} at {cwnd}, {figure:?}",
                case["case"]
            ));
        }
    }
    misses
}

fn assert_alike(group: &str) {
    let all = cases();
    let cases: Vec<&Case> = all.iter().filter(|case| case["group"] == group).collect();
    let names: Vec<&str> = cases.iter().map(|case| case["case"].as_str()).collect();
    assert!(!cases.is_empty());
    let found: Vec<String> = cases.into_iter().flat_map(misses).collect();
    assert_listed(&names, &found);
}

#[test]
fn late_packets() {
    assert_alike("reorder");
}

#[test]
fn packets_lost_at_stated_positions() {
    assert_alike("loss");
}

#[test]
fn marks() {
    assert_alike("ecn");
}

#[test]
fn a_second_flow() {
    assert_alike("two");
}

#[test]
fn advertised_windows() {
    assert_alike("window");
}

#[test]
fn idle_times() {
    assert_alike("idle");
}

#[test]
fn data_from_the_end_that_accepted() {
    assert_alike("passive");
}

#[test]
fn short_transfers_with_losses() {
    assert_alike("short");
}

#[test]
fn losses_at_the_tail_at_long_round_trips() {
    assert_alike("far-tail");
}

#[test]
fn bursts_of_losses_at_long_round_trips() {
    assert_alike("far-burst");
}

#[test]
fn late_packets_at_long_round_trips() {
    assert_alike("far-reorder");
}

#[test]
fn full_queues_at_long_round_trips() {
    assert_alike("far-overflow");
}

#[test]
fn every_case_is_run_and_every_listed_miss_is_one_of_a_case() {
    let all = cases();
    let groups: BTreeSet<&str> = all.iter().map(|case| case["group"].as_str()).collect();
    let run = [
        "ecn",
        "far-burst",
        "far-overflow",
        "far-reorder",
        "far-tail",
        "idle",
        "loss",
        "passive",
        "reorder",
        "short",
        "two",
        "window",
    ];
    assert_eq!(groups, BTreeSet::from(run));
    let names: BTreeSet<&str> = all.iter().map(|case| case["case"].as_str()).collect();
    assert_eq!(names.len(), all.len());
    let transfers = super::recordings();
    for line in listed() {
        let case = case_of(&line);
        let known = names.contains(case) || transfers.iter().any(|t| t.case == case);
        assert!(known, "{line}");
    }
}
