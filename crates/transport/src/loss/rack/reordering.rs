//! How far a path reorders, as Linux finds it out: from data that arrives behind later data, and
//! from reports that what was sent again had arrived (RFC 8985 §6.2 step 4; `tcp_recovery.c`).

use super::super::super::connection::Connection;
use crate::ranges::RangeSet;
use flowstart_control::{Duration, Instant};

/// SACKed segments that stand for a loss where nothing was ever reordered (`tcp_reordering`).
const DUP_THRESH: u64 = 3;
/// What that may become (`tcp_max_reordering`).
const MAX_REORDERING: u64 = 300;
/// Recoveries without duplicates after which the window is small again
/// (`TCP_RACK_RECOVERY_THRESH`).
const RECOVERIES: u32 = 16;
/// The window is so many quarters of a round trip at most.
const MAX_STEPS: u64 = 255;

/// What is known of a path's reordering.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reordering {
    /// By how many segments the path reorders (`tp->reordering`).
    degree: u64,
    /// How often it has reordered (`reord_seen`).
    seen: u64,
    /// The window is so many quarters of the minimum RTT (`reo_wnd_steps`).
    steps: u64,
    /// For how many more recoveries it stays (`reo_wnd_persist`).
    persist: u32,
    /// A retransmission has turned out to be needless (`dsack_seen`).
    duplicate: bool,
    /// When the window last grew: what was sent before does not describe the new one.
    adjusted: Instant,
}

impl Default for Reordering {
    fn default() -> Reordering {
        Reordering {
            degree: DUP_THRESH,
            seen: 0,
            steps: 1,
            persist: 0,
            duplicate: false,
            adjusted: Instant::ZERO,
        }
    }
}

impl Reordering {
    /// Data from `low` on has arrived late (`tcp_check_sack_reordering`).
    pub(super) fn note(&mut self, c: &Connection, low: u64) {
        let highest = c.sent().arrived().and_then(RangeSet::end);
        let late = highest.unwrap_or(c.una()).saturating_sub(low);
        if late > self.degree * c.mss() {
            self.degree = late.div_ceil(c.mss()).min(MAX_REORDERING);
        }
        self.seen += u64::from(late > 0);
    }

    /// Without SACK: more duplicates came than segments can have overtaken the one that is missing,
    /// so it was late by `segments` (`tcp_check_reno_reordering`).
    pub(super) fn record_overtaken(&mut self, segments: u64) {
        self.degree = self.degree.max(segments).min(MAX_REORDERING);
        self.seen += 1;
    }

    /// So many segments that have arrived above a hole are enough signs of a loss.
    pub(super) fn degree(&self) -> u64 {
        self.degree
    }

    /// How often the path has reordered.
    pub(super) fn events(&self) -> u64 {
        self.seen
    }

    /// A segment has come twice that no probe had sent.
    pub(super) fn record_duplicate(&mut self) {
        self.duplicate |= self.seen > 0;
    }

    /// Something has arrived that left at `sent` (`tcp_rack_update_reo_wnd`).
    pub(super) fn adapt(&mut self, sent: Instant, now: Instant) {
        self.duplicate &= sent >= self.adjusted;
        if std::mem::take(&mut self.duplicate) {
            self.steps = (self.steps + 1).min(MAX_STEPS);
            self.adjusted = now;
            self.persist = RECOVERIES;
        } else if self.persist == 0 {
            self.steps = 1;
        }
    }

    /// A recovery has ended, and was for something.
    pub(super) fn recovered(&mut self) {
        self.persist = self.persist.saturating_sub(1);
    }

    /// A recovery was for nothing, as duplicates have shown.
    pub(super) fn was_needless(&mut self) {
        self.persist = (self.persist + 1).min(RECOVERIES);
    }

    /// A timeout came while that much more had arrived: the degree was too high
    /// (`tcp_enter_loss`).
    pub(super) fn timed_out(&mut self, arrived: u64, mss: u64) {
        if arrived >= DUP_THRESH * mss {
            self.degree = self.degree.min(DUP_THRESH);
        }
    }

