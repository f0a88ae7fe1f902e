//! Whether a sender paces, by the spacing of its data near the sender.
//!
//! Without pacing, data follow an ACK at once. A pacer sends at a rate that is proportional to the window: the spacing
//! of data between which no ACK arrives, times the window, stays as it is from one round trip to the next. The
//! spacing of a slow interface does not change with the window, so it is not taken for pacing.

use crate::answers::{Sending, Trip};

/// What is closer together than this part of the mean spacing in a round trip was sent at once. Pacers of stacks in use
/// send at one to three windows per round trip.
const AT_ONCE: u64 = 8;
/// A paced rate, in windows per round trip, is between these.
const RATES: [f64; 2] = [0.5, 5.0];
/// The window must have changed by this factor for its pacing to differ from a slow interface.
const CHANGED: f64 = 1.3;
/// Packets or spacings of a round that show something.
const FEW: u32 = 8;

/// The spacing of one side's data.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Pacing {
    /// Times of the latest data and the latest ACK. ns
    last: u64,
    ack: u64,
    at_once: bool,
    /// Bytes of the round before.
    window: u64,
    tally: Tally,
    before: Option<Spaced>,
    verdict: Option<Paced>,
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
    /// Spacings without an ACK between, their bytes and time.
    gaps: u32,
    bytes: u64,
    time: u64,
}

/// A round whose data were spaced.
#[derive(Clone, Copy, Debug)]
struct Spaced {
    window: u64,
    /// Bytes per ns.
    rate: f64,
}

impl Pacing {
    /// New data pass.
    pub fn sent(&mut self, data: &Sending, trip: &Trip) {
        if self.verdict.is_some() || !trip.is_near() {
            return;
        }
        let spacing = trip.rtt * data.mss / (AT_ONCE * self.window.max(data.mss));
        let gap = data.time.saturating_sub(self.last);
        let answers = data.time.saturating_sub(self.ack) <= trip.half + spacing;
        self.at_once = answers || (self.at_once && gap <= spacing);
        let tally = &mut self.tally;
        tally.packets += 1;
        tally.at_once += u32::from(self.at_once);
        if self.ack + trip.half < self.last {
            tally.gaps += 1;
            tally.bytes += data.payload;
            tally.time += gap;
        }
        self.last = data.time;
    }

    /// An ACK of new data passes.
    pub fn acknowledged(&mut self, time: u64) {
        self.ack = time;
    }

    /// A round of so many bytes has ended. `initial`: it was the first flight, which Linux does not pace and which
    /// answers no ACK.
    pub fn round(&mut self, window: u64, trip: &Trip, initial: bool) {
        let tally = std::mem::take(&mut self.tally);
        self.window = window;
        if self.verdict.is_some() || initial || tally.packets < FEW {
            return;
        }
        if tally.at_once * 10 >= tally.packets * 9 {
            self.verdict = Some(Paced::No);
            return;
        }
        let spaced = tally.spaced(window, trip);
        if let (Some(now), Some(before)) = (spaced, self.before) {
            let windows = now.window as f64 / before.window as f64;
            if windows >= CHANGED && now.rate / before.rate >= windows.sqrt() {
                self.verdict = Some(Paced::At(now.per_trip(trip)));
            }
        }
        self.before = spaced;
    }

    /// How it paces, if that is known.
    pub fn verdict(&self) -> Option<Paced> {
        self.verdict
    }
}

impl Tally {
    fn spaced(&self, window: u64, trip: &Trip) -> Option<Spaced> {
        let rate = self.bytes as f64 / self.time.max(1) as f64;
        let spaced = Spaced { window, rate };
        let [low, high] = RATES;
        let paced = (low..=high).contains(&spaced.per_trip(trip));
        (paced && self.gaps >= FEW / 2 && self.at_once * 2 <= self.packets).then_some(spaced)
    }
}

impl Spaced {
    fn per_trip(&self, trip: &Trip) -> f64 {
        self.rate * trip.rtt as f64 / self.window as f64
    }
}
