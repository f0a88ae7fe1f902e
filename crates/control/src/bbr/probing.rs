//! v3 in ProbeBW: how it looks for more, and the bounds that losses set (draft-ietf-ccwg-bbr,
//! "ProbeBW" and "Congestion Signals").

use super::full_pipe::LOSS_THRESH;
use super::{scatter, Bbr, Repair, State};
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
    /// Bytes; `None` where nothing bounds.
    inflight_longterm: Option<f64>,
    inflight_shortterm: Option<f64>,
    pub(super) bw_shortterm: Option<Rate>,
    bw_latest: Rate,
    pub(super) inflight_latest: f64,
    loss_round_delivered: u64,
    loss_in_round: bool,
}

impl Probing {
    /// Sets the long-term bound.
    pub(super) fn bound(&mut self, bytes: f64) {
        self.inflight_longterm = Some(bytes);
    }

    /// Losses of before say nothing any more.
    pub(super) fn reset_lower_bounds(&mut self) {
        (self.bw_shortterm, self.inflight_shortterm) = (None, None);
    }

    /// The long-term bound with room for others, bytes.
    fn with_headroom(&self, mss: u64) -> f64 {
        self.inflight_longterm.map_or(f64::INFINITY, |bound| {
            bound - (HEADROOM * bound).max(mss as f64)
        })
    }

    /// BBRBoundCwndForModel, segments.
    pub(super) fn window_bound(&self, in_probe_bw: bool, mss: u64) -> Segments {
        let long = match (in_probe_bw, self.phase) {
            (true, Phase::Cruise) => self.with_headroom(mss),
            (true, _) => self.inflight_longterm.unwrap_or(f64::INFINITY),
            _ => f64::INFINITY,
        };
        let short = self.inflight_shortterm.unwrap_or(f64::INFINITY);
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

    /// BBRLossLowerBounds.
    fn lower_bounds(&mut self, max_bw: Rate, cwnd: f64) {
        let bw = self.bw_shortterm.unwrap_or(max_bw);
        let cut = Rate((BETA * bw.bps() as f64) as u64);
        self.bw_shortterm = Some(self.bw_latest.max(cut));
        let inflight = self.inflight_shortterm.unwrap_or(cwnd);
        self.inflight_shortterm = Some(self.inflight_latest.max(BETA * inflight));
    }

    /// BBRRaiseInflightLongtermSlope.
    fn raise_slope(&mut self, cwnd: Segments) {
        let growth = f64::from(1u32 << self.up_rounds.min(30));
        self.up_rounds += 1;
        self.up_count = (cwnd / growth).max(1.0);
    }
}

impl Bbr {
    /// BBRUpdateCongestionSignals.
    pub(super) fn update_congestion(&mut self, w: &Window, d: &Delivery) {
        let Some(sample) = &d.sample else { return };
        let probes = match self.state {
            State::Startup => true,
            State::ProbeBw => matches!(self.probing.phase, Phase::Refill | Phase::Up),
            _ => false,
        };
        let max_bw = self.max_bw.max();
        let p = &mut self.probing;
        p.loss_in_round |= d.lost > 0;
        if !p.take_latest(sample, d.total) {
            return;
        }
        if !probes && p.loss_in_round {
            p.lower_bounds(max_bw, w.cwnd * self.mss as f64);
        }
        p.loss_in_round = false;
        (p.bw_latest, p.inflight_latest) = (sample.rate(), sample.delivered as f64);
    }

    /// BBRUpdateProbeBWCyclePhase.
    pub(super) fn update_probing(&mut self, w: &Window, a: &Ack, d: &Delivery) {
        if !self.plateau.reached {
            return;
        }
        self.adapt_long_term(w, a, d);
        if self.state != State::ProbeBw {
            return;
        }
        self.probing.rounds_since_probe += u64::from(self.rounds.start);
        match self.probing.phase {
            Phase::Down if self.is_time_to_probe(w, a) => self.start_refill(a),
            Phase::Down if self.is_time_to_cruise(a) => self.move_to(Phase::Cruise, a.now),
            Phase::Cruise if self.is_time_to_probe(w, a) => self.start_refill(a),
            Phase::Refill if self.rounds.start => self.start_up(w, a, d),
            Phase::Up => self.keep_probing(w, a, d),
            _ => {}
        }
    }

