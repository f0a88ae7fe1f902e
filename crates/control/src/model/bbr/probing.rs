//! v3 in ProbeBW: how it looks for more, and the bounds that losses set (draft-ietf-ccwg-bbr-06
//! §5.3.3 and §5.5.10).
//!
//! The draft judges each lost packet by what was in flight when it left. Here an acknowledgement
//! is judged by what was in flight when the newest packet that it acknowledges left; where loss
//! is found late, that is less, and so is the bound.

use super::full_pipe::LOSS_THRESH;
use super::{scatter, Bbr, State, MIN_PIPE_CWND};
use crate::signals::{Ack, Delivery, RateSample};
use crate::{Rate, Segments, Time, Window};

/// `Beta`: what is left of a bound that lost too much.
const BETA: f64 = 0.7;
/// `Headroom`: what is left free below the long-term bound.
const HEADROOM: f64 = 0.15;
/// Between two probes at least.
const PROBE_WAIT: Time = Time::from_secs(2);
/// And up to so much more.
const PROBE_SCATTER: Time = Time::from_secs(1);
/// Rounds after which Reno would have grown as far as a probe does, at most.
const RENO_ROUNDS: f64 = 63.0;

/// The phase of ProbeBW.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Phase {
    /// Drain what the probe has queued.
    #[default]
    Down,
    /// Stay below what is known.
    Cruise,
    /// Fill the path without a queue before probing.
    Refill,
    /// Probe.
    Up,
}

impl Phase {
    /// `pacing_gain` and `cwnd_gain`.
    pub(super) fn gains(self) -> (f64, f64) {
        match self {
            Phase::Down => (0.9, 2.0),
            Phase::Cruise | Phase::Refill => (1.0, 2.0),
            Phase::Up => (1.25, 2.25),
        }
    }
}

/// What acknowledgements are for at present (`ack_phase`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum AckPhase {
    #[default]
    Init,
    Refilling,
    ProbeStarting,
    ProbeFeedback,
    ProbeStopping,
}

/// What losses set: bytes and a rate, `None` where nothing bounds.
#[derive(Clone, Copy, Debug, Default)]
struct Bounds {
    inflight_longterm: Option<f64>,
    inflight_shortterm: Option<f64>,
    bw_shortterm: Option<Rate>,
}

/// The looser of two bounds.
fn looser<T: PartialOrd>(a: Option<T>, b: Option<T>) -> Option<T> {
    a.zip(b).map(|(a, b)| if a < b { b } else { a })
}

/// Which state losses have ended (`undo_state`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Ended {
    /// None.
    #[default]
    Nothing,
    /// Startup.
    Startup,
    /// Up.
    Up,
}

/// v3's bounds, and where it is in its cycle.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Probing {
    pub(super) phase: Phase,
    /// `cycle_count`: the epoch of the maximum filter.
    pub(super) cycles: u64,
    since: Time,
    wait: Time,
    rounds_since_probe: u64,
    ack_phase: AckPhase,
    /// Samples are of a probe, so that losses say something of it.
    probe_samples: bool,
    up_rounds: u32,
    up_acked: f64,
    up_count: f64,
    /// `prev_probe_too_high`: the last probe lost too much.
    too_high: bool,
    /// `prev_probe_precautionary`: it was broken off before it could.
    precautionary: bool,
    bounds: Bounds,
    /// As they were before the losses of the recovery under way.
    undo: Bounds,
    pub(super) ended: Ended,
    bw_latest: Rate,
    pub(super) inflight_latest: f64,
    loss_round_delivered: u64,
    loss_in_round: bool,
}

impl Probing {
    /// Sets the long-term bound.
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

    /// ProbeRTT begins: what is acknowledged from the next round on says nothing of a probe.
    pub(super) fn stop(&mut self) {
        self.ack_phase = AckPhase::ProbeStopping;
    }

    /// The rate that losses allow, `max` where they set no bound.
    pub(super) fn bound_rate(&self, max: Rate) -> Rate {
        max.min(self.bounds.bw_shortterm.unwrap_or(max))
    }

    /// Losses of before say nothing any more.
    pub(super) fn reset_lower_bounds(&mut self) {
        (self.bounds.bw_shortterm, self.bounds.inflight_shortterm) = (None, None);
    }

    /// The long-term bound with room for others, bytes.
    fn with_headroom(&self, mss: u64) -> f64 {
        self.bounds
            .inflight_longterm
            .map_or(f64::INFINITY, |bound| {
                let free = bound - (HEADROOM * bound).max(mss as f64);
                free.max(MIN_PIPE_CWND * mss as f64)
            })
    }

