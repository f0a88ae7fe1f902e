//! The receiver's account of packet numbers: which have come, what an acknowledgement reports of
//! them, and when one leaves at once (RFC 9000 §13.2, draft-ietf-quic-ack-frequency).

use super::ranges::RangeSet;
use crate::narrow::{saturated, wrapped};
use flowstart_control::{Duration, Instant};
use flowstart_wire::{ACK_RANGES_ROOM, AckOption, AckRanges, NumberAck, SynAck};

/// Number of ranges that are kept: more than an acknowledgement has room for.
const MOST_RANGES: usize = 12;
/// New gaps that may wait for an acknowledgement; a dozen would not fit into one.
const MOST_NEW_GAPS: u32 = 3;
/// ACK Delay counts in units of so many microseconds: ack_delay_exponent is 3 (RFC 9000 §18.2).
pub(crate) const DELAY_UNIT: u64 = 1 << 3;

/// The packets of one connection that have come.
#[derive(Clone, Debug, Default)]
pub(crate) struct Numbers {
    received: RangeSet,
    /// When the largest came.
    largest_at: Instant,
    /// One past the largest number that an acknowledgement has reported.
    told: u64,
    new_gaps: u32,
    /// The ranges of the last acknowledgement without an option, while only the first has grown.
    ranges: Option<AckRanges<ACK_RANGES_ROOM>>,
}

impl Numbers {
    /// A packet has come, its number cut off. Whether it is to be acknowledged at once, by a
    /// Reordering Threshold of `threshold`.
    #[inline]
    pub(crate) fn receive(&mut self, truncated: u32, threshold: u32, now: Instant) -> bool {
        let Some(top) = self.received.grow_top(|end| wrapped(end) == truncated) else {
            return self.receive_out_of_order(truncated, threshold, now);
        };
        self.largest_at = now;
        self.new_gaps > MOST_NEW_GAPS || self.shows_loss(top, threshold)
    }

    /// A packet has come that does not follow the largest number.
    #[inline(never)]
    fn receive_out_of_order(&mut self, truncated: u32, threshold: u32, now: Instant) -> bool {
        let next = self.end();
        let number = expand(next, truncated);
        if number >= next {
            self.largest_at = now;
        }
        self.received.insert(number, number + 1, |_, _| {});
        if number != next {
            self.ranges = None;
            self.new_gaps += u32::from(number > next);
            self.forget_oldest();
        }
        let late = number < next && threshold == 1;
        let top = self.received.nth_from_top(0).unwrap_or_default();
        self.new_gaps > MOST_NEW_GAPS || late || self.shows_loss(top, threshold)
    }

    /// Forgets the lowest ranges where there are too many.
    fn forget_oldest(&mut self) {
        while self.received.len() > MOST_RANGES {
            let (_, end) = self.received.first().unwrap_or_default();
            self.received.remove_below(end, |_, _| {});
        }
    }

    /// Whether a packet that no acknowledgement could have shown to be missing is now missing by
    /// the threshold (draft-ietf-quic-ack-frequency §6.2). The highest range is `[top, end)`.
    #[inline]
    fn shows_loss(&self, (top, end): (u64, u64), threshold: u32) -> bool {
        let threshold = u64::from(threshold);
        let from = (self.told + 1).saturating_sub(threshold);
        if from >= top {
            return false;
        }
        let missing = self.received.hole_at_or_after(from);
        threshold > 0 && missing.is_some_and(|(missing, _)| end > missing + threshold)
    }

    /// Whether an acknowledgement has reported anything.
    pub(crate) fn has_reported(&self) -> bool {
        self.told > 0
    }

    /// An ACK frame: the largest number, how long it has waited, and as many ranges as there is
    /// room for; with the bytes that those below the first add to a packet.
    #[inline(never)]
    pub(crate) fn acknowledge(
        &mut self,
        window: u32,
        option: AckOption,
        now: Instant,
    ) -> (NumberAck, u32) {
        let delay = saturated(now.since(self.largest_at).nanos() / 1000 / DELAY_UNIT);
        let end = self.end();
        if let Some(ranges) = self.grown_ranges().filter(|_| option == AckOption::None) {
            (self.told, self.new_gaps) = (end, 0);
            let ack = NumberAck::of(end, delay, window, ranges);
            return (ack, ranges.bytes_below_first());
        }
        let mut ack = NumberAck::new(end, delay, window, option);
        let bytes = self.report(|gap, more| ack.push(gap, more));
        self.ranges = ack.ranges().copied();
        (ack, bytes)
    }

    /// The ranges of the last acknowledgement with the present first, where the others are the same
    /// and it takes as many bytes.
    fn grown_ranges(&mut self) -> Option<AckRanges<ACK_RANGES_ROOM>> {
        let (first, end) = self.received.nth_from_top(0)?;
        let ranges = self.ranges.as_mut()?;
        ranges.set_first(end - first - 1).then_some(*ranges)
    }

    /// Reports in the answer to a packet that opens a connection which of those have come.
    pub(crate) fn answer(&mut self, answer: &mut SynAck) {
        answer.end = wrapped(self.end());
        self.report(|gap, more| answer.ranges.push(gap, more));
    }

    fn end(&self) -> u64 {
        self.received.end().unwrap_or(0)
    }

