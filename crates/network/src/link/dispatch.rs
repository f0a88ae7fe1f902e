//! The one face of all kinds of links.

use super::common::{Common, InFlight, LinkCounters, LinkImpl, Verdict};
use super::config::LinkConfig;
use super::fifo::Fifo;
use super::kind::LinkKind;
use super::queued::Queued;
use super::shaped::Shaped;
use super::socket;
use super::transmitter::Transmitter;
use super::varying::Varying;
use crate::moment::Moment;
use crate::queue::{Backlog, BufferAccounting, QueueEvent, Queued as Waiting};
use flowstart_control::{Duration, Instant};
use flowstart_wire::Packet;
use std::collections::VecDeque;

/// One direction of a link.
pub struct Link {
    common: Common,
    implementation: Implementation,
}

/// How packets of a link wait and leave. Most links are drop-tail lines at a fixed rate, which a
/// packet passes without an indirect call.
enum Implementation {
    DropTail(Fifo<Transmitter>),
    Other(Box<dyn LinkImpl>),
}

impl Implementation {
    fn new(kind: LinkKind, config: &LinkConfig) -> Implementation {
        let discipline = match kind {
            LinkKind::DropTail => None,
            LinkKind::Managed(spec, port) => spec.discipline(&port),
            LinkKind::Stage(stage) => return Implementation::Other(stage.0),
        };
        let fixed = || Transmitter::new(config.service);
        Implementation::Other(match (discipline, varying(config)) {
            (None, None) => return Implementation::DropTail(Fifo::new(fixed())),
            (None, Some(clock)) => Box::new(Fifo::new(clock)),
            (Some(discipline), None) => Box::new(Queued::new(fixed(), discipline)),
            (Some(discipline), Some(clock)) => Box::new(Queued::new(clock, discipline)),
        })
    }

    fn get(&self) -> &dyn LinkImpl {
        match self {
            Implementation::DropTail(link) => link,
            Implementation::Other(link) => &**link,
        }
    }

    fn get_mut(&mut self) -> &mut dyn LinkImpl {
        match self {
            Implementation::DropTail(link) => link,
            Implementation::Other(link) => &mut **link,
        }
    }
}

/// The clock of a line that does more than transmit at a fixed rate what it has room for.
fn varying(config: &LinkConfig) -> Option<Varying> {
    let line = match &config.variation {
        Some(variation) => Varying::new(variation.clone()),
        None if config.shaper.is_none() && config.shared.leave.is_none() => return None,
        None => Varying::Fixed(Transmitter::new(config.service)),
    };
    Some(match config.shaper {
        None => line,
        Some(shaper) => Varying::Shaped(Box::new(Shaped::new(shaper, line))),
    })
}

impl Link {
    /// A link that carries nothing yet.
    pub fn new(config: LinkConfig, kind: LinkKind) -> Link {
        let implementation = Implementation::new(kind, &config);
        let common = Common {
            config,
            counters: LinkCounters::default(),
            ring: VecDeque::new(),
            events: VecDeque::new(),
            recorded: false,
            counts_waits: false,
        };
        Link {
            common,
            implementation,
        }
    }

    /// A packet comes to the link.
    #[inline(always)]
    pub fn send(&mut self, packet: &Packet, now: Moment) -> Verdict {
        if self.common.config.losses.strike(packet, now.time) {
            self.common.counters.lost += 1;
            self.common.leave_if_lost();
            return Verdict::Dropped;
        }
        match &mut self.implementation {
            Implementation::DropTail(link) => link.send(packet, now, &mut self.common),
            Implementation::Other(link) => self.common.pass(&mut **link, packet, now),
        }
    }

    /// Hands over the packet that arrives at the far end now, if one does: it has passed one link more.
    #[inline]
    pub fn deliver(&mut self, now: Moment) -> Option<Packet> {
        match &mut self.implementation {
            Implementation::DropTail(link) => link.prepare_delivery(now, &self.common),
            Implementation::Other(link) => {
                link.settle(now, &mut self.common);
                // What was overtaken comes later than the event that was meant for it.
                let first = self.common.ring.front().filter(|p| p.arrival <= now)?;
                link.release(&first.packet);
                self.common.leave();
            }
        }
        let mut packet = self.common.ring.front()?.packet;
        self.common.ring.pop_front();
        packet.hop += 1;
        Some(packet)
    }

    /// The packet that arrives as the `ahead`-th after the next.
    #[inline]
    pub fn upcoming(&self, ahead: usize) -> Option<&Packet> {
        self.common.ring.get(ahead).map(|packet| &packet.packet)
    }

