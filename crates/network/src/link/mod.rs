//! A link: losses, a queue, a transmitter and a delay.
//!
//! All kinds of links have this one face. What they share (losses before the queue, what
//! is counted) is here; how packets wait and leave is the business of the kind:
//!
//! * [`fifo`]: drop-tail, where departure is known on acceptance;
//! * [`queued`]: every discipline that decides later;
//! * [`gather`]: no transmitter, but a gate that opens at fixed intervals;
//! * [`host`]: no transmitter either, but a host's interrupts and its work;
//! * [`aggregate`], [`delay`], [`policer`]: stages that a path may have besides.
//!
//! The first two ask a [`clock`] when their transmitter is busy: that of a fixed rate, or
//! that of one which varies.

mod aggregate;
mod clock;
mod delay;
mod fifo;
mod gather;
mod host;
mod losses;
mod opportune;
mod policer;
mod queued;
mod stepped;
#[cfg(test)]
mod testing;
mod transmitter;

pub use aggregate::AggregateConfig;
pub use delay::{DelayConfig, Ripple};
pub use host::HostConfig;
pub use losses::{Bursts, ForcedDrop, Losses, RandomLoss};
pub use policer::PolicerConfig;
pub use transmitter::Service;

use super::queue::{Backlog, BufferReading, Deed, DropTail, Notice, Port, QueueSpec};
use super::variation::Variation;
use crate::moment::Moment;
use aggregate::Aggregate;
use clock::Varying;
use delay::Delay;
use fifo::Fifo;
use flowstart_control::Time;
use flowstart_wire::Packet;
use gather::Gather;
use host::Host;
use policer::Policer;
use queued::Queued;
use std::collections::VecDeque;
use transmitter::Transmitter;

/// How a link is made.
#[derive(Clone, Debug)]
pub struct LinkConfig {
    /// For reports.
    pub name: String,
    /// What transmission takes; of a rate that varies, the mean.
    pub service: Service,
    /// How the rate varies, if it does.
    pub variation: Option<Variation>,
    /// Propagation.
    pub delay: Time,
    /// The buffer before the transmitter.
    pub queue: DropTail,
    /// How packets wait in it and leave.
    pub manner: Manner,
    /// Packets lost before the queue.
    pub losses: Losses,
}

/// How packets wait and leave.
#[derive(Clone, Debug, Default)]
pub enum Manner {
    /// First in, first out, refused when full.
    #[default]
    DropTail,
    /// As a discipline has it.
    Managed(QueueSpec, Box<Port>),
    /// Together, whenever a gate opens.
    Gathered {
        /// The gate opens at multiples of this.
        period: Time,
        /// Of the plain acknowledgements of a flow that leave together only the newest does.
        thinning: bool,
    },
    /// As a host sees them.
    Host(Box<HostConfig>),
    /// Together, whenever the station comes to its medium.
    Aggregated(Box<AggregateConfig>),
    /// After a delay that varies.
    Delayed(Box<DelayConfig>),
    /// At once, or not at all.
    Policed(PolicerConfig),
}

/// What became of a packet that came to a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is in. `Some` says that nothing was on its way, so that the next delivery must
    /// be scheduled.
    Accepted(Option<Moment>),
    /// It was lost or refused.
    Dropped,
}

/// Counts of what passed a link.
#[derive(Clone, Copy, Debug, Default)]
pub struct LinkCounters {
    /// Packets accepted and not thrown out later.
    pub packets: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Packets refused by the queue or thrown out of it.
    pub refused: u64,
    /// Packets marked by the queue.
    pub marked: u64,
    /// Packets lost at random or on purpose.
    pub lost: u64,
    /// The most that the queue held, as its limit counts it.
    pub max_held: Backlog,
    /// Time spent transmitting.
    pub busy: Time,
}

impl LinkCounters {
    /// A packet was accepted, and the queue now holds so much.
    fn accept(&mut self, wire: u32, held: Backlog) {
        self.packets += 1;
        self.bytes += u64::from(wire);
        self.max_held.packets = self.max_held.packets.max(held.packets);
        self.max_held.bytes = self.max_held.bytes.max(held.bytes);
    }

    /// A packet was thrown out.
    fn throw_out(&mut self, wire: u32) {
        self.packets -= 1;
        self.bytes -= u64::from(wire);
        self.refused += 1;
    }
}

/// A packet on its way to the far end.
#[derive(Clone, Copy, Debug)]
struct InFlight {
    /// Arrives at the far end; caused by the beginning of its transmission.
    arrival: Moment,
    segment: Packet,
}

