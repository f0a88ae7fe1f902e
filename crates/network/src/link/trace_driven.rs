//! A line that delivers at the times of its trace.
//!
//! Each entry of the trace is an opportunity to deliver so many bytes, at once. Small packets
//! share one, large ones take several, and one that is not taken is lost: the rules of
//! Mahimahi's `mm-link` (Netravali et al., ATC 2015).

use crate::variation::Opportunities;
use flowstart_control::Instant;
use std::sync::Arc;

/// The clock of such a line.
#[derive(Clone)]
pub(super) struct TraceDriven {
    trace: Arc<Opportunities>,
    /// The opportunity in use: in which round through the trace, and its number there.
    round: u64,
    number: usize,
    /// Bytes of it that are left.
    left: u64,
    /// The last packet has left.
    free: Instant,
}

impl TraceDriven {
    /// A line that has delivered nothing yet.
    pub(super) fn new(trace: Arc<Opportunities>) -> TraceDriven {
        TraceDriven {
            trace,
            round: 0,
            number: 0,
            left: Opportunities::BYTES,
            free: Instant::ZERO,
        }
    }

    /// Implements [`Clock::transmit`](super::clock::Clock::transmit) for a trace.
    pub(super) fn transmit(&mut self, bytes: u64, now: Instant) -> (Instant, Instant) {
        let start = now.max(self.free);
        if self.time() < start {
            self.seek(start);
        }
        let mut bytes = bytes;
        while bytes > self.left {
            bytes -= self.left;
            self.advance();
        }
        self.left -= bytes;
        self.free = self.time().max(start);
        (start, self.free)
    }

    /// When the opportunity in use is.
    fn time(&self) -> Instant {
        self.trace.time(self.round, self.number)
    }

    fn advance(&mut self) {
        self.left = Opportunities::BYTES;
        self.number += 1;
        if self.number == self.trace.count() {
            (self.round, self.number) = (self.round + 1, 0);
        }
    }

    /// The first opportunity at or after `now` comes up.
    fn seek(&mut self, now: Instant) {
        (self.round, self.number) = self.trace.first_from(now);
        self.left = Opportunities::BYTES;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flowstart_control::Duration;
    use proptest::prelude::*;

    fn line(trace: &str) -> TraceDriven {
        TraceDriven::new(Arc::new(Opportunities::parse(trace).unwrap()))
    }

    /// When packets of these sizes have left that come at these times, in milliseconds.
    fn left(trace: &str, packets: &[(u64, u64)]) -> Vec<u64> {
        let mut line = line(trace);
        let leave = |&(ms, bytes): &(u64, u64)| line.transmit(bytes, Instant::from_millis(ms)).1;
        let times = packets.iter().map(leave);
        times.map(|at| at.nanos() / 1_000_000).collect()
    }

    #[test]
    fn a_packet_leaves_at_the_first_opportunity_from_its_arrival_on() {
        let trace = "3\n3\n7\n10\n";
        assert_eq!(left(trace, &[(0, 1500); 4]), [3, 3, 7, 10]);
        assert_eq!(left(trace, &[(3, 1500), (4, 1500), (8, 1500)]), [3, 7, 10]);
    }

    #[test]
    fn the_trace_begins_anew_at_its_last_entry() {
        assert_eq!(left("4\n10\n", &[(0, 1500); 5]), [4, 10, 14, 20, 24]);
        let late = [(1_000_000, 1500), (1_000_001, 1500), (1_000_010, 1500)];
        assert_eq!(left("4\n10\n", &late), [1_000_000, 1_000_004, 1_000_010]);
        // An entry at zero is one at the end of the round before.
        assert_eq!(left("0\n10\n", &[(1, 1500); 4]), [10, 10, 20, 20]);
    }

    #[test]
    fn small_packets_share_an_opportunity_and_large_ones_take_several() {
        let trace = "1\n2\n3\n4\n5\n";
        let packets = [(0, 700), (0, 700), (0, 700), (0, 3000), (0, 100)];
        assert_eq!(left(trace, &packets), [1, 1, 2, 4, 4]);
    }

    #[test]
    fn what_is_left_of_an_opportunity_is_lost_when_it_has_passed() {
        assert_eq!(left("1\n5\n", &[(0, 40), (1, 40), (2, 40)]), [1, 1, 5]);
    }

    proptest! {
        #[test]
        fn no_more_leaves_in_any_time_than_the_trace_delivers_and_all_in_order(
            gaps in prop::collection::vec(0u64..5, 1..20),
            last in 1u64..5,
            packets in prop::collection::vec((0u64..3_000_000, 40u64..9000), 1..100),
        ) {
            let mut ms = 0;
            let mut times: Vec<u64> = gaps.iter().map(|gap| { ms += gap; ms }).collect();
            times.push(ms + last);
            let text: String = times.iter().map(|ms| format!("{ms}\n")).collect();
            let trace = Opportunities::parse(&text).unwrap();
            let mut line = line(&text);
            let mut now = Instant::ZERO;
            let mut left = vec![(Instant::ZERO, 0)];
            for (gap, bytes) in packets {
                now += Duration(gap);
                let (start, finish) = line.transmit(bytes, now);
                let (before, sum) = *left.last().unwrap();
                prop_assert!(now <= start && before <= start && start <= finish);
                left.push((finish, sum + bytes));
            }
            // How many opportunities there are up to a time.
            let opportunities = |until: Instant| {
                let (round, number) = trace.first_from(until + Duration(1));
                round * trace.count() as u64 + number as u64
            };
            for (i, (first, before)) in left.iter().enumerate() {
                for (last, sum) in &left[i..] {
                    let between = opportunities(*last) - opportunities(first.saturating_sub(Duration(1)));
                    prop_assert!(sum - before <= between * Opportunities::BYTES);
                }
            }
        }
    }
}
