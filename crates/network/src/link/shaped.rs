//! A line behind a token-bucket shaper: a packet waits until the bucket has tokens for all of it
//! (Linux `sch_tbf.c`, `tbf_dequeue`), and is then transmitted at the rate of the line. So a burst
//! passes at that rate, and the shaper's rate holds in the long run.
//!
//! Shaper and line are one transmitter with one queue: the packet that waits for its tokens is in
//! transmission.

use super::bucket::Bucket;
use super::clock::Clock;
use crate::queue::Backlog;
use flowstart_control::{Instant, Rate};

/// A shaper that lets a rate pass in the long run, and so many bytes at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shaper {
    /// Its rate.
    pub rate: Rate,
    /// Bytes of its bucket: those of one packet at least.
    pub burst: u64,
}

/// The clock of a line behind a shaper.
#[derive(Clone)]
pub(super) struct Shaped<C> {
    bucket: Bucket,
    line: C,
    /// When the last packet has left.
    free: Instant,
}

impl<C> Shaped<C> {
    /// A full bucket before this line.
    pub(super) fn new(shaper: Shaper, line: C) -> Shaped<C> {
        Shaped {
            bucket: Bucket::new(shaper.rate, shaper.burst),
            line,
            free: Instant::ZERO,
        }
    }
}

impl<C: Clock + Clone> Clock for Shaped<C> {
    fn rest(&mut self, now: Instant) {
        self.line.rest(now);
    }

    fn transmit(&mut self, wire: u32, now: Instant) -> (Instant, Instant) {
        let start = now.max(self.free);
        let ready = self.bucket.take_when_full_enough(wire.into(), start);
        (_, self.free) = self.line.transmit(wire, ready);
        (start, self.free)
    }

    fn free_after(&self, packets: Backlog) -> Instant {
        // Packets of equal size, one after the other, as they will be transmitted.
        let mut clock = self.clone();
        let size = packets.bytes / packets.packets.max(1);
        let rest = packets.bytes - size * packets.packets;
        for packet in 0..packets.packets {
            let wire = size + if packet == 0 { rest } else { 0 };
            clock.transmit(wire as u32, Instant::ZERO);
        }
        clock.free
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::is_within_bucket;
    use super::super::transmitter::{Service, Transmitter};
    use super::*;
    use proptest::prelude::*;

    const PACKET: u32 = 1500;

    /// A line of 120 Mbit/s, a packet in 100 us, behind a shaper.
    fn line(rate: u64, burst: u64) -> Shaped<Transmitter> {
        let line = Transmitter::new(Service::Line(Rate(120_000_000)));
        let shaper = Shaper {
            rate: Rate(rate),
            burst,
        };
        Shaped::new(shaper, line)
    }

    /// When packets leave that come at these times; in microseconds.
    fn leave(mut line: Shaped<Transmitter>, packets: &[u64]) -> Vec<u64> {
        let sent = |us: &u64| line.transmit(PACKET, Instant::from_micros(*us)).1;
        packets
            .iter()
            .map(sent)
            .map(|at| at.nanos() / 1000)
            .collect()
    }

    #[test]
    fn a_burst_leaves_at_the_lines_rate_and_the_rest_at_the_shapers() {
        // A packet of 1500 bytes takes the tokens of a millisecond. Three have them at once, and
        // the next when there are as many again.
        let left = leave(line(12_000_000, 4500), &[0; 6]);
        assert_eq!(left, [100, 200, 300, 1100, 2100, 3100]);
    }

    #[test]
    fn a_bucket_fills_while_nothing_is_sent_and_holds_no_more_than_a_burst() {
        let packets: Vec<u64> = [0; 3].into_iter().chain([1_000_000; 4]).collect();
        let left = leave(line(12_000_000, 3000), &packets);
        let later = [1_000_100, 1_000_200, 1_001_100, 1_002_100];
        assert_eq!(left[..3], [100, 200, 1100]);
        assert_eq!(left[3..], later);
    }

    #[test]
    fn what_is_to_come_is_foretold() {
        let mut line = line(12_000_000, 4500);
        (0..3).for_each(|_| _ = line.transmit(PACKET, Instant::ZERO));
        let two = Backlog {
            packets: 2,
            bytes: 3000,
        };
        assert_eq!(line.free_after(two), Instant::from_micros(2100));
    }

    proptest! {
        #[test]
        fn in_no_time_passes_more_than_a_burst_and_what_the_rate_gives(
            rate in 100_000u64..100_000_000,
            burst in 1500u64..100_000,
            gaps in prop::collection::vec(0u64..2_000, 1..300),
        ) {
            let mut now = 0;
            let packets: Vec<u64> = gaps.iter().map(|gap| { now += gap; now }).collect();
            let mut bucket = Bucket::new(Rate(rate), burst);
            let passed: Vec<u64> = packets
                .iter()
                .map(|us| bucket.take_when_full_enough(1500, Instant::from_micros(*us)).nanos())
                .collect();
            prop_assert!(passed.is_sorted());
            for (came, at) in packets.iter().zip(&passed) {
                prop_assert!(*at >= came * 1000);
            }
            prop_assert!(is_within_bucket(&passed, 1_000_000_000, rate, burst));
        }
    }
}
