//! A shared medium to which a station comes every so often: what came since leaves together.
//!
//! A Wi-Fi station waits for the channel, then sends all that is queued for a peer as one
//! aggregate (A-MPDU, IEEE 802.11n and later), and the peer hands it up as a burst. How long
//! it waits depends on the other stations, not on what it has to send.

use super::common::{Common, LinkImpl, Verdict};
use super::kind::StagePlan;
use crate::distribution::Distribution;
use crate::moment::Moment;
use crate::queue::Backlog;
use flowstart_control::{Duration, Instant};
use flowstart_wire::Packet;
use rand_pcg::Pcg64Mcg;

/// A medium: from one access to the next.
pub fn frame_aggregation(every: Distribution) -> StagePlan {
    StagePlan::new("aggregation", "aggregation", move |random| {
        FrameAggregator {
            every,
            random,
            access: Instant::ZERO,
            before: Instant::ZERO,
            backlog: Backlog::default(),
        }
    })
}

/// One direction of a medium that sends frames.
struct FrameAggregator {
    every: Distribution,
    random: Pcg64Mcg,
    /// The last access that was worked out, and the one before.
    access: Instant,
    before: Instant,
    backlog: Backlog,
}

impl FrameAggregator {
    /// The first access after `now` comes up.
    fn catch_up(&mut self, now: Instant) {
        /// No draw is shorter, so that time advances.
        const SHORTEST: Duration = Duration::from_micros(1);
        while self.access <= now {
            let wait = self.every.time(&mut self.random);
            self.before = self.access;
            self.access += wait.max(SHORTEST);
        }
    }
}

impl LinkImpl for FrameAggregator {
    fn send(&mut self, packet: &Packet, now: Moment, link: &mut Common) -> Verdict {
        self.catch_up(now.time);
        self.backlog.add(packet.wire);
        link.counters.accept(packet.wire, self.backlog);
        let arrival = Moment {
            time: self.access,
            cause: self.before,
        };
        link.depart(arrival, packet)
    }

    fn backlog(&mut self) -> Option<&mut Backlog> {
        Some(&mut self.backlog)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{pass, stage};
    use super::*;
    use crate::distribution::Measure;

    fn medium(every: &str) -> StagePlan {
        frame_aggregation(Distribution::parse(Measure::Time, every).unwrap())
    }

    #[test]
    fn what_comes_between_two_accesses_leaves_at_the_second() {
        let times = pass(stage(&medium("4ms")), &[100, 3900, 4000, 8100, 30_000]);
        assert_eq!(times, [4000, 4000, 8000, 12_000, 32_000]);
    }

    #[test]
    fn accesses_are_as_far_apart_as_their_law_requires() {
        let every: Vec<u64> = (0..200_000).map(|n| n * 100).collect();
        let mut times = pass(stage(&medium("exponential:mean=4ms")), &every);
        times.dedup();
        // Unused accesses are few: one in forty comes within 100 us.
        let mean = times.last().unwrap() / times.len() as u64;
        assert!((4000..4400).contains(&mean), "{mean}");
    }

    #[test]
    fn accesses_do_not_depend_on_packets_that_wait_for_them() {
        let distribution = "uniform:most=8ms";
        let often: Vec<u64> = (0..2000).map(|n| n * 50).collect();
        let often = pass(stage(&medium(distribution)), &often);
        let seldom: Vec<u64> = (0..20).map(|n| n * 5000).collect();
        let seldom = pass(stage(&medium(distribution)), &seldom);
        assert!(seldom.iter().all(|at| often.contains(at)));
    }
}
