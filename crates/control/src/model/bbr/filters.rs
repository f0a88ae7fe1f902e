//! What BBR keeps of what it has measured: the largest delivery rate,
//! the minimum round trip, and how much more than expected is acknowledged at once.

use crate::{Duration, Instant, Rate};

/// The maximum number of epochs for which a maximum is kept.
const MOST_EPOCHS: usize = 11;

/// The largest rate of the last epochs, of rounds or of cycles.
#[derive(Clone, Debug)]
pub(super) struct MaxFilter {
    largest: [Rate; MOST_EPOCHS],
    epochs: usize,
    epoch: u64,
    max: Rate,
}

impl MaxFilter {
    /// The maximum over the epoch under way and `epochs - 1` before.
    pub(super) fn over(epochs: usize) -> MaxFilter {
        MaxFilter {
            largest: [Rate(0); MOST_EPOCHS],
            epochs,
            epoch: 0,
            max: Rate(0),
        }
    }

    /// Takes a rate that was found in this epoch.
    pub(super) fn insert(&mut self, epoch: u64, rate: Rate) {
        if epoch > self.epoch {
            self.advance(epoch);
        }
        let slot = &mut self.largest[(epoch % self.epochs as u64) as usize];
        *slot = rate.max(*slot);
        self.max = self.max.max(rate);
    }

    fn advance(&mut self, epoch: u64) {
        let gone = (epoch - self.epoch).min(self.epochs as u64);
        for back in 0..gone {
            self.largest[((epoch - back) % self.epochs as u64) as usize] = Rate(0);
        }
        self.epoch = epoch;
        let kept = self.largest.iter().copied().max();
        self.max = kept.unwrap_or(Rate(0));
    }

    /// Returns the maximum of the window.
    pub(super) fn max(&self) -> Rate {
        self.max
    }
}

/// Time for which the minimum round trip stays valid (`MinRTTFilterLen`).
const MIN_RTT_LIFETIME: Duration = Duration::from_secs(10);

/// The minimum RTT, and whether it is time to look for it with an empty queue.
#[derive(Clone, Copy, Debug)]
pub(super) struct MinRtt {
    /// The minimum of the last ten seconds.
    pub(super) least: Option<Duration>,
    at: Instant,
    /// The minimum since the last search, and its time.
    recent: Option<Duration>,
    recent_at: Instant,
    /// How long that stays good.
    interval: Duration,
    /// Whether only a lesser one renews it, not one that is the same.
    strict: bool,
}

impl MinRtt {
    /// Nothing is known yet; it is to be looked for every `interval` in which it has not been seen,
    /// or where this is `strict` no lesser one.
    pub(super) fn every(interval: Duration, strict: bool) -> MinRtt {
        MinRtt {
            least: None,
            at: Instant::ZERO,
            recent: None,
            recent_at: Instant::ZERO,
            interval,
            strict,
        }
    }

    /// It is to be looked for as the other is from now on.
    pub(super) fn look_as(&mut self, other: &MinRtt) {
        (self.interval, self.strict) = (other.interval, other.strict);
    }

    /// Takes a sample. Returns whether it was time to look.
    pub(super) fn take(&mut self, rtt: Option<Duration>, now: Instant) -> bool {
        let due = self.recent.is_some() && now > self.recent_at + self.interval;
        let Some(rtt) = rtt else { return due };
        let renews = |recent| rtt < recent || rtt == recent && !self.strict;
        if due || self.recent.is_none_or(renews) {
            (self.recent, self.recent_at) = (Some(rtt), now);
        }
        let old = now > self.at + MIN_RTT_LIFETIME;
        if old || self.recent <= self.least || self.least.is_none() {
            (self.least, self.at) = (self.recent, self.recent_at);
        }
        due
    }

    /// It has just been looked for.
    pub(super) fn looked(&mut self, now: Instant) {
        self.recent_at = now;
    }
}

/// Not more than so much at the estimated rate is expected to come at once.
const MOST_EXTRA: Duration = Duration::from_millis(100);

/// How much more is acknowledged at once than the rate explains, where acknowledgements come
/// in bursts: the largest of the last five to ten rounds. In bytes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ExtraAcked {
    windows: [u64; 2],
    current: usize,
    rounds: u32,
    epoch: Instant,
    acked: u64,
}

impl ExtraAcked {
    /// Starts a new epoch of the measurement.
    pub(super) fn restart(&mut self, now: Instant) {
        (self.epoch, self.acked) = (now, 0);
    }

    /// A round begins; `rounds` of them make up a window.
    pub(super) fn begin_round(&mut self, rounds: u32) {
        self.rounds += 1;
        if self.rounds >= rounds {
            self.rounds = 0;
            self.current = 1 - self.current;
            self.windows[self.current] = 0;
        }
    }

    /// Takes in an acknowledgement of `delivered` bytes.
    pub(super) fn take(&mut self, delivered: u64, bw: Rate, cwnd: u64, now: Instant) {
        let mut expected = bw.bytes_in(now.since(self.epoch));
        if self.acked <= expected {
            self.restart(now);
            expected = 0;
        }
        self.acked += delivered;
        let extra = self.acked.saturating_sub(expected).min(cwnd);
        let window = &mut self.windows[self.current];
        *window = extra.max(*window);
    }

    /// Returns the maximum of both windows, limited by the rate.
    pub(super) fn max(&self, bw: Rate) -> u64 {
        let largest = self.windows[0].max(self.windows[1]);
        largest.min(bw.bytes_in(MOST_EXTRA))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_maximum_is_forgotten_when_its_epoch_is_old() {
        let mut filter = MaxFilter::over(3);
        filter.insert(0, Rate(9));
        filter.insert(1, Rate(5));
        filter.insert(2, Rate(1));
        assert_eq!(filter.max(), Rate(9));
        filter.insert(3, Rate(2));
        assert_eq!(filter.max(), Rate(5));
        filter.insert(40, Rate(1));
        assert_eq!(filter.max(), Rate(1));
    }

    #[test]
    fn the_least_round_trip_is_looked_for_when_it_is_old() {
        let mut rtt = MinRtt::every(Duration::from_secs(10), false);
        let (ms, s) = (Duration::from_millis, Instant::from_secs);
        assert!(!rtt.take(Some(ms(50)), s(1)));
        assert!(!rtt.take(Some(ms(70)), s(11)));
        assert_eq!(rtt.least, Some(ms(50)));
        assert!(rtt.take(Some(ms(70)), s(11) + Duration(1)));
        assert_eq!(rtt.least, Some(ms(70)));
    }

    #[test]
    fn the_same_round_trip_renews_it_unless_only_a_lesser_one_does() {
        let due = |strict| {
            let mut rtt = MinRtt::every(Duration::from_secs(5), strict);
            let sample = Some(Duration::from_millis(50));
            (0..7).any(|s| rtt.take(sample, Instant::from_secs(s)))
        };
        assert_eq!([due(false), due(true)], [false, true]);
    }

    #[test]
    fn what_comes_faster_than_the_rate_is_extra() {
        let mut extra = ExtraAcked::default();
        let rate = Rate::from_bps(8_000_000);
        extra.take(1000, rate, 100_000, Instant::from_secs(1));
        extra.take(9000, rate, 100_000, Instant::from_secs(1));
        assert_eq!(extra.max(rate), 10_000);
        extra.take(1000, rate, 100_000, Instant::from_millis(1004));
        assert_eq!(extra.max(rate), 10_000);
        (0..2).for_each(|_| extra.begin_round(1));
        assert_eq!(extra.max(rate), 0);
    }
}
