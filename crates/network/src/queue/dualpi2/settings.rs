//! The parameters of DualPI2: two presets, and what departs from them.

use super::pi2::Gains;
use flowstart_control::params::{Number, Params, SpecError};
use flowstart_control::{Duration, params};

params! {
    /// The parameters, in the words of `tc-dualpi2` where it has them.
    pub(super) struct Given {
        /// linux: as sch_dualpi2.c of Linux 6.18; rfc9332: as the pseudo-code of RFC 9332, appendix
        /// A
        preset: Preset = "linux",
        /// the delay of the classic queue that is aimed at
        target: Duration = "15ms",
        /// how often the base probability changes
        #[usual("by preset: 16ms under linux, 15ms under rfc9332")]
        #[check(|time| time >= Duration::from_micros(1), "at least 1us")]
        tupdate: Option<Duration>,
        /// weight of the distance from the target, per second
        #[usual("by preset: 0.16015625 under linux, 0.15 under rfc9332")]
        alpha: Option<Number>,
        /// weight of the change since the last update, per second
        #[usual("by preset: 3.19921875 under linux, 3 under rfc9332")]
        beta: Option<Number>,
        /// k: low-latency packets are marked with k times the probability whose square is that of
        /// classic ones (RFC 9332 section 2.1)
        #[within(1.0..=255.0)]
        coupling_factor: Number = "2",
        /// percent of the link that the classic queue is sure of
        #[within(0..=100)]
        classic_protection: u32 = "10",
        /// preset=linux: a low-latency packet that has waited longer is marked
        step_thresh: Duration = "1ms",
        /// preset=linux: where marking all low-latency packets does not suffice, both queues drop;
        /// otherwise the buffer fills
        drop_on_overload: bool = "true",
        /// preset=rfc9332: the wait from which on low-latency packets are marked
        min_th: Duration = "800us",
        /// preset=rfc9332: how much longer the wait is at which all of them are
        range: Duration = "400us",
        /// whether packets are picked at even distances (RFC 9332's recur) instead of drawn
        #[usual("by preset: false under linux, true under rfc9332")]
        recur: Option<bool>,
    }

    pub(super) enum Preset { Linux = "linux", Rfc9332 = "rfc9332" }
}

/// How low-latency packets are marked for their own queue's sake.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Native {
    /// All that have waited longer than this.
    Step { thresh: Duration },
    /// A share that rises over `range` from none at `min_th` to all.
    Ramp { min_th: Duration, range: Duration },
}

impl Native {
    /// RFC 9332's `laqm`: the probability for a packet that has waited so long.
    pub(super) fn ramp(min_th: Duration, range: Duration, sojourn: Duration) -> f64 {
        if sojourn >= min_th + range {
            return 1.0;
        }
        match sojourn.saturating_sub(min_th) {
            Duration::ZERO => 0.0,
            above => above.secs() / range.secs(),
        }
    }
}

/// Parameters with the defaults of their preset.
#[derive(Clone, Copy, Debug)]
pub(super) struct Settings {
    pub(super) gains: Gains,
    /// Coupling factor k of RFC 9332.
    pub(super) k: f64,
    /// Share of the link that is reserved for the classic queue, in percent.
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
        let given = Given::read(params)?;
        let linux = given.preset == Preset::Linux;
        params.effective(&Given::step_thresh, linux, "`preset=linux`")?;
        params.effective(&Given::drop_on_overload, linux, "`preset=linux`")?;
        params.effective(&Given::min_th, !linux, "`preset=rfc9332`")?;
        params.effective(&Given::range, !linux, "`preset=rfc9332`")?;
        let (tupdate, alpha, beta) = match given.preset {
            Preset::Linux => (Duration::from_millis(16), 41.0 / 256.0, 819.0 / 256.0),
            Preset::Rfc9332 => (Duration::from_millis(15), 0.15, 3.0),
        };
        let k = given.coupling_factor;
        // At 1/k all low-latency packets are marked.
        let most = match linux && given.drop_on_overload {
            true => 1.0,
            false => 1.0 / k,
        };
        Ok(Settings {
            gains: Gains {
                target: given.target,
                tupdate: given.tupdate.unwrap_or(tupdate),
                alpha: given.alpha.unwrap_or(alpha),
                beta: given.beta.unwrap_or(beta),
                most,
            },
            k,
            classic_protection: given.classic_protection,
            native: match linux {
                true => Native::Step {
                    thresh: given.step_thresh,
                },
                false => Native::Ramp {
                    min_th: given.min_th,
                    range: given.range,
                },
            },
            recur: given.recur.unwrap_or(!linux),
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
        let us = Duration::from_micros;
        let ramp = |sojourn| Native::ramp(us(800), us(400), us(sojourn));
        assert_eq!(
            [500, 800, 1000, 1200, 5000].map(ramp),
            [0.0, 0.0, 0.5, 1.0, 1.0]
        );
    }

    #[test]
    fn a_ramp_without_a_range_is_a_step() {
        let ramp = |ns| Native::ramp(Duration::from_micros(800), Duration::ZERO, Duration(ns));
        assert_eq!([799_999, 800_000].map(ramp), [0.0, 1.0]);
    }
}
