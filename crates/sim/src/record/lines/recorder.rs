//! Bins what happens while a run continues.

use super::bins::{Bins, Place};
use super::queue::QueueOrder;
use super::{BinnedLine, FlowLines, Lines, LinesRequest, POINTS_PER_COLUMN};
use crate::record::limits::limit_of_flow;
use crate::record::recorder::{
    ANSWERED, HopQueue, IN_NETWORK, Kinds, PROGRESS, QUEUES, QueueEvent, Recorder, RunEvent, SENT,
    Scene, TIMER, TRANSMITTED, bits_per_second,
};
use crate::record::trace::Event;
use flowstart_control::Instant;
use flowstart_transport::sender::{Limit, Sender};
use flowstart_wire::Packet;

/// Records the lines of chosen flows, and of the bottleneck's directions that they use.
pub(crate) struct LineRecorder {
    bins: Bins,
    columns: u32,
    flows: Vec<FlowLines>,
    /// The direction in which each of them sends its data.
    directions: Vec<u8>,
    queues: [Option<Queue>; 2],
}

#[derive(Default)]
struct Queue {
    order: QueueOrder,
    line: BinnedLine,
}

impl LineRecorder {
    /// One for the flows of `request`, of which `direction` is the direction of the bottleneck
    /// in which they send their data.
    pub(crate) fn new(request: &LinesRequest, direction: impl Fn(u32) -> u8) -> LineRecorder {
        let flows = request.flows.iter().copied();
        let directions: Vec<u8> = flows.clone().map(direction).collect();
        let queue = |wanted| directions.contains(&wanted).then(Queue::default);
        let bins = Bins::new(request.columns, request.from, request.to);
        let most = POINTS_PER_COLUMN * bins.most() as usize;
        LineRecorder {
            bins,
            columns: request.columns,
            flows: flows.map(|flow| FlowLines::new(flow, most)).collect(),
            queues: [queue(0), queue(1)],
            directions,
        }
    }

    /// Something has changed at a sender.
    fn look_at(&mut self, scene: &Scene<'_>, sender: &Sender) {
        let place = self.place(scene.at);
        let Some(flow) = self.lines_of(scene.flow) else {
            return;
        };
        let window = sender.window();
        let [cwnd, flight, sent, acked, pacing, delivered, _] = &mut flow.lines;
        cwnd.push(place, window.cwnd);
        flight.push(place, sender.flight() as f64);
        sent.push(place, sender.high() as f64);
        acked.push(place, sender.acknowledged() as f64);
        pacing.push(place, bits_per_second(window.pacing));
        delivered.push(place, sender.delivered() as f64);
    }

    /// An event of this number in [`EVENTS`](super::EVENTS) happened to a flow.
    fn add_point(&mut self, scene: &Scene<'_>, event: usize, value: f64) {
        let place = self.place(scene.at);
        if let Some(flow) = self.lines_of(scene.flow) {
            flow.events[event].push(place, value);
        }
    }

    /// What limits a flow may be another reason now.
    fn turn(&mut self, scene: &Scene<'_>, event: &RunEvent<'_>) {
        let limit = match event {
            RunEvent::Opened => Some(Limit::Handshake),
            _ => {
                let record = &scene.records[scene.flow as usize];
                (scene.sender).map(|sender| limit_of_flow(record, sender, sender.limit()))
            }
        };
        let Some(limit) = limit else { return };
        self.make_room(scene.at);
        let lines = self.flows.iter_mut().find(|lines| lines.flow == scene.flow);
        if let Some(lines) = lines {
            lines.limit.turn(&self.bins, scene.at, Some(limit));
            if let RunEvent::Closed = event {
                lines.limit.turn(&self.bins, scene.at, None);
            }
        }
    }

    fn lines_of(&mut self, flow: u32) -> Option<&mut FlowLines> {
        self.flows.iter_mut().find(|lines| lines.flow == flow)
    }

    /// The bin of a time, for which there is room from now on.
    fn place(&mut self, time: Instant) -> Place {
        self.make_room(time);
        self.bins.place(time.0)
    }

    /// The lines, now that the run is over.
    pub(crate) fn finish(mut self, end: Instant) -> Lines {
        self.make_room(end);
        let bins = &self.bins;
        for Queue { order, line } in self.queues.iter_mut().flatten() {
            order.finish(&mut |at, held| line.push(bins.place(at), held as f64));
        }
        for (flow, direction) in self.flows.iter_mut().zip(&self.directions) {
            flow.limit.turn(bins, end, None);
            if let Some(queue) = &self.queues[usize::from(*direction)] {
                flow.lines[6] = queue.line.clone();
            }
        }
        Lines {
            flows: self.flows,
            bins: self.bins,
            columns: self.columns,
            end: end.0,
        }
    }

    /// Sees to it that there is a bin for this time.
    #[inline]
    fn make_room(&mut self, time: Instant) {
        let factor = self.bins.widening(time.0);
        if factor > 1 {
            self.widen(factor);
        }
    }

    #[cold]
    fn widen(&mut self, factor: u32) {
        self.bins.widen(factor);
        self.flows.iter_mut().for_each(|flow| flow.widen(factor));
        let queues = self.queues.iter_mut().flatten();
        queues.for_each(|queue| queue.line.widen(factor));
    }
}

impl Recorder for LineRecorder {
    fn takes(&self) -> Kinds {
        let queues = QUEUES.iter().zip(&self.queues);
        let recorded = queues.filter(|(_, queue)| queue.is_some());
        let of_flows = SENT | ANSWERED | TIMER | IN_NETWORK | PROGRESS | TRANSMITTED;
        recorded.fold(of_flows, |all, (kind, _)| all | kind)
    }

    fn record(&mut self, scene: &mut Scene<'_>, event: &RunEvent<'_>) {
        if event.kind() & (PROGRESS | TRANSMITTED) != 0 {
            self.turn(scene, event);
        }
        let Some(kind) = Event::of(event) else { return };
        if let Some(sender) = scene.sender {
            self.look_at(scene, sender);
        }
        match (*event, kind, scene.sender) {
            (RunEvent::Sent { packet, .. }, Event::Retransmit, _) => {
                self.add_point(scene, 0, packet.start() as f64);
            }
            (RunEvent::Dropped(packet), Event::Drop, _) => {
                self.add_point(scene, 1, packet.start() as f64);
            }
            (RunEvent::Marked(packet), ..) => self.add_point(scene, 2, packet.start() as f64),
            (RunEvent::Timer { .. }, _, Some(sender)) => {
                self.add_point(scene, 3, sender.window().cwnd);
            }
            _ => {}
        }
    }

    fn record_queue(&mut self, at: Instant, queue: HopQueue, _packet: &Packet, event: &QueueEvent) {
        if !queue.is_bottleneck {
            return;
        }
        if !matches!(event, QueueEvent::Evicted) {
            self.make_room(at);
        }
        let bins = &self.bins;
        let Some(Queue { order, line }) = &mut self.queues[usize::from(queue.direction)] else {
            return;
        };
        match event {
            QueueEvent::Offered { held, dropped, .. } => order.offer(at.0, held.packets, *dropped),
            QueueEvent::Evicted => order.evict(at.0),
            QueueEvent::Left => {
                order.depart(at.0, &mut |at, held| line.push(bins.place(at), held as f64));
            }
        }
    }
}
