//! First sendings, in the order of positions, which is the order of time.
//!
//! Segments that left at one instant are one entry, so a flight takes as much memory as it
//! had acknowledgements to send by, and none for a window sent at once.

use super::arrivals::Departures;
use super::hint::Hint;
use flowstart_control::Instant;
use std::collections::VecDeque;

/// Segments that were first sent at one instant, up to this position.
#[derive(Clone, Copy, Debug, Default)]
struct Burst {
    end: u64,
    at: Instant,
}

/// The outstanding bytes as they were first sent.
#[derive(Clone, Debug, Default)]
pub(super) struct Transmissions {
    /// All but the last.
    earlier: VecDeque<Burst>,
    /// The last burst, which ends at zero where nothing is outstanding.
    last: Burst,
    /// When the newest that the last cumulative acknowledgement covered was first sent.
    newest: Instant,
}

impl Transmissions {
    /// Bytes that bursts take.
    pub(super) fn bytes_held(&self) -> usize {
        self.earlier.len() * size_of::<Burst>()
    }

    /// New data up to `end` was sent.
    #[inline]
    pub(super) fn push(&mut self, end: u64, at: Instant) {
        if self.last.at != at && self.last.end > 0 {
            self.earlier.push_back(self.last);
        }
        self.last = Burst { end, at };
    }

    /// When the byte at `position` was first sent.
    pub(super) fn sent_at(&self, position: u64, hint: &mut Hint) -> Instant {
        let burst = self.burst_at(position, hint);
        burst.map_or(self.newest, |(sent, _)| sent)
    }

    /// When what is out from `position` on was first sent, and where that ends.
    pub(super) fn burst_at(&self, position: u64, hint: &mut Hint) -> Option<(Instant, u64)> {
        let at = hint.search(&self.earlier, |burst| burst.end <= position);
        let burst = self.earlier.get(at).unwrap_or(&self.last);
        (position < burst.end).then_some((burst.at, burst.end))
    }

    /// Forgets what is below `una`, which is not empty. Returns when it was sent.
    #[inline]
    pub(super) fn forget_below(&mut self, una: u64) -> Departures {
        let oldest = self.oldest();
        while let Some(&Burst { end, at }) = self.earlier.front() {
            self.newest = at;
            if end <= una {
                self.earlier.pop_front();
            }
            if end >= una {
                return Departures { oldest, newest: at };
            }
        }
        self.newest = self.last.at;
        if self.last.end <= una {
            self.last = Burst::default();
        }
        let newest = self.newest;
        Departures { oldest, newest }
    }

    /// When the oldest that is out was first sent.
    pub(super) fn oldest(&self) -> Instant {
        self.earlier.front().unwrap_or(&self.last).at
    }

    /// When the newest that the last cumulative acknowledgement covered was first sent.
    pub(super) fn newest(&self) -> Instant {
        self.newest
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_newest_acknowledged_segment_gives_the_sample() {
        let mut first = Transmissions::default();
        first.push(10, Instant(1));
        first.push(20, Instant(2));
        first.push(30, Instant(3));
        assert_eq!(first.forget_below(20).newest, Instant(2));
        assert_eq!(
            first.forget_below(25).newest,
            Instant(3),
            "a part of the third"
        );
        assert_eq!(first.forget_below(30).newest, Instant(3));
    }

    #[test]
    fn what_left_at_one_instant_is_one_entry() {
        let mut first = Transmissions::default();
        (1..=10).for_each(|n| first.push(10 * n, Instant(1)));
        first.push(110, Instant(2));
        assert_eq!(first.earlier.len(), 1);
        assert_eq!(first.forget_below(40).newest, Instant(1));
        assert_eq!(first.forget_below(100).newest, Instant(1));
        assert_eq!(first.forget_below(110).newest, Instant(2));
    }

    proptest! {
        #[test]
        fn a_search_from_anywhere_finds_the_burst(
            ends in prop::collection::btree_set(1u64..200, 1..40), positions in prop::collection::vec((0u64..200, 0usize..50), 1..20)
        ) {
            let mut first = Transmissions::default();
            for end in &ends {
                first.push(*end, Instant(*end));
            }
            for (position, from) in positions {
                let found = first.burst_at(position, &mut Hint::at(from));
                let expected = ends.iter().find(|end| **end > position);
                prop_assert_eq!(found, expected.map(|end| (Instant(*end), *end)));
            }
        }
    }
}
