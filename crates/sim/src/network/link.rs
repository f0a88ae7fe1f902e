//! A link: a queue, a transmitter and a delay.
//!
//! A packet is refused on arrival or accepted for good, and the transmitter serves in
//! order at a fixed rate. So its departure is known the moment it is accepted, and the
//! link keeps one ring of accepted packets, each with its arrival time at the far end.
//! One event per packet is enough, and the event queue holds only the ring's head.

use super::queue::{Backlog, BufferReading, DropTail};
use super::random::Chance;
use crate::engine::Moment;
use crate::tcp::segment::Segment;
use flowstart_control::{Rate, Time};
use std::collections::VecDeque;

/// How a link is made.
#[derive(Clone, Debug)]
pub struct LinkConfig {
    /// For reports.
    pub name: String,
    /// `None` transmits in no time: a delay and nothing else.
    pub rate: Option<Rate>,
    /// Propagation.
    pub delay: Time,
    /// The queue before the transmitter.
    pub queue: DropTail,
    /// Packets lost at random, before the queue.
    pub loss: Option<Chance>,
    /// Packets lost on purpose, before the queue.
    pub forced_drops: Vec<ForcedDrop>,
}

/// The `position`-th packet of `flow` that comes to a link is lost; the SYN is number 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ForcedDrop {
    /// Which flow.
    pub flow: u32,
    /// Which of its packets.
    pub position: u64,
}

/// What became of a packet that came to a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It will arrive. `Some` says that nothing was on its way, so that its own delivery
    /// must be scheduled.
    Accepted(Option<Moment>),
    /// It was lost or refused.
    Dropped,
}

/// Counts of what passed a link.
#[derive(Clone, Copy, Debug, Default)]
pub struct LinkCounters {
    /// Packets accepted.
    pub packets: u64,
    /// Bytes accepted.
    pub bytes: u64,
    /// Packets refused by the queue.
    pub refused: u64,
    /// Packets lost at random or on purpose.
    pub lost: u64,
    /// The most that the queue held, as its limit counts it.
    pub max_held: Backlog,
    /// Time spent transmitting.
    pub busy: Time,
}

#[derive(Clone, Copy, Debug)]
struct InFlight {
    /// Arrives at the far end; caused by the beginning of its transmission.
    arrival: Moment,
    segment: Segment,
}

/// A packet that has been accepted and has not begun its transmission.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    /// Its transmission begins; caused by the beginning of the one before.
    start: Moment,
    wire: u32,
}

/// One direction of a link.
pub struct Link {
    config: LinkConfig,
    clock: Transmitter,
    ring: VecDeque<InFlight>,
    waiting: VecDeque<Waiting>,
    backlog: Backlog,
    /// The last transmission begun: its size, and when it ends.
    in_service: u32,
    service_ends: Moment,
    last_start: Time,
    counters: LinkCounters,
    /// Packets seen of each flow that has forced drops.
    seen: Vec<u64>,
}

impl Link {
    /// A link that carries nothing yet.
    pub fn new(config: LinkConfig) -> Link {
        Link {
            clock: Transmitter::new(config.rate),
            seen: vec![0; config.forced_drops.len()],
            config,
            ring: VecDeque::new(),
            waiting: VecDeque::new(),
            backlog: Backlog::default(),
            in_service: 0,
            service_ends: Moment::default(),
            last_start: Time::ZERO,
            counters: LinkCounters::default(),
        }
    }

    /// A packet comes to the link.
    pub fn send(&mut self, segment: Segment, now: Moment) -> Verdict {
        if self.loses(&segment) {
            self.counters.lost += 1;
            return Verdict::Dropped;
        }
        self.settle(now);
        let wire = u64::from(segment.wire);
        if !self
            .config
            .queue
            .admits(self.backlog, self.service(now), wire)
        {
            self.counters.refused += 1;
            return Verdict::Dropped;
        }
        let (start, finish) = self.clock.transmit(segment.wire, now.time);
        if self.service_ends > now {
            self.waiting.push_back(Waiting {
                start: Moment {
                    time: start,
                    cause: self.last_start,
                },
                wire: segment.wire,
            });
            self.backlog.packets += 1;
            self.backlog.bytes += wire;
        } else {
            self.in_service = segment.wire;
        }
        self.last_start = start;
        self.service_ends = Moment {
            time: finish,
            cause: start,
        };
        self.count(finish.since(start), segment.wire, now);
        let arrival = Moment {
            time: finish + self.config.delay,
            cause: start,
        };
        let idle = self.ring.is_empty();
        self.ring.push_back(InFlight { arrival, segment });
        Verdict::Accepted(idle.then_some(arrival))
    }

