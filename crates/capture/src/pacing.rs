//! Whether a sender paces, by the spacing of its data near the sender.
//!
//! A pacer sends at a rate that is proportional to the window: the spacing of data that it holds back, times the window,
//! stays the same from one round trip to the next. The spacing of a slow interface does not change with the window. A
//! sender that sends a window in less time than any pacer does not pace. Both show in slow start only: later, ACKs set
//! the spacing.

use crate::answers::{Sending, Trip};

/// What is closer together than this part of the mean spacing in a round trip was sent at once. Pacers of stacks in use
/// send at one to three windows per round trip.
const AT_ONCE: u64 = 8;
/// A paced rate, in windows per round trip, is between these.
const GAINS: [f64; 2] = [0.5, 5.0];
/// The rate must have grown by this factor, with the window, for pacing to differ from a slow interface.
const CHANGED: f64 = 1.3;
/// Packets of a round that show something.
const FEW: u32 = 8;

/// The spacing of one side's data.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Pacing {
    /// Times of the latest data and the latest ACK. ns
    last: u64,
    ack: u64,
    at_once: bool,
    /// Bytes that have left together.
    burst: u64,
    tally: Tally,
    before: Option<Spaced>,
    verdict: Option<Paced>,
    /// Data were held back after a window that was not.
    unclear: bool,
}

/// How a sender paces.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Paced {
    No,
    /// At so many windows per round trip.
    At(f64),
}

/// Counts of a round trip.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    packets: u32,
    /// Of these, sent at once after an ACK.
    at_once: u32,
    /// Bursts that data were held back after, their bytes, and the time until then.
    held: u32,
    bytes: u64,
    time: u64,
    /// The time of all its data, and the longest spacing.
    span: u64,
    longest: u64,
    /// The same time in round trips at one window each: the bytes that they would have carried.
    windows: f64,
}

/// A round whose data were spaced.
#[derive(Clone, Copy, Debug)]
struct Spaced {
    /// Bytes per ns.
    rate: f64,
    /// Windows per round trip.
    gain: f64,
}

impl Pacing {
    /// New data pass, of a sender whose window has so many bytes.
    pub(crate) fn sent(&mut self, data: &Sending, trip: &Trip, window: u64) {
        if !trip.is_near() {
            return;
        }
        let window = window.max(data.mss);
        let together = trip.rtt * data.mss / (AT_ONCE * window);
        let gap = data.time.saturating_sub(self.last);
        let answers = data.time.saturating_sub(self.ack) <= trip.half + together;
        self.at_once = answers || (self.at_once && gap <= together);
        let tally = &mut self.tally;
        if tally.packets > 0 {
            tally.span += gap;
            tally.longest = tally.longest.max(gap);
        }
        tally.packets += 1;
        tally.at_once += u32::from(self.at_once);
        if gap > together {
            if !self.at_once {
                tally.held += 1;
                tally.bytes += self.burst;
                tally.time += gap;
                tally.windows += gap as f64 * window as f64 / trip.rtt as f64;
            }
            self.burst = 0;
        }
        self.burst += data.payload;
        self.last = data.time;
    }

    /// An ACK passes.
    pub(crate) fn acknowledged(&mut self, time: u64) {
        self.ack = time;
    }

    /// A round has ended. `grew`: the window grew, as in slow start; `filled`: as much as in the rounds before. Returns
    /// whether nearly all its data followed ACKs at once. Linux does not pace the first flight, which answers no ACK.
    pub(crate) fn round(&mut self, grew: bool, filled: bool, trip: &Trip) -> bool {
        let tally = std::mem::take(&mut self.tally);
        let clocked = tally.at_once * 10 >= tally.packets * 9;
        if !grew || tally.packets < FEW || !trip.is_near() {
            return clocked;
        }
        // A token bucket lets small windows pass, and holds back what fills a larger one.
        let held_back = tally.held > 0 && tally.is_paced();
        if self.verdict == Some(Paced::No) && filled && !clocked && held_back {
            (self.verdict, self.unclear) = (None, true);
        }
        if self.verdict.is_some() || self.unclear {
            return clocked;
        }
        // The longest spacing may be that of a delayed ACK.
        if ((tally.span - tally.longest) as f64) < trip.rtt as f64 / GAINS[1] {
            self.verdict = Some(Paced::No);
            return clocked;
        }
        let spaced = tally.spaced();
        if let (Some(now), Some(before)) = (spaced, self.before) {
            // With a window that has doubled, a pacer is faster and an interface is not.
            let alike = now.gain / before.gain;
            if now.rate >= CHANGED * before.rate && (1.0 / CHANGED..CHANGED).contains(&alike) {
                self.verdict = Some(Paced::At(now.gain));
            }
        }
        self.before = spaced;
        clocked
    }

