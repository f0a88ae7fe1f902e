//! Rates, one after the other, without end.

use super::mean::mean;
use crate::random::{open_share, share};
use flowstart_control::{Duration, Rate};
use rand_pcg::Pcg64Mcg;
use std::f64::consts::TAU;
use std::sync::Arc;

/// A rate that holds for some time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The rate; zero for an outage.
    pub rate: Rate,
    /// Time for which the rate holds.
    pub lasts: Duration,
}

/// Endless sequence of rates and durations.
#[derive(Clone, Debug)]
pub enum RateSteps {
    /// Given ones, over and over.
    Repeated {
        /// Steps that are repeated.
        steps: Arc<[Step]>,
        /// Index of the next step.
        next: usize,
    },
    /// Rates drawn anew every so often.
    Redrawn(Redrawn),
    /// A rate that wanders about its mean.
    Wandering(Wandering),
}

impl RateSteps {
    /// These steps over and over; one of them at least has a rate and a length.
    pub fn repeated(steps: Arc<[Step]>) -> RateSteps {
        RateSteps::Repeated { steps, next: 0 }
    }

    /// Returns the next step.
    pub fn next_step(&mut self) -> Step {
        match self {
            RateSteps::Repeated { steps, next } => {
                let step = steps[*next];
                *next = (*next + 1) % steps.len();
                step
            }
            RateSteps::Redrawn(steps) => steps.next_step(),
            RateSteps::Wandering(steps) => steps.next_step(),
        }
    }
}

/// The rate that these steps have in the long run.
pub fn mean_of(steps: &[Step]) -> Rate {
    let work = |step: &Step| u128::from(step.rate.bps()) * u128::from(step.lasts.nanos());
    let nanos: u128 = steps.iter().map(|s| u128::from(s.lasts.nanos())).sum();
    mean(steps.iter().map(work).sum::<u128>() / 1_000_000_000, nanos)
}

/// Rates drawn uniformly about a mean, each after an outage.
#[derive(Clone, Debug)]
pub struct Redrawn {
    /// The mean of the draws.
    pub mean: Rate,
    /// From one draw to the next.
    pub every: Duration,
    /// How far a draw is from the mean at most, as a share of it.
    pub spread: f64,
    /// Nothing is sent for so long when the rate changes.
    pub outage: Duration,
    /// Whether the outage of this draw is over.
    pub resumed: bool,
    /// Where they are drawn from.
    pub random: Pcg64Mcg,
}

impl Redrawn {
    fn next_step(&mut self) -> Step {
        self.resumed = !self.resumed;
        if !self.resumed {
            return Step {
                rate: Rate(0),
                lasts: self.outage,
            };
        }
        let factor = 1.0 + self.spread * (2.0 * share(&mut self.random) - 1.0);
        Step {
            rate: scaled(self.mean, factor),
            lasts: self.every.saturating_sub(self.outage),
        }
    }
}

/// A rate whose logarithm is a first-order autoregression about its mean.
#[derive(Clone, Debug)]
pub struct Wandering {
    /// The mean, before `most` cuts off.
    pub mean: Rate,
    /// For how long a rate holds.
    pub every: Duration,
    /// What is left of a deviation from one step to the next.
    pub kept: f64,
    /// Standard deviation of the logarithm.
    pub sigma: f64,
    /// The rate is at most this multiple of the mean.
    pub most: f64,
    /// The logarithm's deviation, in standard deviations; none before the first step.
    pub deviation: Option<f64>,
    /// Where it is drawn from.
    pub random: Pcg64Mcg,
}

impl Wandering {
    fn next_step(&mut self) -> Step {
        let fresh = normal(&mut self.random);
        let kept = self.kept;
        let deviation = self.deviation.map_or(fresh, |before| {
            kept * before + libm::sqrt(1.0 - kept * kept) * fresh
        });
        self.deviation = Some(deviation);
        // The mean of a lognormal law is e^(σ²/2) times its median.
        let factor = libm::exp(self.sigma * (deviation - self.sigma / 2.0));
        Step {
            rate: scaled(self.mean, factor.min(self.most)),
            lasts: self.every,
        }
    }
}

