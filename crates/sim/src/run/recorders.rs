//! All recorders of a run; most runs have none.

use super::log::WriteLog;
use crate::compile::{Prepared, Recording};
use crate::flow_plan::{FlowKind, FlowPlan};
use crate::record::journeys::JourneyRecorder;
use crate::record::lines::LineRecorder;
use crate::record::packets::PacketRecorder;
use crate::record::recorder::{HopQueue, Kinds, QueueEvent, Recorder, RunEvent, Scene};
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
}

impl<'a> Recorders<'a> {
    /// The recorders that a run of these flows is to have; `lines` are those of the hops.
    pub(super) fn new(
        prepared: &'a Prepared,
        plans: &[FlowPlan],
        lines: &[Vec<LinkId>; 2],
    ) -> Recorders<'a> {
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
        if !self.writes.is_empty() {
            visit(&mut self.writes);
        }
        self.packets.iter_mut().for_each(|one| visit(one));
        self.trace.iter_mut().for_each(|one| visit(one));
        self.lines.iter_mut().for_each(|one| visit(one));
        self.journeys.iter_mut().for_each(|one| visit(one));
        self.startups.iter_mut().for_each(|one| visit(one));
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

    /// Hands what a packet did to a hop's queue to those that may record it.
    pub(super) fn record_queue(
        &mut self,
        at: Instant,
        queue: HopQueue,
        packet: &Packet,
        event: &QueueEvent,
    ) {
        self.each(|recorder| recorder.record_queue(at, queue, packet, event));
    }

    /// Hands an event to those that take its kind.
    pub(super) fn record(&mut self, mut scene: Scene<'_>, event: RunEvent<'_>) {
        let kind = event.kind();
        self.each(|recorder| {
            if recorder.takes() & kind != 0 {
                recorder.record(&mut scene, &event);
            }
        });
    }
}
