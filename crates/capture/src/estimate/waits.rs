//! How long packets waited in queues: one connection's data until they are acknowledged, and its packets until they
//! arrive.
//!
//! The time from data to acknowledgement holds two queues: that which the data passed, and that
//! which the acknowledgement passed on the reverse path, such as a slow uplink full of the other
//! side's own data. Only the first one is needed. Where acknowledgements bear time stamps, the time
//! from the data's passing to the stamp has the first queue alone, to the clock's millisecond.
//! Where they bear none, only acknowledgements count next to which the other side sent no data.

use std::collections::VecDeque;

use crate::layers::{RST, Segment};

/// What one side of a connection sends.
#[derive(Clone, Debug, Default)]
pub(crate) struct Waits {
    least: Option<u64>,
    most: u64,
    /// The last mark that was acknowledged.
    left: Option<Mark>,
    /// The longest of data next to which the other side sent none.
    quiet: Option<u64>,
    until_stamped: Option<Spread>,
    /// The latest one of all, and the shortest one before a loss.
    latest: Option<u64>,
    at_loss: Option<u64>,
    /// The shortest one of what arrived after a gap.
    at_gap: Option<u64>,
    /// Where some of the data end, and when they passed.
    marks: VecDeque<Mark>,
    acked: u64,
    /// Nothing is measured until this is acknowledged: something was sent again.
    repaired: u64,
    stamps: Option<Stamps>,
}

/// From data passing to the stamp of their acknowledgement, ns: minimum and maximum. The difference of the two clocks
/// is in both.
#[derive(Clone, Copy, Debug)]
struct Spread {
    first_stamp: u32,
    low: i64,
    high: i64,
}

impl Spread {
    /// From data passing to a stamp.
    fn until(&self, stamp: u32, passed: u64) -> i64 {
        let ticks = i64::from(stamp.wrapping_sub(self.first_stamp) as i32);
        ticks * TICK - signed(passed)
    }
}

/// Where some of the data end.
#[derive(Clone, Copy, Debug)]
struct Mark {
    end: u64,
    passed: u64,
    /// Bytes that the other side's network had sent by then.
    heard: u64,
    /// Bytes that were under way to the other side's network then.
    under_way: u64,
}

/// How long data took beyond the minimum (ns), and the bytes that were under way when they were sent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wait {
    pub time: u64,
    pub under_way: u64,
}

/// Data that pass.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Departure {
    pub time: u64,
    pub end: u64,
    pub advanced: u64,
    pub repeat: bool,
    /// Bytes that the other side's network has sent by now, and that are under way to it.
    pub heard: u64,
    pub under_way: u64,
}

/// An acknowledgement that goes further than any before.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Acknowledgement {
    pub time: u64,
    pub end: u64,
    pub advanced: u64,
    /// Its time stamp.
    pub stamp: Option<u32>,
    /// Bytes that the network it comes from has sent by now.
    pub heard: u64,
}

/// The other side's data next to an acknowledgement are no queue up to here: a request. Bytes
pub(super) const REQUEST: u64 = 1460;
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
/// Time that the decision takes; ns
const SPAN: u64 = 300_000_000;

impl Waits {
    /// The time from one packet of the handshake to the next.
    pub(crate) fn handshake(&mut self, wait: u64) {
        self.extend(wait);
    }

    fn extend(&mut self, wait: u64) {
        self.least = Some(self.least.map_or(wait, |least| least.min(wait)));
        self.most = self.most.max(wait);
    }

    /// Data passed.
    pub(crate) fn sent(&mut self, data: &Departure) {
        let Departure { end, advanced, .. } = *data;
        if data.repeat {
            if self.acked >= self.repaired {
                self.at_loss = least(self.at_loss, self.latest);
            }
            self.marks.clear();
            self.repaired = self.repaired.max(end);
        }
        if self.acked == 0 {
            self.acked = end.saturating_sub(advanced);
        }
        let marked = self.marks.back().map_or(self.acked, |mark| mark.end);
        let apart = end.saturating_sub(self.acked) / (MARKS as u64 / 2);
        let far = end >= marked.saturating_add(apart);
        if advanced > 0 && far && self.acked >= self.repaired && self.marks.len() < MARKS {
            self.marks.push_back(Mark {
                end,
                passed: data.time,
                heard: data.heard,
                under_way: data.under_way,
            });
        }
    }

    /// An acknowledgement passed.
    pub(crate) fn acknowledged(&mut self, ack: &Acknowledgement) {
        self.acked = ack.end;
        while let Some(mark) = self.marks.front().copied().filter(|m| m.end <= ack.end) {
            self.marks.pop_front();
            self.left = Some(mark);
            // Only what ends with the acknowledgement caused it.
            if mark.end == ack.end && ack.advanced > SEGMENT {
                self.measure(&mark, ack);
            }
        }
    }

