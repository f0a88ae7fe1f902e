//! Web sessions in a run: the flows that they add, and the events that they get of them.

use super::simulation::{Simulation, WEB};
use crate::record::flow_record::FlowRecord;
use crate::workload::Arrival;

impl Simulation<'_> {
    /// Puts the wakes that sessions have requested into the queue: one event for each, so that
    /// the next event is that of the next wake.
    pub(super) fn schedule_web(&mut self) {
        for moment in self.web.take_news() {
            self.queue.push(moment, WEB);
        }
    }

    /// The next wake has come.
    pub(super) fn on_web(&mut self) {
        let launch = self.web.wake(self.now);
        self.schedule_web();
        let Some(launch) = launch else { return };
        let flow = self.records.len() as u32;
        let route = self.web_routes[launch.route as usize];
        let arrival = Arrival {
            at: self.now,
            flow,
            bytes: launch.plan.size().unwrap_or(0),
        };
        self.flows.add(route);
        self.records.push(FlowRecord::new(launch.plan));
        self.unfinished += 1;
        self.open(arrival, launch.opening);
        self.transmit(flow);
    }

    /// All data of a session's flow has arrived.
    pub(super) fn on_web_delivered(&mut self, flow: u32) {
        let ends = self.flows.endpoints(flow);
        let measured = ends.and_then(|ends| ends.sender.min_rtt());
        let rtt = measured.unwrap_or(self.kind(flow).rtt);
        self.web.on_delivered(flow, rtt, self.now);
        self.schedule_web();
    }

    /// A session's flow has closed.
    pub(super) fn on_web_closed(&mut self, flow: u32) {
        let record = &self.records[flow as usize];
        let (delivered, acknowledged) = (record.delivered_at.is_some(), record.acked_at.is_some());
        let ended = self.web.on_closed(flow, delivered, acknowledged, self.now);
        if ended {
            self.end_one();
        }
        self.schedule_web();
    }
}