/// What every link has.
struct Common {
    config: LinkConfig,
    counters: LinkCounters,
    /// Packets whose delivery is settled, in its order.
    ring: VecDeque<InFlight>,
    /// What the queue did to packets, until someone takes it.
    notices: VecDeque<Notice>,
    /// Somebody wants to hear of every delivery.
    recorded: bool,
}

impl Common {
    /// A packet joins those on their way, which it counts. What arrives first now, if nothing was.
    fn depart(&mut self, arrival: Moment, mut segment: Packet) -> Option<Moment> {
        let idle = self.ring.is_empty();
        segment.hop += 1;
        self.ring.push_back(InFlight { arrival, segment });
        idle.then_some(arrival)
    }

    /// The same at a place of its own. What arrives first now, if that is this one: there may
    /// be an event already for one that it has overtaken, which then finds nothing to do.
    fn depart_at(&mut self, place: usize, arrival: Moment, mut segment: Packet) -> Option<Moment> {
        segment.hop += 1;
        self.ring.insert(place, InFlight { arrival, segment });
        (place == 0).then_some(arrival)
    }

    /// Counts what the queue did beyond these.
    fn count_notices(&mut self, before: usize) {
        for notice in self.notices.range(before..) {
            match notice.deed {
                Deed::ThrownOut => self.counters.throw_out(notice.segment.wire),
                Deed::Marked => self.counters.marked += 1,
            }
        }
    }
}

/// One direction of a link.
pub struct Link {
    common: Common,
    kind: Kind,
}

enum Kind {
    Fifo(Fifo<Transmitter>),
    Queued(Box<Queued<Transmitter>>),
    Gather(Box<Gather>),
    Host(Box<Host>),
    VaryingFifo(Box<Fifo<Varying>>),
    VaryingQueued(Box<Queued<Varying>>),
    Stage(Box<dyn Stage>),
}

/// Something on the way that has no transmitter: packets pass it, wait at it or end there.
trait Stage: Send {
    /// A packet comes.
    fn send(&mut self, segment: Packet, now: Moment, link: &mut Common) -> Verdict;

    /// The first of those accepted is about to leave.
    fn release(&mut self, _first: &Packet) {}

    /// What waits.
    fn held(&self) -> Backlog {
        Backlog::default()
    }
}

/// The kind of link that a configuration asks for.
fn kind(config: &LinkConfig) -> Kind {
    match &config.manner {
        Manner::DropTail => fifo(config),
        Manner::Managed(spec, port) => match (spec.discipline(port), &config.variation) {
            (None, _) => fifo(config),
            (Some(discipline), None) => {
                let clock = Transmitter::new(config.service);
                Kind::Queued(Box::new(Queued::new(clock, discipline)))
            }
            (Some(discipline), Some(variation)) => {
                let clock = Varying::new(variation.clone());
                Kind::VaryingQueued(Box::new(Queued::new(clock, discipline)))
            }
        },
        Manner::Gathered { period, thinning } => {
            Kind::Gather(Box::new(Gather::new(*period, *thinning)))
        }
        Manner::Host(config) => Kind::Host(Box::new(Host::new(config))),
        Manner::Aggregated(config) => Kind::Stage(Box::new(Aggregate::new(config))),
        Manner::Delayed(config) => Kind::Stage(Box::new(Delay::new(config))),
        Manner::Policed(config) => Kind::Stage(Box::new(Policer::new(*config))),
    }
}

fn fifo(config: &LinkConfig) -> Kind {
    match &config.variation {
        None => Kind::Fifo(Fifo::new(Transmitter::new(config.service))),
        Some(variation) => Kind::VaryingFifo(Box::new(Fifo::new(Varying::new(variation.clone())))),
    }
}

impl Link {
    /// A link that carries nothing yet.
    pub fn new(config: LinkConfig) -> Link {
        let kind = kind(&config);
        let common = Common {
            config,
            counters: LinkCounters::default(),
            ring: VecDeque::new(),
            notices: VecDeque::new(),
            recorded: false,
        };
        Link { common, kind }
    }

