//! What a run hands to its recorders. It checks for each event whether its kind is recorded.

use super::simulation::Simulation;
use crate::record::journeys::JourneyRecorder;
use crate::record::recorder::{HopQueue, Kinds, QueueEvent, RunEvent, Scene, QUEUES};
use flowstart_control::Instant;
use flowstart_network::graph::LinkId;
use flowstart_wire::Packet;

impl Simulation<'_> {
    /// Has links report what recorders take of them.
    pub(super) fn record_links(&mut self) {
        for link in self.hop_links() {
            if self.recorded_queue(link).is_some() {
                self.links[link as usize].record();
            }
            if self.recorders.startups.is_some() {
                self.links[link as usize].count_waits();
            }
        }
    }

    /// The links of all hops, each once: on loopback both directions have one.
    pub(super) fn hop_links(&self) -> Vec<LinkId> {
        let mut links = self.lines.concat();
        links.sort_unstable();
        links.dedup();
        links
    }

    /// Whether a recorder takes events of any of these kinds, or a flow waits for them.
    #[inline]
    pub(super) fn is_recorded(&self, kinds: Kinds) -> bool {
        self.recorded & kinds != 0
    }

    /// Hands an event of a flow at `at` to all recorders.
    fn record(&mut self, flow: u32, at: Instant, event: RunEvent<'_>) {
        let at_sender = event.is_at_sender();
        let ends = at_sender.then(|| self.flows.endpoints(flow)).flatten();
        let scene = Scene {
            at,
            now: self.moment(),
            flow,
            records: &self.records,
            sender: ends.map(|ends| &ends.sender),
            links: &mut self.links,
        };
        self.recorders.record(scene, event);
    }

    /// A flow opens, is delivered or is over, or a timer of its sender was due.
    #[cold]
    #[inline(never)]
    pub(super) fn record_flow(&mut self, flow: u32, event: RunEvent<'_>) {
        self.record(flow, self.now, event);
    }

    /// A sender has sent all that it may after an event.
    #[cold]
    #[inline(never)]
    pub(super) fn record_transmitted(&mut self, flow: u32) {
        self.record(flow, self.now, RunEvent::Transmitted);
        self.release_followers(flow);
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
        self.record(packet.flow, self.now, RunEvent::Sent { packet, again });
    }

    /// A packet has arrived at a host.
    #[cold]
    #[inline(never)]
    pub(super) fn record_received(&mut self, packet: &Packet) {
        self.record(packet.flow, self.now, RunEvent::Received(packet));
        self.end_if_recorded();
    }

    /// A packet was dropped or marked in the network.
    #[cold]
    #[inline(never)]
    pub(super) fn record_in_network(&mut self, at: Instant, flow: u32, event: RunEvent<'_>) {
        self.record(flow, at, event);
        self.end_if_recorded();
    }

    /// Stops the run where all packets have arrived whose ways are recorded.
    fn end_if_recorded(&mut self) {
        let journeys = &self.recorders.journeys;
        if journeys.as_ref().is_some_and(JourneyRecorder::is_done) {
            self.end = self.now;
        }
    }

    /// A packet has come to a link, which has dropped it or not.
    #[cold]
    #[inline(never)]
    pub(super) fn record_offer(&mut self, link: LinkId, packet: &Packet, dropped: bool) {
        let Some(queue) = self.recorded_queue(link) else {
            return;
        };
        let moment = self.moment();
        let link = &mut self.links[link as usize];
        let event = QueueEvent::Offered {
            dropped,
            held: link.held(moment),
            empty: link.empty_at(),
        };
        let recorders = &mut self.recorders;
        recorders.record_queue(self.now, queue, packet, &event);
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
            let recorders = &mut self.recorders;
            recorders.record_queue(at, queue, packet, &event);
        }
    }

    /// The hop's queue that a link has, if it is recorded: a trace has those of all hops.
    pub(super) fn recorded_queue(&self, link: LinkId) -> Option<HopQueue> {
        let is_bottleneck = self.bottleneck.contains(&link);
        if !is_bottleneck && self.recorders.trace.is_none() {
            return None;
        }
        let place = |direction: usize| {
            let hop = self.lines[direction]
                .iter()
                .position(|line| *line == link)?;
            Some((direction, hop))
        };
        let (direction, hop) = place(0).or_else(|| place(1))?;
        self.is_recorded(QUEUES[direction]).then_some(HopQueue {
            hop: hop as u8,
            direction: direction as u8,
            is_bottleneck,
        })
    }
}