    /// Pushes the ranges from the top as long as they find room.
    fn report(&mut self, mut push: impl FnMut(u64, u64) -> Option<u32>) -> u32 {
        let mut below = self.end();
        let mut below_first = 0;
        for i in 0..self.received.len() {
            let Some((first, end)) = self.received.nth_from_top(i) else {
                break;
            };
            let Some(bytes) = push(below - end, end - first - 1) else {
                break;
            };
            // The first range is part of the smallest acknowledgement.
            below_first += if i > 0 { bytes } else { 0 };
            below = first;
        }
        self.told = self.end();
        self.new_gaps = 0;
        below_first
    }
}

/// How long the peer held an acknowledgement back.
pub(crate) fn ack_delay(ack: &NumberAck) -> Duration {
    Duration::from_micros(u64::from(ack.delay()) * DELAY_UNIT)
}

/// The number nearest to `next` that ends in these bits (RFC 9000 A.3).
fn expand(next: u64, truncated: u32) -> u64 {
    const WINDOW: u64 = 1 << 32;
    let candidate = next & !(WINDOW - 1) | u64::from(truncated);
    if candidate + WINDOW / 2 <= next {
        candidate + WINDOW
    } else if candidate > next + WINDOW / 2 && candidate >= WINDOW {
        candidate - WINDOW
    } else {
        candidate
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flowstart_wire::UNLIMITED_WINDOW;
    use proptest::prelude::*;

    fn ack(numbers: &mut Numbers, now: Instant) -> (NumberAck, u32) {
        numbers.acknowledge(UNLIMITED_WINDOW, AckOption::None, now)
    }

    /// Which of these packets are acknowledged at once.
    fn at_once(threshold: u32, arriving: &[u32]) -> Vec<u32> {
        let mut numbers = Numbers::default();
        let leave = |number: &&u32| {
            let at_once = numbers.receive(**number, threshold, Instant::ZERO);
            if at_once {
                ack(&mut numbers, Instant::ZERO);
            }
            at_once
        };
        arriving.iter().filter(leave).copied().collect()
    }

    #[test]
    fn an_acknowledgement_reports_ranges_from_the_largest_down() {
        let mut numbers = Numbers::default();
        for number in [0, 1, 2, 5, 9, 10] {
            numbers.receive(number, 1, Instant::from_millis(number.into()));
        }
        let (ack, bytes) = ack(&mut numbers, Instant::from_millis(14));
        let ranges: Vec<_> = ack.numbers().collect();
        assert_eq!(ranges, [(9, 11), (5, 6), (0, 3)]);
        assert_eq!(ack_delay(&ack), Duration::from_millis(4));
        assert_eq!((ack.end(), bytes), (11, 2 * 2));
    }

    #[test]
    fn what_shows_a_gap_is_acknowledged_at_once_and_what_follows_is_not() {
        assert_eq!(at_once(1, &[0, 1, 3, 4, 5, 8]), [3, 8]);
        assert_eq!(at_once(1, &[1, 2]), [1], "the first packet may be missing");
        assert_eq!(at_once(1, &[0, 2, 1, 3]), [2, 1], "one that was overtaken");
    }

    #[test]
    fn a_reordering_threshold_waits_for_so_many() {
        assert_eq!(at_once(3, &[0, 1, 3, 4, 5, 6, 7]), [5]);
        assert!(at_once(0, &[0, 1, 3, 4, 5, 6, 7]).is_empty());
        assert_eq!(at_once(0, &[0, 2, 4, 6, 8]), [8], "what does not fit");
    }

    proptest! {
        #[test]
        fn an_acknowledgement_made_from_the_last_is_the_same_as_one_made_anew(
            steps in prop::collection::vec((0u64..4, any::<bool>(), any::<bool>()), 1..300),
        ) {
            let (mut numbers, mut next) = (Numbers::default(), 0);
            for (missing, acknowledges, reports) in steps {
                next += missing.saturating_sub(2);
                numbers.receive(wrapped(next), 3, Instant::ZERO);
                next += 1;
                if acknowledges {
                    let option = match reports {
                        true => AckOption::Gap(Duration::ZERO),
                        false => AckOption::None,
                    };
                    let mut anew = Numbers { ranges: None, ..numbers.clone() };
                    let [one, other] = [&mut numbers, &mut anew].map(|numbers| {
                        let (ack, bytes) = numbers.acknowledge(0, option, Instant::ZERO);
                        (ack.numbers().collect::<Vec<_>>(), bytes)
                    });
                    prop_assert_eq!(one, other);
                    prop_assert_eq!((numbers.told, numbers.new_gaps), (anew.told, anew.new_gaps));
                }
            }
        }
    }

    #[test]
    fn only_the_newest_ranges_are_kept() {
        let mut numbers = Numbers::default();
        (0..100).for_each(|n| assert!(numbers.receive(2 * n, 1, Instant::ZERO) || n == 0));
        assert_eq!(numbers.received.len(), MOST_RANGES);
        let oldest = ack(&mut numbers, Instant::ZERO).0.numbers().last();
        assert_eq!(oldest, Some((176, 177)));
    }

    #[test]
    fn numbers_are_expanded_to_the_nearest() {
        let whole = 0xA_FFFF_FFF0;
        assert_eq!(expand(whole, 0xFFFF_FFF5), 0xA_FFFF_FFF5);
        assert_eq!(expand(whole, 3), 0xB_0000_0003);
        assert_eq!(expand(0xB_0000_0003, 0xFFFF_FFF0), whole);
        assert_eq!(expand(0, 7), 7);
    }
}
