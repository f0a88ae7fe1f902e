//! The parameters of DualPI2: two presets, and what departs from them.

use super::pi2::Gains;
use flowstart_control::params::{ParamSpec, Params, SpecError, Unit};
use flowstart_control::Time;

/// The parameters, in the words of `tc-dualpi2` where it has them.
pub(super) const PARAMS: &[ParamSpec] = &[
    ParamSpec {
        name: "preset",
        unit: Unit::Choice(&["linux", "rfc9332"]),
        default: "linux",
        meaning: "linux: as sch_dualpi2.c of Linux 6.18; rfc9332: as the pseudo-code of RFC 9332, \
                  appendix A",
    },
    ParamSpec {
        name: "target",
        unit: Unit::Time,
        default: "15ms",
        meaning: "the delay of the classic queue that is aimed at",
    },
    ParamSpec {
        name: "tupdate",
        unit: Unit::Time,
        default: "by preset: 16ms under linux, 15ms under rfc9332",
        meaning: "how often the base probability changes",
    },
    ParamSpec {
        name: "alpha",
        unit: Unit::Number,
        default: "by preset: 0.16015625 under linux, 0.15 under rfc9332",
        meaning: "weight of the distance from the target, per second",
    },
    ParamSpec {
        name: "beta",
        unit: Unit::Number,
        default: "by preset: 3.19921875 under linux, 3 under rfc9332",
        meaning: "weight of the change since the last update, per second",
    },
    ParamSpec {
        name: "coupling_factor",
        unit: Unit::Number,
        default: "2",
        meaning: "k: low-latency packets are marked with k times the probability whose square is \
                  that of classic ones (RFC 9332 section 2.1)",
    },
    ParamSpec {
        name: "classic_protection",
        unit: Unit::Number,
        default: "10",
        meaning: "percent of the link that the classic queue is sure of",
    },
    ParamSpec {
        name: "step_thresh",
        unit: Unit::Time,
        default: "1ms",
        meaning: "preset=linux: a low-latency packet that has waited longer is marked",
    },
    ParamSpec {
        name: "drop_on_overload",
        unit: Unit::Bool,
        default: "true",
        meaning: "preset=linux: where marking all low-latency packets does not suffice, both \
                  queues drop; otherwise the buffer fills",
    },
    ParamSpec {
        name: "min_th",
        unit: Unit::Time,
        default: "800us",
        meaning: "preset=rfc9332: the wait from which on low-latency packets are marked",
    },
    ParamSpec {
        name: "range",
        unit: Unit::Time,
        default: "400us",
        meaning: "preset=rfc9332: how much longer the wait is at which all of them are",
    },
    ParamSpec {
        name: "recur",
        unit: Unit::Bool,
        default: "by preset: false under linux, true under rfc9332",
        meaning: "whether packets are picked at even distances (RFC 9332's recur) instead of drawn",
    },
];

/// How low-latency packets are marked for their own queue's sake.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Native {
    /// All that have waited longer than this.
    Step { thresh: Time },
    /// A share that rises over `range` from none at `min_th` to all.
    Ramp { min_th: Time, range: Time },
}

impl Native {
    /// RFC 9332's `laqm`: the probability for a packet that has waited so long.
    pub(super) fn ramp(min_th: Time, range: Time, sojourn: Time) -> f64 {
        if sojourn >= min_th + range {
            return 1.0;
        }
        match sojourn.since(min_th) {
            Time::ZERO => 0.0,
            above => above.secs() / range.secs(),
        }
    }
}

/// The parameters, read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Settings {
    pub(super) gains: Gains,
    /// The coupling factor.
    pub(super) k: f64,
    /// Percent.
    pub(super) classic_protection: u32,
    pub(super) native: Native,
    pub(super) recur: bool,
    /// The controller looks at both queues, not at the classic one only.
    pub(super) delay_of_both: bool,
    /// Nothing is coupled below two full packets.
    pub(super) spares_two: bool,
}

impl Settings {
    pub(super) fn read(params: &Params) -> Result<Settings, SpecError> {
        let linux = params.choice_given("preset") != Some("rfc9332");
        for name in ["step_thresh", "drop_on_overload"] {
            params.effective(name, linux, "`preset=linux`")?;
        }
        for name in ["min_th", "range"] {
            params.effective(name, !linux, "`preset=rfc9332`")?;
        }
        let by_preset = |name, values: (f64, f64)| {
            let usual = if linux { values.0 } else { values.1 };
            params.number_given(name).unwrap_or(usual)
        };
        let tupdate = match params.time_given("tupdate") {
            None => Time::from_millis(if linux { 16 } else { 15 }),
            Some(given) if given < Time::from_micros(1) => {
                return Err(SpecError::bad_value(params, "tupdate", "at least 1us"));
            }
            Some(given) => given,
        };
        let k = params.within("coupling_factor", 1.0..=255.0)?;
        // At 1/k all low-latency packets are marked.
        let most = match linux && params.bool("drop_on_overload") {
            true => 1.0,
            false => 1.0 / k,
        };
        Ok(Settings {
            gains: Gains {
                target: params.time("target"),
                tupdate,
                alpha: by_preset("alpha", (41.0 / 256.0, 0.15)),
                beta: by_preset("beta", (819.0 / 256.0, 3.0)),
                most,
            },
            k,
            classic_protection: params.whole("classic_protection", 0..=100)?,
            native: match linux {
                true => Native::Step {
                    thresh: params.time("step_thresh"),
                },
                false => Native::Ramp {
                    min_th: params.time("min_th"),
                    range: params.time("range"),
                },
            },
            recur: params.bool_given("recur").unwrap_or(!linux),
            delay_of_both: linux,
            spares_two: linux,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ramp_marks_none_half_and_all() {
        let us = Time::from_micros;
        let ramp = |sojourn| Native::ramp(us(800), us(400), us(sojourn));
        assert_eq!(
            [500, 800, 1000, 1200, 5000].map(ramp),
            [0.0, 0.0, 0.5, 1.0, 1.0]
        );
    }

    #[test]
    fn a_ramp_without_a_range_is_a_step() {
        let ramp = |ns| Native::ramp(Time::from_micros(800), Time::ZERO, Time(ns));
        assert_eq!([799_999, 800_000].map(ramp), [0.0, 1.0]);
    }
}
