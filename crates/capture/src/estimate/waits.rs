//! How long packets waited in queues: one connection's data until they are acknowledged, and its packets until they
//! arrive.

use std::collections::VecDeque;

use crate::layers::{Segment, RST};

/// What one side of a connection sends.
#[derive(Clone, Debug, Default)]
pub(crate) struct Waits {
    least: Option<u64>,
    most: u64,
    /// Where some of the data end, and when they passed.
    marks: VecDeque<(u64, u64)>,
    acked: u64,
    /// Nothing is measured until this is acknowledged: something was sent again.
    repaired: u64,
    stamps: Option<Stamps>,
}

/// Marks at a time: enough for one in every few packets of a flight.
const MARKS: usize = 64;
/// An acknowledgement of no more than a segment was perhaps delayed on purpose (RFC 9293, section 3.8.6.3).
const SEGMENT: u64 = 1460;

#[derive(Clone, Copy, Debug)]
struct Stamps {
    first: (u64, u32),
    last: (u64, u32),
    /// Time of arrival less time stamp, compared with the first packet's; ns.
    low: i64,
    high: i64,
}

/// Time stamps are counted in milliseconds, as nearly all systems do; others are recognised and left out.
const TICK: i64 = 1_000_000;
/// It takes this long to tell; ns
const SPAN: u64 = 300_000_000;

impl Waits {
    /// A time from something sent to its acknowledgement.
    pub fn sample(&mut self, wait: u64) {
        self.least = Some(self.least.map_or(wait, |least| least.min(wait)));
        self.most = self.most.max(wait);
    }

    /// Data passed, up to `end`.
    pub fn sent(&mut self, time: u64, end: u64, advanced: u64, repeat: bool) {
        if repeat {
            self.marks.clear();
            self.repaired = self.repaired.max(end);
        }
        let marked = self.marks.back().map_or(self.acked, |mark| mark.0);
        let apart = end.saturating_sub(self.acked) / (MARKS as u64 / 2);
        let far = end >= marked.saturating_add(apart);
        if advanced > 0 && far && self.acked >= self.repaired && self.marks.len() < MARKS {
            self.marks.push_back((end, time));
        }
    }

    /// An acknowledgement passed, `advanced` further than the one before.
    pub fn acknowledged(&mut self, time: u64, acked: u64, advanced: u64) {
        self.acked = acked;
        while let Some((end, sent)) = self.marks.front().copied().filter(|mark| mark.0 <= acked) {
            self.marks.pop_front();
            // Only what ends with the acknowledgement caused it.
            if end == acked && advanced > SEGMENT {
                self.sample(time.saturating_sub(sent));
            }
        }
    }

    /// A packet passed that may bear a time stamp.
    pub fn stamp(&mut self, segment: &Segment) {
        let Some((value, _)) = segment.options.stamp.filter(|_| !segment.has(RST)) else {
            return;
        };
        let now = (segment.time, value);
        let stamps = self.stamps.get_or_insert(Stamps {
            first: now,
            last: now,
            low: 0,
            high: 0,
        });
        let offset = stamps.elapsed(segment.time) - stamps.ticks(value) * TICK;
        stamps.low = stamps.low.min(offset);
        stamps.high = stamps.high.max(offset);
        stamps.last = now;
    }

    /// The spread of the times from data to acknowledgement.
    pub fn until_acknowledged(&self) -> Option<u64> {
        Some(self.most - self.least?)
    }

    /// The spread of the times from time stamp to arrival, if the stamps are milliseconds.
    pub fn until_arrived(&self) -> Option<u64> {
        let stamps = self.stamps?;
        let elapsed = stamps.elapsed(stamps.last.0);
        let ticks = stamps.ticks(stamps.last.1) * TICK;
        let plausible = elapsed > SPAN as i64 && ticks > elapsed / 4 * 3 && ticks < elapsed / 3 * 4;
        plausible.then(|| stamps.high.abs_diff(stamps.low))
    }
}

impl Stamps {
    fn elapsed(&self, time: u64) -> i64 {
        i64::try_from(time.saturating_sub(self.first.0)).unwrap_or(i64::MAX / 4)
    }

    fn ticks(&self, value: u32) -> i64 {
        i64::from(value.wrapping_sub(self.first.1) as i32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_queue_is_the_longest_wait_less_the_shortest() {
        let mut waits = Waits::default();
        waits.sample(40);
        for n in 1..50u64 {
            waits.sent(n * 10, n * 3000, 3000, false);
            waits.acknowledged(n * 10 + 40 + n, n * 3000, 3000);
        }
        assert_eq!(waits.until_acknowledged(), Some(49));
    }

    #[test]
    fn a_delayed_acknowledgement_and_a_repair_are_no_wait() {
        let mut waits = Waits::default();
        waits.sample(40);
        waits.sent(0, 1000, 1000, false);
        waits.acknowledged(500, 1000, 1000);
        waits.sent(600, 4000, 3000, false);
        waits.sent(700, 4000, 0, true);
        waits.acknowledged(900, 4000, 3000);
        assert_eq!(waits.until_acknowledged(), Some(0));
    }
}
