//! What all kinds of links have: their configuration, what is on its way, and what is counted.

use super::config::LinkConfig;
use crate::moment::Moment;
use crate::queue::{Backlog, Contents, QueueEvent, QueueEventKind};
use flowstart_control::{Duration, Instant};
use flowstart_wire::Packet;
use std::collections::VecDeque;

/// What became of a packet that came to a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The packet was accepted.
    Accepted,
    /// It is in, and the next that will be delivered: that must be scheduled.
    First,
    /// It was lost or refused.
    Dropped,
}

/// Counts of what passed a link.
#[derive(Clone, Copy, Debug, Default)]
pub struct LinkCounters {
    /// Packets accepted and not evicted later.
    pub packets: u64,
    /// Bytes of the packets that passed.
    pub bytes: u64,
    /// Packets refused by the queue or evicted from it.
    pub refused: u64,
    /// Packets marked by the queue.
    pub marked: u64,
    /// Packets lost at random or on purpose.
    pub lost: u64,
    /// Maximum that the queue held, as its limit counts it.
    pub max_held: Backlog,
    /// Time that the link spent transmitting.
    pub busy: Duration,
    /// How long packets have waited or, where that is known on acceptance, will wait before their
    /// transmission, summed over packets; counted on request.
    pub(super) waiting: Duration,
}

impl LinkCounters {
    /// A packet was accepted, and the queue now holds so much.
    pub(super) fn accept(&mut self, wire: u32, held: Backlog) {
        self.packets += 1;
        self.bytes += u64::from(wire);
        if held.packets > self.max_held.packets || held.bytes > self.max_held.bytes {
            self.raise_maximum(held);
        }
    }

    #[cold]
    #[inline(never)]
    fn raise_maximum(&mut self, held: Backlog) {
        self.max_held.packets = self.max_held.packets.max(held.packets);
        self.max_held.bytes = self.max_held.bytes.max(held.bytes);
    }

    /// A packet will have waited from when it came until its transmission begins.
    #[inline]
    pub(super) fn count_wait(&mut self, begins: Instant, came: Instant) {
        add_span(&mut self.waiting, came, begins);
    }

    /// A packet is transmitted between these times.
    #[inline]
    pub(super) fn count_transmission(&mut self, begins: Instant, ends: Instant) {
        add_span(&mut self.busy, begins, ends);
    }

    /// Counts a packet that was evicted.
    pub(super) fn evict(&mut self, wire: u32) {
        self.packets -= 1;
        self.bytes -= u64::from(wire);
        self.refused += 1;
    }
}

/// Adds the time between two others to a sum. None is so large that an overflow has to be looked for.
#[inline]
fn add_span(sum: &mut Duration, from: Instant, to: Instant) {
    let span = to.0.wrapping_sub(from.0);
    *sum = Duration(sum.0.wrapping_add(span));
}

/// A packet on its way to the far end.
#[derive(Clone, Copy, Debug)]
pub(super) struct InFlight {
    /// Arrives at the far end; caused by the beginning of its transmission.
    pub(super) arrival: Moment,
    pub(super) packet: Packet,
}

impl InFlight {
    /// Takes a packet from the transmitter of a link with this delay.
    #[inline]
    pub(super) fn leaves(&self, delay: Duration) -> Moment {
        Moment {
            time: self.arrival.time.saturating_sub(delay),
            cause: self.arrival.cause,
        }
    }
}

/// State that every link has.
pub(super) struct Common {
    pub(super) config: LinkConfig,
    pub(super) counters: LinkCounters,
    /// Packets whose delivery is settled, in its order.
    pub(super) ring: VecDeque<InFlight>,
    /// What the queue did to packets, until someone takes it.
    pub(super) events: VecDeque<QueueEvent>,
    /// Every delivery is reported.
    pub(super) recorded: bool,
    /// Waiting times of packets are recorded.
    pub(super) counts_waits: bool,
}

impl Common {
    /// A packet joins those on their way.
    #[inline]
    pub(super) fn depart(&mut self, arrival: Moment, packet: &Packet) -> Verdict {
        let idle = self.ring.is_empty();
        if self.ring.len() == self.ring.capacity() {
            self.ring.reserve(1);
        }
        let packet = *packet;
        self.ring.push_back(InFlight { arrival, packet });
        if idle {
            Verdict::First
        } else {
            Verdict::Accepted
        }
    }

