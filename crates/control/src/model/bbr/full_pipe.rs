//! When Startup has filled the pipe.

use crate::signals::Delivery;
use crate::Rate;

/// Less growth than this in a round is a plateau.
const GROWTH: f64 = 1.25;
/// So many rounds of it, and the pipe is full.
const ROUNDS: u32 = 3;

/// The plateau of the delivery rate.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Plateau {
    full_bw: Rate,
    count: u32,
    /// `full_bw_now`: it has been found since it was last looked for.
    pub(super) now: bool,
    /// `full_bw_reached`: it has been found at some time.
    pub(super) reached: bool,
}

impl Plateau {
    /// Judges a rate that no application held back. It may be growth at any time, and none where a
    /// round begins.
    pub(super) fn update(&mut self, rate: Rate, round_start: bool) {
        if self.now {
            return;
        }
        if rate.bps() as f64 >= GROWTH * self.full_bw.bps() as f64 {
            return self.look_again(rate);
        }
        if !round_start {
            return;
        }
        self.count += 1;
        if self.count >= ROUNDS {
            self.find();
        }
    }

    /// Records that the pipe is full.
    pub(super) fn find(&mut self) {
        (self.now, self.reached) = (true, true);
    }

    /// Looks for growth beyond `rate`.
    pub(super) fn look_again(&mut self, rate: Rate) {
        (self.full_bw, self.count, self.now) = (rate, 0, false);
    }

    /// Whatever is found next is growth, as long as the pipe has not been full.
    pub(super) fn forget_rate(&mut self) {
        self.full_bw = Rate(0);
    }
}

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
    use crate::signals::RateSample;
    use crate::Duration;

    fn mbps(rate: f64) -> Rate {
        Rate::from_bps((rate * 1e6) as u64)
    }

    /// After which sample the pipe is full.
    fn full_after(samples: &[f64]) -> Option<usize> {
        let mut plateau = Plateau::default();
        let found = samples.iter().position(|rate| {
            plateau.update(mbps(*rate), true);
            plateau.reached
        });
        found.map(|index| index + 1)
    }

    /// V2
    #[test]
    fn three_rounds_without_a_quarter_more_fill_the_pipe() {
        let grown = [10.0, 20.0, 40.0, 80.0, 95.0, 99.0];
        let mut samples = grown.to_vec();
        samples.extend([100.0, 100.0, 101.0, 102.0]);
        assert_eq!(full_after(&samples), Some(10));
        samples[6] = 99.9;
        assert_eq!(full_after(&samples), Some(7));
        assert_eq!(full_after(&grown), None);
    }

    /// V5 of Linux's v3
    #[test]
    fn where_every_sample_may_be_growth_one_within_a_round_starts_the_count_anew() {
        let counts = |full: f64, samples: &[(f64, bool)], every: bool| {
            let mut plateau = Plateau::default();
            plateau.look_again(mbps(full));
            let counted = samples.iter().filter(|(_, start)| every || *start);
            let counts = counted.map(|(rate, start)| {
                plateau.update(mbps(*rate), *start);
                plateau.count
            });
            let counts: Vec<u32> = counts.collect();
            (counts, plateau.full_bw, plateau.reached)
        };
        let samples = [(101.0, false), (100.0, true), (101.0, true), (102.0, true)];
        assert_eq!(
            counts(80.0, &samples, true),
            (vec![0, 1, 2, 3], mbps(101.0), true)
        );
        assert_eq!(
            counts(80.0, &samples, false),
            (vec![0, 1, 2], mbps(100.0), false)
        );
        let late = [(101.0, true), (102.0, true), (126.0, false)];
        assert_eq!(
            counts(100.0, &late, true),
            (vec![1, 2, 0], mbps(126.0), false)
        );
        assert_eq!(
            counts(100.0, &late, false),
            (vec![1, 2], mbps(100.0), false)
        );
    }

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
