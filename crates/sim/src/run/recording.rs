//! What a run hands to its recorders.

use super::simulation::Simulation;
use crate::record::journeys::JourneyRecorder;
use crate::record::recorder::{HopQueue, QueueEvent, RunEvent, Scene};
use flowstart_control::Instant;
use flowstart_network::graph::LinkId;
use flowstart_wire::Packet;

impl Simulation<'_> {
    /// Has links report what recorders take of them.
    pub(super) fn record_links(&mut self) {
        for link in self.network.hop_links() {
            let is_recorded = self.recorded_queue(link).is_some();
            let state = &mut self.network.links[link as usize];
            if is_recorded {
                state.record();
            }
            if self.recorders.startups.is_some() {
                state.count_waits();
            }
        }
    }

    /// Hands an event of a flow at `at` to all recorders.
    fn record(&mut self, flow: u32, at: Instant, event: RunEvent<'_>) {
        let at_sender = event.is_at_sender();
        let ends = at_sender.then(|| self.flows.endpoints(flow)).flatten();
        let scene = Scene {
            at,
            now: self.clock.moment(),
            flow,
            records: &self.flows.records,
            sender: ends.map(|ends| &ends.sender),
            links: &mut self.network.links,
        };
        self.recorders.record(scene, event);
    }

    /// A flow opens, is delivered or is over, its sender has sent all that it may after an event, or
    /// a timer of it was due.
    #[cold]
    #[inline(never)]
    pub(super) fn record_flow(&mut self, flow: u32, event: RunEvent<'_>) {
        self.record(flow, self.clock.now, event);
    }

    /// A data sender has sent all that it may after an event: what limits it is recorded.
    #[inline(never)]
    pub(super) fn record_limit(&mut self, flow: u32) {
        if let (Some(limits), Some(ends)) = (&mut self.recorders.limits, self.flows.endpoints(flow))
        {
            let record = &self.flows.records[flow as usize];
            limits.on_transmitted(flow, record, &ends.sender, self.clock.now);
        }
    }

    /// A host sends a packet.
    #[cold]
    #[inline(never)]
    pub(super) fn record_sent(&mut self, packet: &Packet) {
        let ends = self
            .flows
            .endpoints(packet.flow)
            .filter(|_| packet.is_forward());
        let again = ends.is_some_and(|ends| ends.sender.is_retransmission(packet));
        self.record_flow(packet.flow, RunEvent::Sent { packet, again });
    }

    /// A packet has arrived at a host.
    #[cold]
    #[inline(never)]
    pub(super) fn record_received(&mut self, packet: &Packet) {
        self.record_in_network(self.clock.now, packet.flow, RunEvent::Received(packet));
    }

    /// A packet was dropped or marked in the network, or has arrived. The run ends where all packets
    /// have arrived whose ways are recorded.
    #[cold]
    #[inline(never)]
    pub(super) fn record_in_network(&mut self, at: Instant, flow: u32, event: RunEvent<'_>) {
        self.record(flow, at, event);
        let journeys = &self.recorders.journeys;
        if journeys.as_ref().is_some_and(JourneyRecorder::is_done) {
            self.clock.end_by(self.clock.now);
        }
    }

    /// A packet has come to a link, which has dropped it or not.
    #[cold]
    #[inline(never)]
    pub(super) fn record_offer(&mut self, link: LinkId, packet: &Packet, dropped: bool) {
        let Some(queue) = self.recorded_queue(link) else {
            return;
        };
        let link = &mut self.network.links[link as usize];
        let event = QueueEvent::Offered {
            dropped,
            held: link.held(self.clock.moment()),
            empty: link.empty_at(),
        };
        self.recorders
            .record_queue(self.clock.now, queue, packet, &event);
    }

    /// A packet has left a link's queue, to be transmitted or evicted.
    #[cold]
    #[inline(never)]
    pub(super) fn record_departure(
        &mut self,
        link: LinkId,
        at: Instant,
        packet: &Packet,
        evicted: bool,
    ) {
        if let Some(queue) = self.recorded_queue(link) {
            let event = match evicted {
                true => QueueEvent::Evicted,
                false => QueueEvent::Left,
            };
            self.recorders.record_queue(at, queue, packet, &event);
        }
    }

    /// The hop's queue that a link has, if it is recorded.
    pub(super) fn recorded_queue(&self, link: LinkId) -> Option<HopQueue> {
        let queue = self.network.hop_queue(link)?;
        self.recorders.take_queue(&queue).then_some(queue)
    }
}
