//! Where packets end as they were first sent: every MSS, and where data was short of one.
//!
//! A sender that keeps packets, as Linux does, repeats packets, and takes one for arrived only
//! where all of it is reported.

use super::super::segment::ByteRange;
use std::collections::VecDeque;

/// The boundaries of the packets that are out.
#[derive(Debug)]
pub(super) struct Boundaries {
    /// Bytes of a full packet.
    mss: u64,
    /// Where short packets end. All but the first lie above SND.UNA.
    short: VecDeque<u64>,
    /// A boundary that was found last.
    known: u64,
}

impl Boundaries {
    /// Nothing has been sent.
    pub(super) fn new(mss: u64) -> Boundaries {
        Boundaries {
            mss,
            short: VecDeque::new(),
            known: 0,
        }
    }

    /// `plan` leaves for the first time, while all below `una` has arrived.
    #[inline]
    pub(super) fn sent(&mut self, plan: ByteRange, una: u64) {
        if plan.end - plan.start < self.mss {
            self.push(plan.end, una);
        }
    }

    /// A short packet up to `end` leaves, while all below `una` has arrived.
    #[inline(never)]
    fn push(&mut self, end: u64, una: u64) {
        self.short.push_back(end);
        while self.short.get(1).is_some_and(|second| *second <= una) {
            self.short.pop_front();
        }
    }

    /// The packet that holds the byte at `position`.
    pub(super) fn packet(&self, position: u64) -> (u64, u64) {
        let above = self.short.partition_point(|end| *end <= position);
        let from = above.checked_sub(1).map_or(0, |below| self.short[below]);
        let next = self.short.get(above).copied().unwrap_or(u64::MAX);
        let start = position - (position - from) % self.mss;
        (start, next.min(start + self.mss))
    }

    /// Whether packets begin at `start` and end at `end`.
    #[inline]
    pub(super) fn divide(&mut self, (start, end): (u64, u64)) -> bool {
        // Mostly one packet more has arrived, right behind the last.
        if start == self.known && end - start == self.mss && self.short.is_empty() {
            self.known = end;
            return true;
        }
        self.are_both(start, end)
    }

    #[inline(never)]
    fn are_both(&mut self, start: u64, end: u64) -> bool {
        let both = self.whole(start, end) == (start, end);
        if both {
            self.known = end;
        }
        both
    }

    /// What of `[start, end)` is whole packets.
    pub(super) fn whole(&self, start: u64, end: u64) -> (u64, u64) {
        let first = match self.packet(start) {
            (from, _) if from == start => start,
            (_, to) => to,
        };
        (first, self.packet(end).0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_end_every_mss_and_behind_short_ones() {
        let mut boundaries = Boundaries::new(100);
        boundaries.push(250, 0);
        boundaries.push(300, 0);
        for (position, packet) in [
            (0, (0, 100)),
            (99, (0, 100)),
            (249, (200, 250)),
            (250, (250, 300)),
            (300, (300, 400)),
            (777, (700, 800)),
        ] {
            assert_eq!(boundaries.packet(position), packet);
        }
        boundaries.push(850, 350);
        assert_eq!(boundaries.short, [300, 850]);
        assert_eq!(boundaries.packet(845), (800, 850));
    }

    #[test]
    fn a_packet_of_which_a_part_is_reported_does_not_count() {
        let mut boundaries = Boundaries::new(100);
        boundaries.push(250, 0);
        assert_eq!(boundaries.whole(100, 200), (100, 200));
        assert_eq!(boundaries.whole(101, 350), (200, 350));
        assert_eq!(boundaries.whole(150, 249), (200, 200));
        assert_eq!(boundaries.whole(110, 190), (200, 100), "nothing");
    }
}
