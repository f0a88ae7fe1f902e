//! Flows that have waited for a startup's end open.

use super::simulation::Simulation;
use crate::workload::scheduled;

impl Simulation<'_> {
    /// Opens the flows that have waited for the end of this one's startup, if it has ended.
    pub(super) fn release_followers(&mut self, flow: u32) {
        if !self.followers.wait_for(flow) {
            return;
        }
        let ends = self.flows.endpoints(flow);
        if ends.is_none_or(|ends| ends.sender.exit().is_none()) {
            return;
        }
        for follower in self.followers.release(flow) {
            let start = self.now + follower.after.pause;
            self.records[follower.flow as usize].plan.start = start.into();
            self.schedule_flow(follower.flow);
        }
    }

    /// Puts the arrivals at a flow whose start is known now among those to come.
    fn schedule_flow(&mut self, flow: u32) {
        for new in scheduled(flow, self.kind(flow)) {
            let at = self.time_of(new);
            let to_come = &self.arrivals[self.next_arrival..];
            let place = to_come.partition_point(|other| self.time_of(*other) <= at);
            self.arrivals.insert(self.next_arrival + place, new);
        }
        self.schedule_arrival();
    }
}