    /// How much longer than the minimum the data took that an acknowledgement ends with, once that has been
    /// [taken](Waits::acknowledged); unknown where data that were not marked, or the other side's, make it uncertain.
    pub(crate) fn wait(&mut self, ack: &Acknowledgement) -> Option<Wait> {
        let wait = self.waited(ack);
        self.latest = wait.map(|wait| wait.time);
        wait
    }

    fn waited(&self, ack: &Acknowledgement) -> Option<Wait> {
        let mark = self.left?;
        let passed = match self.marks.front() {
            _ if mark.end == ack.end => mark.passed,
            // Between two marks the data passed evenly, or the later part at once.
            Some(next) if next.end > mark.end && ack.end > mark.end => {
                let share = (ack.end - mark.end) as f64 / (next.end - mark.end) as f64;
                mark.passed + (share * next.passed.saturating_sub(mark.passed) as f64) as u64
            }
            _ => return None,
        };
        let time = if ack.heard.saturating_sub(mark.heard) <= REQUEST {
            let took = ack.time.saturating_sub(passed);
            took.saturating_sub(self.least.unwrap_or(took))
        } else {
            let spread = self.until_stamped?;
            let beyond = spread
                .until(ack.stamp?, passed)
                .saturating_sub(spread.low + TICK);
            beyond.max(0) as u64
        };
        let under_way = mark.under_way + (ack.end - mark.end);
        Some(Wait { time, under_way })
    }

    /// Whether data that were sent again are acknowledged: what had arrived before them is as well.
    pub(crate) fn is_repair(&self, ack: &Acknowledgement) -> bool {
        ack.end - ack.advanced < self.repaired
    }

    fn measure(&mut self, mark: &Mark, ack: &Acknowledgement) {
        let wait = ack.time.saturating_sub(mark.passed);
        self.extend(wait);
        if ack.heard.saturating_sub(mark.heard) <= REQUEST {
            self.quiet = self.quiet.max(Some(wait));
        }
        if let Some(stamp) = ack.stamp {
            let nothing = Spread {
                first_stamp: stamp,
                low: i64::MAX,
                high: i64::MIN,
            };
            let spread = self.until_stamped.get_or_insert(nothing);
            let until = spread.until(stamp, mark.passed);
            spread.low = spread.low.min(until);
            spread.high = spread.high.max(until);
        }
    }

    /// A packet passed that may bear a time stamp.
    pub(crate) fn stamp(&mut self, segment: &Segment) {
        if let Some((value, _)) = segment.options.stamp.filter(|_| !segment.has(RST)) {
            self.stamped(segment.time, value);
        }
    }

    fn stamped(&mut self, time: u64, value: u32) {
        let now = (time, value);
        let stamps = self.stamps.get_or_insert(Stamps {
            first: now,
            last: now,
            low: 0,
            high: 0,
        });
        let offset = stamps.elapsed(time) - stamps.ticks(value) * TICK;
        stamps.low = stamps.low.min(offset);
        stamps.high = stamps.high.max(offset);
        stamps.last = now;
    }

    /// How much longer than the minimum a packet with a time stamp took to arrive. Its clock's tick counts as no wait. ns
    pub(crate) fn wait_of(&self, segment: &Segment) -> Option<u64> {
        let stamps = self.stamps.filter(Stamps::may_be_ticks)?;
        let (value, _) = segment.options.stamp?;
        let offset = stamps.elapsed(segment.time) - stamps.ticks(value) * TICK;
        Some(offset.saturating_sub(stamps.low + TICK).max(0) as u64)
    }

    /// Data arrived after a gap, so much later than the fastest.
    pub(crate) fn gap(&mut self, wait: Option<u64>) {
        // A tick of the clock may be a wait here.
        self.at_gap = least(self.at_gap, wait.map(|wait| wait + TICK as u64));
    }

    /// The shortest wait with which something was lost, as a monitor near the sender and as one near the receiver sees it.
    pub(crate) fn at_losses(&self) -> [Option<u64>; 2] {
        [self.at_loss, self.at_gap]
    }

    /// The spread of the times that data took to the far side, whose packets are `answers`.
    pub(crate) fn until_acknowledged(&self, answers: &Waits) -> Option<u64> {
        let least = self.least?;
        let there_and_back = self.most - least;
        let quiet = self.quiet.map(|wait| wait - least);
        let spread = self.until_stamped.filter(|_| answers.stamps_are_ticks());
        let Some(there) = spread.map(|spread| spread.high.abs_diff(spread.low)) else {
            return quiet;
        };
        // Within what the stamps leave open the acknowledgements did not wait, and the plain times are exact.
        match there_and_back <= there.saturating_add(TICK as u64) {
            true => Some(there_and_back),
            false => quiet.max(Some(there)),
        }
    }

    /// The spread of the times from time stamp to arrival, if the stamps are milliseconds.
    pub(crate) fn until_arrived(&self) -> Option<u64> {
        let stamps = self.stamps.filter(|_| self.stamps_are_ticks())?;
        Some(stamps.high.abs_diff(stamps.low))
    }

