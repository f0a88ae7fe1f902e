//! C4's Initial phase: send at twice the rate that arrives, until it no longer grows or congestion
//! shows.
//!
//! C. Huitema, S. Nandakumar, C. Jennings, "Specification of Christian's Congestion Control Code
//! (C4)", draft-huitema-ccwg-c4-spec. C4 is made for media over QUIC. Its state is a nominal rate,
//! the largest that was measured, and a nominal max RTT, the round trip that a path has without
//! queues of C4's making. In Initial the pace is twice the nominal rate and the window what that
//! brings into flight in the nominal max RTT, so the rate doubles with each era, which is a round
//! trip, as long as the path carries it. Three eras without an increase end it. So do round trips
//! that are longer than expected and losses, but how much longer and how many depends on the rate:
//! a slow flow is nearly blind to losses, a fast one reacts to one in fifty, so that flows which
//! share a bottleneck come to share it evenly.
//!
//! What has been queued meanwhile, up to one bandwidth-delay product, Recovery begins to drain: an
//! era at 15/16 of the nominal rate.
//!
//! | | 2025-11 | after-04 |
//! | --- | --- | --- |
//! | window | two nominal rates in the nominal max RTT | that, or if larger the first window and what was acknowledged, one eighth as much after each era without increase |
//! | least pace | none | 1 048 576 bit/s |
//! | sent at once | a quarter of the window, 64 kB at most | 4 ms at the pace, 64 kB at most |
//! | nominal max RTT at the end | the first sample, as before | half of the window over the nominal rate |
//! | an era has raised the rate | by a byte per second | by a quarter, as in picoquic |
//! | marks | not yet written | as long round trips: after two eras without increase |
//!
//! # State
//!
//! `nominal_rate`, `nominal_max_rtt`, where the era began, eras without increase, the smoothed loss
//! rate, packets received; `initial_cwnd` in after-04.
//!
//! # Deviations
//!
//! - Cruising and Pushing, and with them re-entering Initial, are not here: after the era of
//!   Recovery the avoidance gets a window of the nominal rate in the nominal max RTT, and no pace.
//! - A rate is a sample as BBR takes them: what was delivered since the packet left over the longer of
//!   the times of sending and of delivering it. The latter counts from the last delivery before the
//!   packet left, a little earlier than the draft's.
//! - Losses are counted in packets of the full size, and those of an ACK before what it acknowledges.
//! - A timeout ends the phase, and the avoidance responds to it. The draft ignores it.
//! - A mark is an echo of one in a window of data, not a share of marks, so none is compared with a
//!   threshold: it ends Initial after two eras without increase, in both variants.
//! - Resuming (`memory=true`) is picoquic's `c4_resuming` at d199d45: two eras at the cached window and
//!   rate, then Recovery. The draft's drain at 7/8 and the floor of 1 ms for the nominal max RTT are
//!   left out.
//!
//! # Contested
//!
//! - The inequality by which the nominal rate follows a sample is printed the wrong way round in
//!   both copies; according to the prose, samples only raise it.
//! - Neither copy names a least increase of an era. Without one, rates that creep towards that of
//!   the link are increases, and after-04's window grows on. picoquic requires a quarter of what
//!   is to be expected, which is twofold (`c4_growth_evaluate`).
//! - The first round trip is that of the handshake, whose packets are small: on a slow link data's
//!   is longer by a packet's transmission, and nearer to the limit.
//! - Before a rate is known the draft paces at the interface's rate, here nothing is paced.

use super::{Assisted, Congestion, Maker, Reduction, Response, Startup, copies};
use crate::entry::{Certainty, Entry, Need};
use crate::params::Ratio;
use crate::signals::{Ack, Delivery, Established, PathInfo, RateSample};
use crate::slow_start::SlowStart;
use crate::{Duration, Rate, Reason, Segments, Window, params, with_slow_start};

/// Entry of `c4-initial` in the catalog of startups.
pub const ENTRY: Entry<Maker> = Entry {
    name: "c4-initial",
    title: "C4's Initial phase",
    source: "Huitema, Nandakumar, Jennings: draft-huitema-ccwg-c4-spec",
    year: 2025,
    opened: "text: the editor's copy of November 2025, after draft-huitema-ccwg-c4-spec-00, from its \
             section on pace, window and quantum to the end, and that after -04 (July 2026), whole; code: \
             private-octopus/picoquic picoquic/c4.c at 0a82f5f, for the minimum increase, and at \
             d199d45, for resuming",
    compared: "rate samples, pace, window, quantum, eras, ends by plateau, delay and loss, \
               sensitivity, Recovery's gain",
    summary: "Paces at twice the largest rate measured until three round trips have not raised it, \
              or round trips or losses are above what its sensitivity allows.",
    params: with_slow_start!(Settings),
    needs: &[Need::Pacing],
    certainty: Certainty::Text,
    build: |params, _| Ok(copies(C4Initial::new(Settings::read(params)?))),
};

