//! BBR as quinn has it (quinn-proto 0.11.19, `congestion/bbr/*.rs`): BBR v1 by way of Chromium's
//! `bbr_sender.cc`, which sets a window only. The pacer of the stack follows from the window.
//!
//! - The first window is 200 packets of 1200 bytes (`K_MAX_INITIAL_CONGESTION_WINDOW`).
//! - A sample of the rate is one packet over the time since the ACK before, so that an ACK of two
//!   packets shows half of the rate. The largest sample is kept for good (`on_ack` replaces it only by a
//!   larger one, which empties the filter).
//! - The minimum RTT counts as expired before the first ACK of a sender with data left. That ACK
//!   begins ProbeRTT, which lasts 200 ms and until the next round begins.
//! - In Startup the window grows by what is acknowledged: the comparison that would stop it is of a
//!   gain with a window in bytes (`calculate_cwnd`), and always true.
//! - Losses count with the ACK after the one that shows them.
//!
//! Left out: the sending rate as a bound of the sample, which packets that leave together do not
//! have. The phase of the cycle in ProbeBW is random in quinn; here it is made of the nanosecond at
//! which it is needed.

use super::Model;
use crate::signals::{Ack, Delivery, Established};
use crate::{Duration, Instant, Reason, Segments, Window};
use std::any::Any;

