//! What happens to a packet in its host before TCP sees it.
//!
//! A busy interface does not interrupt its host for every packet but every so often, and all
//! that came by then are handed up together. So gaps between packets, which some startups
//! measure, are those of interrupts. And a host takes time for what it
//! reads in an acknowledgement: the kernels of 2008 walked a list for every SACK block, and
//! with ten thousand packets lost that was what they did for twenty seconds.

use super::common::{Common, LinkImpl, Verdict};
use super::kind::StagePlan;
use crate::moment::Moment;
use crate::queue::Backlog;
use crate::random::below;
use flowstart_control::{Duration, Instant};
use flowstart_wire::Packet;
use rand_pcg::Pcg64Mcg;

/// A host with this time between interrupts, drawn uniformly from a range, and which takes so long to
/// read one SACK block. Without interrupts it hands up every packet at once.
pub fn host(interrupts: Option<(Duration, Duration)>, sack_cost: Duration) -> StagePlan {
    StagePlan::new("host", "interrupts", move |random| Host {
        interrupts,
        sack_cost,
        random,
        interrupt: Instant::ZERO,
        free: Instant::ZERO,
        backlog: Backlog::default(),
    })
}

/// The way from a host's interface to its TCP.
struct Host {
    interrupts: Option<(Duration, Duration)>,
    sack_cost: Duration,
    random: Pcg64Mcg,
    /// The last interrupt that was worked out.
    interrupt: Instant,
    /// When what was handed up before has been read.
    free: Instant,
    backlog: Backlog,
}

impl Host {
    /// When the interrupt that follows `now` happens.
    fn handed_up(&mut self, now: Instant) -> Instant {
        /// Intervals without a packet after which the phase of the clock is unknown.
        const FORGOTTEN: u64 = 100;
        let Some((least, most)) = self.interrupts else {
            return now;
        };
        if now.since(self.interrupt) > most.times(FORGOTTEN) {
            let interval = self.interval(least, most);
            self.interrupt = now + Duration(below(&mut self.random, interval.0 + 1));
        }
        while self.interrupt < now {
            let interval = self.interval(least, most);
            self.interrupt += interval;
        }
        self.interrupt
    }

    fn interval(&mut self, least: Duration, most: Duration) -> Duration {
        let spread = most.saturating_sub(least).nanos() + 1;
        least + Duration(below(&mut self.random, spread))
    }
}

impl LinkImpl for Host {
    fn send(&mut self, packet: &Packet, now: Moment, link: &mut Common) -> Verdict {
        let blocks = u64::from(packet.sack_blocks());
        let begin = self.handed_up(now.time).max(self.free);
        self.free = begin + self.sack_cost.times(blocks);
        let arrival = Moment {
            time: self.free,
            cause: now.time,
        };
        self.backlog.add(packet.wire);
        link.counters.accept(packet.wire, self.backlog);
        link.depart(arrival, packet)
    }

    fn backlog(&mut self) -> Option<&mut Backlog> {
        Some(&mut self.backlog)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Link;
    use super::super::testing::stage;
    use super::*;
    use flowstart_wire::{Ack, AckOption, Body, ByteAck, UNLIMITED_WINDOW};

    /// When TCP sees packets that come at these times, each with so many SACK blocks.
    fn seen(mut host: Link, packets: &[(u64, u8)]) -> Vec<u64> {
        let mut next = None;
        for &(us, blocks) in packets {
            let mut ack = ByteAck::new(0, UNLIMITED_WINDOW, AckOption::None);
            (0..blocks).for_each(|n| ack.push_sack(n.into(), n.into()));
            let packet = Packet::new(0, 40, Body::Ack(Ack::Bytes(ack)));
            let time = Instant::from_micros(us);
            let moment = Moment { time, cause: time };
            if host.send(&packet, moment) == Verdict::First {
                next = host.next_delivery();
            }
        }
        let mut seen = Vec::new();
        while let Some(moment) = next {
            seen.push(moment.time.nanos() / 1000);
            host.deliver(moment).unwrap();
            next = host.next_delivery();
        }
        seen
    }

    #[test]
    fn packets_that_come_between_two_interrupts_are_seen_together() {
        let us = Duration::from_micros;
        let packets = [(1, 0), (50, 0), (99, 0), (101, 0), (300, 0)];
        let times = seen(
            stage(&host(Some((us(100), us(100))), Duration::ZERO)),
            &packets,
        );
        assert_eq!(times, [100, 100, 100, 200, 300]);
    }

    /// Vector V3 of hosts: interrupts at multiples of 50 us let a train of 10 or 100 packets of 1500
    /// bytes at 1 Gbit/s, 108 or 1188 us long, look like 100 or 150 and 1150 or 1200 us, and a pair
    /// like none or 50; steps of 1 ms make nothing or 1 ms of 1.08 ms at 100 Mbit/s.
    #[test]
    fn trains_and_pairs_are_as_long_as_steps_of_the_clock() {
        for (packets, gap_us, step_us, expected) in [
            (2, 12, 50, vec![0, 50]),
            (10, 12, 50, vec![100, 150]),
            (100, 12, 50, vec![1150, 1200]),
            (10, 120, 1000, vec![1000, 2000]),
        ] {
            let step = Duration::from_micros(step_us);
            let mut lengths = Vec::new();
            for phase in 1..=step_us {
                let packets: Vec<(u64, u8)> =
                    (0..packets).map(|n| (phase + n * gap_us, 0)).collect();
                let interrupts = host(Some((step, step)), Duration::ZERO);
                let times = seen(stage(&interrupts), &packets);
                lengths.push(times[times.len() - 1] - times[0]);
            }
            lengths.sort_unstable();
            lengths.dedup();
            assert_eq!(lengths, expected, "{packets} {gap_us} us");
        }
    }

    #[test]
    fn intervals_are_drawn_from_their_range() {
        let us = Duration::from_micros;
        let packets: Vec<(u64, u8)> = (1..1000).map(|n| (10 * n, 0)).collect();
        let mut times = seen(
            stage(&host(Some((us(60), us(100))), Duration::ZERO)),
            &packets,
        );
        times.dedup();
        let intervals: Vec<u64> = times.windows(2).map(|w| w[1] - w[0]).collect();
        // Whole microseconds here.
        assert!(intervals.iter().all(|i| (59..=101).contains(i)));
        assert!(intervals.iter().min() < Some(&65) && intervals.iter().max() > Some(&95));
    }

    #[test]
    fn after_a_pause_an_interrupt_may_come_at_any_time_within_an_interval() {
        let us = Duration::from_micros;
        let packets: Vec<(u64, u8)> = (1..200).map(|n| (1_000_000 * n, 0)).collect();
        let times = seen(
            stage(&host(Some((us(60), us(100))), Duration::ZERO)),
            &packets,
        );
        let waits: Vec<u64> = times.iter().map(|t| t % 1_000_000).collect();
        assert!(waits.iter().all(|w| *w <= 100));
        assert!(waits.iter().min() < Some(&10) && waits.iter().max() > Some(&70));
    }

    #[test]
    fn every_sack_block_takes_its_time_and_the_next_packet_waits_for_it() {
        let times = seen(
            stage(&host(None, Duration::from_micros(10))),
            &[(0, 3), (5, 0), (100, 1)],
        );
        assert_eq!(times, [30, 30, 110]);
    }
}