    /// Inserts a packet in the order of arrivals, so that it may overtake others. Where it is the
    /// first, there may be an event already for one that it has overtaken, which then finds nothing
    /// to do.
    pub(super) fn depart_in_order(&mut self, arrival: Moment, packet: &Packet) -> Verdict {
        let before = |other: &InFlight| other.arrival <= arrival;
        let place = self.ring.iter().rposition(before).map_or(0, |at| at + 1);
        let packet = *packet;
        self.ring.insert(place, InFlight { arrival, packet });
        if place == 0 {
            Verdict::First
        } else {
            Verdict::Accepted
        }
    }

    /// A packet comes to a link of this kind, if a limit that the link shares has room for it. Where
    /// it is dropped it leaves that limit.
    pub(super) fn pass(
        &mut self,
        link: &mut dyn LinkImpl,
        packet: &Packet,
        now: Moment,
    ) -> Verdict {
        let enter = self.config.shared.enter.as_ref();
        if enter.is_some_and(|held| !held.enter()) {
            self.counters.refused += 1;
            return Verdict::Dropped;
        }
        let verdict = link.send(packet, now, self);
        if verdict == Verdict::Dropped {
            self.leave();
        }
        verdict
    }

    /// A packet is lost before the queue: it leaves the limit that the link shares, unless this is
    /// where packets enter.
    #[inline(never)]
    pub(super) fn leave_if_lost(&self) {
        if self.config.shared.enter.is_none() {
            self.leave();
        }
    }

    /// A packet leaves the limit that the link shares.
    pub(super) fn leave(&self) {
        if let Some(held) = &self.config.shared.leave {
            held.leave();
        }
    }

    /// Counts what the queue did beyond these.
    pub(super) fn count_events(&mut self, before: usize) {
        for event in self.events.range(before..) {
            match event.kind {
                QueueEventKind::Evicted => {
                    self.counters.evict(event.packet.wire);
                    self.leave();
                }
                QueueEventKind::Marked => self.counters.marked += 1,
            }
        }
    }
}

/// How packets wait and leave. The defaults are those of a stage: packets pass it, wait in the ring
/// or end there, and it has no transmitter.
pub(super) trait LinkImpl: Send {
    /// A packet comes.
    fn send(&mut self, packet: &Packet, now: Moment, link: &mut Common) -> Verdict;

    /// Brings it up to `now`: what has been transmitted leaves the transmitter.
    fn settle(&mut self, _now: Moment, _link: &mut Common) {}

    /// What waits in the ring, of a stage that counts it.
    fn backlog(&mut self) -> Option<&mut Backlog> {
        None
    }

    /// The first packet of the ring is about to leave it.
    fn release(&mut self, first: &Packet) {
        if let Some(backlog) = self.backlog() {
            backlog.take(first.wire);
        }
    }

    /// What the queue holds, as its limit counts it.
    fn held(&mut self, _now: Moment, _link: &mut Common) -> Backlog {
        self.backlog()
            .map_or_else(Backlog::default, |backlog| *backlog)
    }

    /// When the queue, as its limit counts it, is empty if nothing else comes.
    fn empty_at(&self, link: &Common) -> Instant {
        let last = link.ring.back();
        last.map_or(Instant::ZERO, |last| last.arrival.time)
    }

    /// The packets that wait outside of the ring, as of the last time it was brought up to the
    /// present.
    fn contents(&self) -> Option<&dyn Contents> {
        None
    }

    /// How long packets have waited up to `now`, summed over packets.
    fn waited(&mut self, _now: Moment, _link: &mut Common) -> Duration {
        Duration::ZERO
    }

    /// When it will have transmitted all that it holds, if nothing is evicted.
    fn busy_until(&self) -> Instant {
        Instant::ZERO
    }

    /// How much of the time counted as busy is after `now`.
    fn busy_after(&self, _now: Instant) -> Duration {
        Duration::ZERO
    }
}