    /// How it paces, if that is known.
    pub(crate) fn verdict(&self) -> Option<Paced> {
        self.verdict
    }
}

impl Tally {
    /// Windows per round trip.
    fn gain(&self) -> f64 {
        self.bytes as f64 / self.windows
    }

    fn is_paced(&self) -> bool {
        (GAINS[0]..=GAINS[1]).contains(&self.gain())
    }

    fn spaced(&self) -> Option<Spaced> {
        let spaced = Spaced {
            rate: self.bytes as f64 / self.time.max(1) as f64,
            gain: self.gain(),
        };
        (self.is_paced() && self.held >= FEW / 2 && self.at_once * 2 <= self.packets)
            .then_some(spaced)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;
    const MSS: u64 = 1448;
    const RTT: u64 = 40 * MS;

    /// A sender whose window doubles from 10 segments, with so much time between two of them.
    fn doubling(half: u64, spacing: impl Fn(u64) -> u64) -> Option<Paced> {
        let mut pacing = Pacing::default();
        let trip = Trip { rtt: RTT, half };
        for round in 0..4 {
            let (begin, window) = (round * RTT, 10 << round);
            pacing.acknowledged(begin);
            for segment in 0..window {
                let data = Sending {
                    time: begin + half + segment * spacing(window),
                    payload: MSS,
                    mss: MSS,
                    ..Sending::default()
                };
                pacing.sent(&data, &trip, window * MSS);
            }
            pacing.round(round > 0, round > 0, &trip);
        }
        pacing.verdict()
    }

    #[test]
    fn spacing_that_shrinks_as_the_window_grows_is_pacing() {
        let Some(Paced::At(gain)) = doubling(0, |window| RTT / (2 * window)) else {
            panic!("not paced");
        };
        assert!((gain - 2.0).abs() < 0.01, "{gain}");
    }

    #[test]
    fn windows_that_are_sent_at_once_are_not_paced() {
        assert_eq!(doubling(0, |_| 1000), Some(Paced::No));
    }

    #[test]
    fn a_token_bucket_is_not_taken_for_no_pacing() {
        // Windows up to 40 segments pass at once; of the next one 20 do, and the rest in bursts of ten.
        let mut pacing = Pacing::default();
        let trip = Trip { rtt: RTT, half: 0 };
        for (round, window) in [10, 20, 40, 80].into_iter().enumerate() {
            let begin = round as u64 * RTT;
            pacing.acknowledged(begin);
            for segment in 0..window {
                let held_back = if window > 40 {
                    segment.max(19) / 10 - 1
                } else {
                    0
                };
                let data = Sending {
                    time: begin + held_back * 3 * MS,
                    payload: MSS,
                    mss: MSS,
                    ..Sending::default()
                };
                pacing.sent(&data, &trip, window * MSS);
            }
            let verdict = pacing.verdict();
            assert_eq!(verdict.is_some(), round > 1, "round {round}");
            pacing.round(round > 0, round > 0, &trip);
        }
        assert_eq!(pacing.verdict(), None);
    }

    #[test]
    fn a_slow_interface_and_a_distant_capture_show_nothing() {
        assert_eq!(doubling(0, |_| 800_000), None);
        assert_eq!(doubling(20 * MS, |window| RTT / (2 * window)), None);
    }
}