    /// Whether time stamps have been seen, and for long enough to show that they are milliseconds.
    fn stamps_are_ticks(&self) -> bool {
        self.stamps.is_some_and(|stamps| {
            let elapsed = stamps.elapsed(stamps.last.0);
            let ticks = stamps.ticks(stamps.last.1) * TICK;
            elapsed > SPAN as i64 && ticks > elapsed / 4 * 3 && ticks < elapsed / 3 * 4
        })
    }
}

/// The shorter one of two waits.
fn least(before: Option<u64>, now: Option<u64>) -> Option<u64> {
    before.into_iter().chain(now).min()
}

fn signed(time: u64) -> i64 {
    i64::try_from(time).unwrap_or(i64::MAX / 4)
}

impl Stamps {
    /// Whether they advance as milliseconds do while a queue grows, which a sender's clock does not show: it may take
    /// half of the time. Clocks of 100 and 250 Hz are slower. Less than twenty ticks decide nothing.
    fn may_be_ticks(&self) -> bool {
        let elapsed = self.elapsed(self.last.0);
        let ticks = self.ticks(self.last.1) * TICK;
        elapsed > 20 * TICK && ticks > elapsed / 3 && ticks < elapsed / 3 * 4
    }

    fn elapsed(&self, time: u64) -> i64 {
        signed(time.saturating_sub(self.first.0))
    }

    fn ticks(&self, value: u32) -> i64 {
        i64::from(value.wrapping_sub(self.first.1) as i32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;
    /// A far side that sends no data and no time stamps.
    fn silent() -> Waits {
        Waits::default()
    }

    fn data(time: u64, end: u64, advanced: u64, repeat: bool, heard: u64) -> Departure {
        Departure {
            time,
            end,
            advanced,
            repeat,
            heard,
            under_way: 0,
        }
    }

    fn ack(time: u64, end: u64) -> Acknowledgement {
        Acknowledgement {
            time,
            end,
            advanced: 3000,
            stamp: None,
            heard: 0,
        }
    }

    #[test]
    fn the_queue_is_the_longest_wait_less_the_shortest() {
        let mut waits = Waits::default();
        waits.handshake(40);
        for n in 1..50u64 {
            waits.sent(&data(n * 10, n * 3000, 3000, false, 0));
            waits.acknowledged(&ack(n * 10 + 40 + n, n * 3000));
        }
        assert_eq!(waits.until_acknowledged(&silent()), Some(49));
    }

    #[test]
    fn a_delayed_acknowledgement_and_a_repair_are_no_wait() {
        let mut waits = Waits::default();
        waits.handshake(40);
        waits.sent(&data(0, 1000, 1000, false, 0));
        waits.acknowledged(&Acknowledgement {
            advanced: 1000,
            ..ack(500, 1000)
        });
        waits.sent(&data(600, 4000, 3000, false, 0));
        waits.sent(&data(700, 4000, 0, true, 0));
        waits.acknowledged(&ack(900, 4000));
        assert_eq!(waits.until_acknowledged(&silent()), None);
    }

    #[test]
    fn without_time_stamps_a_wait_next_to_the_other_side_s_data_is_not_the_data_s() {
        let mut waits = Waits::default();
        waits.handshake(40);
        waits.sent(&data(0, 3000, 3000, false, 0));
        waits.acknowledged(&Acknowledgement {
            heard: REQUEST,
            ..ack(45, 3000)
        });
        waits.sent(&data(50, 6000, 3000, false, REQUEST));
        waits.acknowledged(&Acknowledgement {
            heard: 9 * REQUEST,
            ..ack(500, 6000)
        });
        assert_eq!(waits.until_acknowledged(&silent()), Some(5));
    }

    /// What the sender learns from 50 acknowledgements, the n-th after n ms in the queue there and `back(n)` ms in the
    /// one back, next to data of the other side.
    fn stamped(back: impl Fn(u64) -> u64) -> Option<u64> {
        let (mut waits, mut answers) = (Waits::default(), Waits::default());
        waits.handshake(40 * MS);
        for n in 0..50u64 {
            let sent = n * 10 * MS;
            // Close to where the stamps wrap.
            let stamp = u64::from(u32::MAX) - 99 + n * 10 + 20 + n;
            let time = sent + (40 + n + back(n)) * MS;
            waits.sent(&data(sent, (n + 1) * 3000, 3000, false, n * 15_000));
            waits.acknowledged(&Acknowledgement {
                stamp: Some(stamp as u32),
                heard: (n + 1) * 15_000,
                ..ack(time, (n + 1) * 3000)
            });
            answers.stamped(time, stamp as u32);
        }
        waits.until_acknowledged(&answers)
    }

    #[test]
    fn with_time_stamps_the_reverse_path_is_left_out() {
        assert_eq!(stamped(|_| 0), Some(49 * MS));
        assert_eq!(stamped(|n| 300 * u64::from(n == 20)), Some(49 * MS));
    }
}
