//! What a run hands to its recorders. Most runs have none, so a run checks for each event whether
//! its kind is recorded.

use super::log::WriteLog;
use super::network::RunNetwork;
use super::simulation::Simulation;
use crate::compile::{Prepared, Recording};
use crate::flow_plan::{FlowKind, FlowPlan};
use crate::record::journeys::JourneyRecorder;
use crate::record::lines::LineRecorder;
use crate::record::packets::PacketRecorder;
use crate::record::recorder::{HopQueue, Kinds, QueueEvent, Recorder, RunEvent, Scene, QUEUES};
use crate::record::startup_measures::StartupMeasures;
use crate::record::trace::Trace;
use flowstart_control::Instant;
use flowstart_network::graph::LinkId;
use flowstart_wire::Packet;

/// All recorders of a run.
pub(super) struct Recorders<'a> {
    pub(super) writes: WriteLog<'a>,
    pub(super) trace: Option<Trace>,
    pub(super) lines: Option<LineRecorder>,
    pub(super) journeys: Option<JourneyRecorder>,
    pub(super) startups: Option<StartupMeasures>,
    pub(super) packets: Option<PacketRecorder<'a>>,
    /// The kinds of events that any of them takes.
    kinds: Kinds,
}

impl<'a> Recorders<'a> {
    /// The recorders that a run of these flows is to have. Links report what they take.
    pub(super) fn new(
        prepared: &'a Prepared,
        plans: &[FlowPlan],
        network: &mut RunNetwork,
    ) -> Recorders<'a> {
        let lines = &network.lines;
        let bottleneck = |kind: &FlowKind| {
            let narrowest = prepared.chain().narrowest(kind.from_hop, kind.to_hop);
            [lines[0][narrowest], lines[1][narrowest]]
        };
        let mut recorders = Recorders {
            writes: WriteLog::new(prepared),
            trace: None,
            lines: None,
            journeys: None,
            startups: StartupMeasures::new(&prepared.kinds, plans, bottleneck),
            packets: PacketRecorder::new(&prepared.logged, &prepared.kinds),
            kinds: 0,
        };
        match &prepared.recording {
            Recording::Nothing => {}
            Recording::Trace => recorders.trace = Some(Trace::default()),
            Recording::Journeys(request) => {
                recorders.journeys = Some(JourneyRecorder::new(*request));
            }
            Recording::Lines(request) => {
                let direction = |flow: u32| u8::from(plans[flow as usize].reverse);
                recorders.lines = Some(LineRecorder::new(request, direction));
            }
        }
        let mut kinds = 0;
        recorders.each(|recorder| kinds |= recorder.takes());
        recorders.kinds = kinds;
        for link in network.hop_links() {
            if recorders.queue(link, network).is_some() {
                network.links[link as usize].record();
            }
            if recorders.startups.is_some() {
                network.links[link as usize].count_waits();
            }
        }
        recorders
    }

    fn each(&mut self, mut visit: impl FnMut(&mut dyn Recorder)) {
        if !self.writes.is_empty() {
            visit(&mut self.writes);
        }
        self.packets.iter_mut().for_each(|one| visit(one));
        self.trace.iter_mut().for_each(|one| visit(one));
        self.lines.iter_mut().for_each(|one| visit(one));
        self.journeys.iter_mut().for_each(|one| visit(one));
        self.startups.iter_mut().for_each(|one| visit(one));
    }

    /// Whether any of them takes events of any of these kinds.
    #[inline]
    pub(super) fn take(&self, kinds: Kinds) -> bool {
        self.kinds & kinds != 0
    }

    /// The hop's queue that a link has, if it is recorded: a trace has those of all hops.
    pub(super) fn queue(&self, link: LinkId, network: &RunNetwork) -> Option<HopQueue> {
        let queue = network.hop_queue(link)?;
        let is_recorded = queue.is_bottleneck || self.trace.is_some();
        let direction = usize::from(queue.direction);
        (is_recorded && self.take(QUEUES[direction])).then_some(queue)
    }

    /// Bytes that grow with what is recorded.
    pub(super) fn bytes_held(&mut self) -> usize {
        let mut bytes = 0;
        self.each(|recorder| bytes += recorder.bytes_held());
        bytes
    }

    /// Hands what a packet did to a hop's queue to those that may record it.
    fn record_queue(&mut self, at: Instant, queue: HopQueue, packet: &Packet, event: &QueueEvent) {
        self.each(|recorder| recorder.record_queue(at, queue, packet, event));
    }

    /// Hands an event to those that take its kind.
    fn record(&mut self, mut scene: Scene<'_>, event: RunEvent<'_>) {
        let kind = event.kind();
        self.each(|recorder| {
            if recorder.takes() & kind != 0 {
                recorder.record(&mut scene, &event);
            }
        });
    }
}

impl Simulation<'_> {
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
        let Some(queue) = self.recorders.queue(link, &self.network) else {
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
        if let Some(queue) = self.recorders.queue(link, &self.network) {
            let event = match evicted {
                true => QueueEvent::Evicted,
                false => QueueEvent::Left,
            };
            self.recorders.record_queue(at, queue, packet, &event);
        }
    }
}
