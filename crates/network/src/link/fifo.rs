//! The drop-tail link.
//!
//! A packet is refused on arrival or accepted for good, and the transmitter serves in
//! order, at a rate that is fixed or whose changes are known. So its departure is known the moment it is accepted, and it joins
//! the link's ring at once, with its arrival time at the far end. One event per packet is
//! enough, and the event queue holds only the ring's head.

use super::clock::Clock;
use super::common::{Common, Verdict};
use crate::moment::Moment;
use crate::queue::{Backlog, BufferReading};
use flowstart_control::Time;
use flowstart_wire::Packet;
use std::collections::VecDeque;

/// A packet that has been accepted and has not begun its transmission.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    /// Its transmission begins; caused by the beginning of the one before.
    start: Moment,
    wire: u32,
}

/// A link whose queue is drop-tail.
pub(super) struct Fifo<C> {
    clock: C,
    waiting: VecDeque<Waiting>,
    backlog: Backlog,
    /// The last transmission begun: its size, and when it ends.
    in_service: u32,
    service_ends: Moment,
    last_start: Time,
}

impl<C: Clock> Fifo<C> {
    /// A link that carries nothing yet.
    pub(super) fn new(clock: C) -> Fifo<C> {
        Fifo {
            clock,
            waiting: VecDeque::new(),
            backlog: Backlog::default(),
            in_service: 0,
            service_ends: Moment::default(),
            last_start: Time::ZERO,
        }
    }

    /// A packet comes to the link.
    #[inline]
    pub(super) fn send(&mut self, packet: Packet, now: Moment, link: &mut Common) -> Verdict {
        self.settle(now);
        let wire = u64::from(packet.wire);
        let queue = &link.config.queue;
        if !queue.admits(self.backlog, self.service(now), wire) {
            link.counters.refused += 1;
            return Verdict::Dropped;
        }
        let (start, finish) = self.clock.transmit(packet.wire, now.time);
        if self.service_ends > now {
            self.waiting.push_back(Waiting {
                start: Moment {
                    time: start,
                    cause: self.last_start,
                },
                wire: packet.wire,
            });
            self.backlog.add(packet.wire);
        } else {
            self.in_service = packet.wire;
        }
        self.last_start = start;
        self.service_ends = Moment {
            time: finish,
            cause: start,
        };
        let held = link.config.queue.held(self.backlog, self.service(now));
        link.counters.accept(packet.wire, held);
        link.counters.busy += finish.since(start);
        let arrival = Moment {
            time: finish + link.config.delay,
            cause: start,
        };
        Verdict::Accepted(link.depart(arrival, packet))
    }

    /// What the queue holds, as its limit counts it.
    pub(super) fn held(&mut self, now: Moment, link: &Common) -> Backlog {
        self.settle(now);
        link.config.queue.held(self.backlog, self.service(now))
    }

    /// When the queue, as its limit counts it, is empty if nothing else comes.
    pub(super) fn empty_at(&self, link: &Common) -> Time {
        match link.config.queue.reading {
            BufferReading::Ns2 => self.service_ends.time,
            BufferReading::Linux => self.last_start,
        }
    }

    /// When it has transmitted all that it has accepted.
    pub(super) fn busy_until(&self) -> Time {
        self.service_ends.time
    }

    /// For how long after `now` it transmits what it has accepted.
    pub(super) fn busy_after(&self, now: Time) -> Time {
        self.service_ends.time.since(now)
    }

    /// Moves packets whose transmission has begun out of the queue.
    fn settle(&mut self, now: Moment) {
        while let Some(first) = self.waiting.front().filter(|w| w.start <= now) {
            self.backlog.take(first.wire);
            self.in_service = first.wire;
            self.waiting.pop_front();
        }
    }

    /// What is being transmitted. The transmitter is busy up to the end of the last
    /// transmission it has accepted.
    fn service(&self, now: Moment) -> Backlog {
        if self.service_ends > now {
            Backlog {
                packets: 1,
                bytes: u64::from(self.in_service),
            }
        } else {
            Backlog::default()
        }
    }
}
