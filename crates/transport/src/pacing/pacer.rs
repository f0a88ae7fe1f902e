//! Spacing out what the window would let go at once.

use crate::segment::{SegmentRange, Why};
use flowstart_control::{Duration, Instant, Rate};
use std::num::NonZeroU64;

/// How much leaves together, and whether time that was lost is made up for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Release {
    /// Segments that leave together.
    pub burst: u32,
    /// A sender that comes late shortens the next wait, by half of it at most.
    pub makes_up: bool,
    /// Segments that a sender which comes late makes up for, one by one or in bursts.
    pub credit: u32,
}

impl Release {
    /// The same with no more than so many segments together, but one.
    pub fn at_most(self, segments: u32) -> Release {
        Release {
            burst: self.burst.min(segments.max(1)),
            ..self
        }
    }
}

/// One by one, and what is late stays late.
pub const ONE_BY_ONE: Release = Release {
    burst: 1,
    makes_up: false,
    credit: 0,
};

/// The pacer of one connection.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pacer {
    /// The next burst may leave at this time.
    next: Instant,
    /// A segment waits for `next`.
    waiting: bool,
    /// Segments of the burst under way that may still leave.
    left: u32,
    /// Where the packet under way ends, and what it is sent for.
    packet: Option<(u64, Why)>,
    /// How late it left, as far as that is still to be made up for.
    late: Duration,
    /// What the last wait was rounded off by, in nanoseconds times the pacing rate: a thousand waits
    /// are as long as they are to be.
    rest: u64,
}

impl Pacer {
    /// Whether a segment may leave now, where none may before `from`; if not,
    /// [`deadline`](Self::deadline) is the time.
    pub fn admits(&mut self, pacing: Option<Rate>, from: Instant, now: Instant) -> bool {
        if pacing.is_some() {
            self.next = self.next.max(from);
        }
        self.waiting = pacing.is_some() && self.left == 0 && self.next > now;
        !self.waiting
    }

    /// Whether a segment may leave now that another pacer lets leave at `due`, `None` for now.
    pub fn admits_at(&mut self, due: Option<Instant>) -> bool {
        self.waiting = due.is_some();
        self.next = due.unwrap_or(self.next);
        !self.waiting
    }

    /// What leaves next with segmentation offload. A burst is one packet of the write or the
    /// retransmission queue: what does not continue it waits for it (`tcp_pacing_check`).
    #[inline(never)]
    pub fn begin_packet(&mut self, segment: SegmentRange) {
        let SegmentRange { range, why } = segment;
        if self.packet != Some((range.start, why)) {
            self.left = 0;
        }
        self.packet = Some((range.end, why));
    }

    /// Nothing waits.
    #[inline]
    pub fn nothing_waits(&mut self) {
        self.waiting = false;
    }

    /// Nothing waits; the burst under way is over.
    pub fn nothing_to_send(&mut self) {
        self.nothing_waits();
        self.left = 0;
    }

    /// A segment of `wire` bytes left: what follows its burst waits for as long as the burst
    /// takes at the pacing rate.
    pub fn sent(&mut self, rate: Rate, release: Release, wire: u32, now: Instant) {
        if self.left == 0 {
            self.left = release.burst;
            let makes_up = release.makes_up && self.next > Instant::ZERO;
            self.late = if makes_up {
                now.since(self.next)
            } else {
                Duration::ZERO
            };
            let credit = match release.credit {
                0 => Duration::ZERO,
                // Less a nanosecond: what follows them is not due yet.
                segments => rate
                    .time_for(u64::from(wire) * u64::from(segments))
                    .saturating_sub(Duration(1)),
            };
            self.next = now.saturating_sub(credit).max(self.next);
        }
        self.left -= 1;
        // The kernel rounds each wait down (`tcp_update_skb_after_send`).
        let time = match release.makes_up {
            true => rate.time_for(u64::from(wire)),
            false => self.time_for(rate, wire),
        };
        let made_up = self.late.min(time.over(2));
        self.late = Duration(self.late.nanos() - made_up.nanos());
        self.next += Duration(time.nanos() - made_up.nanos());
    }

