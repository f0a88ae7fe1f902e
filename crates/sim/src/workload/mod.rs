//! What flows there are and when their data arrives.
//!
//! Entries are expanded into plans, one for each flow, and into one list of arrivals in order of
//! time, so that flows that have not started cost nothing. Web sessions add flows while the run
//! continues.

pub mod web;

use crate::flow_plan::{FlowKind, FlowPlan, When, Write};
use crate::spec::Direction;
use flowstart_control::{Duration, Instant};
use flowstart_network::random::{below, stream};

/// Flows that are alike: those of one entry of a scenario.
pub struct FlowEntry {
    /// The first of them, between no hosts in particular.
    pub template: FlowPlan,
    /// How many.
    pub count: u64,
    /// From the start of one to that of the next.
    pub stagger: Duration,
    /// A start is moved by a random time below this.
    pub jitter: Duration,
    /// Which way their data goes.
    pub direction: Direction,
}

/// Data arrives at a flow; its first arrival opens it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// When.
    pub at: Instant,
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
                Duration::ZERO => 0,
                Duration(jitter) => below(&mut rng, jitter),
            };
            let later = entry.stagger.times(i) + Duration(moved);
            plan.start = plan.start.get().map(|start| start + later).into();
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

/// An arrival that is to come: a flow, and which of its writes. It is small, for those of all
/// flows are put in order before the run.
#[derive(Clone, Copy)]
pub struct ScheduledArrival {
    /// At which flow.
    pub flow: u32,
    write: u32,
}

impl ScheduledArrival {
    /// What arrives, and when, at a flow like this.
    pub fn of(self, plan: &FlowPlan, kind: &FlowKind) -> Arrival {
        let number = self.write as usize;
        let (after, bytes) = match kind.writes.get(number).map(|write| write.when) {
            Some(When::At(at)) => (at, kind.bytes_of(number)),
            _ => (Duration::ZERO, plan.size().unwrap_or(WITHOUT_LIMIT)),
        };
        Arrival {
            at: plan.start.get().unwrap_or(Instant::ZERO) + after,
            flow: self.flow,
            bytes,
        }
    }
}

/// The arrivals at a flow of this kind that wait for nothing but its start.
pub fn scheduled(flow: u32, kind: &FlowKind) -> impl Iterator<Item = ScheduledArrival> + use<> {
    let at_a_time = |write: &Write| matches!(write.when, When::At(_));
    let count = match kind.writes.partition_point(at_a_time) {
        0 if kind.writes.is_empty() => 1,
        count => count as u32,
    };
    (0..count).map(move |write| ScheduledArrival { flow, write })
}

/// All arrivals of all flows that wait for nothing, in order of time.
pub fn arrivals(plans: &[FlowPlan], kinds: &[FlowKind]) -> Vec<ScheduledArrival> {
    let kind_of = |plan: &FlowPlan| &kinds[plan.kind as usize];
    let mut arrivals = Vec::with_capacity(plans.len());
    for (flow, plan) in (0..).zip(plans) {
        let kind = kind_of(plan);
        if kind.start_after.is_some() {
            continue;
        }
        arrivals.extend(scheduled(flow, kind));
    }
    arrivals.sort_by_key(|arrival| {
        let plan = &plans[arrival.flow as usize];
        arrival.of(plan, kind_of(plan)).at
    });
    arrivals
}
