//! What limited a flow over time, kept as how long each reason held in each bin.

use super::{Bins, Drawn};
use flowstart_control::Instant;
use flowstart_control::named::Named;
use flowstart_transport::sender::Limit;
use serde::{Deserialize, Serialize};

const REASONS: usize = Limit::VALUES.len();

/// For how long each reason held in each bin.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct BinnedLimit {
    /// Nanoseconds of each reason, from the first bin on.
    times: Vec<[u64; REASONS]>,
    /// The place among [`Limit::VALUES`] of the reason that holds, and since when.
    now: Option<(usize, u64)>,
}

impl BinnedLimit {
    /// From now on this is the reason; none after the flow's end. There is a bin for this time.
    pub(super) fn turn(&mut self, bins: &Bins, at: Instant, limit: Option<Limit>) {
        let place = limit.map(|limit| limit as usize);
        if place == self.now.map(|(reason, _)| reason) {
            return;
        }
        if let Some((reason, since)) = self.now {
            for (bin, time) in bins.shares(since, at.0) {
                if self.times.len() <= bin {
                    self.times.resize(bin + 1, [0; REASONS]);
                }
                self.times[bin][reason] += time;
            }
        }
        self.now = place.map(|reason| (reason, at.0));
    }

    /// Makes one bin of every so many.
    pub(super) fn widen(&mut self, factor: u32) {
        let merged = self.times.chunks(factor as usize).map(|bins| {
            let mut sum = [0; REASONS];
            for bin in bins {
                sum.iter_mut().zip(bin).for_each(|(sum, time)| *sum += time);
            }
            sum
        });
        self.times = merged.collect();
    }

    /// The bins from which on another reason holds for longest, and its place among
    /// [`Limit::VALUES`]; the first of equal ones. Not a number marks that the flow was not open.
    pub fn drawn(&self) -> Drawn {
        let mut drawn = Drawn::default();
        let mut last = None;
        for (bin, times) in (0..).zip(&self.times) {
            let longest = longest(times);
            if longest != last {
                drawn.push(bin, longest.map_or(f64::NAN, |reason| reason as f64));
                last = longest;
            }
        }
        drawn
    }
}

/// The reason with the longest time; none where none held.
fn longest(times: &[u64; REASONS]) -> Option<usize> {
    let longest = (0..REASONS).rev().max_by_key(|reason| times[*reason])?;
    (times[longest] > 0).then_some(longest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use flowstart_control::Duration;

    fn at(micros: u64) -> Instant {
        Instant::ZERO + Duration::from_micros(micros)
    }

    /// Bins of 10 us from `from` on.
    fn bins(from: u64) -> Bins {
        Bins::new(10, at(from), Some(at(from + 100)))
    }

    fn values(line: &BinnedLimit) -> Vec<(u16, f32)> {
        let drawn = line.drawn();
        drawn.bins.into_iter().zip(drawn.values).collect()
    }

    #[test]
    fn a_bin_has_the_reason_that_held_for_longest_in_it() {
        let mut line = BinnedLimit::default();
        line.turn(&bins(0), at(0), Some(Limit::Handshake));
        line.turn(&bins(0), at(14), Some(Limit::Cwnd));
        line.turn(&bins(0), at(17), Some(Limit::Pacing));
        line.turn(&bins(0), at(48), None);
        let (handshake, pacing) = (Limit::Handshake as u8, Limit::Pacing as u8);
        assert_eq!(
            values(&line),
            [(0, f32::from(handshake)), (2, f32::from(pacing))]
        );
    }

    #[test]
    fn wider_bins_have_the_sum_of_what_was_in_them() {
        let mut line = BinnedLimit::default();
        line.turn(&bins(0), at(0), Some(Limit::Cwnd));
        line.turn(&bins(0), at(6), Some(Limit::Pacing));
        line.turn(&bins(0), at(20), None);
        line.widen(2);
        assert_eq!(values(&line), [(0, f32::from(Limit::Pacing as u8))]);
    }

    #[test]
    fn what_was_before_the_first_bin_is_left_out() {
        let mut line = BinnedLimit::default();
        line.turn(&bins(50), at(0), Some(Limit::Handshake));
        line.turn(&bins(50), at(40), Some(Limit::Cwnd));
        line.turn(&bins(50), at(70), None);
        assert_eq!(values(&line), [(0, f32::from(Limit::Cwnd as u8))]);
    }
}
