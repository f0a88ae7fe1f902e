//! All recorders of a run. Most runs have none, so a run checks for each event whether its kind is
//! recorded.

use super::goodput::GoodputRecorder;
use super::journeys::JourneyRecorder;
use super::limits::LimitRecorder;
use super::lines::LineRecorder;
use super::packets::PacketRecorder;
use super::recorder::{HopQueue, Kinds, QUEUES, QueueEvent, Recorder, RunEvent, Scene};
use super::startup_measures::StartupMeasures;
use super::trace::Trace;
use super::write_log::WriteLog;
use crate::compile::{Prepared, Recording};
use crate::flow_plan::{FlowKind, FlowPlan};
use flowstart_control::Instant;
use flowstart_network::graph::LinkId;
use flowstart_wire::Packet;

/// All recorders of a run.
pub(crate) struct Recorders<'a> {
    pub(crate) writes: WriteLog<'a>,
    pub(crate) trace: Option<Trace>,
    pub(crate) lines: Option<LineRecorder>,
    pub(crate) journeys: Option<JourneyRecorder>,
    pub(crate) startups: Option<StartupMeasures>,
    pub(crate) limits: Option<LimitRecorder<'a>>,
    pub(crate) goodputs: Option<GoodputRecorder>,
    pub(crate) packets: Option<PacketRecorder<'a>>,
    /// The kinds of events that any of them takes.
    kinds: Kinds,
}

impl<'a> Recorders<'a> {
    /// The recorders that a run of these flows is to have; `lines` are those of the hops.
    pub(crate) fn new(
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
            limits: prepared
                .records_limits
                .then(|| LimitRecorder::new(prepared)),
            goodputs: GoodputRecorder::new(&prepared.measures),
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
        self.limits.iter_mut().for_each(|one| visit(one));
        self.goodputs.iter_mut().for_each(|one| visit(one));
    }

    /// Whether any of them takes events of any of these kinds.
    #[inline]
    pub(crate) fn take(&self, kinds: Kinds) -> bool {
        self.kinds & kinds != 0
    }

    /// Whether what happens to a hop's queue is recorded: a trace has those of all hops.
    pub(crate) fn take_queue(&self, queue: &HopQueue) -> bool {
        let is_recorded = queue.is_bottleneck || self.trace.is_some();
        is_recorded && self.take(QUEUES[usize::from(queue.direction)])
    }

    /// Bytes that grow with what is recorded.
    pub(crate) fn bytes_held(&mut self) -> usize {
        let mut bytes = 0;
        self.each(|recorder| bytes += recorder.bytes_held());
        bytes
    }

    /// Hands what a packet did to a hop's queue to those that may record it.
    pub(crate) fn record_queue(
        &mut self,
        at: Instant,
        queue: HopQueue,
        packet: &Packet,
        event: &QueueEvent,
    ) {
        self.each(|recorder| recorder.record_queue(at, queue, packet, event));
    }

    /// Hands an event to those that take its kind.
    pub(crate) fn record(&mut self, mut scene: Scene<'_>, event: RunEvent<'_>) {
        let kind = event.kind();
        self.each(|recorder| {
            if recorder.takes() & kind != 0 {
                recorder.record(&mut scene, &event);
            }
        });
    }
}
