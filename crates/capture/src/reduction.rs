//! The congestion control, by how it reduced the window after a loss and how the window grew from there.
//!
//! Two are distinguished: Reno halves the window and adds a segment per round trip (RFC 5681); CUBIC reduces it to 0.7
//! and follows its curve, or Reno's estimate where that is larger (RFC 9438). Anything else is unknown.

use serde::Serialize;

use crate::answers::{Answer, Heard, Sending, Trip};

/// Rounds after a recovery that are compared with a curve, and the fewest that show one.
const MOST: usize = 8;
const FEWEST: usize = 5;
/// Smaller windows do not show a factor: it is off by some segments.
const SMALLEST: f64 = 30.0;
/// Tolerances: of the factor, and of a round's window in segments or as a part. A delayed ACK moves two segments from one
/// round to the next.
const FACTOR: f64 = 0.04;
const SEGMENTS: f64 = 3.0;
const PART: f64 = 0.03;

/// A congestion control that a capture shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Control {
    /// RFC 5681.
    Reno,
    /// RFC 9438.
    Cubic,
}

/// What followed a loss.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reduction {
    /// Bytes in flight when the loss was detected.
    window: u64,
    /// Once all up to here is acknowledged, the recovery is over.
    until: u64,
    answer: Option<Answer>,
    echo: Option<u32>,
    /// Bytes and ends of the rounds after it; ns since its end.
    rounds: [(u64, u64); MOST],
    count: usize,
    begun: Option<u64>,
    /// The next loss has been seen.
    over: bool,
}

impl Reduction {
    /// A loss was detected.
    pub(crate) fn new(data: &Sending, window: u64, until: u64) -> Self {
        Reduction {
            window,
            until,
            answer: None,
            echo: data.echo(),
            rounds: [(0, 0); MOST],
            count: 0,
            begun: None,
            over: false,
        }
    }

    /// Whether the recovery is over when new data pass.
    pub(crate) fn is_over(&mut self, data: &Sending) -> bool {
        if self.begun.is_none() && self.answer.is_some_and(|answer| answer.is_heard(data)) {
            self.begun = Some(data.time);
        }
        self.begun.is_some()
    }

    /// An ACK passes.
    pub(crate) fn acknowledged(&mut self, ack: &Heard, trip: &Trip) {
        if self.answer.is_none() && ack.acked >= self.until {
            self.answer = Some(Answer::new(ack, trip, self.echo));
        }
    }

    /// A round after the recovery is complete.
    pub(crate) fn round(&mut self, bytes: u64, time: u64) {
        if let (Some(begun), false) = (self.begun, self.over) {
            self.rounds[self.count] = (bytes, time.saturating_sub(begun));
            self.count += 1;
            self.over = self.count == MOST;
        }
    }

    /// Data are repeated. Whether that begins another recovery, to be measured in the place of this one.
    pub(crate) fn repeated(&mut self, data: &Sending) -> bool {
        if self.begun.is_some() || data.start >= self.until {
            self.over = true;
        }
        self.over && self.count < FEWEST
    }

    /// Whether the sender kept its window, as far as rounds show it: the loss had no effect.
    pub(crate) fn is_kept(&self) -> bool {
        let rounds = &self.rounds[..self.count];
        rounds
            .first()
            .is_some_and(|round| round.0 * 10 > self.window * 9)
    }

    /// The control whose factor and curve all rounds follow.
    pub(crate) fn control(&self, mss: u64) -> Option<Control> {
        let segments = |bytes: u64| bytes as f64 / mss as f64;
        let before = segments(self.window);
        let rounds = &self.rounds[..self.count];
        let &(first, from) = rounds.first()?;
        let after = segments(first);
        if before < SMALLEST || rounds.len() < FEWEST {
            return None;
        }
        let follows = |factor: f64, curve: &dyn Fn(f64, f64) -> f64| {
            let near = |(number, &(bytes, time)): (usize, &(u64, u64))| {
                let expected = curve(number as f64, time.saturating_sub(from) as f64 / 1e9);
                (segments(bytes) - expected).abs() <= SEGMENTS.max(PART * expected)
            };
            (after / before - factor).abs() <= FACTOR && rounds.iter().enumerate().all(near)
        };
        let reno = |number: f64, _: f64| after + number;
        let cubic = |plateau: f64| {
            move |number: f64, time: f64| {
                let (scale, factor) = (0.4, 0.7);
                let until = libm::cbrt((plateau - after) / scale);
                let estimate = after + number * 3.0 * (1.0 - factor) / (1.0 + factor);
                let away = time - until;
                (scale * away * away * away + plateau).max(estimate)
            }
        };
        // After a loss below the one before, the plateau is lower (RFC 9438, section 4.7).
        let plateaus = [before, before * 0.85];
        let cubic = plateaus
            .into_iter()
            .any(|plateau| follows(0.7, &cubic(plateau)));
        match (follows(0.5, &reno), cubic) {
            (true, false) => Some(Control::Reno),
            (false, true) => Some(Control::Cubic),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MSS: u64 = 1000;
    const RTT: u64 = 50_000_000;

    /// What follows a loss at 100 segments, if round `n` after it has `window(n, seconds)` segments.
    fn after_loss(window: impl Fn(f64, f64) -> f64, rounds: usize) -> Option<Control> {
        let data = Sending::default();
        let mut reduction = Reduction::new(&data, 100 * MSS, 0);
        let trip = Trip { rtt: RTT, half: 0 };
        reduction.acknowledged(&Heard::default(), &trip);
        assert!(reduction.is_over(&data));
        for number in 0..rounds {
            let time = number as f64 * RTT as f64 / 1e9;
            let bytes = (window(number as f64, time) * MSS as f64) as u64;
            reduction.round(bytes, (number as u64 + 1) * RTT);
        }
        reduction.control(MSS)
    }

    fn cubic(_: f64, time: f64) -> f64 {
        let away = time - libm::cbrt(30.0 / 0.4);
        0.4 * away * away * away + 100.0
    }

    #[test]
    fn a_factor_and_the_curve_after_it_show_reno_and_cubic() {
        assert_eq!(after_loss(|n, _| 50.0 + n, 8), Some(Control::Reno));
        assert_eq!(after_loss(cubic, 8), Some(Control::Cubic));
    }

    #[test]
    fn another_factor_another_curve_and_few_rounds_show_nothing() {
        assert_eq!(after_loss(|n, _| 80.0 + n, 8), None);
        assert_eq!(after_loss(|_, _| 50.0, 8), None);
        assert_eq!(after_loss(|n, _| 70.0 + 3.0 * n, 8), None);
        assert_eq!(after_loss(|n, _| 50.0 + n, 4), None);
    }

    #[test]
    fn a_window_that_is_as_large_as_before_shows_no_response() {
        let data = Sending::default();
        let mut reduction = Reduction::new(&data, 100 * MSS, 0);
        let trip = Trip { rtt: RTT, half: 0 };
        reduction.acknowledged(&Heard::default(), &trip);
        assert!(reduction.is_over(&data) && !reduction.is_kept());
        reduction.round(95 * MSS, RTT);
        assert!(reduction.is_kept());
    }
}
