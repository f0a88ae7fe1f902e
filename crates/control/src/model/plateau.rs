//! The plateau of the delivery rate that shows a full pipe (BBR).

use crate::Rate;

/// Less growth than this in a round is a plateau.
const GROWTH: f64 = 1.25;
/// So many rounds of it, and the pipe is full.
const ROUNDS: u32 = 3;

/// The plateau of the delivery rate.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Plateau {
    full_bw: Rate,
    count: u32,
    /// `full_bw_now`: it has been found since it was last looked for.
    pub(crate) now: bool,
    /// `full_bw_reached`: it has been found at some time.
    pub(crate) reached: bool,
}

impl Plateau {
    /// Judges a rate that no application held back. It may be growth at any time, and none where a
    /// round begins.
    pub(crate) fn update(&mut self, rate: Rate, round_start: bool) {
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
    pub(crate) fn find(&mut self) {
        (self.now, self.reached) = (true, true);
    }

    /// Looks for growth beyond `rate`.
    pub(crate) fn look_again(&mut self, rate: Rate) {
        (self.full_bw, self.count, self.now) = (rate, 0, false);
    }

    /// Whatever is found next is growth, as long as the pipe has not been full.
    pub(crate) fn forget_rate(&mut self) {
        self.full_bw = Rate(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
