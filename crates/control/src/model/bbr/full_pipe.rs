//! When Startup has filled the pipe.

use crate::signals::Delivery;

/// Tolerated loss rate in percent (`LossThresh`).
pub(super) const LOSS_THRESH: u64 = 2;
/// Loss ranges of a round that end Startup (`StartupFullLossCnt`).
const FULL_LOSS_CNT: u32 = 6;

/// Losses of a round: v3 leaves Startup where there are too many. An acknowledgement that shows
/// losses counts as one range of them.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RoundLosses {
    lost: u64,
    ranges: u32,
    most_in_flight: u64,
    /// The round began in fast recovery.
    whole: bool,
}

impl RoundLosses {
    /// Takes in an acknowledgement; returns whether the round that it ends, wholly in fast
    /// recovery, had lost too much.
    pub(super) fn take(&mut self, d: &Delivery, round_start: bool, in_recovery: bool) -> bool {
        self.lost += d.lost;
        self.ranges += u32::from(d.lost > 0);
        let in_flight = d.sample.map_or(0, |s| s.tx_in_flight);
        self.most_in_flight = self.most_in_flight.max(in_flight);
        if !round_start {
            return false;
        }
        let round = std::mem::take(self);
        self.whole = in_recovery;
        let much = 100 * round.lost > LOSS_THRESH * round.most_in_flight;
        round.whole && in_recovery && much && round.ranges >= FULL_LOSS_CNT
    }
}

/// The maximum of `loss_events_in_round`.
const MOST_EVENTS: u32 = 15;

/// Acknowledgements that marked losses: Linux's v3 leaves Startup where a round has too many and its
/// last sample has lost too much.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LossEvents {
    in_round: u32,
}

impl LossEvents {
    /// Takes in an acknowledgement, which has `marked` losses and may be the last of a loss round;
    /// `too_high` where that is in recovery and its sample has lost too much. Returns whether
    /// Startup ends.
    pub(super) fn take(&mut self, marked: bool, round_end: bool, too_high: bool) -> bool {
        self.in_round = (self.in_round + u32::from(marked)).min(MOST_EVENTS);
        if !round_end {
            return false;
        }
        let ends = too_high && self.in_round >= FULL_LOSS_CNT;
        if !ends {
            self.in_round = 0;
        }
        ends
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Duration;
    use crate::signals::RateSample;

    #[test]
    fn six_acknowledgements_that_mark_losses_end_startup_where_the_last_lost_too_much() {
        let ends = |marking: usize, too_high: bool| {
            let mut events = LossEvents::default();
            assert!(!(0..marking).any(|_| events.take(true, false, true)));
            events.take(false, true, too_high)
        };
        assert!(!ends(5, true));
        assert!(ends(6, true));
        assert!(!ends(6, false));
        assert!(ends(100, true));
    }

    #[test]
    fn a_loss_round_that_ends_without_effect_is_forgotten() {
        let mut events = LossEvents::default();
        (0..5).for_each(|_| assert!(!events.take(true, false, true)));
        assert!(!events.take(false, true, true));
        (0..5).for_each(|_| assert!(!events.take(true, false, true)));
        assert!(!events.take(false, true, true));
    }

    /// Whether Startup ends after a round with `lost` of `in_flight` segments lost in so many
    /// ranges; `whole` where it began in recovery.
    fn ends(lost: u64, in_flight: u64, ranges: u64, whole: bool) -> bool {
        let mut losses = RoundLosses::default();
        let told = |lost, in_flight| Delivery {
            total: 0,
            newly: 0,
            lost,
            in_flight_before: 0,
            repairing: false,
            sample: Some(RateSample {
                prior_delivered: 0,
                delivered: 1000,
                interval: Duration::from_millis(1),
                app_limited: false,
                tx_in_flight: in_flight,
                lost: 0,
                ..RateSample::default()
            }),
        };
        losses.take(&told(0, 0), true, whole);
        for range in 0..ranges {
            let share = lost / ranges + u64::from(range < lost % ranges);
            assert!(!losses.take(&told(1000 * share, 1000 * in_flight), false, true));
        }
        losses.take(&told(0, 0), true, true)
    }

    /// V5
    #[test]
    fn a_round_of_recovery_with_six_ranges_and_more_than_two_percent_lost_ends_startup() {
        assert!(!ends(5, 200, 5, true));
        assert!(ends(6, 200, 6, true));
        assert!(!ends(6, 400, 6, true));
        assert!(!ends(10, 200, 3, true));
        assert!(!ends(6, 200, 6, false));
    }
}
