//! Distributions, and how values are drawn from them.

use crate::random::open_share;
use flowstart_control::Duration;
use rand_pcg::Pcg64Mcg;
use std::f64::consts::{SQRT_2, TAU};

/// A distribution, ready to be drawn from; in seconds or in packets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Distribution {
    /// A constant: every draw is the same.
    Constant(f64),
    /// Uniform from zero: most · U.
    Uniform {
        /// The maximum; the minimum is zero.
        most: f64,
    },
    /// Exponential: −mean · ln U.
    Exponential {
        /// Mean of the draws.
        mean: f64,
    },
    /// scale · U^(−1/shape): Pareto's first kind, from `scale` on.
    Pareto {
        /// Minimum of the draws.
        scale: f64,
        /// Exponent of the tail.
        shape: f64,
    },
    /// scale · (U^(−1/shape) − 1): Pareto's second kind, or Lomax's, from zero on.
    Pareto2 {
        /// Scale of the draws.
        scale: f64,
        /// Exponent of the tail.
        shape: f64,
    },
    /// Weibull: scale · (−ln U)^(1/shape).
    Weibull {
        /// Scale: the 63rd percentile of the draws.
        scale: f64,
        /// Below one for a tail heavier than the exponential's.
        shape: f64,
    },
    /// Lognormal: exp(N(mu, sigma)).
    Lognormal {
        /// The logarithm of the median.
        mu: f64,
        /// Standard deviation of the logarithm.
        sigma: f64,
    },
    /// Normal, with zero in place of what is below zero, as netem has it: max(0, N(mean, sd)).
    Normal {
        /// Mean before values below zero are replaced.
        mean: f64,
        /// Standard deviation, likewise.
        sd: f64,
    },
}

/// A normal variable of two uniform ones, by Box and Muller's transform.
fn normal(u: f64, second: f64) -> f64 {
    libm::sqrt(-2.0 * libm::log(u)) * libm::cos(TAU * second)
}

impl Distribution {
    /// The value that is exceeded with probability `u`, which is above 0 and below 1.
    /// `second` is a second draw where one does not suffice.
    pub(super) fn at(&self, u: f64, second: impl FnOnce() -> f64) -> f64 {
        match *self {
            Distribution::Constant(value) => value,
            Distribution::Uniform { most } => most * u,
            Distribution::Exponential { mean } => -mean * libm::log(u),
            Distribution::Pareto { scale, shape } => scale * libm::pow(u, -1.0 / shape),
            Distribution::Pareto2 { scale, shape } => scale * (libm::pow(u, -1.0 / shape) - 1.0),
            Distribution::Weibull { scale, shape } => scale * libm::pow(-libm::log(u), 1.0 / shape),
            Distribution::Lognormal { mu, sigma } => libm::exp(mu + sigma * normal(u, second())),
            Distribution::Normal { mean, sd } => (mean + sd * normal(u, second())).max(0.0),
        }
    }

    /// Draws a value from the distribution.
    pub(super) fn draw(&self, rng: &mut Pcg64Mcg) -> f64 {
        match self {
            Distribution::Constant(value) => *value,
            distribution => {
                let u = open_share(rng);
                distribution.at(u, || open_share(rng))
            }
        }
    }

    /// A draw as a time, to the nanosecond.
    pub fn time(&self, rng: &mut Pcg64Mcg) -> Duration {
        Duration::from_secs_f64(self.draw(rng))
    }

    /// A draw as a number of things: rounded up, at least one.
    pub fn count(&self, rng: &mut Pcg64Mcg) -> u64 {
        self.draw(rng).ceil().max(1.0) as u64
    }

    /// The mean; infinite for tails that have none.
    pub fn mean(&self) -> f64 {
        match *self {
            Distribution::Constant(value) => value,
            Distribution::Uniform { most } => most / 2.0,
            Distribution::Exponential { mean } => mean,
            Distribution::Pareto { shape, .. } | Distribution::Pareto2 { shape, .. }
                if shape <= 1.0 =>
            {
                f64::INFINITY
            }
            Distribution::Pareto { scale, shape } => scale * shape / (shape - 1.0),
            Distribution::Pareto2 { scale, shape } => scale / (shape - 1.0),
            Distribution::Weibull { scale, shape } => scale * libm::tgamma(1.0 + 1.0 / shape),
            Distribution::Lognormal { mu, sigma } => libm::exp(mu + sigma * sigma / 2.0),
            Distribution::Normal { mean, sd } => {
                let z = mean / sd;
                let density = libm::exp(-z * z / 2.0) / libm::sqrt(TAU);
                let above_zero = libm::erfc(-z / SQRT_2) / 2.0;
                mean * above_zero + sd * density
            }
        }
    }
}