params! {
    /// Parameters; those of slow start apply after a timeout.
    pub struct Settings {
        /// which copy of the draft: of November 2025, or after draft -04 of July 2026, whose window
        /// grows as slow start's does
        variant: Variant = "2025-11",
        /// an era is an increase if it raises the rate by this share, and by a byte per second at
        /// least
        #[usual("by variant: 0 for 2025-11, 0.25 for after-04")]
        increase: Option<Ratio>,
        /// resume at the cached window, as picoquic does, where the cached RTT is that of the path
        memory: bool = "false",
    }

    pub enum Variant { V202511 = "2025-11", After04 = "after-04" }
}

/// `alpha_current` in Initial and in Recovery.
const ALPHA_INITIAL: f64 = 2.0;
const ALPHA_RECOVERY: f64 = 15.0 / 16.0;
/// Eras without increase that end it, and after which delays and marks do.
const ERAS_TO_END: u32 = 3;
const ERAS_TO_HEED_DELAY: u32 = 2;
/// Packets received after which losses do.
const PACKETS_TO_HEED_LOSS: Segments = 20.0;
/// What raises the nominal rate in an era, bytes per second.
const LEAST_INCREASE: f64 = 1.0;
const MAX_QUANTUM: f64 = 65_536.0;
const MAX_DELAY_THRESHOLD: Duration = Duration::from_millis(25);
/// after-04: 1 048 576 bit/s, in bytes per second.
const MIN_PACE: f64 = 131_072.0;
/// after-04: seconds at the pace that leave at once.
const QUANTUM_TIME: f64 = 0.004;
/// The cached RTT may differ from the first one by this share of the latter (picoquic,
/// `picoquic_validate_bdp_seed`).
const RTT_MARGIN: u64 = 4;
/// Eras at the cached rate: one until measurements begin, one to measure (`c4_on_resuming_era_end`).
const ERAS_TO_RESUME: u32 = 2;
/// An era counts only with at least 16/17 of the cached window in flight (`c4_on_resuming_ack`).
const USED: f64 = 17.0 / 16.0;
/// What a packet leaves of the smoothed loss rate.
const LOSS_DECAY: f64 = 15.0 / 16.0;

/// How much a flow of so many bytes per second heeds congestion, from 0 to 1.
fn sensitivity(rate: f64) -> f64 {
    match rate {
        r if r < 50_000.0 => 0.0,
        r if r < 1e6 => 0.92 * (r - 50_000.0) / 950_000.0,
        r if r < 1e7 => 0.92 + 0.08 * (r - 1e6) / 9e6,
        _ => 1.0,
    }
}

/// The round trip above which it is congestion.
fn delay_limit(nominal_max_rtt: Duration, sensitivity: f64) -> Duration {
    let fraction = 1.0 / 16.0 + (1.0 - sensitivity) * 3.0 / 16.0;
    let threshold = Duration((fraction * nominal_max_rtt.nanos() as f64) as u64);
    nominal_max_rtt + threshold.min(MAX_DELAY_THRESHOLD)
}

/// The smoothed loss rate above which it is congestion.
fn loss_limit(sensitivity: f64) -> f64 {
    0.02 + 0.5 * (1.0 - sensitivity)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Initial,
    Resuming,
    Recovery,
    Done,
}

/// C4's Initial phase, and an era of Recovery.
#[derive(Clone)]
struct C4Initial {
    /// after-04: the window that grows with what is acknowledged, in segments.
    initial_cwnd: Option<Segments>,
    /// The minimum increase of an era, as a share.
    increase: f64,
    phase: Phase,
    /// Bytes of payload per second.
    nominal_rate: f64,
    nominal_max_rtt: Option<Duration>,
    /// So much had been delivered as the era began: a packet that left later ends it.
    era: u64,
    era_rate: f64,
    era_app_limited: bool,
    eras_without_increase: u32,
    smoothed_loss: f64,
    received: Segments,
    marked: bool,
    /// The cached window, bytes, with its RTT.
    saved: Option<(u64, Duration)>,
    uses_memory: bool,
    eras_resuming: u32,
}

impl C4Initial {
    fn new(settings: Settings) -> C4Initial {
        let after_04 = settings.variant == Variant::After04;
        let usual = if after_04 { 0.25 } else { 0.0 };
        C4Initial {
            initial_cwnd: after_04.then_some(0.0),
            increase: settings.increase.unwrap_or(usual),
            phase: Phase::Initial,
            nominal_rate: 0.0,
            nominal_max_rtt: None,
            era: 0,
            era_rate: 0.0,
            era_app_limited: false,
            eras_without_increase: 0,
            smoothed_loss: 0.0,
            received: 0.0,
            marked: false,
            saved: None,
            uses_memory: settings.memory,
            eras_resuming: 0,
        }
    }

