//! BBR: a model of the path, and the sending that follows from it.
//!
//! What [`crate::startup::bbr_startup`] begins with and [`crate::avoidance::bbr`] continues with:
//! one model, handed over. All versions are here; where they part, v1 is Linux's `tcp_bbr.c`,
//! in whole segments, v3 is draft-ietf-ccwg-bbr-06, in bytes, and v3-linux is the `tcp_bbr.c` of
//! google/bbr's branch v3, in whole segments where it decides by them.
//!
//! On every acknowledgement the model takes in what was delivered, the state follows from the
//! model, and rate, quantum and window follow from the state, in this order.

mod constants;
mod cycle;
mod filters;
mod full_pipe;
mod linux;
mod linux_undo;
mod policer;
mod probe_bw;
mod probing;
mod quiche;
mod quiche_startup;
mod state;

use crate::model::Model;
use crate::model::pacing::GSO_MAX;
use crate::model::plateau::Plateau;
use crate::model::rounds::Rounds;
use crate::signals::{Ack, Delivery, Established};
pub use crate::variants::BbrSource as Source;
use crate::{Convention, Duration, Instant, Rate, Reason, Segments, Window, named};
use constants::Constants;
use cycle::Cycle;
use filters::{ExtraAcked, MaxFilter, MinRtt};
use full_pipe::{LossEvents, RoundLosses};
use policer::Policer;
use probing::{Ended, Limits, Phase, Probing};
use quiche::Quiche;
pub use quiche::StartupOption;
use state::{MIN_PIPE_CWND, State};
use std::any::Any;

impl Source {
    /// Its version of this model; `None` where it is another model.
    pub(crate) fn version(self) -> Option<Version> {
        match self {
            Source::V1 => Some(Version::V1),
            Source::V3 | Source::Quiche | Source::GoogleQuiche => Some(Version::V3),
            Source::V3Linux => Some(Version::V3Linux),
            Source::Quinn => None,
        }
    }
}

/// Version of BBR in this model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// As in Linux since 4.9.
    V1,
    /// As in the draft draft-ietf-ccwg-bbr.
    V3,
    /// As in google/bbr, branch v3.
    V3Linux,
}

impl Version {
    fn source(self) -> Source {
        match self {
            Version::V1 => Source::V1,
            Version::V3 => Source::V3,
            Version::V3Linux => Source::V3Linux,
        }
    }

    fn plateau_rate(self) -> PlateauRate {
        match self {
            Version::V1 => PlateauRate::Max,
            Version::V3 => PlateauRate::Sample,
            Version::V3Linux => PlateauRate::EverySample,
        }
    }
}

named! {
    /// By which rate a plateau is found.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum PlateauRate {
        /// `max_bw`, as in Linux and in older drafts.
        Max = "max",
        /// The sample of the acknowledgement that begins the round (draft-06).
        Sample = "sample",
        /// That of any acknowledgement, while rounds are counted as they begin (Linux's v3).
        EverySample = "every-sample",
    }
}

/// Effect of losses on Startup.
#[derive(Clone, Copy, Debug)]
enum StartupLosses {
    /// They do not end it.
    Ignored,
    /// By the ranges and the share of a round (draft-06).
    Ranges(RoundLosses),
    /// By the acknowledgements that mark losses (Linux's v3).
    Events(LossEvents),
}

/// Kind of the recovery under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Repair {
    Nothing,
    Recovery,
    Timeout,
}

/// The constants of a version.
fn constants_of(version: Version, convention: Convention) -> Constants {
    match version {
        Version::V1 => Constants::v1(convention),
        Version::V3 => Constants::v3(),
        Version::V3Linux => linux::CONSTANTS,
    }
}

