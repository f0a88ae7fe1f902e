//! Timestamps (RFC 7323): TCP's clock as Linux has it, and what a receiver that has a later
//! timestamp makes of data with an earlier one.
//!
//! What an acknowledgement echoes is one bit here ([`undo`](super::undo)); data carries its TSval.

use crate::narrow::wrapped;
use flowstart_control::Instant;

/// A millisecond.
const TICK: u64 = 1_000_000;
/// So many ticks may a timestamp be old (`TCP_PAWS_WINDOW`).
const PAWS_WINDOW: i32 = 1;

/// TSval at this time.
pub(crate) fn tsval(now: Instant) -> u32 {
    wrapped(now.0 / TICK)
}

/// TS.Recent of one receiver; `None` before data has come.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Recent(Option<u32>);

impl Recent {
    /// Data of `[start, end)` has come with this TSval, all below `acked` having been acknowledged.
    /// Whether it is to be taken: protection against wrapped sequences discards what left before
    /// that which was heard of last (RFC 7323 §5.3 R1, `tcp_paws_check`), and so what the path has
    /// delayed, where a retransmission has come since.
    pub(crate) fn accepts(&mut self, timestamp: u32, (start, end): (u64, u64), acked: u64) -> bool {
        let age = self
            .0
            .map_or(0, |recent| recent.wrapping_sub(timestamp) as i32);
        // RFC 7323 §4.3 (2), `tcp_replace_ts_recent`. What has come before is out of the window, and
        // its timestamp is not read (`tcp_sequence`).
        if start <= acked && end >= acked && age <= 0 {
            self.0 = Some(timestamp);
        }
        age <= PAWS_WINDOW
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_left_before_the_last_that_moved_the_edge_is_not_taken() {
        let mut recent = Recent::default();
        assert!(recent.accepts(100, (0, 10), 0));
        // OutOfOrder a hole: nothing is learned of it.
        assert!(recent.accepts(120, (30, 40), 10));
        assert!(recent.accepts(105, (40, 50), 10));
        // The hole's retransmission, and what left one tick before and two.
        assert!(recent.accepts(130, (10, 30), 10));
        assert!(recent.accepts(129, (50, 60), 50));
        assert!(!recent.accepts(128, (60, 70), 50));
    }

    #[test]
    fn what_comes_for_nothing_shows_nothing_of_the_clock() {
        let mut recent = Recent::default();
        assert!(recent.accepts(100, (0, 10), 0));
        assert!(recent.accepts(180, (0, 10), 20));
        assert!(recent.accepts(110, (20, 30), 20));
    }

    #[test]
    fn an_old_timestamp_does_not_replace_a_newer() {
        let mut recent = Recent::default();
        assert!(recent.accepts(100, (0, 10), 0));
        assert!(recent.accepts(99, (10, 20), 10));
        assert!(!recent.accepts(98, (20, 30), 20));
    }

    #[test]
    fn the_clock_may_wrap() {
        let mut recent = Recent::default();
        assert!(recent.accepts(u32::MAX, (0, 10), 0));
        assert!(recent.accepts(3, (10, 20), 10));
        assert!(!recent.accepts(u32::MAX, (20, 30), 20));
    }

    #[test]
    fn a_tick_is_a_millisecond() {
        assert_eq!(tsval(Instant::from_micros(41_999)), 41);
    }
}
