//! A discipline alone: packets come and go at the test's own times.

use super::buffer::{Backlog, BufferAccounting, DropTail, Limit};
use super::discipline::{Discipline, Port, QueueContext, QueueEvent, QueueEventKind};
use super::spec::QueueSpec;
use crate::random::stream;
use flowstart_control::{Duration, Instant, Rate};
use flowstart_wire::Ecn;
use flowstart_wire::Packet;
use std::collections::VecDeque;

/// A full-size packet, identified by its position.
pub(super) fn packet(seq: u64) -> Packet {
    Packet::data(0, 1500, seq, 1460)
}

/// One that is marked to be dropped first.
pub(super) fn marked(seq: u64) -> Packet {
    let mut packet = packet(seq);
    packet.tags.startup_excess = true;
    packet
}

/// One whose sender understands marks.
pub(super) fn capable(seq: u64) -> Packet {
    let mut packet = packet(seq);
    packet.ecn = Ecn::ECT;
    packet
}

/// Makes a packet of another flow.
pub(super) fn of_flow(flow: u32, seq: u64) -> Packet {
    let mut packet = packet(seq);
    packet.flow = flow;
    packet
}

/// A line of 12 Mbit/s, where a full-size packet takes 1 ms.
pub(super) fn port() -> Port {
    Port {
        rate: Some(Rate(12_000_000)),
        delay: Duration::from_millis(10),
        packet: 1500,
        random: stream(1, "queue", 0),
    }
}

/// A discipline on that line.
pub(super) struct Bench {
    discipline: Box<dyn Discipline>,
    buffer: DropTail,
    /// The time of the next call.
    pub now: Instant,
    events: VecDeque<QueueEvent>,
}

impl Bench {
    /// A discipline by its specification.
    pub(super) fn new(spec: &str, limit: Limit) -> Bench {
        let spec = QueueSpec::parse(spec).unwrap();
        Bench {
            discipline: spec.discipline(&port()).unwrap(),
            buffer: Bench::buffer(limit),
            now: Instant::ZERO,
            events: VecDeque::new(),
        }
    }

    /// A buffer in which the packet in transmission takes no place.
    pub(super) fn buffer(limit: Limit) -> DropTail {
        let reading = BufferAccounting::Linux;
        DropTail { limit, reading }
    }

    fn context(&mut self) -> (&mut dyn Discipline, QueueContext<'_>) {
        // Something is being transmitted, so that the limit counts.
        let in_service = Backlog {
            packets: 1,
            bytes: 1500,
        };
        let context = QueueContext {
            now: self.now,
            idle_since: None,
            in_service,
            buffer: self.buffer,
            events: &mut self.events,
        };
        (&mut *self.discipline, context)
    }

    /// Offers a packet to the queue.
    pub(super) fn enqueue(&mut self, packet: Packet) -> bool {
        let (discipline, mut context) = self.context();
        discipline.enqueue(packet, &mut context)
    }

    /// A packet leaves: its position.
    pub(super) fn dequeue(&mut self) -> Option<u64> {
        let (discipline, mut context) = self.context();
        discipline.dequeue(&mut context).map(|p| p.packet.start())
    }

    /// Takes all packets out of the queue.
    pub(super) fn drain(&mut self) -> Vec<u64> {
        std::iter::from_fn(|| self.dequeue()).collect()
    }

    /// The positions of the packets evicted since the last call.
    pub(super) fn evicted(&mut self) -> Vec<u64> {
        self.take(QueueEventKind::Evicted)
    }

    /// The positions of the packets marked since the last call.
    pub(super) fn marked(&mut self) -> Vec<u64> {
        self.take(QueueEventKind::Marked)
    }

    fn take(&mut self, kind: QueueEventKind) -> Vec<u64> {
        let (taken, rest) = self.events.drain(..).partition(|n| n.kind == kind);
        self.events = rest;
        let taken: VecDeque<QueueEvent> = taken;
        taken.iter().map(|n| n.packet.start()).collect()
    }

    /// Backlog that waits in the queue.
    pub(super) fn backlog(&self) -> Backlog {
        self.discipline.contents().backlog()
    }
}