    /// Whether the window may grow by what arrives out of order (`tcp_may_raise_cwnd`).
    pub(super) fn is_high(&self) -> bool {
        self.degree > DUP_THRESH
    }

    /// RACK.reo_wnd: nothing while there was no reordering and something is being repaired or
    /// there are enough signs (`tcp_rack_reo_wnd`).
    pub(super) fn window(&self, c: &Connection, repairs: bool) -> Duration {
        let signs = c.sent().arrived_bytes() >= self.degree * c.mss();
        if self.seen == 0 && (repairs || signs) {
            return Duration::ZERO;
        }
        let least = c.rtt().min_rtt().unwrap_or(Duration::ZERO);
        let smoothed = c.rtt().smoothed().map_or(Duration::ZERO, |(srtt, _)| srtt);
        least.over(4).times(self.steps).min(smoothed)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::connection;
    use super::*;

    fn ms(n: u64) -> Duration {
        Duration::from_millis(n)
    }

    fn at_ms(n: u64) -> Instant {
        Instant::from_millis(n)
    }

    /// A connection with round trips of 40 ms at least and 45 ms on average, and so many segments
    /// out of which these have arrived.
    fn sacked(out: u64, arrived: (u64, u64)) -> Connection {
        let mut rtts = vec![ms(45); 61];
        rtts[0] = ms(40);
        let mut c = connection(&rtts, out);
        let blocks = [(arrived.0 * c.mss(), arrived.1 * c.mss())];
        c.acknowledge(0, blocks.into_iter(), at_ms(50));
        c
    }

    #[test]
    fn a_segment_that_four_have_overtaken_makes_the_degree_four() {
        let c = sacked(20, (9, 14));
        let mut reordering = Reordering::default();
        reordering.note(&c, 10 * c.mss());
        assert_eq!(reordering.degree, 4);
        assert!(reordering.is_high() && reordering.seen > 0);
    }

    #[test]
    fn the_window_is_a_quarter_of_a_round_trip_more_for_each_round_with_a_duplicate() {
        let c = sacked(20, (9, 14));
        let mut reordering = Reordering::default();
        reordering.note(&c, 10 * c.mss());
        let mut windows = vec![reordering.window(&c, true)];
        for round in 1..=4 {
            reordering.record_duplicate();
            reordering.adapt(at_ms(100 * round), at_ms(100 * round + 40));
            // Of the same round.
            reordering.record_duplicate();
            reordering.adapt(at_ms(100 * round + 20), at_ms(100 * round + 60));
            windows.push(reordering.window(&c, true));
        }
        let (srtt, _) = c.rtt().smoothed().unwrap();
        assert_eq!(windows, [ms(10), ms(20), ms(30), ms(40), srtt]);
    }

    #[test]
    fn sixteen_recoveries_for_something_make_it_small_again() {
        let c = sacked(20, (9, 14));
        let mut reordering = Reordering::default();
        reordering.note(&c, 10 * c.mss());
        reordering.record_duplicate();
        reordering.adapt(at_ms(100), at_ms(140));
        (0..15).for_each(|_| reordering.recovered());
        reordering.adapt(at_ms(200), at_ms(240));
        assert_eq!(reordering.window(&c, true), ms(20));
        reordering.recovered();
        reordering.adapt(at_ms(300), at_ms(340));
        assert_eq!(reordering.window(&c, true), ms(10));
    }

    #[test]
    fn while_nothing_was_reordered_three_segments_are_signs_enough() {
        let reordering = Reordering::default();
        assert_eq!(
            reordering.window(&sacked(20, (9, 12)), false),
            Duration::ZERO
        );
        assert_eq!(reordering.window(&sacked(20, (9, 11)), false), ms(10));
        assert_eq!(
            reordering.window(&sacked(20, (9, 11)), true),
            Duration::ZERO
        );
    }
}
