//! What had been sent and acknowledged at the end of each bin.

use crate::{Duration, Instant};

/// W: bins of the window.
pub(super) const W: u64 = 10;
/// The width of a bin as a percentage of the first round trip: WINDOW_FACTOR, 3.5, over W.
const WIDTH_PERCENT: u64 = 35;

/// All bytes acknowledged and sent up to the end of a bin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Totals {
    pub(super) acked: u64,
    pub(super) sent: u64,
}

/// The latest bins. Their numbers grow without end.
#[derive(Clone, Debug)]
pub(super) struct Bins {
    pub(super) ring: Box<[Totals]>,
    /// The bin that ended last.
    pub(super) idx: u64,
    pub(super) initial_rtt: Duration,
    pub(super) duration: Duration,
    /// When the bin under way ends.
    pub(super) end: Instant,
}

/// How wide a bin is after this first round trip.
pub(super) fn width(rtt: Duration, whole_micros: bool) -> Duration {
    let exact = rtt.times(WIDTH_PERCENT).over(100);
    match whole_micros {
        true => Duration::from_micros((exact.nanos() / 1000).max(1)),
        false => exact.max(Duration(1)),
    }
}

impl Bins {
    /// As many as a look-back by fewer than `extra_bins` needs.
    pub(super) fn new(extra_bins: u64) -> Bins {
        Bins {
            ring: vec![Totals::default(); (W + 1 + extra_bins) as usize].into(),
            idx: 0,
            initial_rtt: Duration::ZERO,
            duration: Duration(1),
            end: Instant::ZERO,
        }
    }

    /// `SEARCH_INIT`: the first bin of this width begins.
    pub(super) fn restart(&mut self, duration: Duration, now: Instant, totals: Totals) {
        self.duration = duration;
        self.end = now + duration;
        self.idx = 0;
        self.ring[0] = totals;
    }

    /// `UPDATE_BINS`: how many bins have passed with this ACK; one at the very end of a bin ends
    /// that only where this is `inclusive`.
    pub(super) fn passed(&self, now: Instant, inclusive: bool) -> u64 {
        if now < self.end || now == self.end && !inclusive {
            return 0;
        }
        now.since(self.end).nanos() / self.duration.nanos() + 1
    }

    /// Ends so many bins; in those before the last nothing happened.
    pub(super) fn close(&mut self, passed: u64, totals: Totals) {
        let size = self.ring.len() as u64;
        let last = *self.at(self.idx);
        // More than fit are all alike.
        for i in 1..passed.min(size) {
            self.ring[((self.idx + passed - i) % size) as usize] = last;
        }
        self.idx += passed;
        self.end += self.duration.times(passed);
        self.ring[(self.idx % size) as usize] = totals;
    }

    pub(super) fn at(&self, bin: u64) -> &Totals {
        &self.ring[(bin % self.ring.len() as u64) as usize]
    }

    /// The bin that ended a round trip ago, and how far before its end that was, in hundredths
    /// of a bin; none where that is not `history` bins old, or `extra_bins` ago.
    pub(super) fn look_back(
        &self,
        rtt: Duration,
        history: u64,
        extra_bins: u64,
    ) -> Option<(u64, u64)> {
        let back = rtt.nanos() / self.duration.nanos();
        let fraction = (rtt.nanos() % self.duration.nanos()).saturating_mul(100);
        let p = self.idx.checked_sub(back)?;
        (p >= history && back < extra_bins).then(|| (p, fraction / self.duration.nanos()))
    }

    /// What the last so many bins delivered.
    pub(super) fn delivered(&self, bins: u64) -> u64 {
        self.at(self.idx).acked - self.at(self.idx.saturating_sub(bins)).acked
    }
}