    /// A packet comes to the link.
    pub fn send(&mut self, segment: Packet, now: Moment) -> Verdict {
        if self.common.config.losses.strike(&segment, now.time) {
            self.common.counters.lost += 1;
            return Verdict::Dropped;
        }
        match &mut self.kind {
            Kind::Fifo(link) => link.send(segment, now, &mut self.common),
            Kind::Queued(link) => link.send(segment, now, &mut self.common),
            Kind::Gather(link) => link.send(segment, now, &mut self.common),
            Kind::Host(link) => link.send(segment, now, &mut self.common),
            Kind::VaryingFifo(link) => link.send(segment, now, &mut self.common),
            Kind::VaryingQueued(link) => link.send(segment, now, &mut self.common),
            Kind::Stage(stage) => stage.send(segment, now, &mut self.common),
        }
    }

    /// Hands over the packet that arrives at the far end now, and says when the next
    /// one does.
    pub fn deliver(&mut self, now: Moment) -> Option<(Packet, Option<Moment>)> {
        match &mut self.kind {
            Kind::Fifo(_) | Kind::VaryingFifo(_) => {}
            Kind::Queued(link) => link.settle(now, &mut self.common),
            Kind::Gather(link) => link.release(&self.common),
            Kind::Host(link) => link.release(&self.common),
            Kind::VaryingQueued(link) => link.settle(now, &mut self.common),
            Kind::Stage(stage) => {
                // Who was overtaken comes later than the event that was meant for it.
                let first = self.common.ring.front().filter(|p| p.arrival <= now)?;
                stage.release(&first.segment);
            }
        }
        let ring = &mut self.common.ring;
        let head = ring.pop_front()?;
        Some((head.segment, ring.front().map(|next| next.arrival)))
    }

    /// Brings it up to `now`; other calls do so by themselves.
    pub fn settle(&mut self, now: Moment) {
        match &mut self.kind {
            Kind::Queued(link) => link.settle(now, &mut self.common),
            Kind::VaryingQueued(link) => link.settle(now, &mut self.common),
            _ => {}
        }
    }

    /// Whether the queue has thrown out packets that it had accepted, or marked some, since
    /// its notices were last taken.
    pub fn has_notices(&self) -> bool {
        !self.common.notices.is_empty()
    }

    /// From now on there is news of every delivery.
    pub fn record(&mut self) {
        self.common.recorded = true;
    }

    /// Whether anybody is to hear of a delivery, or of what the queue has done meanwhile. One
    /// question, for it is asked at every delivery.
    #[inline]
    pub fn has_news(&self) -> bool {
        self.common.recorded | !self.common.notices.is_empty()
    }

    /// Takes the first notice.
    pub fn take_notice(&mut self) -> Option<Notice> {
        self.common.notices.pop_front()
    }

    /// What the queue holds, as its limit counts it.
    pub fn held(&mut self, now: Moment) -> Backlog {
        match &mut self.kind {
            Kind::Fifo(link) => link.held(now, &self.common),
            Kind::Queued(link) => link.held(now, &mut self.common),
            Kind::Gather(link) => link.held(),
            Kind::Host(link) => link.held(),
            Kind::VaryingFifo(link) => link.held(now, &self.common),
            Kind::VaryingQueued(link) => link.held(now, &mut self.common),
            Kind::Stage(stage) => stage.held(),
        }
    }

    /// When the queue, as its limit counts it, is empty if nothing else comes and nothing
    /// is thrown out.
    pub fn empty_at(&self) -> Time {
        match &self.kind {
            Kind::Fifo(link) => link.empty_at(&self.common),
            Kind::Queued(link) => link.empty_at(&self.common),
            Kind::Gather(link) => link.empty_at(&self.common),
            Kind::Host(link) => link.empty_at(),
            Kind::VaryingFifo(link) => link.empty_at(&self.common),
            Kind::VaryingQueued(link) => link.empty_at(&self.common),
            Kind::Stage(_) => {
                let last = self.common.ring.back();
                last.map_or(Time::ZERO, |last| last.arrival.time)
            }
        }
    }

    /// When the queue's limit stopped counting a packet that arrives at the far end at `arrival`.
    pub fn left_queue(&self, arrival: Moment) -> Time {
        match self.common.config.queue.reading {
            BufferReading::Ns2 => arrival.time.since(self.common.config.delay),
            BufferReading::Linux => arrival.cause,
        }
    }