    /// When the next packet arrives at the far end.
    #[inline]
    pub fn next_delivery(&self) -> Option<Moment> {
        self.common.ring.front().map(|next| next.arrival)
    }

    /// Brings it up to `now`; other calls do so too.
    pub fn settle(&mut self, now: Moment) {
        self.implementation.get_mut().settle(now, &mut self.common);
    }

    /// From now on there is news of every delivery.
    pub fn record(&mut self) {
        self.common.recorded = true;
    }

    /// Counts from now on how long packets wait. Few runs need it, and disciplines have to
    /// report what they hold.
    pub fn count_waits(&mut self) {
        self.common.counts_waits = true;
    }

    /// Whether a delivery, or what the queue has done meanwhile, is reported. One method, since
    /// every delivery calls it.
    #[inline]
    pub fn has_news(&self) -> bool {
        self.common.recorded | !self.common.events.is_empty()
    }

    /// Takes the first event.
    pub fn take_queue_event(&mut self) -> Option<QueueEvent> {
        self.common.events.pop_front()
    }

    /// What the queue holds, as its limit counts it.
    pub fn held(&mut self, now: Moment) -> Backlog {
        self.implementation.get_mut().held(now, &mut self.common)
    }

    /// When the queue, as its limit counts it, is empty if nothing else comes and nothing
    /// is evicted.
    pub fn empty_at(&self) -> Instant {
        self.implementation.get().empty_at(&self.common)
    }

    /// When the queue's limit stopped counting a packet that arrives at the far end at `arrival`.
    pub fn left_queue(&self, arrival: Moment) -> Instant {
        match self.common.config.queue.reading {
            BufferAccounting::Ns2 => arrival.time.saturating_sub(self.common.config.delay),
            BufferAccounting::Linux => arrival.cause,
        }
    }

    /// Arrival times at the far end of the packets in propagation.
    pub fn arrivals(&self) -> impl Iterator<Item = Moment> + '_ {
        self.common.ring.iter().map(|packet| packet.arrival)
    }

    /// Packets accepted and not yet delivered.
    pub fn in_network(&self) -> impl Iterator<Item = &Packet> {
        let departed = self.common.ring.iter().map(|p| &p.packet);
        let contents = self.implementation.get().contents();
        departed.chain(contents.into_iter().flat_map(|waiting| waiting.waiting()))
    }

    /// Bytes that packets in it take.
    pub fn bytes_held(&self) -> usize {
        let contents = self.implementation.get().contents();
        let waiting = contents.map_or(0, |contents| contents.backlog().packets);
        self.common.ring.len() * size_of::<InFlight>() + waiting as usize * size_of::<Waiting>()
    }

    /// What passed.
    pub fn counters(&self) -> &LinkCounters {
        &self.common.counters
    }

    /// How long packets have waited in the queue up to `now` before their transmission, summed over
    /// packets, where that is counted from the beginning. Links without a separate queue return
    /// zero.
    pub fn waited(&mut self, now: Moment) -> Duration {
        self.implementation.get_mut().waited(now, &mut self.common)
    }

    /// For how long it has transmitted up to `now`.
    pub fn transmitted(&mut self, now: Moment) -> Duration {
        self.settle(now);
        let to_come = self.busy_after(now.time);
        self.common.counters.busy.saturating_sub(to_come)
    }

    /// How much of the time counted as busy is after `now`.
    pub fn busy_after(&self, now: Instant) -> Duration {
        self.implementation.get().busy_after(now)
    }

    /// When it has transmitted, or had, all that it has accepted.
    pub fn busy_until(&self) -> Instant {
        self.implementation.get().busy_until()
    }

    /// Whether packets that it refuses are lost at the socket of their receiver.
    pub fn is_socket(&self) -> bool {
        self.common.config.name.starts_with(socket::NAME)
    }

    /// How it was made.
    pub fn config(&self) -> &LinkConfig {
        &self.common.config
    }
}

#[cfg(test)]
mod tests {
    use super::super::held::Shared;
    use super::super::losses::Losses;
    use super::super::shaped::Shaper;
    use super::super::transmitter::Service;
    use super::*;
    use crate::queue::{DropTail, Limit, Port, QueueSpec};
    use crate::random::stream;
    use flowstart_control::Rate;
    use proptest::prelude::*;

    fn packet(wire: u32) -> Packet {
        Packet::data(0, wire, 0, wire)
    }

    fn link(rate: u64, limit: Limit, reading: BufferAccounting) -> Link {
        managed(rate, limit, reading, "drop-tail")
    }