    /// Begins with the cached window, where the path has the cached RTT.
    fn resume(&mut self, w: &mut Window, rtt: Duration) {
        let Some((bytes, cached)) = self.saved.take() else {
            return;
        };
        let off = cached.nanos().abs_diff(rtt.nanos());
        if off <= rtt.nanos() / RTT_MARGIN && w.segments(bytes) > w.cwnd {
            self.phase = Phase::Resuming;
            w.cwnd = w.segments(bytes).min(w.ssthresh);
            self.write_pace(w, bytes as f64 / rtt.secs(), Some(w.cwnd));
        }
    }

    /// An ACK while it resumes: why that ends, if it does.
    fn on_resuming_ack(&mut self, w: &Window, a: &Ack, d: &Delivery) -> Option<Reason> {
        let lossy = self.take_losses(w.segments(d.lost));
        self.take_arrivals(w.segments(d.newly));
        let sample = d.sample.as_ref()?;
        self.take_sample(sample);
        if w.segments(a.flight) * USED < w.cwnd {
            self.begin_era(d);
        } else if self.ends_era(sample) {
            self.eras_resuming += 1;
            self.begin_era(d);
        }
        match () {
            () if lossy => Some(Reason::Loss),
            () if self.eras_resuming >= ERAS_TO_RESUME => Some(Reason::Estimate),
            () => None,
        }
    }

    /// Whether the era is over with this sample, whose packet left after it began.
    fn ends_era(&self, sample: &RateSample) -> bool {
        sample.prior_delivered >= self.era
    }

    fn begin_era(&mut self, d: &Delivery) {
        (self.era, self.era_rate, self.era_app_limited) = (d.total, self.nominal_rate, false);
    }

    /// Whether the rate had a chance to grow and did not, counted by eras.
    fn count_era(&mut self) {
        let least = (self.increase * self.era_rate).max(LEAST_INCREASE);
        if self.nominal_rate - self.era_rate >= least {
            self.eras_without_increase = 0;
        } else if !self.era_app_limited {
            self.eras_without_increase += 1;
        }
    }

    fn take_sample(&mut self, sample: &RateSample) {
        let seconds = sample.interval.secs();
        if seconds > 0.0 {
            self.nominal_rate = self.nominal_rate.max(sample.delivered as f64 / seconds);
        }
        self.era_app_limited |= sample.app_limited;
    }

    /// Whether these losses, in packets, are congestion.
    fn take_losses(&mut self, lost: Segments) -> bool {
        if lost > 0.0 {
            self.smoothed_loss = 1.0 - (1.0 - self.smoothed_loss) * libm::pow(LOSS_DECAY, lost);
        }
        let limit = loss_limit(sensitivity(self.nominal_rate));
        lost > 0.0 && self.received > PACKETS_TO_HEED_LOSS && self.smoothed_loss > limit
    }

    fn take_arrivals(&mut self, arrived: Segments) {
        self.received += arrived;
        if self.smoothed_loss > 0.0 {
            self.smoothed_loss *= libm::pow(LOSS_DECAY, arrived);
        }
    }

    fn is_late(&self, rtt: Option<Duration>) -> bool {
        let limit = self
            .nominal_max_rtt
            .map(|usual| delay_limit(usual, sensitivity(self.nominal_rate)));
        rtt > limit && limit.is_some()
    }

    /// An ACK in Initial: why it ends, if it does.
    fn on_initial_ack(&mut self, w: &Window, a: &Ack, d: &Delivery) -> Option<Reason> {
        let lossy = self.take_losses(w.segments(d.lost));
        self.take_arrivals(w.segments(d.newly));
        if let Some(sample) = &d.sample {
            self.take_sample(sample);
            if self.ends_era(sample) {
                self.count_era();
                self.begin_era(d);
            }
        }
        if let Some(cwnd) = &mut self.initial_cwnd {
            *cwnd += w.segments(a.delivered) / libm::pow(8.0, self.eras_without_increase.into());
        }
        let heeds = self.eras_without_increase >= ERAS_TO_HEED_DELAY;
        match () {
            () if lossy => Some(Reason::Loss),
            () if heeds && self.is_late(a.rtt) => Some(Reason::Delay),
            () if heeds && self.marked => Some(Reason::Ecn),
            () if self.eras_without_increase >= ERAS_TO_END => Some(Reason::FullPipe),
            () => None,
        }
    }

