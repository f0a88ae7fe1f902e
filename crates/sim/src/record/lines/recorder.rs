//! Bins what happens while a run goes on.

use super::bins::Bins;
use super::queue::QueueOrder;
use super::{BinnedLine, FlowLines, Lines, LinesRequest, POINTS_PER_COLUMN};
use flowstart_control::{Rate, Time};
use flowstart_transport::sender::Sender;

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
    /// One for the flows of `request`, of which `direction` tells in which direction of the
    /// bottleneck they send their data.
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

    /// Whether what a direction's queue holds is recorded.
    pub(crate) fn records_queue(&self, direction: u8) -> bool {
        self.queues[usize::from(direction)].is_some()
    }

    /// Something has changed at a sender.
    pub(crate) fn look_at(&mut self, now: Time, flow: u32, sender: &Sender) {
        self.make_room(now);
        let place = self.bins.place(now.0);
        let Some(flow) = self.flows.iter_mut().find(|lines| lines.flow == flow) else {
            return;
        };
        let window = sender.window();
        let [cwnd, flight, sent, acked, pacing, delivery, _] = &mut flow.lines;
        cwnd.push(place, window.cwnd);
        flight.push(place, sender.flight() as f64);
        sent.push(place, sender.high() as f64);
        acked.push(place, sender.acknowledged() as f64);
        pacing.push(place, bits_per_second(window.pacing));
        delivery.push(place, bits_per_second(sender.delivery_rate()));
    }

    /// An event of this number in [`EVENTS`](super::EVENTS) happened to a flow.
    pub(crate) fn happen(&mut self, at: Time, flow: u32, event: usize, value: f64) {
        self.make_room(at);
        let place = self.bins.place(at.0);
        if let Some(flow) = self.flows.iter_mut().find(|lines| lines.flow == flow) {
            flow.events[event].push(place, value);
        }
    }

    /// The queue of a direction was offered a packet and holds so many then.
    pub(crate) fn offer(&mut self, now: Time, direction: u8, held: u64, dropped: bool) {
        self.make_room(now);
        if let Some(queue) = &mut self.queues[usize::from(direction)] {
            queue.order.offer(now.0, held, dropped);
        }
    }

    /// A packet has left it to be transmitted.
    pub(crate) fn depart(&mut self, at: Time, direction: u8) {
        self.make_room(at);
        let bins = &self.bins;
        if let Some(Queue { order, line }) = &mut self.queues[usize::from(direction)] {
            order.depart(at.0, &mut |at, held| line.push(bins.place(at), held as f64));
        }
    }

    /// A packet was evicted.
    pub(crate) fn evict(&mut self, at: Time, direction: u8) {
        if let Some(queue) = &mut self.queues[usize::from(direction)] {
            queue.order.evict(at.0);
        }
    }

    /// The lines, now that the run is over.
    pub(crate) fn finish(mut self, end: Time) -> Lines {
        self.make_room(end);
        let bins = &self.bins;
        for Queue { order, line } in self.queues.iter_mut().flatten() {
            order.finish(&mut |at, held| line.push(bins.place(at), held as f64));
        }
        for (flow, direction) in self.flows.iter_mut().zip(&self.directions) {
            if let Some(queue) = &self.queues[usize::from(*direction)] {
                flow.lines[6] = queue.line.clone();
            }
        }
        Lines {
            flows: self.flows,
            bins: self.bins,
            columns: self.columns,
            end,
        }
    }

    /// Sees to it that there is a bin for this time.
    #[inline]
    fn make_room(&mut self, time: Time) {
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

fn bits_per_second(rate: Option<Rate>) -> f64 {
    rate.map_or(f64::NAN, |rate| rate.bps() as f64)
}
