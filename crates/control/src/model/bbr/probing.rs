//! v3's bounds, which losses set, and where it is in ProbeBW (draft-ietf-ccwg-bbr-06 §5.5.10).

use super::state::{MIN_PIPE_CWND, State};
use crate::signals::RateSample;
use crate::{Duration, Instant, Rate, Segments};

/// Shares by which bounds are lowered.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// `Beta`: what is left of a bound that lost too much.
    pub(super) beta: f64,
    /// `Headroom`: what is left free below the long-term bound.
    pub(super) headroom: f64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            beta: 0.7,
            headroom: 0.15,
        }
    }
}

/// Phase of ProbeBW in v3.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Phase {
    /// Drain what the probe has queued.
    #[default]
    Down,
    /// Stay below what is known.
    Cruise,
    /// Fill the path without a queue before probing.
    Refill,
    /// Probing for more bandwidth.
    Up,
}

impl Phase {
    /// `pacing_gain` and `cwnd_gain`, with the former's value in Down.
    pub(super) fn gains(self, down: f64) -> (f64, f64) {
        match self {
            Phase::Down => (down, 2.0),
            Phase::Cruise | Phase::Refill => (1.0, 2.0),
            Phase::Up => (1.25, 2.25),
        }
    }
}

/// What acknowledgements are for at present (`ack_phase`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum AckPhase {
    #[default]
    Init,
    Refilling,
    ProbeStarting,
    ProbeFeedback,
    ProbeStopping,
}

/// What losses set: bytes and a rate, `None` where nothing bounds.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Bounds {
    pub(super) inflight_longterm: Option<f64>,
    pub(super) inflight_shortterm: Option<f64>,
    pub(super) bw_shortterm: Option<Rate>,
}

/// The looser of two bounds.
fn looser<T: PartialOrd>(a: Option<T>, b: Option<T>) -> Option<T> {
    a.zip(b).map(|(a, b)| if a < b { b } else { a })
}

/// Which state losses have ended (`undo_state`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Ended {
    /// Losses have ended no state.
    #[default]
    Nothing,
    /// Losses have ended Startup.
    Startup,
    /// Losses have ended Up.
    Up,
}

/// v3's bounds, and where it is in its cycle.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Probing {
    pub(super) limits: Limits,
    pub(super) phase: Phase,
    /// `cycle_count`: the epoch of the maximum filter.
    pub(super) cycles: u64,
    pub(super) since: Instant,
    pub(super) wait: Duration,
    pub(super) rounds_since_probe: u64,
    pub(super) ack_phase: AckPhase,
    /// Samples are of a probe, so that losses are its effect.
    pub(super) probe_samples: bool,
    pub(super) up_rounds: u32,
    pub(super) up_acked: f64,
    pub(super) up_count: f64,
    /// `prev_probe_too_high`: the last probe lost too much.
    pub(super) too_high: bool,
    /// `prev_probe_precautionary`: it was broken off before it could.
    pub(super) precautionary: bool,
    pub(super) bounds: Bounds,
    /// As they were before the losses of the recovery under way.
    pub(super) undo: Bounds,
    pub(super) ended: Ended,
    pub(super) bw_latest: Rate,
    pub(super) inflight_latest: f64,
    pub(super) loss_round_delivered: u64,
    pub(super) loss_in_round: bool,
    /// The acknowledgement under way ends one of the rounds by which losses are judged.
    pub(super) loss_round_start: bool,
}

impl Probing {
    /// Sets the long-term bound of the flight.
    pub(super) fn bound(&mut self, bytes: f64) {
        self.bounds.inflight_longterm = Some(bytes);
    }

    /// Keeps the bounds, in case the losses turn out to be none (SaveStateUponLoss).
    pub(super) fn save(&mut self) {
        (self.undo, self.ended) = (self.bounds, Ended::Nothing);
    }

    /// They were none: bounds at least as they were. Returns which state they have ended.
    pub(super) fn restore(&mut self) -> Ended {
        let (now, undo) = (self.bounds, self.undo);
        self.bounds = Bounds {
            inflight_longterm: looser(now.inflight_longterm, undo.inflight_longterm),
            inflight_shortterm: looser(now.inflight_shortterm, undo.inflight_shortterm),
            bw_shortterm: looser(now.bw_shortterm, undo.bw_shortterm),
        };
        self.loss_in_round = false;
        std::mem::take(&mut self.ended)
    }

    /// ProbeRTT begins: what is acknowledged from the next round on is no result of a probe.
    pub(super) fn stop(&mut self) {
        self.ack_phase = AckPhase::ProbeStopping;
    }

    /// The rate that losses allow, `max` where they set no bound.
    pub(super) fn bound_rate(&self, max: Rate) -> Rate {
        max.min(self.bounds.bw_shortterm.unwrap_or(max))
    }

    /// Earlier losses count no more.
    pub(super) fn reset_lower_bounds(&mut self) {
        (self.bounds.bw_shortterm, self.bounds.inflight_shortterm) = (None, None);
    }

    /// The long-term bound with room for others, bytes.
    pub(super) fn with_headroom(&self, mss: u64) -> f64 {
        self.bounds
            .inflight_longterm
            .map_or(f64::INFINITY, |bound| {
                let free = bound - (self.limits.headroom * bound).max(mss as f64);
                free.max(MIN_PIPE_CWND * mss as f64)
            })
    }