    /// Hands over the packet that arrives at the far end now, and says when the next
    /// one does.
    pub fn deliver(&mut self) -> Option<(Segment, Option<Moment>)> {
        let head = self.ring.pop_front()?;
        Some((head.segment, self.ring.front().map(|next| next.arrival)))
    }

    /// What the queue holds, as its limit counts it.
    pub fn held(&mut self, now: Moment) -> Backlog {
        self.settle(now);
        self.config.queue.held(self.backlog, self.service(now))
    }

    /// When the queue, as its limit counts it, is empty if nothing else comes.
    pub fn empty_at(&self) -> Time {
        match self.config.queue.reading {
            BufferReading::Ns2 => self.service_ends.time,
            BufferReading::Linux => self.last_start,
        }
    }

    /// Packets accepted and not yet delivered.
    pub fn in_network(&self) -> impl Iterator<Item = &Segment> {
        self.ring.iter().map(|p| &p.segment)
    }

    /// What passed.
    pub fn counters(&self) -> &LinkCounters {
        &self.counters
    }

    /// For how long after `now` it transmits what it has accepted.
    pub fn busy_after(&self, now: Time) -> Time {
        self.service_ends.time.since(now)
    }

    /// When it has transmitted, or had, all that it has accepted.
    pub fn busy_until(&self) -> Time {
        self.service_ends.time
    }

    /// How it was made.
    pub fn config(&self) -> &LinkConfig {
        &self.config
    }