    /// BoundCwndForModel, segments.
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
    fn take_latest(&mut self, s: &RateSample, total: u64) -> bool {
        let round_over = s.prior_delivered >= self.loss_round_delivered;
        if round_over {
            self.loss_round_delivered = total;
        }
        self.bw_latest = self.bw_latest.max(s.rate());
        self.inflight_latest = self.inflight_latest.max(s.delivered as f64);
        round_over
    }

    /// LossLowerBounds.
    fn lower_bounds(&mut self, max_bw: Rate, cwnd: f64) {
        let bw = self.bounds.bw_shortterm.unwrap_or(max_bw);
        let cut = Rate((BETA * bw.bps() as f64) as u64);
        self.bounds.bw_shortterm = Some(self.bw_latest.max(cut));
        let inflight = self.bounds.inflight_shortterm.unwrap_or(cwnd);
        self.bounds.inflight_shortterm = Some(self.inflight_latest.max(BETA * inflight));
    }

    /// RaiseInflightLongtermSlope.
    fn raise_slope(&mut self, cwnd: Segments) {
        let growth = f64::from(1u32 << self.up_rounds);
        self.up_rounds = (self.up_rounds + 1).min(30);
        self.up_count = (cwnd / growth).max(1.0);
    }
}

impl Bbr {
    /// UpdateCongestionSignals.
    pub(super) fn update_congestion(&mut self, w: &Window, d: &Delivery) {
        let Some(sample) = &d.sample else { return };
        let probes = match self.state {
            State::Startup => true,
            State::ProbeBw => matches!(self.probing.phase, Phase::Refill | Phase::Up),
            _ => false,
        };
        let max_bw = self.max_bw.max();
        let p = &mut self.probing;
        if d.lost > 0 && !p.loss_in_round {
            (p.loss_in_round, p.loss_round_delivered) = (true, d.total);
        }
        if !p.take_latest(sample, d.total) {
            return;
        }
        if !probes && p.loss_in_round {
            p.lower_bounds(max_bw, w.cwnd * self.mss as f64);
        }
        p.loss_in_round = false;
        (p.bw_latest, p.inflight_latest) = (sample.rate(), sample.delivered as f64);
    }

    /// UpdateProbeBWCyclePhase.
    pub(super) fn update_probing(&mut self, w: &Window, a: &Ack, d: &Delivery) {
        self.probing.rounds_since_probe += u64::from(self.rounds.start);
        if !self.plateau.reached || self.adapt_long_term(w, a, d) || self.state != State::ProbeBw {
            return;
        }
        match self.probing.phase {
            Phase::Down if self.is_time_to_probe(w, a) => self.start_refill(),
            Phase::Down if self.is_time_to_cruise(a) => self.probing.phase = Phase::Cruise,
            Phase::Cruise if self.is_time_to_probe(w, a) => self.start_refill(),
            Phase::Refill if self.rounds.start => self.start_up(w, d),
            Phase::Up => self.keep_probing(w, a, d),
            _ => {}
        }
    }

    /// Down.
    pub(super) fn start_down(&mut self, now: Time) {
        let p = &mut self.probing;
        (p.phase, p.since) = (Phase::Down, now);
        p.loss_in_round = false;
        (p.bw_latest, p.inflight_latest) = (Rate(0), 0.0);
        p.up_count = f64::INFINITY;
        p.rounds_since_probe = scatter(now, 2);
        p.wait = PROBE_WAIT + Time(scatter(now + Time(1), PROBE_SCATTER.nanos()));
        p.ack_phase = AckPhase::ProbeStopping;
        self.rounds.restart(self.total);
    }

    /// Refill.
    pub(super) fn start_refill(&mut self) {
        let p = &mut self.probing;
        p.phase = Phase::Refill;
        p.reset_lower_bounds();
        (p.up_rounds, p.up_acked, p.precautionary) = (0, 0.0, false);
        p.ack_phase = AckPhase::Refilling;
        self.rounds.restart(self.total);
    }

    fn start_up(&mut self, w: &Window, d: &Delivery) {
        self.probing.phase = Phase::Up;
        self.probing.probe_samples = true;
        self.probing.ack_phase = AckPhase::ProbeStarting;
        self.probing.raise_slope(w.cwnd);
        self.rounds.restart(self.total);
        self.look_for_growth(d);
    }

