//! When each outstanding segment was sent, for round-trip samples by Karn's rule.
//!
//! Segments that left at one instant are one entry, so a flight takes as much memory as it
//! had acknowledgements to send by, and none for a window sent at once. What was sent again is
//! kept apart, since there is mostly nothing.

use super::ranges::RangeSet;
use flowstart_control::Time;
use std::collections::VecDeque;

/// Segments that were first sent at one instant, up to this position.
#[derive(Clone, Copy, Debug, Default)]
struct Burst {
    end: u64,
    at: Time,
}

/// The outstanding segments in order of position.
#[derive(Clone, Debug, Default)]
pub struct Flight {
    /// All but the last.
    earlier: VecDeque<Burst>,
    /// The last burst, which ends at zero where nothing is outstanding.
    last: Burst,
    /// What was sent again, once something was.
    again: Option<Box<RangeSet>>,
    /// When the newest that the last acknowledgement covered was first sent.
    newest: Time,
}

impl Flight {
    /// A new segment that ends at `end` was sent.
    pub fn sent(&mut self, end: u64, at: Time) {
        if self.last.at != at && self.last.end > 0 {
            self.earlier.push_back(self.last);
        }
        self.last = Burst { end, at };
    }

    /// `[start, end)` was sent again, perhaps cut up in another way.
    pub fn sent_again(&mut self, start: u64, end: u64) {
        let again = self.again.get_or_insert_default();
        again.insert(start, end, |_, _| {});
    }

    /// When the byte at `position` was first sent.
    pub fn first_sent(&self, position: u64) -> Time {
        let burst = self.burst_at(position);
        burst.map_or(self.newest, |(sent, _)| sent)
    }

    /// When what is out from `position` on was first sent, and where that ends.
    pub fn burst_at(&self, position: u64) -> Option<(Time, u64)> {
        let at = self.earlier.partition_point(|b| b.end <= position);
        let burst = self.earlier.get(at).unwrap_or(&self.last);
        (position < burst.end).then_some((burst.at, burst.end))
    }

    /// Whether any byte of `[start, end)` was sent again.
    pub fn was_sent_again(&self, start: u64, end: u64) -> bool {
        let again = self.again.as_ref();
        again.is_some_and(|again| again.meets(start, end))
    }

    /// Forgets what an acknowledgement of new data up to `una` covers. Returns when the newest
    /// of it was sent, unless some of it was sent twice: then the sample would be ambiguous
    /// (RFC 6298 §3).
    pub fn acknowledged(&mut self, una: u64) -> Option<Time> {
        self.forget(una);
        (!self.forget_again(una)).then_some(self.newest)
    }

    fn forget(&mut self, una: u64) {
        while let Some(&Burst { end, at }) = self.earlier.front() {
            self.newest = at;
            if end <= una {
                self.earlier.pop_front();
            }
            if end >= una {
                return;
            }
        }
        self.newest = self.last.at;
        if self.last.end <= una {
            self.last = Burst::default();
        }
    }

    /// Whether something below `una` was sent again; it is forgotten.
    fn forget_again(&mut self, una: u64) -> bool {
        let Some(again) = &mut self.again else {
            return false;
        };
        let ambiguous = again.first().is_some_and(|(start, _)| start < una);
        if ambiguous {
            again.remove_below(una, |_, _| {});
        }
        ambiguous
    }

    /// When the newest segment of the last acknowledgement was first sent: a sample only
    /// where something beside the acknowledgement says that this is what it answers.
    pub fn newest_first_sent(&self) -> Time {
        self.newest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_acknowledged_segment_gives_the_sample() {
        let mut flight = Flight::default();
        flight.sent(10, Time(1));
        flight.sent(20, Time(2));
        flight.sent(30, Time(3));
        assert_eq!(flight.acknowledged(20), Some(Time(2)));
        assert_eq!(
            flight.acknowledged(25),
            Some(Time(3)),
            "a part of the third"
        );
        assert_eq!(flight.acknowledged(30), Some(Time(3)));
    }

    #[test]
    fn what_left_at_one_instant_is_one_entry() {
        let mut flight = Flight::default();
        (1..=10).for_each(|n| flight.sent(10 * n, Time(1)));
        flight.sent(110, Time(2));
        assert_eq!(flight.earlier.len(), 1);
        assert_eq!(flight.acknowledged(40), Some(Time(1)));
        assert_eq!(flight.acknowledged(100), Some(Time(1)));
        assert_eq!(flight.acknowledged(110), Some(Time(2)));
    }

    #[test]
    fn an_acknowledgement_of_something_sent_twice_gives_none() {
        let mut flight = Flight::default();
        flight.sent(10, Time(1));
        flight.sent(20, Time(2));
        flight.sent_again(0, 10);
        assert_eq!(flight.acknowledged(20), None);
    }

    #[test]
    fn the_first_sending_of_the_newest_segment_is_known_all_the_same() {
        let mut flight = Flight::default();
        flight.sent(10, Time(1));
        flight.sent(20, Time(2));
        flight.sent_again(0, 20);
        assert_eq!(flight.acknowledged(20), None);
        assert_eq!(flight.newest_first_sent(), Time(2));
    }

    #[test]
    fn all_that_is_touched_counts_as_sent_twice() {
        let sent = |again: (u64, u64)| {
            let mut flight = Flight::default();
            (1..=4).for_each(|n| flight.sent(10 * n, Time(n)));
            flight.sent_again(again.0, again.1);
            (1..=4)
                .map(|n| flight.acknowledged(10 * n).is_none())
                .collect::<Vec<_>>()
        };
        assert_eq!(sent((10, 20)), [false, true, false, false]);
        assert_eq!(sent((15, 25)), [false, true, true, false]);
        assert_eq!(sent((35, 60)), [false, false, false, true]);
    }
}