    fn managed(rate: u64, limit: Limit, reading: BufferAccounting, queue: &str) -> Link {
        let port = Port {
            rate: Some(Rate(rate)),
            delay: Duration::from_millis(1),
            packet: 1500,
            random: stream(1, "queue", 0),
        };
        let config = LinkConfig {
            name: "test".into(),
            service: Service::Line(Rate(rate)),
            variation: None,
            delay: Duration::from_millis(1),
            queue: DropTail { limit, reading },
            losses: Losses::default(),
            shaper: None,
            shared: Shared::default(),
        };
        let spec = QueueSpec::parse(queue).unwrap();
        Link::new(config, LinkKind::Managed(spec, Box::new(port)))
    }

    fn at(time: Instant) -> Moment {
        Moment { time, cause: time }
    }

    fn drops_of_a_burst(limit: Limit, reading: BufferAccounting) -> u64 {
        let mut link = link(1_000_000, limit, reading);
        (0..200).for_each(|_| {
            link.send(&packet(1500), at(Instant::ZERO));
        });
        link.counters().refused
    }

    #[test]
    fn the_two_readings_of_a_buffer_differ_by_the_packet_in_transmission() {
        for (limit, drops) in [(60, 140), (10, 190), (2, 198)] {
            assert_eq!(
                drops_of_a_burst(Limit::Packets(limit), BufferAccounting::Ns2),
                drops
            );
            assert_eq!(
                drops_of_a_burst(Limit::Packets(limit), BufferAccounting::Linux),
                drops - 1
            );
        }
    }

    #[test]
    fn a_buffer_in_bytes_counts_bytes() {
        assert_eq!(
            drops_of_a_burst(Limit::Bytes(15_000), BufferAccounting::Ns2),
            190
        );
        assert_eq!(
            drops_of_a_burst(Limit::Bytes(15_000), BufferAccounting::Linux),
            189
        );
        assert_eq!(drops_of_a_burst(Limit::Unlimited, BufferAccounting::Ns2), 0);
    }

    #[test]
    fn a_packet_arrives_after_its_transmission_and_the_delay() {
        let mut link = link(12_000_000, Limit::Unlimited, BufferAccounting::Linux);
        let now = at(Instant::from_millis(5));
        let arrival = |ms, cause| Moment {
            time: Instant::from_millis(ms),
            cause: Instant::from_millis(cause),
        };
        assert_eq!(link.send(&packet(1500), now), Verdict::First);
        assert_eq!(link.next_delivery(), Some(arrival(7, 5)));
        assert_eq!(link.send(&packet(1500), now), Verdict::Accepted);
        link.deliver(now).unwrap();
        let next = link.next_delivery();
        assert_eq!(next, Some(arrival(8, 6)));
    }

    #[test]
    fn a_departure_and_an_arrival_at_once_happen_in_the_order_of_their_causes() {
        // The second packet's transmission begins at 1 ms, caused at 0. A packet that
        // comes at that moment finds room if it was caused later, and none if earlier.
        for (cause_us, accepted) in [(1, true), (0, false)] {
            let mut link = link(12_000_000, Limit::Packets(1), BufferAccounting::Linux);
            let first = Moment {
                time: Instant::from_micros(1),
                cause: Instant::ZERO,
            };
            link.send(&packet(1500), first);
            link.send(&packet(1500), first);
            let now = Moment {
                time: Instant::from_micros(1001),
                cause: Instant::from_micros(cause_us),
            };
            let verdict = link.send(&packet(1500), now);
            assert_eq!(verdict != Verdict::Dropped, accepted);
        }
    }

    #[test]
    fn packets_wait_for_those_before_them() {
        // Four packets that take 1 ms each: the last three wait for 1, 2 and 3 ms.
        for queue in ["drop-tail", "codel"] {
            let mut link = managed(12_000_000, Limit::Unlimited, BufferAccounting::Linux, queue);
            link.count_waits();
            (0..4).for_each(|_| {
                link.send(&packet(1500), at(Instant::ZERO));
            });
            let waited = [0, 1, 2, 3, 9].map(|ms| {
                let now = at(Instant::from_millis(ms));
                let seconds = (link.waited(now).secs(), link.transmitted(now).secs());
                (seconds.0 * 1e3, seconds.1 * 1e3)
            });
            let expected = [(0.0, 0.0), (3.0, 1.0), (5.0, 2.0), (6.0, 3.0), (6.0, 4.0)];
            assert_eq!(waited, expected, "{queue}");
        }
    }