    fn look_for_growth(&mut self, d: &Delivery) {
        let rate = d.sample.map_or(Rate(0), |s| s.rate());
        self.plateau.look_again(rate);
    }

    /// IsTimeToProbeBW.
    fn is_time_to_probe(&self, w: &Window, a: &Ack) -> bool {
        let p = &self.probing;
        let reno = w.cwnd.min(self.bdp(1.0) / self.mss as f64).min(RENO_ROUNDS);
        a.now > p.since + p.wait || p.rounds_since_probe as f64 >= reno
    }

    /// IsTimeToCruise.
    fn is_time_to_cruise(&self, a: &Ack) -> bool {
        a.flight as f64 <= self.probing.with_headroom(self.mss)
            && self.segments(a.flight) <= self.inflight(1.0)
    }

    /// IsTimeToGoDown: with precaution if the last probe lost too much, else not while the bound
    /// is what holds back.
    fn keep_probing(&mut self, w: &Window, a: &Ack, d: &Delivery) {
        let bound = self.probing.bounds.inflight_longterm;
        let risky = bound.is_some_and(|bound| a.flight as f64 >= bound);
        let precaution = self.probing.too_high && risky;
        if !precaution && a.cwnd_limited && self.is_bounded(w) {
            self.look_for_growth(d);
        } else if precaution || self.plateau.now {
            (self.probing.precautionary, self.probing.too_high) = (precaution, false);
            self.start_down(a.now);
        }
    }

    /// Whether the window is as large as the long-term bound lets it be.
    fn is_bounded(&self, w: &Window) -> bool {
        let bound = self.probing.bounds.inflight_longterm;
        bound.is_some_and(|bound| w.cwnd * self.mss as f64 + 1e-6 >= bound)
    }

    /// AdaptLongTermModel; whether the phase has been decided.
    fn adapt_long_term(&mut self, w: &Window, a: &Ack, d: &Delivery) -> bool {
        let Some(sample) = &d.sample else {
            return false;
        };
        let in_cycle = self.state == State::ProbeBw;
        let p = &mut self.probing;
        if self.rounds.start && p.ack_phase == AckPhase::ProbeStarting {
            p.ack_phase = AckPhase::ProbeFeedback;
        }
        if self.rounds.start && p.ack_phase == AckPhase::ProbeStopping {
            p.probe_samples = false;
            p.ack_phase = AckPhase::Init;
            p.cycles += u64::from(in_cycle && !sample.app_limited);
            if in_cycle && p.precautionary && !p.too_high {
                self.start_refill();
                return true;
            }
        }
        if 100 * sample.lost > LOSS_THRESH * sample.tx_in_flight {
            self.on_too_much(w, a, sample);
        } else if let Some(bound) = p.bounds.inflight_longterm {
            p.bounds.inflight_longterm = Some(bound.max(sample.tx_in_flight as f64));
            if in_cycle && p.phase == Phase::Up {
                self.probe_upward(w, a, d);
            }
        }
        false
    }

    /// HandleInflightTooHigh.
    fn on_too_much(&mut self, w: &Window, a: &Ack, sample: &RateSample) {
        if !self.probing.probe_samples {
            return;
        }
        (self.probing.probe_samples, self.probing.too_high) = (false, true);
        if !sample.app_limited {
            let target = self.bdp(1.0).min(w.cwnd * self.mss as f64);
            let bound = (sample.tx_in_flight as f64).max(BETA * target);
            self.probing.bound(bound);
        }
        if self.state == State::ProbeBw && self.probing.phase == Phase::Up {
            self.probing.ended = Ended::Up;
            self.start_down(a.now);
        }
    }

    /// ProbeInflightLongtermUpward: slowly at first, then twice as fast each round.
    fn probe_upward(&mut self, w: &Window, a: &Ack, d: &Delivery) {
        if !(a.cwnd_limited && self.is_bounded(w)) {
            return;
        }
        let acked = self.segments(d.newly);
        let mss = self.mss as f64;
        let p = &mut self.probing;
        p.up_acked += acked;
        if p.up_acked >= p.up_count {
            let more = (p.up_acked / p.up_count).floor();
            p.up_acked -= more * p.up_count;
            p.bounds.inflight_longterm = p.bounds.inflight_longterm.map(|bound| bound + more * mss);
        }
        if self.rounds.start {
            p.raise_slope(w.cwnd);
        }
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
        assert!(p
            .bounds
            .inflight_shortterm
            .is_some_and(|b| (b - 49.0).abs() < 1e-9));
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