/// A multiple of a rate, at least 1 bit/s.
fn scaled(rate: Rate, factor: f64) -> Rate {
    Rate(((rate.bps() as f64 * factor) as u64).max(1))
}

/// A draw from the normal law, by Box and Muller's transform.
fn normal(rng: &mut Pcg64Mcg) -> f64 {
    libm::sqrt(-2.0 * libm::log(open_share(rng))) * libm::cos(TAU * open_share(rng))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::stream;

    const MEAN: Rate = Rate(10_000_000);

    fn redrawn(outage: Duration) -> RateSteps {
        RateSteps::Redrawn(Redrawn {
            mean: MEAN,
            every: Duration::from_secs(15),
            spread: 0.5,
            outage,
            resumed: true,
            random: stream(1, "test", 0),
        })
    }

    fn wandering(sigma: f64, most: f64) -> RateSteps {
        RateSteps::Wandering(Wandering {
            mean: MEAN,
            every: Duration::from_millis(20),
            kept: 0.98,
            sigma,
            most,
            deviation: None,
            random: stream(1, "test", 0),
        })
    }

    fn take(mut steps: RateSteps, count: usize) -> Vec<Step> {
        (0..count).map(|_| steps.next_step()).collect()
    }

    /// Within one part in fifty.
    #[track_caller]
    fn near(got: f64, expected: f64) {
        assert!((got / expected - 1.0).abs() < 0.02, "{got} {expected}");
    }

    #[test]
    fn steps_that_are_given_come_round() {
        let steps = [(5, 2_000_000), (15, 10_000_000)].map(|(ms, bps)| Step {
            rate: Rate(bps),
            lasts: Duration::from_millis(ms),
        });
        assert_eq!(mean_of(&steps), Rate(8_000_000));
        let taken = take(RateSteps::repeated(steps.into()), 4);
        assert_eq!(taken, [steps[0], steps[1], steps[0], steps[1]]);
    }

    #[test]
    fn draws_lie_about_the_mean_and_an_outage_is_part_of_their_time() {
        let steps = take(redrawn(Duration::from_millis(30)), 20_000);
        let (outages, rates): (Vec<Step>, Vec<Step>) =
            steps.iter().partition(|step| step.rate == Rate(0));
        assert_eq!((outages.len(), rates.len()), (10_000, 10_000));
        assert!(outages.iter().all(|s| s.lasts == Duration::from_millis(30)));
        assert!(
            rates
                .iter()
                .all(|s| s.lasts == Duration::from_millis(14_970))
        );
        let bps: Vec<u64> = rates.iter().map(|s| s.rate.bps()).collect();
        assert!(bps.iter().all(|bps| (5_000_000..=15_000_000).contains(bps)));
        assert!(bps.iter().min() < Some(&5_100_000) && bps.iter().max() > Some(&14_900_000));
        near(mean_of(&rates).bps() as f64, 10e6);
    }

    #[test]
    fn a_rate_that_wanders_has_its_mean_its_deviation_and_its_memory() {
        let steps = take(wandering(0.4, 1e9), 1_000_000);
        near(mean_of(&steps).bps() as f64, 10e6);
        let logs: Vec<f64> = steps
            .iter()
            .map(|s| libm::log(s.rate.bps() as f64))
            .collect();
        let n = logs.len() as f64;
        let mean = logs.iter().sum::<f64>() / n;
        let variance = logs.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / n;
        near(variance.sqrt(), 0.4);
        let pairs = logs.windows(2).map(|x| (x[0] - mean) * (x[1] - mean));
        near(pairs.sum::<f64>() / n / variance, 0.98);
    }

    #[test]
    fn a_rate_that_wanders_is_cut_at_its_most() {
        let steps = take(wandering(1.0, 2.0), 10_000);
        let most = steps.iter().map(|step| step.rate).max();
        assert_eq!(most, Some(Rate(20_000_000)));
    }
}