    /// Bound of the window in segments (BoundCwndForModel).
    pub(super) fn window_bound(&self, state: State, mss: u64) -> Segments {
        let long = match (state, self.phase) {
            (State::ProbeRtt, _) | (State::ProbeBw, Phase::Cruise) => self.with_headroom(mss),
            (State::ProbeBw, _) => self.bounds.inflight_longterm.unwrap_or(f64::INFINITY),
            _ => f64::INFINITY,
        };
        let short = self.bounds.inflight_shortterm.unwrap_or(f64::INFINITY);
        long.min(short) / mss as f64
    }

    /// `bw_latest` and `inflight_latest` of the round under way, and whether it ends one of the
    /// rounds by which losses are judged.
    pub(super) fn take_latest(&mut self, s: &RateSample, total: u64) -> bool {
        let round_over = s.prior_delivered >= self.loss_round_delivered;
        if round_over {
            self.loss_round_delivered = total;
        }
        self.bw_latest = self.bw_latest.max(s.rate());
        self.inflight_latest = self.inflight_latest.max(s.delivered as f64);
        round_over
    }

    /// NoteLoss: the first of a round makes it last until what is sent from now on is acknowledged,
    /// `total` bytes being delivered so far.
    pub(super) fn note_loss(&mut self, total: u64) {
        if !self.loss_in_round {
            (self.loss_in_round, self.loss_round_delivered) = (true, total);
        }
    }

    /// Resets the congestion signals of the round (ResetCongestionSignals).
    pub(super) fn reset_signals(&mut self) {
        self.loss_in_round = false;
        (self.bw_latest, self.inflight_latest) = (Rate(0), 0.0);
    }

    /// Lowers the short-term bounds after losses (LossLowerBounds).
    pub(super) fn lower_bounds(&mut self, max_bw: Rate, cwnd: f64) {
        let bw = self.bounds.bw_shortterm.unwrap_or(max_bw);
        let beta = self.limits.beta;
        let cut = Rate((beta * bw.bps() as f64) as u64);
        self.bounds.bw_shortterm = Some(self.bw_latest.max(cut));
        let inflight = self.bounds.inflight_shortterm.unwrap_or(cwnd);
        self.bounds.inflight_shortterm = Some(self.inflight_latest.max(beta * inflight));
    }

    /// Doubles the growth of the long-term bound (RaiseInflightLongtermSlope).
    pub(super) fn raise_slope(&mut self, cwnd: Segments) {
        let growth = f64::from(1u32 << self.up_rounds);
        self.up_rounds = (self.up_rounds + 1).min(30);
        self.up_count = (cwnd / growth).max(1.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MSS: u64 = 1000;

    #[test]
    fn cruising_leaves_fifteen_percent_of_the_bound_to_others() {
        let mut p = Probing::default();
        let bound = |p: &Probing, state| p.window_bound(state, MSS);
        assert_eq!(bound(&p, State::ProbeBw), f64::INFINITY);
        p.bound(100_000.0);
        let by_phase = [Phase::Down, Phase::Cruise, Phase::Refill, Phase::Up].map(|phase| {
            p.phase = phase;
            bound(&p, State::ProbeBw)
        });
        assert_eq!(by_phase, [100.0, 85.0, 100.0, 100.0]);
        assert_eq!(bound(&p, State::ProbeRtt), 85.0);
        assert_eq!(bound(&p, State::Drain), f64::INFINITY);
        p.bound(4_000.0);
        assert_eq!(bound(&p, State::ProbeRtt), 4.0);
    }

    #[test]
    fn a_round_with_losses_leaves_what_was_delivered_or_seventy_percent() {
        let mut p = Probing {
            bw_latest: Rate(80),
            inflight_latest: 60.0,
            ..Probing::default()
        };
        p.lower_bounds(Rate(100), 100.0);
        assert_eq!(p.bounds.bw_shortterm, Some(Rate(80)));
        assert_eq!(p.bounds.inflight_shortterm, Some(70.0));
        (p.bw_latest, p.inflight_latest) = (Rate(10), 10.0);
        p.lower_bounds(Rate(100), 100.0);
        assert_eq!(p.bounds.bw_shortterm, Some(Rate(56)));
        assert!(
            p.bounds
                .inflight_shortterm
                .is_some_and(|b| (b - 49.0).abs() < 1e-9)
        );
    }

    #[test]
    fn a_probe_raises_the_bound_twice_as_fast_each_round() {
        let mut p = Probing::default();
        let counts = [100.0; 4].map(|cwnd| {
            p.raise_slope(cwnd);
            p.up_count
        });
        assert_eq!(counts, [100.0, 50.0, 25.0, 12.5]);
    }

    #[test]
    fn losses_that_were_none_leave_no_bound_tighter_than_before() {
        let mut p = Probing::default();
        p.bound(100.0);
        p.save();
        p.bound(70.0);
        p.bounds.bw_shortterm = Some(Rate(1));
        p.ended = Ended::Up;
        assert_eq!(p.restore(), Ended::Up);
        assert_eq!(p.bounds.inflight_longterm, Some(100.0));
        assert_eq!(p.bounds.bw_shortterm, None);
        assert_eq!(p.restore(), Ended::Nothing);
    }
}