    /// Moves packets whose transmission has begun out of the queue.
    fn settle(&mut self, now: Moment) {
        while let Some(first) = self.waiting.front().filter(|w| w.start <= now) {
            self.backlog.packets -= 1;
            self.backlog.bytes -= u64::from(first.wire);
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

    fn count(&mut self, busy: Time, wire: u32, now: Moment) {
        let held = self.config.queue.held(self.backlog, self.service(now));
        let c = &mut self.counters;
        c.packets += 1;
        c.bytes += u64::from(wire);
        c.busy += busy;
        c.max_held.packets = c.max_held.packets.max(held.packets);
        c.max_held.bytes = c.max_held.bytes.max(held.bytes);
    }

    fn loses(&mut self, segment: &Segment) -> bool {
        let forced = !self.seen.is_empty() && self.forced(segment);
        forced || self.config.loss.as_mut().is_some_and(Chance::strikes)
    }

    fn forced(&mut self, segment: &Segment) -> bool {
        let mut lost = false;
        for (drop, seen) in self.config.forced_drops.iter().zip(&mut self.seen) {
            if drop.flow == segment.flow && segment.is_forward() {
                lost |= *seen == drop.position;
                *seen += 1;
            }
        }
        lost
    }
}

/// Serialisation at an exact rate: times are whole nanoseconds, but the remainder of
/// every division is carried over, so that a busy link neither gains nor loses.
#[derive(Clone, Debug)]
struct Transmitter {
    rate: Option<u64>,
    /// The transmitter is free at `whole` + `part`/rate nanoseconds.
    whole: u64,
    part: u64,
    /// The last packet size and its time, since almost all packets have the same.
    wire: u32,
    time: u64,
    remainder: u64,
}

impl Transmitter {
    fn new(rate: Option<Rate>) -> Transmitter {
        Transmitter {
            rate: rate.map(Rate::bps),
            whole: 0,
            part: 0,
            wire: 0,
            time: 0,
            remainder: 0,
        }
    }

    /// When it is free: rounded up, so that the rate is never exceeded.
    fn free_at(&self) -> Time {
        Time(self.whole + u64::from(self.part > 0))
    }

    /// Transmits after what it has to do already: when that begins, and when the last
    /// bit has left.
    fn transmit(&mut self, wire: u32, now: Time) -> (Time, Time) {
        let Some(rate) = self.rate else {
            return (now, now);
        };
        if self.free_at() <= now {
            (self.whole, self.part) = (now.0, 0);
        }
        let start = self.free_at();
        if wire != self.wire {
            let bit_nanos = u128::from(wire) * 8_000_000_000;
            self.wire = wire;
            self.time = (bit_nanos / u128::from(rate)) as u64;
            self.remainder = (bit_nanos % u128::from(rate)) as u64;
        }
        self.whole += self.time;
        self.part += self.remainder;
        if self.part >= rate {
            self.part -= rate;
            self.whole += 1;
        }
        (start, self.free_at())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::queue::{BufferReading, Limit};
    use crate::tcp::segment::Kind;
    use proptest::prelude::*;

    fn packet(wire: u32) -> Segment {
        Segment {
            len: wire,
            ..Segment::bare(Kind::Data, 0, 0, wire)
        }
    }

    fn link(rate: u64, limit: Limit, reading: BufferReading) -> Link {
        Link::new(LinkConfig {
            name: "test".into(),
            rate: Some(Rate(rate)),
            delay: Time::from_millis(1),
            queue: DropTail { limit, reading },
            loss: None,
            forced_drops: Vec::new(),
        })
    }

    fn at(time: Time) -> Moment {
        Moment { time, cause: time }
    }

    fn drops_of_a_burst(limit: Limit, reading: BufferReading) -> u64 {
        let mut link = link(1_000_000, limit, reading);
        (0..200).for_each(|_| {
            link.send(packet(1500), at(Time::ZERO));
        });
        link.counters().refused
    }

    #[test]
    fn the_two_readings_of_a_buffer_differ_by_the_packet_in_transmission() {
        for (limit, drops) in [(60, 140), (10, 190), (2, 198)] {
            assert_eq!(
                drops_of_a_burst(Limit::Packets(limit), BufferReading::Ns2),
                drops
            );
            assert_eq!(
                drops_of_a_burst(Limit::Packets(limit), BufferReading::Linux),
                drops - 1
            );
        }
    }

    #[test]
    fn a_buffer_in_bytes_counts_bytes() {
        assert_eq!(
            drops_of_a_burst(Limit::Bytes(15_000), BufferReading::Ns2),
            190
        );
        assert_eq!(
            drops_of_a_burst(Limit::Bytes(15_000), BufferReading::Linux),
            189
        );
        assert_eq!(drops_of_a_burst(Limit::Unlimited, BufferReading::Ns2), 0);
    }

    #[test]
    fn a_packet_arrives_after_its_transmission_and_the_delay() {
        let mut link = link(12_000_000, Limit::Unlimited, BufferReading::Linux);
        let now = at(Time::from_millis(5));
        let arrival = |ms, cause| Moment {
            time: Time::from_millis(ms),
            cause: Time::from_millis(cause),
        };
        assert_eq!(
            link.send(packet(1500), now),
            Verdict::Accepted(Some(arrival(7, 5)))
        );
        assert_eq!(link.send(packet(1500), now), Verdict::Accepted(None));
        let (_, next) = link.deliver().unwrap();
        assert_eq!(next, Some(arrival(8, 6)));
    }

    #[test]
    fn a_departure_and_an_arrival_at_once_happen_in_the_order_of_their_causes() {
        // The second packet's transmission begins at 1 ms, caused at 0. A packet that
        // comes at that moment finds room if it was caused later, and none if earlier.
        for (cause_us, accepted) in [(1, true), (0, false)] {
            let mut link = link(12_000_000, Limit::Packets(1), BufferReading::Linux);
            let first = Moment {
                time: Time::from_micros(1),
                cause: Time::ZERO,
            };
            link.send(packet(1500), first);
            link.send(packet(1500), first);
            let now = Moment {
                time: Time::from_micros(1001),
                cause: Time::from_micros(cause_us),
            };
            let verdict = link.send(packet(1500), now);
            assert_eq!(matches!(verdict, Verdict::Accepted(_)), accepted);
        }
    }

    #[test]
    fn serialisation_carries_its_remainder() {
        // 1500 bytes at 7 bit/s·10⁹ take 1714 and 2/7 ns: seven of them take 12 000 ns.
        let mut clock = Transmitter::new(Some(Rate(7_000_000_000)));
        let finish: Vec<u64> = (0..7)
            .map(|_| clock.transmit(1500, Time::ZERO).1 .0)
            .collect();
        assert_eq!(finish[0], 1715);
        assert_eq!(finish[6], 12_000);
    }

    proptest! {
        #[test]
        fn the_queue_never_exceeds_its_limit_nor_the_link_its_rate(
            rate in 1_000_000u64..1_000_000_000,
            limit in 2u64..20,
            ns2 in any::<bool>(),
            arrivals in prop::collection::vec((0u64..200_000, 40u32..1500), 1..200),
        ) {
            let reading = if ns2 { BufferReading::Ns2 } else { BufferReading::Linux };
            let mut link = link(rate, Limit::Packets(limit), reading);
            let mut now = Time::ZERO;
            let mut left = Vec::new();
            for (gap, wire) in arrivals {
                now += Time(gap);
                link.send(packet(wire), at(now));
                prop_assert!(link.held(at(now)).packets <= limit);
            }
            let arrival = |l: &Link| l.ring.front().map(|p| p.arrival.time);
            while let Some(arrived) = arrival(&link) {
                let (segment, _) = link.deliver().unwrap();
                left.push((arrived.0, u64::from(segment.wire)));
            }
            for (i, first) in left.iter().enumerate() {
                let mut bytes = 0;
                for last in &left[i + 1..] {
                    bytes += last.1;
                    let span = last.0 - first.0;
                    // Both ends are rounded up to whole nanoseconds.
                    prop_assert!(u128::from(bytes) * 8_000_000_000 <= u128::from(span + 1) * u128::from(rate));
                }
            }
        }
    }
}
