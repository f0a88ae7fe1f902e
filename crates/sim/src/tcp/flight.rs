//! When each outstanding segment was sent, for round-trip samples by Karn's rule.

use flowstart_control::Time;
use std::collections::VecDeque;

/// A segment in sixteen bytes, for there are as many as a window holds.
#[derive(Clone, Copy, Debug)]
struct Sent {
    end: u64,
    /// When it was first sent, and in the highest bit whether it was sent again.
    at: u64,
}

const AGAIN: u64 = 1 << 63;

impl Sent {
    fn first_sent(self) -> Time {
        Time(self.at & !AGAIN)
    }

    fn again(self) -> bool {
        self.at & AGAIN != 0
    }
}

/// The outstanding segments in order of position.
#[derive(Clone, Debug, Default)]
pub struct Flight {
    sent: VecDeque<Sent>,
    /// When the newest that the last acknowledgement covered was first sent; [`NEVER`] where
    /// it covered none.
    newest: Time,
}

const NEVER: Time = Time::MAX;

impl Flight {
    /// A new segment that ends at `end` was sent.
    pub fn sent(&mut self, end: u64, at: Time) {
        self.sent.push_back(Sent { end, at: at.0 });
    }

    /// `[start, end)` was sent again, perhaps cut up in another way.
    pub fn sent_again(&mut self, start: u64, end: u64) {
        let first = self.sent.partition_point(|s| s.end <= start);
        for segment in self.sent.range_mut(first..) {
            segment.at |= AGAIN;
            if segment.end >= end {
                break;
            }
        }
    }

    /// Forgets what `una` acknowledges. Returns when the newest of it was sent, unless
    /// some of it was sent twice: then the sample would be ambiguous (RFC 6298 §3).
    pub fn acknowledged(&mut self, una: u64) -> Option<Time> {
        self.newest = NEVER;
        let mut ambiguous = false;
        while let Some(first) = self.sent.front() {
            if first.end > una {
                break;
            }
            ambiguous |= first.again();
            self.newest = first.first_sent();
            self.sent.pop_front();
        }
        self.newest_first_sent().filter(|_| !ambiguous)
    }

    /// When the newest segment of the last acknowledgement was first sent: a sample only
    /// where something beside the acknowledgement says that this is what it answers.
    pub fn newest_first_sent(&self) -> Option<Time> {
        Some(self.newest).filter(|at| *at != NEVER)
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
        assert_eq!(flight.acknowledged(25), None);
        assert_eq!(flight.acknowledged(30), Some(Time(3)));
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
        assert_eq!(flight.newest_first_sent(), Some(Time(2)));
        flight.acknowledged(20);
        assert_eq!(flight.newest_first_sent(), None);
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
