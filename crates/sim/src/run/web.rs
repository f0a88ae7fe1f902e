//! Web sessions in a run: the flows that they add, and the events that they get of them.

use super::clock::Event;
use super::simulation::Simulation;
use crate::workload::Arrival;

impl Simulation<'_> {
    /// Puts the wakes that sessions have requested among the events: one event for each, so that
    /// the next event is that of the next wake.
    pub(super) fn schedule_web(&mut self) {
        for moment in self.web.take_news() {
            self.clock.schedule_at(Event::Web, moment);
        }
    }

    /// The next wake has come.
    pub(super) fn on_web(&mut self) {
        let at = self.clock.now;
        let launch = self.web.wake(at);
        self.schedule_web();
        let Some(launch) = launch else { return };
        let bytes = launch.plan.size().unwrap_or(0);
        let route = self.network.web_route(launch.route);
        let flow = self.flows.add(launch.plan, route);
        self.open(Arrival { at, flow, bytes }, launch.opening);
        self.transmit(flow);
    }

    /// All data of a session's flow has arrived.
    pub(super) fn on_web_delivered(&mut self, flow: u32) {
        let ends = self.flows.endpoints(flow);
        let measured = ends.and_then(|ends| ends.sender.min_rtt());
        let rtt = measured.unwrap_or(self.flows.kind(flow).rtt);
        self.web.on_delivered(flow, rtt, self.clock.now);
        self.schedule_web();
    }

    /// A session's flow has closed.
    pub(super) fn on_web_closed(&mut self, flow: u32) {
        let record = &self.flows.records[flow as usize];
        let (delivered, acknowledged) = (record.delivered_at.is_some(), record.acked_at.is_some());
        let now = self.clock.now;
        self.web.on_closed(flow, delivered, acknowledged, now);
        self.schedule_web();
    }
}