    /// The time that so many bytes take, and what the time before was rounded off by.
    fn time_for(&mut self, rate: Rate, wire: u32) -> Duration {
        let Some(bps) = NonZeroU64::new(rate.bps()) else {
            return Duration::MAX;
        };
        // Of a time at another rate, less than a nanosecond of this one.
        let time = u64::from(wire) * 8_000_000_000 + self.rest.min(bps.get() - 1);
        self.rest = time % bps;
        Duration(time / bps)
    }

    /// When what follows the burst under way may leave.
    pub fn due(&self) -> Instant {
        self.next
    }

    /// When a waiting segment may leave.
    pub fn deadline(&self) -> Option<Instant> {
        self.waiting.then_some(self.next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::segment::ByteRange;

    #[test]
    fn segments_leave_at_the_rate_and_the_first_at_once() {
        let mut pacer = Pacer::default();
        let rate = Some(Rate::from_bps(12_000));
        assert!(pacer.admits(rate, Instant::ZERO, Instant::ZERO));
        pacer.sent(Rate::from_bps(12_000), ONE_BY_ONE, 1500, Instant::ZERO);
        assert!(!pacer.admits(rate, Instant::ZERO, Instant::from_millis(999)));
        assert_eq!(pacer.deadline(), Some(Instant::from_secs(1)));
        assert!(pacer.admits(rate, Instant::ZERO, Instant::from_secs(1)));
    }

    /// Ten bytes at 7 bit/s wait for 11.428571428571428 s and so much again: 80 s for seven.
    #[test]
    fn what_a_wait_is_rounded_off_by_is_part_of_the_next() {
        let mut pacer = Pacer::default();
        (0..7).for_each(|_| pacer.sent(Rate(7), ONE_BY_ONE, 10, Instant::ZERO));
        assert_eq!(pacer.next, Instant::from_secs(80));
        pacer.sent(Rate(7), ONE_BY_ONE, 10, Instant::ZERO);
        pacer.sent(Rate(3), ONE_BY_ONE, 10, Instant::ZERO);
        let thirds = Duration(26_666_666_667);
        assert_eq!(
            pacer.next,
            Instant::from_secs(80) + Duration(11_428_571_428) + thirds
        );
    }

    #[test]
    fn without_a_rate_nothing_waits() {
        let mut pacer = Pacer::default();
        pacer.sent(Rate::from_bps(8), ONE_BY_ONE, 1500, Instant::ZERO);
        assert!(pacer.admits(None, Instant::ZERO, Instant::ZERO));
        assert_eq!(pacer.deadline(), None);
    }

    /// A thousand bytes take a millisecond.
    const RATE: Rate = Rate(8_000_000);

    #[test]
    fn a_burst_leaves_together_and_then_waits_for_all_of_it() {
        let mut pacer = Pacer::default();
        let three = Release {
            burst: 3,
            makes_up: true,
            credit: 0,
        };
        for _ in 0..3 {
            assert!(pacer.admits(Some(RATE), Instant::ZERO, Instant::ZERO));
            pacer.sent(RATE, three, 1000, Instant::ZERO);
        }
        assert!(!pacer.admits(Some(RATE), Instant::ZERO, Instant::ZERO));
        assert_eq!(pacer.deadline(), Some(Instant::from_millis(3)));
    }

    #[test]
    fn a_burst_is_one_packet_of_new_or_repeated_data() {
        let segment = |start, why| {
            let end = start + 1000;
            ByteRange { start, end }.because(why)
        };
        let three = Release {
            burst: 3,
            makes_up: false,
            credit: 0,
        };
        for (second, together) in [
            (segment(6000, Why::Lost), true),
            (segment(8000, Why::Lost), false),
            (segment(6000, Why::New), false),
        ] {
            let mut pacer = Pacer::default();
            pacer.begin_packet(segment(5000, Why::Lost));
            assert!(pacer.admits(Some(RATE), Instant::ZERO, Instant::ZERO));
            pacer.sent(RATE, three, 1000, Instant::ZERO);
            pacer.begin_packet(second);
            let admitted = pacer.admits(Some(RATE), Instant::ZERO, Instant::ZERO);
            assert_eq!(admitted, together, "{second:?}");
        }
    }

    #[test]
    fn what_cuts_a_burst_short_ends_it() {
        let mut pacer = Pacer::default();
        let three = Release {
            burst: 3,
            makes_up: false,
            credit: 0,
        };
        pacer.sent(RATE, three, 1000, Instant::ZERO);
        pacer.nothing_to_send();
        assert!(!pacer.admits(Some(RATE), Instant::ZERO, Instant::ZERO));
        assert_eq!(pacer.deadline(), Some(Instant::from_millis(1)));
    }

    #[test]
    fn lateness_is_made_up_for_by_half_a_wait_at_most() {
        let late = |by: u64| {
            let release = Release {
                burst: 1,
                makes_up: true,
                credit: 0,
            };
            let mut pacer = Pacer::default();
            pacer.sent(RATE, release, 1000, Instant::ZERO);
            let now = Instant::from_micros(1000 + by);
            assert!(pacer.admits(Some(RATE), Instant::ZERO, now));
            pacer.sent(RATE, release, 1000, now);
            pacer.admits(Some(RATE), Instant::ZERO, now);
            pacer.deadline().unwrap().since(now)
        };
        assert_eq!(late(400), Duration::from_micros(600));
        assert_eq!(late(3000), Duration::from_micros(500));
    }

    /// Sends all that leaves at `now`; how many segments.
    fn sent_at(pacer: &mut Pacer, release: Release, now: Instant) -> u32 {
        let mut sent = 0;
        while pacer.admits(Some(RATE), Instant::ZERO, now) {
            pacer.sent(RATE, release, 1000, now);
            sent += 1;
        }
        sent
    }

    #[test]
    fn a_late_sender_makes_up_for_what_its_credit_holds() {
        for (credit, late_ms, burst) in [(0, 20, 1), (10, 20, 10), (10, 3, 4)] {
            let release = Release {
                credit,
                ..ONE_BY_ONE
            };
            let mut pacer = Pacer::default();
            pacer.sent(RATE, release, 1000, Instant::ZERO);
            let now = Instant::from_millis(1 + late_ms);
            assert_eq!(
                sent_at(&mut pacer, release, now),
                burst,
                "{credit} {late_ms}"
            );
            assert!(pacer.due() > now);
        }
    }

    /// Vector V9: an initial window of 10 over 80 ms (a round trip of 100 ms, gain 1.25) is spaced by 8
    /// ms, and in batches of 10 is one burst; one of 32 by 2.5 and 25 ms.
    #[test]
    fn a_batch_waits_for_all_of_it() {
        for (window, batch, wait_us) in [
            (10, 1, 8000),
            (10, 10, 80_000),
            (32, 1, 2500),
            (32, 10, 25_000),
        ] {
            let rate = Rate::of(1250 * window, Duration::from_millis(100));
            let release = Release {
                burst: batch,
                ..ONE_BY_ONE
            };
            let mut pacer = Pacer::default();
            for _ in 0..batch {
                assert!(pacer.admits(Some(rate), Instant::ZERO, Instant::ZERO));
                pacer.sent(rate, release, 1000, Instant::ZERO);
            }
            assert_eq!(pacer.due(), Instant::from_micros(wait_us));
        }
    }

    #[test]
    fn a_bound_of_no_segments_lets_one_leave_at_a_time() {
        let release = ONE_BY_ONE.at_most(0);
        assert_eq!(release, ONE_BY_ONE);
        let mut pacer = Pacer::default();
        (0..2).for_each(|_| pacer.sent(Rate(8_000), release, 1000, Instant::ZERO));
        assert_eq!(pacer.due(), Instant::from_secs(2));
    }
}
