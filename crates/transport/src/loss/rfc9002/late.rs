//! Packets that counted as lost and are acknowledged after all.
//!
//! RFC 9002 §6.1 lets thresholds rise then, and does not mention the window. quinn and neqo restore
//! the window once everything that counted as lost has arrived, and forget what was lost two probe
//! timeouts ago; quicly gives up the packet threshold at the first such packet, and doubles what the
//! time threshold allows beyond a round trip at each further one, up to a whole round trip.

use super::super::super::connection::Connection;
use super::super::super::segment::ByteRange;
use flowstart_control::{Duration, Instant};
use std::collections::VecDeque;

/// kPacketThreshold (§6.1.1).
const PACKET_THRESHOLD: u64 = 3;
/// kTimeThreshold (§6.1.2) is nine of these, one more than a round trip has.
const EIGHTHS: u64 = 8;

/// A packet that counts as lost.
#[derive(Clone, Copy, Debug)]
struct Lost {
    number: u64,
    plan: ByteRange,
    since: Instant,
}

/// Those of one connection, in the order of their numbers, and what was learned from them.
#[derive(Clone, Debug)]
pub(super) struct Late {
    lost: VecDeque<Lost>,
    /// How many later packets stand for a loss; `None` where no number does.
    packet_threshold: Option<u64>,
    /// What a packet may take beyond a round trip, in eighths of one.
    extra: u64,
}

impl Default for Late {
    fn default() -> Late {
        Late {
            lost: VecDeque::new(),
            packet_threshold: Some(PACKET_THRESHOLD),
            extra: 1,
        }
    }
}

impl Late {
    /// A packet is declared lost.
    pub(super) fn lose(&mut self, number: u64, plan: ByteRange, now: Instant) {
        self.lost.push_back(Lost {
            number,
            plan,
            since: now,
        });
    }

    /// Whether no packet counts as lost.
    pub(super) fn is_empty(&self) -> bool {
        self.lost.is_empty()
    }

    /// What was lost before `time` will not arrive.
    pub(super) fn forget_before(&mut self, since: Instant) {
        while self.lost.front().is_some_and(|lost| lost.since < since) {
            self.lost.pop_front();
        }
    }

    /// Takes in an acknowledgement of these numbers, `[first, end)`. Whether any of them counted as
    /// lost, and whether all that did have arrived now.
    pub(super) fn take(
        &mut self,
        c: &mut Connection,
        ranges: impl Iterator<Item = (u64, u64)>,
        now: Instant,
    ) -> (bool, bool) {
        let mut any = false;
        // The largest range comes first, so what is looked for is never above what was found.
        let mut from = self.lost.len();
        for (first, end) in ranges {
            if from == 0 {
                break;
            }
            if self.lost[from - 1].number < first {
                continue;
            }
            let to = self.count_below(end, from);
            from = to;
            if to == 0 || self.lost[to - 1].number < first {
                continue;
            }
            from = self.count_below(first, to);
            for lost in self.lost.drain(from..to) {
                any = true;
                c.acknowledge_late(lost.plan, now);
            }
        }
        (any, any && self.lost.is_empty())
    }

    /// How many of the first `most` have a smaller number. It is nearly all of them, so the search
    /// goes from the last backwards, in steps that double.
    fn count_below(&self, number: u64, most: usize) -> usize {
        let (mut low, mut high, mut step) = (0, most, 1);
        while high > low {
            let probe = high.saturating_sub(step);
            if self.lost[probe].number < number {
                low = probe + 1;
                break;
            }
            (high, step) = (probe, 2 * step);
        }
        while low < high {
            let middle = low.midpoint(high);
            if self.lost[middle].number < number {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    /// Raises the thresholds.
    pub(super) fn adapt(&mut self) {
        self.extra = match self.packet_threshold.take() {
            Some(_) => self.extra,
            None => (2 * self.extra).min(EIGHTHS),
        };
    }

    /// Whether `number` is overtaken by so many that it is lost, where all below `acknowledged` are
    /// known to have left.
    pub(super) fn is_overtaken(&self, number: u64, acknowledged: u64) -> bool {
        let threshold = self.packet_threshold;
        threshold.is_some_and(|threshold| number + threshold < acknowledged)
    }

    /// How long a packet may be missing that a later one has overtaken (§6.1.2).
    pub(super) fn loss_delay(&self, rtt: Duration) -> Duration {
        rtt.times(EIGHTHS + self.extra).over(EIGHTHS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_packets_in_order_those_below_a_number_are_counted() {
        let mut late = Late::default();
        let plan = ByteRange { start: 0, end: 1 };
        (0..20).for_each(|n| late.lose(3 * n, plan, Instant::ZERO));
        for most in 0..=20 {
            for number in 0..62 {
                let expected = (0..most).filter(|n| 3 * (*n as u64) < number).count();
                assert_eq!(late.count_below(number, most), expected);
            }
        }
    }

    #[test]
    fn the_first_late_packet_ends_counting_and_each_further_one_doubles_the_time() {
        let mut late = Late::default();
        let mut seen = vec![(
            late.packet_threshold,
            late.loss_delay(Duration::from_millis(100)),
        )];
        for _ in 0..5 {
            late.adapt();
            seen.push((
                late.packet_threshold,
                late.loss_delay(Duration::from_millis(100)),
            ));
        }
        let us = Duration::from_micros;
        let times = [112_500, 112_500, 125_000, 150_000, 200_000, 200_000].map(us);
        assert_eq!(seen[0], (Some(3), times[0]));
        let later: Vec<_> = times[1..].iter().map(|time| (None, *time)).collect();
        assert_eq!(seen[1..], later);
    }
}