    /// When those arrive at the far end that are on their way there.
    pub fn arrivals(&self) -> impl Iterator<Item = Moment> + '_ {
        self.common.ring.iter().map(|packet| packet.arrival)
    }

    /// Packets accepted and not yet delivered.
    pub fn in_network(&self) -> Box<dyn Iterator<Item = &Packet> + '_> {
        let departed = self.common.ring.iter().map(|p| &p.segment);
        match &self.kind {
            Kind::Queued(link) => Box::new(departed.chain(link.waiting())),
            Kind::VaryingQueued(link) => Box::new(departed.chain(link.waiting())),
            Kind::Fifo(_) | Kind::VaryingFifo(_) => Box::new(departed),
            Kind::Gather(_) | Kind::Host(_) | Kind::Stage(_) => Box::new(departed),
        }
    }

    /// What passed.
    pub fn counters(&self) -> &LinkCounters {
        &self.common.counters
    }

    /// How much of the time counted as busy lies after `now`.
    pub fn busy_after(&self, now: Time) -> Time {
        match &self.kind {
            Kind::Fifo(link) => link.busy_after(now),
            Kind::Queued(link) => link.busy_after(now),
            Kind::VaryingFifo(link) => link.busy_after(now),
            Kind::VaryingQueued(link) => link.busy_after(now),
            Kind::Gather(_) | Kind::Host(_) | Kind::Stage(_) => Time::ZERO,
        }
    }

    /// When it has transmitted, or had, all that it has accepted.
    pub fn busy_until(&self) -> Time {
        match &self.kind {
            Kind::Fifo(link) => link.busy_until(),
            Kind::Queued(link) => link.busy_until(),
            Kind::VaryingFifo(link) => link.busy_until(),
            Kind::VaryingQueued(link) => link.busy_until(),
            Kind::Gather(_) | Kind::Host(_) | Kind::Stage(_) => Time::ZERO,
        }
    }

    /// How it was made.
    pub fn config(&self) -> &LinkConfig {
        &self.common.config
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::Limit;
    use crate::random::stream;
    use flowstart_control::Rate;
    use proptest::prelude::*;

    fn packet(wire: u32) -> Packet {
        Packet::data(0, wire, 0, wire)
    }

    fn link(rate: u64, limit: Limit, reading: BufferReading) -> Link {
        managed(rate, limit, reading, "drop-tail")
    }

    fn managed(rate: u64, limit: Limit, reading: BufferReading, queue: &str) -> Link {
        let port = Port {
            rate: Some(Rate(rate)),
            delay: Time::from_millis(1),
            packet: 1500,
            random: stream(1, "queue", 0),
        };
        Link::new(LinkConfig {
            name: "test".into(),
            service: Service::Line(Rate(rate)),
            variation: None,
            delay: Time::from_millis(1),
            queue: DropTail { limit, reading },
            manner: Manner::Managed(QueueSpec::parse(queue).unwrap(), Box::new(port)),
            losses: Losses::default(),
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
        let (_, next) = link.deliver(now).unwrap();
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
            let mut next = None;
            for (gap, wire) in arrivals {
                now += Time(gap);
                if let Verdict::Accepted(Some(first)) = link.send(packet(wire), at(now)) {
                    next = Some(first);
                }
                prop_assert!(link.held(at(now)).packets <= limit);
            }
            while let Some(arrival) = next {
                let (segment, after) = link.deliver(arrival).unwrap();
                left.push((arrival.time.0, u64::from(segment.wire)));
                next = after;
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

        #[test]
        fn a_managed_link_answers_as_the_drop_tail_link_does(
            rate in 1_000_000u64..1_000_000_000,
            limit in 2u64..20,
            ns2 in any::<bool>(),
            arrivals in prop::collection::vec((0u64..200_000, 40u32..1500), 1..200),
        ) {
            let reading = if ns2 { BufferReading::Ns2 } else { BufferReading::Linux };
            let mut one = link(rate, Limit::Packets(limit), reading);
            let mut other = managed(rate, Limit::Packets(limit), reading, "marked-first");
            let mut now = Time::ZERO;
            let mut next = None;
            for (gap, wire) in arrivals {
                now += Time(gap);
                while let Some(due) = next.filter(|due| *due <= at(now)) {
                    let (one, other) = (one.deliver(due).unwrap(), other.deliver(due).unwrap());
                    prop_assert_eq!((one.0.wire, one.1), (other.0.wire, other.1));
                    next = one.1;
                }
                let verdict = one.send(packet(wire), at(now));
                prop_assert_eq!(verdict, other.send(packet(wire), at(now)));
                if let Verdict::Accepted(Some(first)) = verdict {
                    next = Some(first);
                }
                prop_assert_eq!(one.held(at(now)), other.held(at(now)));
                prop_assert_eq!(one.empty_at(), other.empty_at());
            }
        }
    }
}