    fn move_to(&mut self, phase: Phase, now: Time) {
        (self.probing.phase, self.probing.since) = (phase, now);
    }

    /// Down.
    pub(super) fn start_down(&mut self, now: Time) {
        self.move_to(Phase::Down, now);
        let p = &mut self.probing;
        p.loss_in_round = false;
        (p.bw_latest, p.inflight_latest) = (Rate(0), 0.0);
        p.up_count = f64::INFINITY;
        p.rounds_since_probe = scatter(now, 2);
        p.wait = PROBE_WAIT + Time(scatter(now + Time(1), PROBE_SCATTER.nanos()));
        p.ack_phase = AckPhase::ProbeStopping;
        self.rounds.restart(self.total);
    }

    fn start_refill(&mut self, a: &Ack) {
        self.move_to(Phase::Refill, a.now);
        let p = &mut self.probing;
        p.reset_lower_bounds();
        (p.up_rounds, p.up_acked) = (0, 0.0);
        p.ack_phase = AckPhase::Refilling;
        self.rounds.restart(self.total);
    }

    fn start_up(&mut self, w: &Window, a: &Ack, d: &Delivery) {
        self.move_to(Phase::Up, a.now);
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

    /// BBRIsTimeToProbeBW.
    fn is_time_to_probe(&self, w: &Window, a: &Ack) -> bool {
        let p = &self.probing;
        let reno = w.cwnd.min(self.bdp(1.0) / self.mss as f64).min(RENO_ROUNDS);
        a.now > p.since + p.wait || p.rounds_since_probe as f64 >= reno
    }

    /// BBRIsTimeToCruise.
    fn is_time_to_cruise(&self, a: &Ack) -> bool {
        a.flight as f64 <= self.probing.with_headroom(self.mss)
            && self.segments(a.flight) <= self.inflight(1.0)
    }

    /// BBRIsTimeToGoDown: not while the bound is what holds back.
    fn keep_probing(&mut self, w: &Window, a: &Ack, d: &Delivery) {
        if a.cwnd_limited && self.is_bounded(w) {
            self.look_for_growth(d);
        } else if self.plateau.now {
            self.start_down(a.now);
        }
    }

    /// Whether the window is as large as the long-term bound lets it be.
    fn is_bounded(&self, w: &Window) -> bool {
        let bound = self.probing.inflight_longterm;
        bound.is_some_and(|bound| w.cwnd * self.mss as f64 + 1e-6 >= bound)
    }

    /// BBRAdaptLongTermModel.
    fn adapt_long_term(&mut self, w: &Window, a: &Ack, d: &Delivery) {
        let Some(sample) = &d.sample else { return };
        let p = &mut self.probing;
        if self.rounds.start && p.ack_phase == AckPhase::ProbeStarting {
            p.ack_phase = AckPhase::ProbeFeedback;
        }
        if self.rounds.start && p.ack_phase == AckPhase::ProbeStopping {
            p.probe_samples = false;
            p.ack_phase = AckPhase::Init;
            if self.state == State::ProbeBw && !sample.app_limited {
                p.cycles += 1;
            }
        }
        if 100 * sample.lost > LOSS_THRESH * sample.tx_in_flight {
            return self.on_too_much(w, a, sample);
        }
        let Some(bound) = p.inflight_longterm else {
            return;
        };
        p.inflight_longterm = Some(bound.max(sample.tx_in_flight as f64));
        if self.state == State::ProbeBw && p.phase == Phase::Up {
            self.probe_upward(w, a, d);
        }
    }

    /// BBRHandleInflightTooHigh.
    fn on_too_much(&mut self, w: &Window, a: &Ack, sample: &RateSample) {
        if !self.probing.probe_samples || self.repair == Repair::Timeout {
            return;
        }
        self.probing.probe_samples = false;
        if !sample.app_limited {
            let target = self.bdp(1.0).min(w.cwnd * self.mss as f64);
            let bound = (sample.tx_in_flight as f64).max(BETA * target);
            self.probing.bound(bound);
        }
        if self.state == State::ProbeBw && self.probing.phase == Phase::Up {
            self.start_down(a.now);
        }
    }

    /// BBRProbeInflightLongtermUpward: slowly at first, then twice as fast each round.
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
            p.inflight_longterm = p.inflight_longterm.map(|bound| bound + more * mss);
        }
        if self.rounds.start {
            p.raise_slope(w.cwnd);
        }
    }
}