/// `K_MAX_INITIAL_CONGESTION_WINDOW` packets of `BASE_DATAGRAM_SIZE`.
const INITIAL_BYTES: f64 = 200.0 * 1200.0;
/// Of IPv4 and UDP, which the window does not count.
const UDP_IP: u32 = 28;
/// `calculate_min_window`.
const MIN_CWND: Segments = 4.0;
/// `K_DEFAULT_HIGH_GAIN`.
const HIGH_GAIN: f64 = 2.885;
/// `K_DERIVED_HIGH_CWNDGAIN`.
const CWND_GAIN: f64 = 2.0;
/// `K_MODERATE_PROBE_RTT_MULTIPLIER`.
const PROBE_RTT_GAIN: f64 = 0.75;
/// `K_PROBE_RTT_TIME`.
const PROBE_RTT_TIME: Duration = Duration::from_millis(200);
/// `is_min_rtt_expired`.
const MIN_RTT_LIFETIME: Duration = Duration::from_secs(10);
/// `K_PACING_GAIN`.
const CYCLE: [f64; 8] = [1.25, 0.75, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0];
/// `K_STARTUP_GROWTH_TARGET`.
const GROWTH_TARGET: f64 = 1.25;
/// `K_ROUND_TRIPS_WITHOUT_GROWTH_BEFORE_EXITING_STARTUP`.
const ROUNDS_WITHOUT_GROWTH: u32 = 3;
/// Rounds for which the largest excess is kept (`MinMax`).
const EXCESS_ROUNDS: u64 = 10;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Startup,
    Drain,
    ProbeBw,
    /// Until so long after the flight was small enough.
    ProbeRtt(Option<Instant>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Recovery {
    None,
    Conservation,
    Growth,
}

/// Round trips: one is over when a packet is acknowledged that left after it had begun.
#[derive(Clone, Copy, Debug, Default)]
struct Round {
    count: u64,
    began: Instant,
    bandwidth: f64,
    without_growth: u32,
}

/// `AckAggregationState`: what is acknowledged beyond the bandwidth.
#[derive(Clone, Copy, Debug, Default)]
struct Excess {
    since: Option<Instant>,
    acked: Segments,
    /// The largest of the last rounds, and its round.
    largest: (Segments, u64),
}

impl Excess {
    fn take(&mut self, acked: Segments, now: Instant, round: u64, bandwidth: f64) {
        let expected = bandwidth * now.since(self.since.unwrap_or(now)).secs();
        if self.acked <= expected {
            (self.acked, self.since) = (acked, Some(now));
            return;
        }
        self.acked += acked;
        let excess = self.acked - expected;
        if excess >= self.largest.0 || round - self.largest.1 > EXCESS_ROUNDS {
            self.largest = (excess, round);
        }
    }
}

/// Model and state machine on one connection. Bandwidths are segments per second.
#[derive(Clone, Debug)]
pub(crate) struct BbrQuinn {
    mode: Mode,
    cwnd: Segments,
    initial: Segments,
    cwnd_gain: f64,
    full: bool,
    bandwidth: f64,
    last_ack: Instant,
    newest: Instant,
    min_rtt: Duration,
    /// The path's, without the ACK under way.
    path_rtt: Option<Duration>,
    probed_rtt: Option<Instant>,
    round: Round,
    phase: usize,
    /// Of the pace, which is not used; but the phases end by it.
    gain: f64,
    phase_began: Instant,
    flight_before: Segments,
    excess: Excess,
    recovery: Recovery,
    recovery_began: Instant,
    recovery_window: Segments,
    lost: Segments,
}

impl BbrQuinn {
    pub(crate) fn new() -> BbrQuinn {
        BbrQuinn {
            mode: Mode::Startup,
            cwnd: 0.0,
            initial: 0.0,
            cwnd_gain: HIGH_GAIN,
            full: false,
            bandwidth: 0.0,
            last_ack: Instant::ZERO,
            newest: Instant::ZERO,
            min_rtt: Duration::ZERO,
            path_rtt: None,
            probed_rtt: None,
            round: Round::default(),
            phase: 0,
            gain: HIGH_GAIN,
            phase_began: Instant::ZERO,
            flight_before: 0.0,
            excess: Excess::default(),
            recovery: Recovery::None,
            recovery_began: Instant::ZERO,
            recovery_window: 0.0,
            lost: 0.0,
        }
    }

    /// The first window: this, or quinn's.
    pub(crate) fn on_established(&mut self, w: &Window, e: &Established, iw: Option<Segments>) {
        let packet = (w.mss + e.header).saturating_sub(UDP_IP).max(1);
        self.initial = iw.unwrap_or(INITIAL_BYTES / f64::from(packet));
        self.cwnd = self.initial.max(MIN_CWND);
        self.path_rtt = e.rtt;
        // The handshake's last packet.
        self.last_ack = e.now;
    }

    /// Whether the bandwidth is still to be found.
    pub(crate) fn is_starting(&self) -> bool {
        !self.full
    }

    /// The window that holds now (`window`).
    pub(crate) fn window(&self) -> Segments {
        match self.mode {
            Mode::ProbeRtt(_) => self.target(PROBE_RTT_GAIN),
            Mode::Startup => self.cwnd,
            _ if self.recovery != Recovery::None => self.cwnd.min(self.recovery_window),
            _ => self.cwnd,
        }
    }

    /// Another startup has ended, with this window.
    pub(crate) fn take_over(&mut self, cwnd: Segments) {
        if !self.full {
            (self.full, self.mode, self.cwnd) = (true, Mode::Drain, cwnd);
        }
    }

    /// Measures only: another startup is in charge.
    pub(crate) fn observe(&mut self, w: &Window, a: &Ack) {
        if let Some(d) = &a.delivery {
            self.measure(w, a, d, a.queued == 0);
            self.note_rtt(a);
        }
    }

    /// `on_ack` of each packet, `on_end_acks`, and `on_congestion_event`. `FullPipe` where Startup ends.
    pub(crate) fn on_ack(&mut self, w: &Window, a: &Ack) -> Option<Reason> {
        let d = a.delivery?;
        let limited = a.queued == 0;
        self.measure(w, a, &d, limited);
        let was_starting = self.is_starting();
        // What this ACK shows to be lost is in flight until afterwards.
        let lost = w.segments(d.lost);
        let acked = w.segments(a.delivered);
        self.update(a.now, acked, w.segments(a.flight) + lost, limited);
        self.lost = lost;
        self.note_rtt(a);
        (was_starting && self.full).then_some(Reason::FullPipe)
    }

    /// `RttEstimator::update` comes after the controller's turn.
    fn note_rtt(&mut self, a: &Ack) {
        let rtt = a.rtt.or(self.path_rtt);
        self.path_rtt = rtt.map(|rtt| rtt.min(self.path_rtt.unwrap_or(rtt)));
    }

    /// The rate of the first packet; the others of the same ACK have none. And the minimum RTT.
    fn measure(&mut self, w: &Window, a: &Ack, d: &Delivery, limited: bool) {
        let since = a.now.since(self.last_ack).secs();
        self.last_ack = a.now;
        let packet = w.segments(a.delivered).min(1.0);
        if since > 0.0 && !limited {
            self.bandwidth = self.bandwidth.max(packet / since);
        }
        let path = self.path_rtt.unwrap_or(Duration::ZERO);
        if self.min_rtt_expired(a.now, limited) || self.min_rtt > path {
            self.min_rtt = path;
        }
        let sent = d.sample.map(|sample| sample.sent).or(a.sent());
        self.newest = self.newest.max(sent.unwrap_or(self.newest));
    }

    fn min_rtt_expired(&self, now: Instant, limited: bool) -> bool {
        let expired = |at: Instant| now.since(at) > MIN_RTT_LIFETIME;
        !limited && self.probed_rtt.is_none_or(expired)
    }

    /// `on_end_acks`.
    fn update(&mut self, now: Instant, acked: Segments, flight: Segments, limited: bool) {
        self.excess
            .take(acked, now, self.round.count, self.bandwidth);
        let begins = acked > 0.0 && self.newest >= self.round.began;
        if begins {
            self.round.began = now;
            self.round.count += 1;
        }
        self.update_recovery(now, begins);
        if self.mode == Mode::ProbeBw {
            self.update_phase(now, flight);
        }
        if begins && !self.full && !limited {
            self.look_for_growth();
        }
        if self.mode == Mode::Startup && self.full {
            (self.mode, self.cwnd_gain) = (Mode::Drain, HIGH_GAIN);
        }
        if self.mode == Mode::Drain && flight <= self.target(1.0) {
            self.enter_probe_bw(now);
        }
        self.probe_rtt(now, begins, flight, limited);
        self.set_cwnd(acked);
        self.set_recovery_window(acked, flight);
        self.flight_before = flight;
    }

    /// `update_recovery_state`.
    fn update_recovery(&mut self, now: Instant, begins: bool) {
        let lost = self.lost > 0.0;
        if lost {
            self.recovery_began = now;
        }
        match self.recovery {
            Recovery::None if lost => {
                (self.recovery, self.recovery_window) = (Recovery::Conservation, 0.0);
                self.round.began = now;
            }
            Recovery::None => {}
            _ if !lost && self.newest >= self.recovery_began => self.recovery = Recovery::None,
            _ if begins => self.recovery = Recovery::Growth,
            _ => {}
        }
    }

    /// `update_gain_cycle_phase`.
    fn update_phase(&mut self, now: Instant, flight: Segments) {
        let gain = self.gain;
        let mut over = now.since(self.phase_began) > self.min_rtt;
        if gain > 1.0 && self.lost == 0.0 && self.flight_before < self.target(gain) {
            over = false;
        }
        if gain < 1.0 && flight <= self.target(1.0) {
            over = true;
        }
        if over {
            self.phase = (self.phase + 1) % CYCLE.len();
            self.phase_began = now;
            // A phase that drains lasts until it has (`DRAIN_TO_TARGET`).
            let next = CYCLE[self.phase];
            if gain >= 1.0 || next != 1.0 || flight <= self.target(1.0) {
                self.gain = next;
            }
        }
    }

    fn enter_probe_bw(&mut self, now: Instant) {
        (self.mode, self.cwnd_gain) = (Mode::ProbeBw, CWND_GAIN);
        self.phase_began = now;
        // Any but the second.
        let drawn = (now.nanos() % (CYCLE.len() as u64 - 1)) as usize;
        self.phase = drawn + usize::from(drawn >= 1);
        self.gain = CYCLE[self.phase];
    }

    /// `check_if_full_bw_reached`.
    fn look_for_growth(&mut self) {
        if self.bandwidth >= self.round.bandwidth * GROWTH_TARGET {
            self.round.bandwidth = self.bandwidth;
            self.round.without_growth = 0;
            self.excess.largest = (0.0, self.round.count);
            return;
        }
        self.round.without_growth += 1;
        self.full =
            self.round.without_growth >= ROUNDS_WITHOUT_GROWTH || self.recovery != Recovery::None;
    }

    /// `maybe_enter_or_exit_probe_rtt`.
    fn probe_rtt(&mut self, now: Instant, begins: bool, flight: Segments, limited: bool) {
        let expired = self.min_rtt_expired(now, limited);
        if expired && !matches!(self.mode, Mode::ProbeRtt(_)) {
            self.mode = Mode::ProbeRtt(None);
            self.probed_rtt = Some(now);
        }
        match self.mode {
            Mode::ProbeRtt(None) if flight < self.target(PROBE_RTT_GAIN) + 1.0 => {
                self.mode = Mode::ProbeRtt(Some(now + PROBE_RTT_TIME));
            }
            Mode::ProbeRtt(Some(until)) if begins && now >= until => match self.full {
                false => (self.mode, self.cwnd_gain) = (Mode::Startup, HIGH_GAIN),
                true => self.enter_probe_bw(now),
            },
            _ => {}
        }
    }

    /// `get_target_cwnd`: what the path holds, times a gain.
    fn target(&self, gain: f64) -> Segments {
        match gain * self.bandwidth * self.min_rtt.secs() {
            none if none <= 0.0 => self.initial,
            target => target.max(MIN_CWND),
        }
    }

    /// `calculate_cwnd`.
    fn set_cwnd(&mut self, acked: Segments) {
        if matches!(self.mode, Mode::ProbeRtt(_)) {
            return;
        }
        self.cwnd += acked;
        if self.full {
            let target = self.target(self.cwnd_gain) + self.excess.largest.0;
            self.cwnd = self.cwnd.min(target);
        }
        self.cwnd = self.cwnd.max(MIN_CWND);
    }

    /// `calculate_recovery_window`.
    fn set_recovery_window(&mut self, acked: Segments, flight: Segments) {
        if self.recovery == Recovery::None {
            return;
        }
        if self.recovery_window > 0.0 {
            let rest = self.recovery_window - self.lost;
            self.recovery_window = if rest >= 0.0 { rest } else { 1.0 };
            if self.recovery == Recovery::Growth {
                self.recovery_window += acked;
            }
        }
        let least = MIN_CWND.max(flight + acked);
        self.recovery_window = self.recovery_window.max(least);
    }
}

impl Model for BbrQuinn {
    fn release_cwnd(&self, w: &mut Window) {
        w.cwnd = self.target(1.0).min(w.cwnd);
        w.ssthresh = w.cwnd;
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signals::RateSample;
    use crate::{Controller, Convention, catalog};

    const MSS: u32 = 1444;
    const RTT: u64 = 50;

    /// Under quinn, opened at 0 ms.
    fn opened() -> (Controller, Window) {
        let mut c = catalog::controller(
            "bbr-startup:version=quinn",
            "bbr:version=quinn",
            Convention::QUIC,
        )
        .unwrap();
        let mut w = Window::new(MSS);
        let established = Established {
            now: Instant::ZERO,
            initial_window: 8.0,
            rtt: Some(Duration::from_millis(RTT)),
            queued: 1 << 30,
            peer_window: u64::MAX,
            header: 56,
            clock: None,
            counts_marks: false,
        };
        c.on_established(&mut w, &established);
        (c, w)
    }

    /// An ACK of two packets that left a round trip before.
    fn ack(ms: f64, flight: u64, lost: u64) -> Ack {
        let now = Instant::from_nanos((ms * 1e6) as u64);
        let bytes = 2 * u64::from(MSS);
        let rtt = Duration::from_millis(RTT);
        let sample = RateSample {
            sent: now.saturating_sub(rtt),
            ..RateSample::default()
        };
        Ack {
            rtt: Some(rtt),
            flight: flight * u64::from(MSS),
            queued: 1 << 20,
            delivery: Some(Delivery {
                lost: lost * u64::from(MSS),
                sample: Some(sample),
                ..Delivery::default()
            }),
            ..Ack::of(now, bytes)
        }
    }

    #[test]
    fn the_first_window_is_240_000_bytes_and_nothing_is_paced_by_rate() {
        let (_, w) = opened();
        assert!((w.cwnd - 240_000.0 / 1472.0).abs() < 1e-9);
        assert_eq!(w.pacing, None);
    }

    #[test]
    fn the_first_ack_begins_probe_rtt_and_the_second_shows_half_of_the_rate() {
        let (mut c, mut w) = opened();
        c.on_ack(&mut w, &ack(50.0, 160, 0));
        assert_eq!(w.cwnd, MIN_CWND);
        // Packets leave the bottleneck each millisecond.
        c.on_ack(&mut w, &ack(52.0, 158, 0));
        assert_eq!(w.cwnd, PROBE_RTT_GAIN * 500.0 * 0.05);
    }

    /// ACKs of two packets each two milliseconds, till so many.
    fn run(c: &mut Controller, w: &mut Window, acks: u32, flight: u64) {
        for n in 0..acks {
            c.on_ack(w, &ack(50.0 + 2.0 * f64::from(n), flight, 0));
        }
    }

    #[test]
    fn after_200_ms_with_a_small_flight_startup_grows_by_what_is_acknowledged() {
        let (mut c, mut w) = opened();
        run(&mut c, &mut w, 101, 10);
        assert_eq!(w.cwnd, PROBE_RTT_GAIN * 500.0 * 0.05);
        run(&mut c, &mut w, 128, 10);
        let before = w.cwnd;
        assert!(before > 160.0);
        c.on_ack(&mut w, &ack(308.0, 10, 0));
        assert_eq!(w.cwnd, before + 2.0);
    }

    /// ACKs of one packet each millisecond until Startup and ProbeRTT are over.
    fn filled() -> (Controller, Window, f64) {
        let (mut c, mut w) = opened();
        for ms in 50..500 {
            c.on_ack(&mut w, &one(f64::from(ms), 10, 0));
        }
        (c, w, 500.0)
    }

    fn one(ms: f64, flight: u64, lost: u64) -> Ack {
        let bytes = u64::from(MSS);
        Ack {
            acked: bytes,
            delivered: bytes,
            credit: bytes,
            ..ack(ms, flight, lost)
        }
    }

    #[test]
    fn three_rounds_without_growth_end_startup_and_leave_two_products() {
        let (mut c, mut w, ms) = filled();
        assert_eq!(c.exit().map(|exit| exit.reason), Some(Reason::FullPipe));
        c.on_ack(&mut w, &one(ms, 10, 0));
        let products = w.cwnd / (1000.0 * 0.05);
        assert!((CWND_GAIN..2.1).contains(&products), "{products}");
    }

    #[test]
    fn losses_bound_the_window_from_the_next_ack_on_once_startup_is_over() {
        let (mut c, mut w, ms) = filled();
        c.on_ack(&mut w, &one(ms, 10, 5));
        assert!(w.cwnd > 90.0);
        c.on_ack(&mut w, &one(ms + 1.0, 10, 0));
        assert_eq!(w.cwnd, 11.0);
    }
}
