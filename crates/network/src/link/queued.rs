//! A link whose discipline decides when packets leave: a real queue, a transmitter, and
//! the packets on their way.
//!
//! Departures need no separate events. The packet in transmission is the last of those
//! on their way, so while anything waits there is a delivery to come, at or after the end
//! of the transmission. At every arrival and every delivery the link first works out the
//! transmissions that have begun since it was last looked at, each at its own moment, as
//! the discipline would have decided it then: the difference is not observable, and a packet
//! costs one event, as on a drop-tail link. Only packets evicted are reported late,
//! and so each with its time.

use super::clock::Clock;
use super::common::{Common, LinkImpl, Verdict};
use crate::moment::Moment;
use crate::queue::{Backlog, BufferAccounting, Contents, Discipline, DropTail, QueueContext};
use flowstart_control::{Duration, Instant};
use flowstart_wire::Packet;

/// A link with a queue discipline.
pub(super) struct Queued<C> {
    discipline: Box<dyn Discipline>,
    clock: C,
    /// The last transmission begun: its size, and when it ends.
    in_service: u32,
    service_ends: Moment,
    /// Up to when it is counted how long packets have waited.
    counted_to: Instant,
}

impl<C: Clock> Queued<C> {
    /// A link that carries nothing yet.
    pub(super) fn new(clock: C, discipline: Box<dyn Discipline>) -> Queued<C> {
        Queued {
            discipline,
            clock,
            in_service: 0,
            service_ends: Moment::default(),
            counted_to: Instant::ZERO,
        }
    }

    /// The transmitter is free: the next packet's transmission begins, if there is one.
    fn begin(&mut self, now: Moment, link: &mut Common) -> bool {
        self.count_waiting(now.time, link);
        let before = link.events.len();
        let mut context = QueueContext {
            now: now.time,
            idle_since: None,
            in_service: Backlog::default(),
            buffer: link.config.queue,
            events: &mut link.events,
        };
        let next = self.discipline.dequeue(&mut context);
        link.count_events(before);
        let Some(next) = next else { return false };
        let wire = next.packet.wire;
        let (start, finish) = self.clock.transmit(wire, next.since);
        self.in_service = wire;
        self.service_ends = Moment {
            time: finish,
            cause: start,
        };
        link.counters.count_transmission(start, finish);
        let arrival = Moment {
            time: finish + link.config.delay,
            cause: start,
        };
        link.depart(arrival, &next.packet);
        true
    }

    /// Counts how long packets have waited. What waits has not changed since it was counted last.
    #[inline]
    fn count_waiting(&mut self, now: Instant, link: &mut Common) {
        if !link.counts_waits {
            return;
        }
        let waiting = self.discipline.contents().backlog().packets;
        link.counters.waiting += now.since(self.counted_to).times(waiting);
        self.counted_to = now;
    }

    /// Backlog that is being transmitted.
    fn service(&self, now: Moment) -> Backlog {
        let mut service = Backlog::default();
        if self.service_ends > now {
            service.add(self.in_service);
        }
        service
    }
}

impl<C: Clock + Send> LinkImpl for Queued<C> {
    fn send(&mut self, packet: &Packet, now: Moment, link: &mut Common) -> Verdict {
        self.settle(now, link);
        self.count_waiting(now.time, link);
        let busy = self.service_ends > now;
        let before = link.events.len();
        let mut context = QueueContext {
            now: now.time,
            idle_since: (!busy).then_some(self.service_ends.time),
            in_service: self.service(now),
            buffer: link.config.queue,
            events: &mut link.events,
        };
        let accepted = self.discipline.enqueue(*packet, &mut context);
        link.count_events(before);
        if !accepted {
            link.counters.refused += 1;
            return Verdict::Dropped;
        }
        let mut verdict = Verdict::Accepted;
        if busy {
            // What comes at the very moment at which the transmitter is free follows
            // without the remainder of a nanosecond.
            if self.discipline.contents().backlog().packets == 1 {
                self.clock.rest(now.time);
            }
        } else {
            let idle = link.ring.is_empty();
            if self.begin(now, link) && idle {
                verdict = Verdict::First;
            }
        }
        let held = link
            .config
            .queue
            .held(self.discipline.contents().backlog(), self.service(now));
        link.counters.accept(packet.wire, held);
        verdict
    }

    fn settle(&mut self, now: Moment, link: &mut Common) {
        while self.service_ends <= now && self.discipline.contents().backlog().packets > 0 {
            if !self.begin(self.service_ends, link) {
                break;
            }
        }
    }

    fn held(&mut self, now: Moment, link: &mut Common) -> Backlog {
        self.settle(now, link);
        let queue: DropTail = link.config.queue;
        queue.held(self.discipline.contents().backlog(), self.service(now))
    }

    fn empty_at(&self, link: &Common) -> Instant {
        let waiting = self.discipline.contents().backlog();
        match link.config.queue.reading {
            BufferAccounting::Ns2 => self.clock.free_after(waiting).max(self.service_ends.time),
            BufferAccounting::Linux if waiting.packets == 0 => self.service_ends.cause,
            BufferAccounting::Linux => {
                let mut before = waiting;
                before.take(self.discipline.contents().last_wire());
                self.clock.free_after(before).max(self.service_ends.time)
            }
        }
    }

    fn contents(&self) -> Option<&dyn Contents> {
        Some(self.discipline.contents())
    }

    fn waited(&mut self, now: Moment, link: &mut Common) -> Duration {
        self.settle(now, link);
        self.count_waiting(now.time, link);
        link.counters.waiting
    }

    fn busy_until(&self) -> Instant {
        match self.discipline.contents().backlog() {
            waiting if waiting.packets > 0 => self.clock.free_after(waiting),
            _ => self.service_ends.time,
        }
    }

    fn busy_after(&self, now: Instant) -> Duration {
        self.service_ends.time.since(now)
    }
}
