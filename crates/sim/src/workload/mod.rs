//! What flows there are and when their data arrives.
//!
//! Entries are expanded into plans, one for each flow, and into one list of arrivals in order of
//! time, so that flows that have not started cost nothing. Web sessions add flows while the run
//! goes on.

pub mod web;

use crate::flow_plan::{FlowKind, FlowPlan};
use crate::spec::Direction;
use flowstart_control::Time;
use flowstart_network::random::{below, stream};

/// Flows that are alike: those of one entry of a scenario.
pub struct FlowEntry {
    /// The first of them, between no hosts in particular.
    pub template: FlowPlan,
    /// How many.
    pub count: u64,
    /// From the start of one to that of the next.
    pub interval: Time,
    /// A start is moved by a random time below this.
    pub jitter: Time,
    /// Which way their data goes.
    pub direction: Direction,
}

/// Data arrives at a flow; its first arrival opens it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// When.
    pub at: Time,
    /// At which flow.
    pub flow: u32,
    /// How many bytes.
    pub bytes: u64,
}

/// More data than any flow sends.
const WITHOUT_LIMIT: u64 = 1 << 62;

/// One plan for each flow of these entries; `shared_hosts` pairs of hosts take turns.
pub fn expand(entries: &[FlowEntry], shared_hosts: Option<u32>, seed: u64) -> Vec<FlowPlan> {
    let count = entries.iter().map(|entry| entry.count as usize).sum();
    let mut plans = Vec::with_capacity(count);
    for entry in entries {
        let mut rng = stream(seed, "arrivals", plans.len() as u64);
        for i in 0..entry.count {
            let mut plan = entry.template.clone();
            plan.hosts = shared_hosts.map_or(0, |n| plans.len() as u32 % n);
            let moved = match entry.jitter {
                Time::ZERO => 0,
                Time(jitter) => below(&mut rng, jitter),
            };
            plan.start += entry.interval.times(i) + Time(moved);
            plan.reverse = match entry.direction {
                Direction::Forward => false,
                Direction::Reverse => true,
                Direction::Alternate => i % 2 == 1,
            };
            plans.push(plan);
        }
    }
    plans
}

/// All arrivals of all flows, in order of time.
pub fn arrivals<'a>(
    plans: impl ExactSizeIterator<Item = &'a FlowPlan>,
    kinds: &[FlowKind],
) -> Vec<Arrival> {
    let mut arrivals = Vec::with_capacity(plans.len());
    for (flow, plan) in (0..).zip(plans) {
        let writes = &kinds[plan.kind as usize].writes;
        if writes.is_empty() {
            arrivals.push(Arrival {
                at: plan.start,
                flow,
                bytes: plan.size().unwrap_or(WITHOUT_LIMIT),
            });
        }
        let mut before = 0;
        for (at, end) in writes {
            arrivals.push(Arrival {
                at: plan.start + *at,
                flow,
                bytes: end - before,
            });
            before = *end;
        }
    }
    arrivals.sort_by_key(|a| a.at);
    arrivals
}
