//! What a run hands to its recorders, where it has any. Most runs have none, and ask for each event
//! whether its kind is recorded.

use super::log::WriteLog;
use super::simulation::Simulation;
use crate::compile::{Prepared, Recording};
use crate::flow_plan::FlowPlan;
use crate::record::journeys::JourneyRecorder;
use crate::record::lines::LineRecorder;
use crate::record::packets::FlowLog;
use crate::record::recorder::{Kinds, Recorder, RunEvent, Scene, QUEUES};
use crate::record::startup_measures::StartupMeasures;
use crate::record::trace::Trace;
use flowstart_control::Time;
use flowstart_network::graph::LinkId;
use flowstart_wire::Packet;

/// All recorders of a run.
pub(super) struct Recorders<'a> {
    pub(super) writes: WriteLog<'a>,
    pub(super) trace: Option<Trace>,
    pub(super) lines: Option<LineRecorder>,
    pub(super) journeys: Option<JourneyRecorder>,
    pub(super) startups: Option<StartupMeasures>,
    /// In the order of flows.
    pub(super) logs: Vec<FlowLog>,
}

impl<'a> Recorders<'a> {
    /// The recorders that a run of these flows is to have, with its bottleneck's two directions.
    pub(super) fn new(
        prepared: &'a Prepared,
        plans: &[FlowPlan],
        bottleneck: [LinkId; 2],
    ) -> Recorders<'a> {
        let mut recorders = Recorders {
            writes: WriteLog::new(prepared),
            trace: None,
            lines: None,
            journeys: None,
            startups: StartupMeasures::new(&prepared.kinds, plans, bottleneck),
            logs: logs(prepared, plans),
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
        recorders
    }

    fn each(&mut self, mut visit: impl FnMut(&mut dyn Recorder)) {
        visit(&mut self.writes);
        self.trace.iter_mut().for_each(|one| visit(one));
        self.lines.iter_mut().for_each(|one| visit(one));
        self.journeys.iter_mut().for_each(|one| visit(one));
        self.startups.iter_mut().for_each(|one| visit(one));
        self.logs.iter_mut().for_each(|one| visit(one));
    }

    /// The kinds of events that any of them takes.
    pub(super) fn takes(&mut self) -> Kinds {
        let mut kinds = 0;
        self.each(|recorder| kinds |= recorder.takes());
        kinds
    }

    /// Bytes that grow with what is recorded.
    pub(super) fn bytes_held(&mut self) -> usize {
        let mut bytes = 0;
        self.each(|recorder| bytes += recorder.bytes_held());
        bytes
    }

    fn record(&mut self, mut scene: Scene<'_>, event: RunEvent<'_>) {
        self.each(|recorder| recorder.record(&mut scene, &event));
    }
}

/// The logs of packets of the flows that are to have one.
fn logs(prepared: &Prepared, plans: &[FlowPlan]) -> Vec<FlowLog> {
    let mut logged = prepared.logged.clone();
    logged.sort_unstable();
    logged.dedup();
    let log = |flow: u32| {
        let kind = &prepared.kinds[plans[flow as usize].kind as usize];
        let names = [&kind.startup, &kind.cc];
        FlowLog::new(flow, names, &kind.stack, kind.by_receiver)
    };
    logged.into_iter().map(log).collect()
}

impl Simulation<'_> {
    /// Has links report what recorders take of them.
    pub(super) fn record_links(&mut self) {
        for (kind, link) in QUEUES.into_iter().zip(self.bottleneck) {
            if self.is_recorded(kind) {
                self.links[link as usize].record();
            }
            if self.recorders.startups.is_some() {
                self.links[link as usize].count_waits();
            }
        }
    }

    /// Whether a recorder takes events of any of these kinds, or a flow waits for them.
    #[inline]
    pub(super) fn is_recorded(&self, kinds: Kinds) -> bool {
        self.recorded & kinds != 0
    }

    /// Hands an event of a flow at `at` to all recorders.
    fn record(&mut self, flow: u32, at: Time, event: RunEvent<'_>) {
        let is_at_sender = event.is_at_sender();
        let named = is_at_sender || matches!(event, RunEvent::Closed);
        let ends = self.flows.endpoints(flow).filter(|_| named);
        let scene = Scene {
            at,
            now: self.moment(),
            flow,
            kind: self.records[flow as usize].plan.kind,
            sender: ends.map(|ends| &ends.sender),
            links: &mut self.links,
        };
        self.recorders.record(scene, event);
        if is_at_sender {
            self.release_followers(flow);
        }
    }

    /// A flow opens, is delivered or is over, or a timer of its sender was due.
    #[cold]
    #[inline(never)]
    pub(super) fn record_flow(&mut self, flow: u32, event: RunEvent<'_>) {
        self.record(flow, self.now, event);
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

    /// The packet at the far end of a link reaches a host.
    #[cold]
    #[inline(never)]
    pub(super) fn record_received(&mut self, link: LinkId) {
        if let Some(packet) = self.links[link as usize].first().copied() {
            self.record(packet.flow, self.now, RunEvent::Received(&packet));
            self.end_if_recorded();
        }
    }

    /// A packet was dropped or marked in the network.
    #[cold]
    #[inline(never)]
    pub(super) fn record_in_network(&mut self, at: Time, flow: u32, event: RunEvent<'_>) {
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
        let Some(direction) = self.recorded_direction(link) else {
            return;
        };
        let moment = self.moment();
        let link = &mut self.links[link as usize];
        let event = RunEvent::Offered {
            direction,
            packet,
            dropped,
            held: link.held(moment),
            empty: link.empty_at(),
        };
        self.record(packet.flow, self.now, event);
    }

    /// A packet has left a link's queue, to be transmitted or evicted.
    #[cold]
    #[inline(never)]
    pub(super) fn record_departure(
        &mut self,
        link: LinkId,
        at: Time,
        packet: &Packet,
        evicted: bool,
    ) {
        if let Some(direction) = self.recorded_direction(link) {
            let event = RunEvent::Left {
                direction,
                packet,
                evicted,
            };
            self.record(packet.flow, at, event);
        }
    }

    /// The direction of the bottleneck that a link is, if its queue is recorded.
    fn recorded_direction(&self, link: LinkId) -> Option<u8> {
        let direction = self.bottleneck.iter().position(|b| *b == link)?;
        self.is_recorded(QUEUES[direction])
            .then_some(direction as u8)
    }
}
