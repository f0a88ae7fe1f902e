//! Interface of queue disciplines, for those that decide at departure or evict
//! what they have accepted. Drop-tail decides on acceptance and needs none of this.

use super::buffer::{Backlog, DropTail};
use flowstart_control::params::AlgorithmKind;
use flowstart_control::{Duration, Instant, Rate};
use flowstart_wire::Ecn;
use flowstart_wire::Packet;
use rand_pcg::Pcg64Mcg;
use std::collections::VecDeque;

/// What its catalog calls a queue discipline.
pub(super) const KIND: AlgorithmKind = AlgorithmKind("queue");

/// What a discipline may know of its link from the beginning.
#[derive(Clone, Debug)]
pub struct Port {
    /// The rate of the line; `None` transmits in no time.
    pub rate: Option<Rate>,
    /// Propagation delay of the line.
    pub delay: Duration,
    /// Bytes of a full-size packet.
    pub packet: u32,
    /// A random stream of this queue's own.
    pub random: Pcg64Mcg,
}

/// Packet that waits in a queue.
#[derive(Clone, Copy, Debug)]
pub struct Queued {
    /// The packet that waits.
    pub packet: Packet,
    /// Time of its arrival.
    pub since: Instant,
}

/// What a queue did to a packet that concerns others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueueEventKind {
    /// It had accepted it and evicted it later.
    Evicted,
    /// The queue marked the packet.
    Marked,
}

/// What a queue did to a packet, and when.
#[derive(Clone, Copy, Debug)]
pub struct QueueEvent {
    /// The packet that was evicted or marked.
    pub packet: Packet,
    /// Time of the event.
    pub at: Instant,
    /// Kind of the event.
    pub kind: QueueEventKind,
}

/// A discipline's view of its link at one moment.
pub struct QueueContext<'a> {
    /// The moment: of the arrival, or of the departure.
    pub now: Instant,
    /// Since when there has been nothing to transmit; `None` while there is.
    pub idle_since: Option<Instant>,
    /// Backlog that is being transmitted.
    pub in_service: Backlog,
    /// The size of the buffer.
    pub buffer: DropTail,
    /// Where the fate of packets is recorded.
    pub events: &'a mut VecDeque<QueueEvent>,
}

impl QueueContext<'_> {
    /// Whether a packet of `wire` bytes fits next to what waits.
    pub fn has_room(&self, waiting: Backlog, wire: u32) -> bool {
        let held = self.buffer.held(waiting, self.in_service);
        self.buffer.admits(held, self.in_service.packets == 0, wire)
    }

    /// Evicts a packet that had been accepted.
    pub fn evict(&mut self, packet: Packet) {
        self.report(packet, QueueEventKind::Evicted);
    }

    /// Marks a packet that would be dropped, where its sender understands (RFC 3168 §5); false
    /// where it does not.
    pub fn mark(&mut self, packet: &mut Packet) -> bool {
        let bits = &mut packet.ecn;
        if !bits.has(Ecn::ECT) {
            return false;
        }
        if !bits.has(Ecn::CE) {
            bits.set(Ecn::CE);
            self.report(*packet, QueueEventKind::Marked);
        }
        true
    }

    fn report(&mut self, packet: Packet, kind: QueueEventKind) {
        let at = self.now;
        self.events.push_back(QueueEvent { packet, at, kind });
    }
}

/// Makes a discipline for each link; `None` where a drop-tail link will do.
pub type Maker = dyn Fn(&Port) -> Option<Box<dyn Discipline>> + Send + Sync;

/// A queue discipline. It holds the packets that wait.
///
/// Both calls come in order of time, but a departure is worked out only when someone
/// next looks at the link. So `now` is what counts, and a discipline with a separate
/// clock (PIE's `T_UPDATE`) catches up in both calls.
pub trait Discipline: Send {
    /// A packet comes: accepts it, or returns `false`. It may evict others.
    fn enqueue(&mut self, packet: Packet, context: &mut QueueContext<'_>) -> bool;

    /// The transmitter is free: the packet that leaves now, which may be altered, or
    /// nothing where there is none left.
    fn dequeue(&mut self, context: &mut QueueContext<'_>) -> Option<Queued>;

    /// What it holds: mostly its one [`Line`](super::line::Line).
    fn contents(&self) -> &dyn Contents;
}

/// The packets that wait in a discipline.
pub trait Contents {
    /// Number and bytes of the waiting packets.
    fn backlog(&self) -> Backlog;

    /// Bytes of the packet that would leave last.
    fn last_wire(&self) -> u32;

    /// All of them, in any order.
    fn waiting(&self) -> Box<dyn Iterator<Item = &Packet> + '_>;
}
