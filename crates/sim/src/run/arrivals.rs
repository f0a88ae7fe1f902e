//! The arrivals of data at flows: scheduled ones, and those of flows that open when the startup of
//! another has ended.

use super::clock::Event;
use super::flows::{Flows, Life};
use super::simulation::Simulation;
use crate::compile::Prepared;
use crate::flow_plan::{AfterFlow, FlowPlan, Opening};
use crate::workload::{arrivals, scheduled, Arrival, ScheduledArrival};
use flowstart_control::Instant;
use flowstart_network::moment::Moment;

/// A flow that waits for the end of another's startup.
#[derive(Clone, Copy, Debug)]
struct Follower {
    flow: u32,
    after: AfterFlow,
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

    /// The next arrival whose time is known.
    fn next(&self, flows: &Flows) -> Option<Arrival> {
        let next = self.scheduled.get(self.come)?;
        Some(arrival(*next, flows))
    }

    /// Whether a flow waits for the end of another's startup.
    #[inline]
    pub(super) fn has_followers(&self) -> bool {
        !self.followers.is_empty()
    }

    /// Whether a flow waits for the end of this one's startup.
    fn wait_for(&self, flow: u32) -> bool {
        let found = self.followers.binary_search_by_key(&flow, |f| f.after.flow);
        found.is_ok()
    }

    /// Removes and returns the flows that wait for this one.
    fn release(&mut self, flow: u32) -> Vec<Follower> {
        let begin = self.followers.partition_point(|f| f.after.flow < flow);
        let end = self.followers.partition_point(|f| f.after.flow <= flow);
        self.followers.drain(begin..end).collect()
    }

    /// Schedules the arrivals at a flow whose start is known now.
    fn schedule(&mut self, flow: u32, flows: &Flows) {
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

impl Simulation<'_> {
    /// Puts the next arrival among the events.
    pub(super) fn schedule_arrival(&mut self) {
        if let Some(next) = self.arrivals.next(&self.flows) {
            let moment = Moment {
                time: next.at,
                cause: known_since(next.flow, &self.flows),
            };
            self.clock.schedule_at(Event::Arrival, moment);
        }
    }

    /// The next arrival is due.
    pub(super) fn on_arrival(&mut self) {
        // Of what is due at a startup's end there may be more events than arrivals.
        let next = self.arrivals.next(&self.flows);
        let Some(arrival) = next.filter(|next| next.at <= self.clock.now) else {
            return;
        };
        self.arrivals.come += 1;
        self.schedule_arrival();
        self.take_in(arrival);
        if !self.dependencies.is_empty() {
            self.on_available(arrival.flow);
        }
    }

    /// A flow gets data.
    pub(super) fn take_in(&mut self, arrival: Arrival) {
        if self.flows.state(arrival.flow).life == Life::Waiting {
            let (plan, kind) = self.flows.flow(arrival.flow);
            let opening = match plan.handshake {
                true if kind.by_receiver => Opening::ByReceiver,
                true => Opening::Handshake,
                false => Opening::Established(kind.rtt),
            };
            self.open(arrival, opening);
        } else if let Some(ends) = self.flows.endpoints_mut(arrival.flow) {
            ends.sender.push(arrival.bytes, self.clock.now);
        } else {
            // The connection was given up.
            return;
        }
        self.transmit(arrival.flow);
    }

    /// Opens the flows that have waited for the end of this one's startup, if it has ended.
    #[cold]
    pub(super) fn release_followers(&mut self, flow: u32) {
        if !self.arrivals.wait_for(flow) {
            return;
        }
        let ends = self.flows.endpoints(flow);
        if ends.is_none_or(|ends| ends.sender.exit().is_none()) {
            return;
        }
        for follower in self.arrivals.release(flow) {
            let start = self.clock.now + follower.after.pause;
            self.flows.set_start(follower.flow, start);
            self.arrivals.schedule(follower.flow, &self.flows);
            self.schedule_arrival();
        }
    }
}