/// Share of the rate that is paced at: one percent less (`PacingMargin`).
const PACING_MARGIN: f64 = 0.99;
/// `TCP_INIT_CWND`, segments: v1 takes no other first window into account.
const INIT_CWND: Segments = 10.0;
/// Time that ProbeRTT lasts (`ProbeRTTDuration`).
const PROBE_RTT_DURATION: Duration = Duration::from_millis(200);
/// The round trip where none is known.
const NOMINAL_RTT: Duration = Duration::from_millis(1);
/// A rate below this is sent one by one (`bbr_min_tso_rate`).
const MIN_TSO_RATE: Rate = Rate(1_200_000);

/// Model and state machine of BBR on one connection.
#[derive(Clone, Debug)]
pub struct Bbr {
    source: Source,
    version: Version,
    convention: Convention,
    plateau_rate: PlateauRate,
    constants: Constants,
    mss: u64,
    header: u64,
    /// `InitialCwnd`: below it, or twice of it, the window grows in any case.
    init_cwnd: Segments,
    state: State,
    pacing_gain: f64,
    cwnd_gain: f64,
    /// Pacing rate, payload only.
    pacing: Rate,
    has_seen_rtt: bool,
    max_bw: MaxFilter,
    min_rtt: MinRtt,
    rounds: Rounds,
    plateau: Plateau,
    losses: StartupLosses,
    /// Startup as QUICHE has it, in place of the draft's.
    quiche: Option<Quiche>,
    extra: ExtraAcked,
    policer: Policer,
    cycle: Cycle,
    probing: Probing,
    drain_start_round: u64,
    repair: Repair,
    /// As it was at the last acknowledgement.
    repair_before: Repair,
    /// v1: the first round of recovery sends what is delivered.
    conserving: bool,
    prior_cwnd: Segments,
    idle_restart: bool,
    probe_rtt: ProbeRtt,
    total: u64,
}

/// State of a ProbeRTT phase.
#[derive(Clone, Copy, Debug, Default)]
struct ProbeRtt {
    done: Option<Instant>,
    round_done: bool,
    /// Packets sent while so much was delivered are no sample of the path.
    ignored: (u64, u64),
}

