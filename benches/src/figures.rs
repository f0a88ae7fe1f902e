//! What a workload took: packets, events, CPU time and peak memory of this process.
//!
//! Linux only: the figures are read from `/proc`.

use serde::{Deserialize, Serialize};

/// What was simulated.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    /// Flows that were simulated.
    pub flows: u64,
    /// Data packets that reached a receiver.
    pub data_packets: u64,
    /// Data packets that no receiver got.
    pub packets_dropped: u64,
    /// Events of the simulation.
    pub events: u64,
}

impl std::iter::Sum for Counts {
    fn sum<I: Iterator<Item = Counts>>(counts: I) -> Counts {
        counts.fold(Counts::default(), |all, one| Counts {
            flows: all.flows + one.flows,
            data_packets: all.data_packets + one.data_packets,
            packets_dropped: all.packets_dropped + one.packets_dropped,
            events: all.events + one.events,
        })
    }
}

/// What a workload took.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Figures {
    /// Its name.
    pub workload: String,
    /// How often it was run.
    pub runs: u32,
    /// Flows of all runs.
    pub flows: u64,
    /// Data packets that reached a receiver.
    pub data_packets: u64,
    /// Data packets that no receiver got.
    pub packets_dropped: u64,
    /// Events of all runs.
    pub events: u64,
    /// CPU time, user and system, in seconds.
    pub cpu_s: f64,
    /// Data packets that reached a receiver, per second of CPU time.
    pub packets_per_cpu_s: f64,
    /// Events for each of them.
    pub events_per_packet: f64,
    /// The most memory that this process has held, in bytes.
    pub peak_memory_bytes: u64,
}

/// Measures `runs` calls of `run` in this process.
pub fn measure(workload: &str, runs: u32, mut run: impl FnMut() -> Counts) -> Figures {
    let before = cpu();
    let all: Counts = (0..runs).map(|_| run()).sum();
    let cpu_s = cpu() - before;
    Figures {
        workload: workload.into(),
        runs,
        flows: all.flows,
        data_packets: all.data_packets,
        packets_dropped: all.packets_dropped,
        events: all.events,
        cpu_s,
        packets_per_cpu_s: all.data_packets as f64 / cpu_s,
        events_per_packet: all.events as f64 / all.data_packets as f64,
        peak_memory_bytes: peak_memory(),
    }
}

/// CPU time of this process so far, in seconds.
fn cpu() -> f64 {
    let text = std::fs::read_to_string("/proc/self/schedstat").expect("Linux keeps the time");
    let nanos: f64 = text
        .split(' ')
        .next()
        .and_then(|n| n.parse().ok())
        .expect("a number");
    nanos / 1e9
}

fn peak_memory() -> u64 {
    let text = std::fs::read_to_string("/proc/self/status").expect("Linux keeps the size");
    let line = text
        .lines()
        .find(|l| l.starts_with("VmHWM:"))
        .expect("a peak");
    let kib: u64 = line
        .split_whitespace()
        .nth(1)
        .and_then(|n| n.parse().ok())
        .expect("a number");
    kib * 1024
}
