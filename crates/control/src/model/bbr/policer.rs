//! v1's long-term rate: where two intervals with much loss deliver at the same rate, a policer
//! is taken to be in the path, and its rate is kept to for a while.

use crate::signals::Delivery;
use crate::{Duration, Instant, Rate};

/// An interval has at least so many rounds, and at most four times as many.
const INTERVAL_ROUNDS: u32 = 4;
/// Losses per delivery that make an interval lossy, in 256ths.
const LOSS_THRESH: u64 = 50;
/// Rates that differ by no more than this share are the same.
const SAME_RATIO: u64 = 8;
/// Or by no more than this.
const SAME_DIFFERENCE: Rate = Rate(4_000);
/// Rounds for which the rate is kept to.
const MAX_ROUNDS: u32 = 48;

/// Detector of a token-bucket policer.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Policer {
    sampling: bool,
    used: bool,
    rate: Option<Rate>,
    rounds: u32,
    lost: u64,
    began: Began,
}

/// State at the beginning of an interval.
#[derive(Clone, Copy, Debug, Default)]
struct Began {
    at: Instant,
    delivered: u64,
    lost: u64,
}

impl Policer {
    /// The policer's rate while it is kept to.
    pub(super) fn rate(&self) -> Option<Rate> {
        self.rate.filter(|_| self.used)
    }

    /// Counts losses, also where an acknowledgement gives no sample.
    pub(super) fn lose(&mut self, bytes: u64) {
        self.lost += bytes;
    }

    /// Restarts the detection; the count of losses is kept.
    pub(super) fn reset(&mut self) {
        *self = Policer {
            lost: self.lost,
            ..Policer::default()
        };
    }

    /// Takes in an acknowledgement with a sample; true where the rate is no longer kept to.
    pub(super) fn take(
        &mut self,
        d: &Delivery,
        app_limited: bool,
        round_start: bool,
        probing: bool,
        now: Instant,
    ) -> bool {
        if self.used {
            self.rounds += u32::from(probing && round_start);
            let over = self.rounds >= MAX_ROUNDS;
            if over {
                self.reset();
            }
            return over;
        }
        if !self.sampling {
            if d.lost == 0 {
                return false;
            }
            self.begin(d, now);
            self.sampling = true;
        }
        self.rounds += u32::from(round_start);
        if app_limited || self.rounds > 4 * INTERVAL_ROUNDS {
            self.reset();
        } else if self.rounds >= INTERVAL_ROUNDS && d.lost > 0 {
            self.update(d, now);
        }
        false
    }

    fn begin(&mut self, d: &Delivery, now: Instant) {
        self.rounds = 0;
        self.began = Began {
            at: now,
            delivered: d.total,
            lost: self.lost,
        };
    }

    /// An interval may end here.
    fn update(&mut self, d: &Delivery, now: Instant) {
        let lost = self.lost - self.began.lost;
        let delivered = d.total.saturating_sub(self.began.delivered);
        let span = now.since(self.began.at);
        let lossy = delivered > 0 && 256 * lost >= LOSS_THRESH * delivered;
        if !lossy || span < Duration::from_millis(1) {
            return;
        }
        let rate = Rate::of(delivered, span);
        let same = |old: &Rate| {
            let difference = old.bps().abs_diff(rate.bps());
            SAME_RATIO * difference <= old.bps() || difference <= SAME_DIFFERENCE.bps()
        };
        if let Some(old) = self.rate.filter(same) {
            self.rate = Some(Rate(u64::midpoint(rate.bps(), old.bps())));
            (self.used, self.rounds) = (true, 0);
        } else {
            self.rate = Some(rate);
            self.begin(d, now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rounds of a hundred milliseconds at this many delivered and lost each; how many until
    /// the rate is kept to.
    fn rounds_until_used(delivered: u64, lost: u64) -> Option<u64> {
        let mut policer = Policer::default();
        (1..40).find(|round| {
            let d = Delivery {
                total: round * delivered,
                newly: delivered,
                lost,
                in_flight_before: 0,
                repairing: false,
                sample: None,
            };
            policer.lose(lost);
            policer.take(&d, false, true, true, Instant::from_millis(100 * round));
            policer.rate().is_some()
        })
    }

    #[test]
    fn two_lossy_intervals_at_one_rate_are_a_policer() {
        assert_eq!(rounds_until_used(100_000, 30_000), Some(8));
        assert_eq!(rounds_until_used(100_000, 10_000), None);
        assert_eq!(rounds_until_used(100_000, 0), None);
    }

    #[test]
    fn its_rate_is_kept_to_for_forty_eight_rounds() {
        let mut policer = Policer {
            used: true,
            rate: Some(Rate(1)),
            ..Policer::default()
        };
        let d = Delivery {
            total: 0,
            newly: 0,
            lost: 0,
            in_flight_before: 0,
            repairing: false,
            sample: None,
        };
        let over = (1..100).find(|_| policer.take(&d, false, true, true, Instant::ZERO));
        assert_eq!((over, policer.rate()), (Some(48), None));
    }
}