impl Model for Bbr {
    fn release_cwnd(&self, w: &mut Window) {
        w.cwnd = self.inflight(1.0).max(MIN_PIPE_CWND).min(w.cwnd);
        w.ssthresh = w.cwnd;
        (w.pacing, w.quantum) = (None, 1);
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl Bbr {
    /// BBR at the beginning of a connection.
    pub fn new(version: Version, convention: Convention, plateau: Option<PlateauRate>) -> Bbr {
        let constants = constants_of(version, convention);
        Bbr {
            source: version.source(),
            version,
            convention,
            plateau_rate: plateau.unwrap_or(version.plateau_rate()),
            constants,
            mss: 1,
            header: 0,
            init_cwnd: INIT_CWND,
            state: State::Startup,
            pacing_gain: constants.startup_pacing,
            cwnd_gain: constants.startup_cwnd,
            pacing: Rate(0),
            has_seen_rtt: false,
            max_bw: MaxFilter::over(if version == Version::V1 { 11 } else { 2 }),
            min_rtt: MinRtt::every(constants.probe_rtt_interval, version != Version::V1),
            rounds: Rounds::default(),
            plateau: Plateau::default(),
            losses: match version {
                Version::V1 => StartupLosses::Ignored,
                Version::V3 => StartupLosses::Ranges(RoundLosses::default()),
                Version::V3Linux => StartupLosses::Events(LossEvents::default()),
            },
            quiche: None,
            extra: ExtraAcked::default(),
            policer: Policer::default(),
            cycle: Cycle::default(),
            probing: Probing {
                limits: match version {
                    Version::V3Linux => linux::LIMITS,
                    _ => Limits::default(),
                },
                ..Probing::default()
            },
            drain_start_round: 0,
            repair: Repair::Nothing,
            repair_before: Repair::Nothing,
            conserving: false,
            prior_cwnd: 0.0,
            idle_restart: false,
            probe_rtt: ProbeRtt::default(),
            total: 0,
        }
    }

    /// BBR of a source; `None` where that has another model.
    pub(crate) fn of(
        source: Source,
        convention: Convention,
        plateau: Option<PlateauRate>,
        option: Option<StartupOption>,
    ) -> Option<Bbr> {
        let mut bbr = Bbr::new(source.version()?, convention, plateau);
        let google = source == Source::GoogleQuiche;
        if google || source == Source::Quiche {
            let quiche = Quiche::new(google, option);
            bbr.source = source;
            bbr.constants = quiche.constants(option);
            bbr.probing.limits = quiche::LIMITS;
            bbr.min_rtt = MinRtt::every(bbr.constants.probe_rtt_interval, true);
            bbr.losses = StartupLosses::Ignored;
            bbr.quiche = Some(quiche);
            bbr.update_gains();
        }
        Some(bbr)
    }

    /// Continues as that of another source.
    pub(crate) fn turn_into(&mut self, source: Source, now: Instant) {
        if source == self.source {
            return;
        }
        let Some(new) = Bbr::of(source, self.convention, None, None) else {
            return;
        };
        let max_bw = self.max_bw.max();
        (self.source, self.version) = (new.source, new.version);
        self.plateau_rate = new.plateau_rate;
        (self.constants, self.max_bw) = (new.constants, new.max_bw);
        self.max_bw.insert(self.epoch(), max_bw);
        self.probing.limits = new.probing.limits;
        self.min_rtt.look_as(&new.min_rtt);
        if self.state == State::ProbeBw {
            self.enter_probe_bw(now);
        }
    }

    /// What the maximum filter counts.
    fn epoch(&self) -> u64 {
        match self.version {
            Version::V1 => self.rounds.count,
            Version::V3 | Version::V3Linux => self.probing.cycles,
        }
    }

    /// Takes the first window and round trip from the handshake.
    pub(crate) fn on_established(&mut self, w: &Window, e: &Established) {
        (self.mss, self.header) = (u64::from(w.mss), u64::from(e.header));
        self.init_cwnd = match self.version {
            Version::V1 => INIT_CWND,
            Version::V3 => w.cwnd,
            Version::V3Linux => w.cwnd.min(linux::MOST_INIT_CWND),
        };
        self.extra.restart(e.now);
        let keeps_nominal = self.convention.bbr_keeps_nominal_rtt;
        self.has_seen_rtt = e.rtt.is_some() || keeps_nominal;
        self.min_rtt.take(e.rtt, e.now);
        self.set_first_rate(w.cwnd, e.rtt.filter(|_| !keeps_nominal));
    }

    /// Sets the first pacing rate (InitPacingRate).
    fn set_first_rate(&mut self, cwnd: Segments, rtt: Option<Duration>) {
        if let Some(quiche) = &self.quiche {
            self.pacing = quiche.first_rate((cwnd * self.mss as f64) as u64, rtt);
            return;
        }
        let rtt = rtt.unwrap_or(NOMINAL_RTT).max(Duration(1000));
        if self.version == Version::V3Linux {
            self.pacing = linux::first_rate(cwnd, self.mss, rtt);
            return;
        }
        let bytes = (cwnd * self.mss as f64) as u64;
        let margin = if self.constants.margin_at_first {
            PACING_MARGIN
        } else {
            1.0
        };
        let rate = Rate::of(bytes, rtt).bps() as f64;
        self.pacing = Rate((self.constants.startup_pacing * margin * rate).round() as u64);
    }

    /// Whether it is still in Startup or Drain, or only interrupts them.
    pub(crate) fn is_starting(&self) -> bool {
        !self.plateau.reached || self.state == State::Drain
    }

    /// Whether it has not found the pipe full.
    pub(crate) fn is_filling(&self) -> bool {
        !self.plateau.reached
    }

    /// Takes over from another startup: the pipe is as full as that has made it.
    pub(crate) fn take_over(&mut self) {
        if !self.plateau.reached {
            self.plateau.find();
            self.enter_drain();
        }
    }

    /// Updates the model without changing the window.
    pub(crate) fn observe(&mut self, w: &Window, a: &Ack) {
        if let Some(d) = &a.delivery {
            self.update_model(w, a, d);
            self.min_rtt.take(a.rtt, a.now);
            self.advance_latest(d);
        }
    }

    /// An acknowledgement. Reports the end of Startup.
    pub(crate) fn on_ack(&mut self, w: &mut Window, a: &Ack) -> Option<Reason> {
        let d = a.delivery.as_ref()?;
        if self.repair == Repair::Timeout && !d.repairing {
            self.repair = Repair::Nothing;
        }
        self.update_model(w, a, d);
        let reason = self.update_state(w, a, d);
        if reason.is_some() {
            w.ssthresh = self.inflight(1.0);
        }
        self.update_gains();
        self.set_pacing(w, a);
        self.set_window(w, a, d);
        self.advance_latest(d);
        reason
    }

    /// Rounds, rates, aggregation and, in v3, losses.
    fn update_model(&mut self, w: &Window, a: &Ack, d: &Delivery) {
        self.total = d.total;
        self.rounds.take(d);
        self.conserving &= !self.rounds.start;
        self.policer.lose(d.lost);
        self.probing.loss_round_start = false;
        if self.version != Version::V1 && d.lost > 0 {
            self.probing.note_loss(d.total);
        }
        let Some(sample) = &d.sample else { return };
        let app_limited = self.is_app_limited(d);
        if self.version == Version::V1 {
            self.look_for_policer(d, app_limited, a.now);
        }
        let rate = sample.rate();
        if !app_limited || rate >= self.max_bw.max() {
            self.max_bw.insert(self.epoch(), rate);
        }
        self.update_extra(w, d, a.now);
        if self.version != Version::V1 {
            self.update_congestion(w, d);
        }
    }

    fn look_for_policer(&mut self, d: &Delivery, app_limited: bool, now: Instant) {
        let probing = self.state == State::ProbeBw;
        let start = self.rounds.start;
        if self.policer.take(d, app_limited, start, probing, now) && probing {
            self.cycle.begin(now);
        }
    }

    /// Updates the estimate of ACK aggregation (UpdateACKAggregation).
    fn update_extra(&mut self, w: &Window, d: &Delivery, now: Instant) {
        let bw = self.bw();
        if self.rounds.start {
            self.extra.begin_round(match self.version {
                Version::V3 | Version::V3Linux if !self.plateau.reached => 1,
                _ => 5,
            });
        }
        self.extra.take(d.newly, bw, w.cwnd_bytes(), now);
    }

    /// Whether the newest packet acknowledged was sent when the network was not the limit.
    fn is_app_limited(&self, d: &Delivery) -> bool {
        d.sample.is_some_and(|s| {
            let (from, to) = self.probe_rtt.ignored;
            s.app_limited || (from..=to).contains(&s.prior_delivered) && to > 0
        })
    }

    fn update_state(&mut self, w: &mut Window, a: &Ack, d: &Delivery) -> Option<Reason> {
        if self.version == Version::V1 {
            self.update_cycle(a, d);
        }
        let reason = match &self.quiche {
            Some(_) if !self.plateau.reached => self.check_quiche_startup(d, a.flight),
            _ => self.check_startup(d),
        };
        self.check_drain(a);
        if self.version != Version::V1 {
            self.update_probing(w, a, d);
        }
        self.check_probe_rtt(w, a, d);
        reason
    }

    /// Checks whether Startup ends (CheckFullBWReached, CheckStartupHighLoss).
    fn check_startup(&mut self, d: &Delivery) -> Option<Reason> {
        let reached = self.plateau.reached;
        let lossy = self.takes_losses_for_too_many(d);
        let mut reason = Reason::FullPipe;
        if self.version == Version::V3Linux && lossy && !reached {
            reason = Reason::Loss;
            self.plateau.reached = true;
            let inflight = self.inflight(1.0) * self.mss as f64;
            self.probing
                .bound(inflight.max(self.probing.inflight_latest));
        }
        self.check_plateau(d, reached);
        if self.state != State::Startup {
            // It may turn out while the minimum round trip is measured.
            return (self.plateau.reached && !reached).then_some(reason);
        }
        if self.version == Version::V3 && lossy && !self.plateau.reached {
            reason = Reason::Loss;
            self.plateau.find();
            self.probing.ended = Ended::Startup;
            let bdp = self.bdp(1.0);
            self.probing.bound(bdp.max(self.probing.inflight_latest));
        }
        if !self.plateau.reached {
            return None;
        }
        self.enter_drain();
        Some(reason)
    }

    /// Takes in the losses of an acknowledgement; whether they are too many for Startup.
    fn takes_losses_for_too_many(&mut self, d: &Delivery) -> bool {
        let in_recovery = self.repair == Repair::Recovery;
        match &mut self.losses {
            StartupLosses::Ignored => false,
            StartupLosses::Ranges(losses) => losses.take(d, self.rounds.start, in_recovery),
            StartupLosses::Events(_) if self.plateau.reached => false,
            StartupLosses::Events(events) => {
                let too_high = d.sample.is_some_and(|s| linux::is_too_high(&s, self.mss));
                events.take(
                    d.lost > 0,
                    self.probing.loss_round_start,
                    in_recovery && too_high,
                )
            }
        }
    }

    /// CheckFullBWReached, where the pipe has been found full before or not.
    fn check_plateau(&mut self, d: &Delivery, reached: bool) {
        let looking = self.version != Version::V1 || !reached;
        let every = self.plateau_rate == PlateauRate::EverySample;
        if !looking || self.is_app_limited(d) || !(every || self.rounds.start) {
            return;
        }
        let sample = d.sample.map_or(Rate(0), |s| s.rate());
        let rate = match self.plateau_rate {
            PlateauRate::Max => self.max_bw.max(),
            PlateauRate::Sample | PlateauRate::EverySample => sample,
        };
        self.plateau.update(rate, self.rounds.start);
    }

    fn enter_drain(&mut self) {
        self.state = State::Drain;
        self.drain_start_round = self.rounds.count;
        if self.version == Version::V3Linux {
            self.probing.reset_signals();
        }
    }

    /// Checks whether Drain ends (CheckDrain).
    fn check_drain(&mut self, a: &Ack) {
        let late = self.rounds.count
            > self
                .drain_start_round
                .saturating_add(self.constants.drain_rounds);
        let drained = self.segments(a.flight) <= self.inflight(1.0);
        if self.state == State::Drain && (drained || late) {
            self.enter_probe_bw(a.now);
        }
    }

    fn enter_probe_bw(&mut self, now: Instant) {
        self.state = State::ProbeBw;
        match self.version {
            Version::V1 => self.cycle.begin(now),
            Version::V3 | Version::V3Linux => self.start_down(now),
        }
    }

    /// Enters and leaves ProbeRTT (UpdateMinRTT, CheckProbeRTT).
    fn check_probe_rtt(&mut self, w: &mut Window, a: &Ack, d: &Delivery) {
        let due = self.min_rtt.take(a.rtt, a.now);
        let interrupts = self.quiche.is_none() || self.plateau.reached;
        if due && interrupts && !self.idle_restart && self.state != State::ProbeRtt {
            self.save_cwnd(w);
            self.state = State::ProbeRtt;
            if self.version != Version::V1 {
                self.probing.stop();
                self.rounds.restart(d.total);
            }
            self.probe_rtt = ProbeRtt {
                ignored: (d.total, d.total),
                ..ProbeRtt::default()
            };
        }
        if self.state == State::ProbeRtt {
            self.hold_probe_rtt(w, a, d);
        }
        if d.sample.is_some_and(|s| s.delivered > 0) {
            self.idle_restart = false;
        }
    }

    fn hold_probe_rtt(&mut self, w: &mut Window, a: &Ack, d: &Delivery) {
        self.probe_rtt.ignored.1 = d.total + a.flight;
        match self.probe_rtt.done {
            None if self.segments(a.flight) <= self.probe_rtt_cwnd() => {
                self.probe_rtt.done = Some(a.now + PROBE_RTT_DURATION);
                self.rounds.restart(d.total);
            }
            None => {}
            Some(done) => {
                self.probe_rtt.round_done |= self.rounds.start;
                if self.probe_rtt.round_done && a.now > done {
                    self.leave_probe_rtt(w, a);
                }
            }
        }
    }

    fn leave_probe_rtt(&mut self, w: &mut Window, a: &Ack) {
        self.min_rtt.looked(a.now);
        w.cwnd = w.cwnd.max(self.prior_cwnd);
        if !self.plateau.reached {
            self.state = State::Startup;
            return;
        }
        self.enter_probe_bw(a.now);
        if self.version != Version::V1 {
            self.probing.reset_lower_bounds();
            self.probing.phase = Phase::Cruise;
        }
    }

    fn probe_rtt_cwnd(&self) -> Segments {
        match self.version {
            Version::V1 => MIN_PIPE_CWND,
            Version::V3 | Version::V3Linux => {
                let bdp = self.bdp(self.constants.probe_rtt_cwnd);
                (bdp / self.mss as f64).max(MIN_PIPE_CWND)
            }
        }
    }

    fn update_gains(&mut self) {
        let c = &self.constants;
        (self.pacing_gain, self.cwnd_gain) = match self.state {
            State::Startup => {
                let gain = self.quiche.as_ref().and_then(|q| q.gain);
                (gain.unwrap_or(c.startup_pacing), c.startup_cwnd)
            }
            State::Drain => (c.drain_pacing, c.drain_cwnd),
            State::ProbeBw if self.version != Version::V1 => {
                self.probing.phase.gains(c.probe_down_pacing)
            }
            State::ProbeBw if self.policer.rate().is_some() => (1.0, 2.0),
            State::ProbeBw => (self.cycle.gain(), 2.0),
            State::ProbeRtt => (1.0, c.probe_rtt_cwnd),
        };
    }

    /// The estimate of the rate that the path delivers.
    fn bw(&self) -> Rate {
        let max = self.max_bw.max();
        match self.version {
            Version::V1 => self.policer.rate().unwrap_or(max),
            Version::V3 | Version::V3Linux => self.probing.bound_rate(max),
        }
    }

    /// So many bytes, in segments.
    fn segments(&self, bytes: u64) -> Segments {
        bytes as f64 / self.mss as f64
    }

    /// How many segments so many bytes are, a part of one for one.
    fn segments_of(&self, bytes: u64) -> Segments {
        bytes.div_ceil(self.mss) as f64
    }

    /// So much of what the path holds without a queue, bytes.
    fn bdp_of(&self, bw: Rate, gain: f64) -> f64 {
        let Some(rtt) = self.min_rtt.least else {
            return self.init_cwnd * self.mss as f64;
        };
        gain * bw.bps() as f64 * rtt.secs() / 8.0
    }

    fn bdp(&self, gain: f64) -> f64 {
        self.bdp_of(self.bw(), gain)
    }

    /// What is to be in flight so that so much of the path is filled.
    fn inflight(&self, gain: f64) -> Segments {
        self.quantized(self.bdp_of(self.max_bw.max(), gain))
    }

    /// Room for what end hosts collect before they pass it on.
    fn quantized(&self, bytes: f64) -> Segments {
        let segments = bytes / self.mss as f64;
        let budget = 3.0 * f64::from(self.quantum());
        let (quantized, probing) = match self.version {
            Version::V1 => (
                2.0 * f64::midpoint(segments.ceil(), budget).ceil(),
                self.cycle.is_probing(),
            ),
            Version::V3 => (
                segments.max(budget).max(MIN_PIPE_CWND),
                self.probing.phase == Phase::Up,
            ),
            Version::V3Linux => (
                segments.ceil().max(budget).max(MIN_PIPE_CWND),
                self.probing.phase == Phase::Up,
            ),
        };
        if probing && self.state == State::ProbeBw {
            quantized + 2.0
        } else {
            quantized
        }
    }

    /// Segments that may leave together: a millisecond's worth.
    fn quantum(&self) -> u32 {
        let bytes = self.pacing.bps() / 8;
        let (bytes, least) = match self.version {
            Version::V1 if self.pacing < MIN_TSO_RATE => (bytes / 1024, 1),
            Version::V1 => (bytes / 1024, 2),
            Version::V3 => (bytes / 1000, 2),
            Version::V3Linux => (bytes / 1024 + linux::near(self.min_rtt.least), 2),
        };
        (bytes.min(GSO_MAX) / self.mss).max(least) as u32
    }

    /// SetPacingRate: never lowered in Startup.
    fn set_pacing(&mut self, w: &mut Window, a: &Ack) {
        if !self.has_seen_rtt && a.rtt.is_some() {
            self.has_seen_rtt = true;
            self.set_first_rate(w.cwnd, a.rtt);
        }
        self.pace_at(self.pacing_gain);
        self.write_pacing(w);
    }

    fn pace_at(&mut self, gain: f64) {
        let margin = match self.quiche {
            Some(_) => 1.0,
            None => PACING_MARGIN,
        };
        let rate = Rate((gain * margin * self.bw().bps() as f64).round() as u64);
        let falls = self.plateau.reached || gain < self.constants.startup_pacing;
        if rate > self.pacing || falls && rate.bps() > 0 {
            self.pacing = rate;
        }
    }

    /// The transport's rates include headers.
    pub(crate) fn write_pacing(&self, w: &mut Window) {
        let wire = u128::from(self.pacing.bps()) * u128::from(self.mss + self.header);
        let rate = u64::try_from(wire / u128::from(self.mss)).unwrap_or(u64::MAX);
        w.pacing = Some(Rate(rate)).filter(|rate| rate.bps() > 0);
        w.quantum = self.quantum();
    }

    fn set_window(&mut self, w: &mut Window, a: &Ack, d: &Delivery) {
        let acked = self.segments_of(d.newly);
        if acked > 0.0 {
            let (cwnd, conserved) = self.recover_or_restore(w.cwnd, a, d, acked);
            w.cwnd = if conserved {
                cwnd
            } else {
                self.grown(cwnd, acked).max(MIN_PIPE_CWND)
            };
        }
        if self.version != Version::V1 {
            let bound = self.probing.window_bound(self.state, self.mss);
            w.cwnd = w.cwnd.min(bound.max(MIN_PIPE_CWND));
        }
        if self.state == State::ProbeRtt {
            w.cwnd = w.cwnd.min(self.probe_rtt_cwnd());
        }
    }

    /// What losses and the end of their repair do to the window; true where packets are
    /// conserved, so that this is all.
    fn recover_or_restore(
        &mut self,
        cwnd: Segments,
        a: &Ack,
        d: &Delivery,
        acked: Segments,
    ) -> (Segments, bool) {
        let mut cwnd = match self.version {
            Version::V1 => (cwnd - self.segments_of(d.lost)).max(1.0),
            Version::V3 | Version::V3Linux => cwnd,
        };
        let conserved = self.segments_of(a.flight) + acked;
        let before = std::mem::replace(&mut self.repair_before, self.repair);
        if self.repair == Repair::Recovery && before != Repair::Recovery {
            if self.version == Version::V1 {
                self.conserving = true;
                self.rounds.restart(d.total);
                cwnd = conserved;
            }
        } else if self.restores_from(before) && self.repair == Repair::Nothing {
            cwnd = cwnd.max(self.prior_cwnd);
            self.conserving = false;
        }
        if self.conserving {
            return (cwnd.max(conserved), true);
        }
        (cwnd, false)
    }

    /// Whether the end of this repair restores the window. Linux's v3 has cut it for a timeout
    /// only.
    fn restores_from(&self, before: Repair) -> bool {
        match self.version {
            Version::V3Linux => before == Repair::Timeout,
            Version::V1 | Version::V3 => before != Repair::Nothing,
        }
    }

    /// Towards what the model allows.
    fn grown(&self, cwnd: Segments, acked: Segments) -> Segments {
        if self.quiche.is_some() && !self.plateau.reached {
            return self.grown_by_quiche(cwnd, acked);
        }
        let extra = match self.version {
            Version::V1 if !self.plateau.reached => 0,
            _ => self.extra.max(self.bw()),
        };
        let mut bytes = self.bdp(self.cwnd_gain);
        if self.version != Version::V3 {
            // Each is rounded by itself.
            bytes =
                self.segments(self.mss * (bytes / self.mss as f64).ceil() as u64) * self.mss as f64;
        }
        let target = self.quantized(bytes + extra as f64);
        if self.plateau.reached {
            (cwnd + acked).min(target)
        } else if cwnd < target || self.is_early(cwnd) {
            cwnd + acked
        } else {
            cwnd
        }
    }

    /// Whether so little was sent that the model does not limit the window yet.
    fn is_early(&self, cwnd: Segments) -> bool {
        match self.version {
            Version::V3Linux => cwnd < 2.0 * self.init_cwnd,
            _ => (self.total as f64) < self.init_cwnd * self.mss as f64,
        }
    }

    /// Keeps the last window that was good.
    fn save_cwnd(&mut self, w: &Window) {
        let cut = self.repair_before != Repair::Nothing || self.state == State::ProbeRtt;
        self.prior_cwnd = if cut {
            self.prior_cwnd.max(w.cwnd)
        } else {
            w.cwnd
        };
    }

    /// Begins a recovery after a loss.
    pub(crate) fn on_loss(&mut self, w: &Window) {
        self.save_cwnd(w);
        self.probing.save();
        self.repair = Repair::Recovery;
    }

    /// Ends the recovery after a loss.
    pub(crate) fn on_recovered(&mut self) {
        if self.repair == Repair::Recovery {
            self.repair = Repair::Nothing;
        }
    }

    /// All that was in flight counts as lost: one segment leaves.
    pub(crate) fn on_timeout(&mut self, w: &mut Window) {
        self.save_cwnd(w);
        self.probing.save();
        (self.repair, self.repair_before) = (Repair::Timeout, Repair::Timeout);
        if self.version == Version::V3Linux {
            self.plateau.look_again(Rate(0));
            self.bound_for_timeout();
        } else if !self.plateau.reached {
            self.plateau.forget_rate();
        }
        w.cwnd = 1.0;
    }

    /// What was repaired had not been lost.
    pub(crate) fn on_spurious(&mut self, w: &mut Window) {
        self.repair = Repair::Nothing;
        if self.version == Version::V3Linux {
            return self.undo_as_linux(w);
        }
        if self.version == Version::V3 || !self.plateau.reached {
            self.plateau.look_again(Rate(0));
        }
        let resumes = self.version == Version::V3 && self.state != State::ProbeRtt;
        match self.probing.restore() {
            Ended::Startup => {
                self.plateau.reached = false;
                if resumes {
                    self.state = State::Startup;
                }
            }
            Ended::Up if resumes => self.start_refill(),
            _ => {}
        }
        self.policer.reset();
    }

    /// Sending resumes: at the estimated rate, no faster.
    pub(crate) fn on_idle(&mut self, w: &mut Window, now: Instant) {
        self.idle_restart = true;
        self.extra.restart(now);
        if self.state == State::ProbeBw {
            self.pace_at(1.0);
            self.write_pacing(w);
        }
    }
}
