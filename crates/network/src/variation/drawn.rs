//! Variations by name: `steps:every=15s,spread=0.5`.

use super::rate_steps::{RateSteps, Redrawn, Wandering};
use flowstart_control::entry::{self, Certainty, Description, Entry, Selected};
use flowstart_control::params::{AlgorithmKind, Number, Ratio, SpecError};
use flowstart_control::{Convention, Duration, Rate, params};
use rand_pcg::Pcg64Mcg;
use std::fmt;

/// What its catalog calls a variation.
const KIND: AlgorithmKind = AlgorithmKind("variation");

/// Makes the steps of a line with this mean rate.
pub(super) type Maker = dyn Fn(Rate, Pcg64Mcg) -> RateSteps + Send + Sync;

/// Entries of all variations of a rate.
pub const VARIATIONS: &[Entry<Maker>] = &[STEPS, WANDER];

const STEPS: Entry<Maker> = Entry {
    name: "steps",
    title: "Reallocated rate",
    source: "Mohan et al., A Multifaceted Look at Starlink Performance (WWW 2024)",
    year: 2024,
    opened: "abstract of the paper",
    compared: "interval between rates",
    summary: "Another rate at fixed intervals, drawn uniformly about the mean.",
    params: Steps::PARAMS,
    needs: &[],
    certainty: Certainty::Reconstructed,
    build: |params, _| {
        let Steps {
            every,
            spread,
            outage,
        } = Steps::read(params)?;
        if outage >= every {
            return Err(SpecError::bad_value(
                params,
                &Steps::outage,
                "below `every`",
            ));
        }
        Ok(Box::new(move |mean, random| {
            RateSteps::Redrawn(Redrawn {
                mean,
                every,
                spread,
                outage,
                // The run begins amid a connection, not in an outage.
                resumed: false,
                random,
            })
        }))
    },
};

params! {
    struct Steps {
        /// from one rate to the next
        #[check(|time| time >= Duration::from_millis(1), "at least 1ms")]
        every: Duration = "15s",
        /// maximum distance of a rate from the mean, as a share of it
        spread: Ratio = "0.5",
        /// nothing is sent for so long when the rate changes
        outage: Duration = "0s",
    }
}

const WANDER: Entry<Maker> = Entry {
    name: "wander",
    title: "Wandering rate",
    source: "after Winstein et al., Stochastic Forecasts (Sprout, NSDI 2013)",
    year: 2013,
    opened: "abstract of the paper",
    compared: "none: the process is this project's",
    summary: "A rate whose logarithm is a first-order autoregression, as a radio channel's.",
    params: Wander::PARAMS,
    needs: &[],
    certainty: Certainty::Reconstructed,
    build: |params, _| {
        let Wander {
            every,
            memory,
            sigma,
            most,
        } = Wander::read(params)?;
        let kept = match memory {
            Duration::ZERO => 0.0,
            _ => libm::exp(-every.secs() / memory.secs()),
        };
        Ok(Box::new(move |mean, random| {
            RateSteps::Wandering(Wandering {
                mean,
                every,
                kept,
                sigma,
                most,
                deviation: None,
                random,
            })
        }))
    },
};

params! {
    struct Wander {
        /// for how long a rate holds
        #[check(|time| time >= Duration::from_millis(1), "at least 1ms")]
        every: Duration = "20ms",
        /// after so long 1/e of a deviation is left
        memory: Duration = "1s",
        /// standard deviation of the rate's logarithm
        #[check(|sigma| sigma <= 3.0, "from 0 to 3")]
        sigma: Number = "0.4",
        /// the rate is at most this multiple of the mean
        #[check(|most| (1.0..=1000.0).contains(&most), "from 1 to 1000")]
        most: Number = "3",
    }
}

/// A variation with its parameters, read and found sound.
#[derive(Clone, Debug)]
pub struct VariationSpec(Selected<Maker>);

/// Convention for entries: variations follow no stack.
const CONVENTION: Convention = Convention::RFC;

impl VariationSpec {
    /// Reads a specification such as `steps:every=15s`.
    pub fn parse(spec: &str) -> Result<VariationSpec, SpecError> {
        entry::read(KIND, VARIATIONS, spec, CONVENTION).map(VariationSpec)
    }

    /// The steps of a line with this mean rate.
    pub fn steps(&self, mean: Rate, random: Pcg64Mcg) -> RateSteps {
        (self.0.built)(mean, random)
    }
}

impl fmt::Display for VariationSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.params.fmt(f)
    }
}

/// Describes every variation for help and pages.
pub fn describe() -> Vec<Description> {
    let describe = |entry| entry::describe_one(KIND, entry);
    VARIATIONS.iter().map(describe).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use flowstart_control::params::Params;

    #[test]
    fn every_default_is_a_value() {
        for entry in VARIATIONS {
            for param in entry.params {
                let text = format!("{}={}", param.name, param.default);
                assert!(Params::parse(KIND, entry.name, entry.params, &text).is_ok());
            }
            assert!(VariationSpec::parse(entry.name).is_ok());
            assert!(!entry.source.is_empty() && entry.summary.ends_with('.'));
        }
    }
}