    /// When datagrams of 1514 bytes left `tbf` of Linux 6.18.44, in microseconds from the first: 60
    /// sent at once into one end of a veth pair, with the times of receipt at the other. The other 30
    /// were dropped. `rate 10mbit burst 15140 limit 30280`.
    const TBF: [u64; 30] = [
        0, 79, 85, 90, 94, 99, 104, 110, 115, 120, 1238, 2446, 3654, 4872, 6084, 7287, 8502, 9713,
        10924, 12131, 13361, 14566, 15771, 16976, 18193, 19402, 20613, 21834, 23040, 24237,
    ];
    /// When 40 datagrams left with `limit 300280 peakrate 20mbit mtu 1540`.
    const TBF_WITH_PEAK: [u64; 40] = [
        0, 613, 1236, 1858, 2482, 3105, 3729, 4348, 4961, 5573, 6185, 6796, 7409, 8015, 8625, 9238,
        9859, 10482, 11103, 12140, 13346, 14560, 15768, 16974, 18191, 19398, 20641, 21836, 23050,
        24252, 25469, 26678, 27876, 29097, 30309, 31522, 32721, 33947, 35164, 36364,
    ];

    #[test]
    fn a_shaper_lets_packets_pass_as_the_kernel_does() {
        for (line, limit, datagrams, burst, kernel) in [
            (1_000_000_000, 30_280, 60, 10, &TBF[..]),
            (20_000_000, 300_280, 40, 19, &TBF_WITH_PEAK[..]),
        ] {
            let mut config = link(line, Limit::Bytes(limit), BufferAccounting::Ns2)
                .common
                .config;
            config.shaper = Some(Shaper {
                rate: Rate(10_000_000),
                burst: 15_140,
            });
            let mut link = Link::new(config, LinkKind::DropTail);
            for n in 0..datagrams {
                // So far apart that none waits for the line while there are tokens.
                link.send(&packet(1514), at(Instant::from_micros(13 * n)));
            }
            let passed: Vec<u64> = link.arrivals().map(|a| a.time.nanos() / 1000).collect();
            assert_eq!(passed.len(), kernel.len());
            let gaps = |times: &[u64]| -> Vec<u64> {
                times.windows(2).map(|pair| pair[1] - pair[0]).collect()
            };
            // While there are tokens the kernel's timer is late by some 10 us for each packet.
            let gaps = gaps(&passed).into_iter().zip(gaps(kernel));
            for (simulated, kernel) in gaps.take(burst - 1) {
                assert!(kernel.abs_diff(simulated) <= 70, "{simulated} {kernel}");
            }
            // From then on the bucket makes up for that.
            let from_first = passed.iter().map(|time| time - passed[0]);
            for (simulated, kernel) in from_first.zip(kernel).skip(burst) {
                assert!(kernel.abs_diff(simulated) <= 130, "{simulated} {kernel}");
            }
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
            let reading = if ns2 { BufferAccounting::Ns2 } else { BufferAccounting::Linux };
            let mut link = link(rate, Limit::Packets(limit), reading);
            let mut now = Instant::ZERO;
            let mut left = Vec::new();
            let mut next = None;
            for (gap, wire) in arrivals {
                now += Duration(gap);
                if link.send(&packet(wire), at(now)) == Verdict::First {
                    next = link.next_delivery();
                }
                prop_assert!(link.held(at(now)).packets <= limit);
            }
            while let Some(arrival) = next {
                let packet = link.deliver(arrival).unwrap();
                let after = link.next_delivery();
                left.push((arrival.time.0, u64::from(packet.wire)));
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
            let reading = if ns2 { BufferAccounting::Ns2 } else { BufferAccounting::Linux };
            let mut one = link(rate, Limit::Packets(limit), reading);
            let mut other = managed(rate, Limit::Packets(limit), reading, "marked-first");
            let mut now = Instant::ZERO;
            let mut next = None;
            for (gap, wire) in arrivals {
                now += Duration(gap);
                while let Some(due) = next.filter(|due| *due <= at(now)) {
                    let sizes = [&mut one, &mut other].map(|link| link.deliver(due).unwrap().wire);
                    prop_assert_eq!(sizes[0], sizes[1]);
                    next = one.next_delivery();
                    prop_assert_eq!(next, other.next_delivery());
                }
                let verdict = one.send(&packet(wire), at(now));
                prop_assert_eq!(verdict, other.send(&packet(wire), at(now)));
                if verdict == Verdict::First {
                    next = one.next_delivery();
                }
                prop_assert_eq!(one.held(at(now)), other.held(at(now)));
                prop_assert_eq!(one.empty_at(), other.empty_at());
            }
        }
    }
}
