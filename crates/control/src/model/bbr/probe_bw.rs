//! BBR in ProbeBW: v1's gain cycle, and how v3 looks for more (draft-ietf-ccwg-bbr-06 §5.3.3 and
//! §5.5.10).
//!
//! The draft judges each lost packet by what was in flight when it left. Here an acknowledgement
//! is judged by what was in flight when the newest packet that it acknowledges left; where loss
//! is found late, that is less, and so is the bound.

use super::full_pipe::LOSS_THRESH;
use super::probing::{AckPhase, Ended, Phase};
use super::state::{State, scatter};
use super::{Bbr, Version, linux};
use crate::signals::{Ack, Delivery, RateSample};
use crate::{Duration, Instant, Rate, Window};

/// Between two probes at least.
const PROBE_WAIT: Duration = Duration::from_secs(2);
/// And up to so much more.
const PROBE_SCATTER: Duration = Duration::from_secs(1);
/// Rounds after which Reno would have grown as far as a probe does, at most.
const RENO_ROUNDS: f64 = 63.0;

/// ProbeBW of v1: a cycle of pacing gains.
impl Bbr {
    /// The next phase, if it is time.
    pub(super) fn update_cycle(&mut self, a: &Ack, d: &Delivery) {
        if self.state == State::ProbeBw && self.phase_is_over(a, d) {
            self.cycle.go_on(a.now);
        }
    }

    /// A phase lasts a round trip; a probe until what it added is in flight or something is
    /// lost, the drain after it until that has gone, if that comes first.
    fn phase_is_over(&self, a: &Ack, d: &Delivery) -> bool {
        let least = self.min_rtt.least.unwrap_or(Duration::ZERO);
        let long = a.now.since(self.cycle.since) > least;
        let in_flight = self.segments(d.in_flight_before);
        if self.pacing_gain > 1.0 {
            long && (d.lost > 0 || in_flight >= self.inflight(self.pacing_gain))
        } else if self.pacing_gain < 1.0 {
            long || in_flight <= self.inflight(1.0)
        } else {
            long
        }
    }
}

/// ProbeBW of v3: four phases with bounds.
impl Bbr {
    /// Updates the congestion signals of the round (UpdateCongestionSignals).
    pub(super) fn update_congestion(&mut self, w: &Window, d: &Delivery) {
        let Some(sample) = &d.sample else { return };
        let probes = match self.state {
            State::Startup => true,
            State::ProbeBw => matches!(self.probing.phase, Phase::Refill | Phase::Up),
            _ => false,
        };
        let max_bw = self.max_bw.max();
        let p = &mut self.probing;
        p.loss_round_start = p.take_latest(sample, d.total);
        if !p.loss_round_start {
            return;
        }
        if !probes && p.loss_in_round {
            p.lower_bounds(max_bw, w.cwnd * self.mss as f64);
        }
        p.loss_in_round = false;
    }

    /// Starts the signals of the next round (AdvanceLatestDeliverySignals).
    pub(super) fn advance_latest(&mut self, d: &Delivery) {
        let p = &mut self.probing;
        if let Some(sample) = d.sample.filter(|_| p.loss_round_start) {
            (p.bw_latest, p.inflight_latest) = (sample.rate(), sample.delivered as f64);
        }
    }

    /// Advances the phase of ProbeBW (UpdateProbeBWCyclePhase).
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

    /// Enters the phase Down, which drains the queue.
    pub(super) fn start_down(&mut self, now: Instant) {
        let p = &mut self.probing;
        (p.phase, p.since) = (Phase::Down, now);
        p.reset_signals();
        p.up_count = f64::INFINITY;
        p.rounds_since_probe = scatter(now, 2);
        p.wait = PROBE_WAIT + Duration(scatter(now + Duration(1), PROBE_SCATTER.nanos()));
        p.ack_phase = AckPhase::ProbeStopping;
        self.rounds.restart(self.total);
    }

    /// Enters the phase Refill, which fills the pipe without a queue.
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

    /// Whether it is time to probe for bandwidth (IsTimeToProbeBW).
    fn is_time_to_probe(&self, w: &Window, a: &Ack) -> bool {
        let p = &self.probing;
        let reno = w.cwnd.min(self.bdp(1.0) / self.mss as f64).min(RENO_ROUNDS);
        a.now > p.since + p.wait || p.rounds_since_probe as f64 >= reno
    }

    /// Whether Down is over and Cruise begins (IsTimeToCruise).
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
        if self.is_inflight_too_high(sample) {
            self.on_too_much(w, a, sample);
        } else if let Some(bound) = &mut self.probing.bounds.inflight_longterm {
            *bound = bound.max(sample.tx_in_flight as f64);
            if in_cycle && self.probing.phase == Phase::Up {
                self.probe_upward(w, a, d);
            }
        }
        false
    }

    /// Whether losses show too much in flight (IsInflightTooHigh).
    fn is_inflight_too_high(&self, sample: &RateSample) -> bool {
        match self.version {
            Version::V3Linux => linux::is_too_high(sample, self.mss),
            _ => 100 * sample.lost > LOSS_THRESH * sample.tx_in_flight,
        }
    }

    /// Target of the flight in bytes (TargetInflight).
    fn target_inflight(&self, w: &Window) -> f64 {
        let bdp = match self.version {
            Version::V3Linux => self.quantized(self.bdp(1.0)) * self.mss as f64,
            _ => self.bdp(1.0),
        };
        bdp.min(w.cwnd * self.mss as f64)
    }

    /// Lowers the bounds after too much in flight (HandleInflightTooHigh).
    fn on_too_much(&mut self, w: &Window, a: &Ack, sample: &RateSample) {
        if !self.probing.probe_samples {
            return;
        }
        (self.probing.probe_samples, self.probing.too_high) = (false, true);
        if !sample.app_limited {
            let least = self.probing.limits.beta * self.target_inflight(w);
            let bound = (sample.tx_in_flight as f64).max(least);
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
