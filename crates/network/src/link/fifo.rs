//! The drop-tail link.
//!
//! A packet is refused on arrival or accepted for good, and the transmitter serves in
//! order, at a rate that is fixed or whose changes are known. So its departure is known the moment
//! it is accepted, and it joins the link's ring at once, with its arrival time at the far end. One
//! event per packet is enough, and the event queue holds only the ring's head. What has not left
//! the transmitter yet is the ring's tail.

use super::clock::Clock;
use super::common::{Common, LinkImpl, Verdict};
use crate::moment::Moment;
use crate::queue::{Backlog, BufferAccounting};
use flowstart_control::{Duration, Instant};
use flowstart_wire::Packet;

/// A link whose queue is drop-tail.
pub(super) struct Fifo<C> {
    clock: C,
    /// What waited for its transmission when the link was last examined: so many packets at the end
    /// of the ring.
    waiting: Backlog,
    /// The size of the packet in transmission, which is before them, and when it leaves; zero and
    /// never where there is none.
    in_service: u32,
    leaves: Moment,
    /// When the last transmission of all ends; caused by its beginning.
    service_ends: Moment,
}

impl<C: Clock> Fifo<C> {
    /// A link that carries nothing yet.
    pub(super) fn new(clock: C) -> Fifo<C> {
        Fifo {
            clock,
            waiting: Backlog::default(),
            in_service: 0,
            leaves: Moment::NEVER,
            service_ends: Moment::default(),
        }
    }

    /// The first packet of the ring is about to leave it.
    #[inline]
    pub(super) fn prepare_delivery(&mut self, now: Moment, link: &Common) {
        if self.waiting.packets + 1 >= link.ring.len() as u64 {
            self.catch_up(now, link);
        }
    }

    /// What has been transmitted by now leaves the transmitter.
    #[inline]
    fn catch_up(&mut self, now: Moment, link: &Common) {
        while self.leaves <= now {
            self.advance(link);
        }
    }

    /// The next packet is transmitted.
    #[inline(always)]
    fn advance(&mut self, link: &Common) {
        let first = link.ring.len() - self.waiting.packets as usize;
        match link.ring.get(first) {
            Some(next) => {
                self.waiting.take(next.packet.wire);
                self.in_service = next.packet.wire;
                self.leaves = next.leaves(link.config.delay);
            }
            None => (self.in_service, self.leaves) = (0, Moment::NEVER),
        }
    }

    /// Brings it up to `now`. Whether nothing is left to transmit.
    #[inline]
    fn is_idle(&mut self, now: Moment, link: &Common) -> bool {
        let idle = self.service_ends <= now;
        match idle {
            true => {
                self.waiting = Backlog::default();
                (self.in_service, self.leaves) = (0, Moment::NEVER);
            }
            false => self.catch_up(now, link),
        }
        idle
    }

    /// Backlog that counts against the limit.
    #[inline]
    fn counted(&self, link: &Common) -> Backlog {
        match link.config.queue.reading {
            BufferAccounting::Linux => self.waiting,
            BufferAccounting::Ns2 => Backlog {
                packets: self.waiting.packets + u64::from(self.leaves != Moment::NEVER),
                bytes: self.waiting.bytes + u64::from(self.in_service),
            },
        }
    }
}

impl<C: Clock + Send> LinkImpl for Fifo<C> {
    #[inline(always)]
    fn send(&mut self, packet: &Packet, now: Moment, link: &mut Common) -> Verdict {
        let idle = self.is_idle(now, link);
        let queue = link.config.queue;
        if !queue.admits(self.counted(link), idle, packet.wire) {
            link.counters.refused += 1;
            return Verdict::Dropped;
        }
        let (start, finish) = self.clock.transmit(packet.wire, now.time);
        self.service_ends = Moment {
            time: finish,
            cause: start,
        };
        if !idle {
            self.waiting.add(packet.wire);
        } else if self.service_ends > now {
            // Unless its transmission has taken no time.
            (self.in_service, self.leaves) = (packet.wire, self.service_ends);
        }
        link.counters.accept(packet.wire, self.counted(link));
        link.counters.count_transmission(start, finish);
        if link.counts_waits {
            link.counters.count_wait(start, now.time);
        }
        let arrival = Moment {
            time: finish + link.config.delay,
            cause: start,
        };
        link.depart(arrival, packet)
    }

    fn settle(&mut self, now: Moment, link: &mut Common) {
        self.catch_up(now, link);
    }

    fn held(&mut self, now: Moment, link: &mut Common) -> Backlog {
        self.catch_up(now, link);
        self.counted(link)
    }

    fn waited(&mut self, now: Moment, link: &mut Common) -> Duration {
        let begins = link.ring.iter().rev().map(|packet| packet.arrival.cause);
        let to_come = begins.take_while(|begin| *begin > now.time);
        let to_come = to_come.map(|begin| begin.since(now.time)).sum();
        link.counters.waiting.saturating_sub(to_come)
    }

    fn empty_at(&self, link: &Common) -> Instant {
        match link.config.queue.reading {
            BufferAccounting::Ns2 => self.service_ends.time,
            BufferAccounting::Linux => self.service_ends.cause,
        }
    }

    fn busy_until(&self) -> Instant {
        self.service_ends.time
    }

    fn busy_after(&self, now: Instant) -> Duration {
        self.service_ends.time.since(now)
    }
}
