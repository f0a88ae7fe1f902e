//! The arrivals of data at flows: scheduled ones, and those of flows that open when the startup of
//! another has ended.

use super::flows::Flows;
use crate::compile::Prepared;
use crate::flow_plan::{AfterFlow, FlowPlan};
use crate::workload::{Arrival, ScheduledArrival, arrivals, scheduled};
use flowstart_control::Instant;
use flowstart_network::moment::Moment;

/// A flow that waits for the end of another's startup.
#[derive(Clone, Copy, Debug)]
pub(super) struct Follower {
    pub(super) flow: u32,
    pub(super) after: AfterFlow,
}

/// The arrivals of a run.
pub(super) struct Arrivals {
    /// All whose time is known, in order of time.
    scheduled: Vec<ScheduledArrival>,
    /// How many of them have come.
    come: usize,
    /// Flows that wait, in the order of the flows that they wait for.
    followers: Vec<Follower>,
}

impl Arrivals {
    /// The arrivals of flows with these plans.
    pub(super) fn new(prepared: &Prepared, plans: &[FlowPlan]) -> Arrivals {
        let followers = (0..).zip(plans).filter_map(|(flow, plan)| {
            let after = prepared.kinds[plan.kind as usize].start_after?;
            Some(Follower { flow, after })
        });
        let mut followers: Vec<Follower> = followers.collect();
        followers.sort_by_key(|follower| follower.after.flow);
        Arrivals {
            scheduled: arrivals(plans, &prepared.kinds),
            come: 0,
            followers,
        }
    }

    /// The moment of the next arrival whose time is known, caused by what has made that known.
    pub(super) fn next(&self, flows: &Flows) -> Option<Moment> {
        let next = self.scheduled.get(self.come)?;
        Some(Moment {
            time: arrival(*next, flows).at,
            cause: known_since(next.flow, flows),
        })
    }

    /// Takes the next arrival, if it is due.
    pub(super) fn take(&mut self, flows: &Flows, now: Instant) -> Option<Arrival> {
        let next = arrival(*self.scheduled.get(self.come)?, flows);
        if next.at > now {
            return None;
        }
        self.come += 1;
        Some(next)
    }

    /// Whether a flow waits for the end of another's startup.
    #[inline]
    pub(super) fn has_followers(&self) -> bool {
        !self.followers.is_empty()
    }

    /// Whether a flow waits for the end of this one's startup.
    pub(super) fn wait_for(&self, flow: u32) -> bool {
        let found = self.followers.binary_search_by_key(&flow, |f| f.after.flow);
        found.is_ok()
    }

    /// Removes and returns the flows that wait for this one.
    pub(super) fn release(&mut self, flow: u32) -> Vec<Follower> {
        let begin = self.followers.partition_point(|f| f.after.flow < flow);
        let end = self.followers.partition_point(|f| f.after.flow <= flow);
        self.followers.drain(begin..end).collect()
    }

    /// Schedules the arrivals at a flow whose start is known now.
    pub(super) fn schedule(&mut self, flow: u32, flows: &Flows) {
        for new in scheduled(flow, flows.kind(flow)) {
            let at = arrival(new, flows).at;
            let to_come = &self.scheduled[self.come..];
            let place = to_come.partition_point(|other| arrival(*other, flows).at <= at);
            self.scheduled.insert(self.come + place, new);
        }
    }
}

fn arrival(scheduled: ScheduledArrival, flows: &Flows) -> Arrival {
    let (plan, kind) = flows.flow(scheduled.flow);
    scheduled.of(plan, kind)
}

/// Since when it is known when a flow starts: from the beginning, or from a startup's end on.
fn known_since(flow: u32, flows: &Flows) -> Instant {
    let (plan, kind) = flows.flow(flow);
    let after = kind.start_after.zip(plan.start.get());
    after.map_or(Instant::ZERO, |(after, start)| {
        start.saturating_sub(after.pause)
    })
}