    fn enter_recovery(&mut self, w: &Window, d: &Delivery) {
        let resumed = self.phase == Phase::Resuming;
        self.phase = Phase::Recovery;
        self.begin_era(d);
        if self.initial_cwnd.take().is_some() && self.nominal_rate > 0.0 && !resumed {
            let half = w.cwnd * f64::from(w.mss) / 2.0;
            self.nominal_max_rtt = Some(Duration::from_secs_f64(half / self.nominal_rate));
        }
    }

    /// What the nominal rate brings into flight in the nominal max RTT.
    fn nominal_cwnd(&self, w: &Window) -> Segments {
        let rtt = self.nominal_max_rtt.unwrap_or(Duration::ZERO).secs();
        (self.nominal_rate * rtt / f64::from(w.mss)).max(0.0)
    }

    /// Pace, window and quantum, once both nominal values are known.
    fn write(&mut self, w: &mut Window) {
        if self.nominal_rate > 0.0 && self.nominal_max_rtt.is_some() {
            let initial = self.phase == Phase::Initial;
            let alpha = if initial {
                ALPHA_INITIAL
            } else {
                ALPHA_RECOVERY
            };
            let pace = alpha * self.nominal_rate;
            let cwnd = (alpha * self.nominal_cwnd(w)).max(2.0);
            let after_04 = initial.then_some(self.initial_cwnd).flatten();
            w.cwnd = cwnd.max(after_04.unwrap_or(0.0)).min(w.ssthresh);
            self.write_pace(w, pace.max(after_04.map_or(0.0, |_| MIN_PACE)), after_04);
        }
        if !w.in_slow_start() {
            self.cancel(w);
        }
    }

    fn write_pace(&self, w: &mut Window, pace: f64, after_04: Option<Segments>) {
        w.pacing = Some(Rate(((8.0 * pace * w.wire_per_payload()) as u64).max(1)));
        let quantum = match after_04 {
            Some(_) => pace * QUANTUM_TIME,
            None => w.cwnd * f64::from(w.mss) / 4.0,
        };
        w.quantum = (quantum.min(MAX_QUANTUM) / f64::from(w.mss)).max(2.0) as u32;
    }

    /// The era of Recovery is over.
    fn leave(&mut self, w: &mut Window) {
        w.cwnd = self.nominal_cwnd(w).max(2.0);
        w.ssthresh = w.cwnd;
        self.cancel(w);
    }

    fn cancel(&mut self, w: &mut Window) {
        if self.phase != Phase::Done {
            self.phase = Phase::Done;
            (w.pacing, w.quantum) = (None, 1);
        }
    }
}

impl Startup for C4Initial {
    fn on_established(&mut self, w: &mut Window, e: &Established) {
        self.nominal_max_rtt = e.rtt;
        if let Some(cwnd) = &mut self.initial_cwnd {
            *cwnd = w.cwnd;
        }
        self.write(w);
        if let Some(rtt) = e.rtt {
            self.resume(w, rtt);
        }
    }

    fn on_ack(&mut self, w: &mut Window, a: &Ack, slow_start: &mut SlowStart) -> Option<Reason> {
        if self.phase == Phase::Done {
            slow_start.grow(w, a);
            return None;
        }
        let d = a.delivery?;
        self.nominal_max_rtt = self.nominal_max_rtt.or(a.rtt);
        if self.phase == Phase::Recovery {
            if d.sample.is_some_and(|sample| self.ends_era(&sample)) {
                self.leave(w);
            }
            return None;
        }
        let reason = match self.phase {
            Phase::Resuming => self.on_resuming_ack(w, a, &d),
            _ => self.on_initial_ack(w, a, &d),
        };
        if reason.is_some() {
            self.enter_recovery(w, &d);
        }
        if self.phase != Phase::Resuming {
            self.write(w);
        }
        reason
    }

    /// The share of losses and marks is what counts; a timeout ends it.
    fn on_congestion(&mut self, w: &mut Window, c: &Congestion) -> Response {
        if c.is_timeout() || self.phase == Phase::Done {
            self.cancel(w);
            return Response::STANDARD;
        }
        self.marked |= matches!(c, Congestion::Mark(_));
        Response::continues(Reduction::SelfManaged)
    }

    fn wants_delivery(&self) -> bool {
        true
    }

    fn owns_cwnd(&self) -> bool {
        self.phase != Phase::Done
    }

    fn assisted(&mut self) -> Option<&mut dyn Assisted> {
        Some(self)
    }
}

impl Assisted for C4Initial {
    fn on_known(&mut self, k: &PathInfo) {
        let memory = k.memory.filter(|memory| self.uses_memory && !memory.in_use);
        self.saved = memory.map(|memory| (memory.delivered, memory.min_rtt));
    }
}

#[cfg(test)]
mod tests;
