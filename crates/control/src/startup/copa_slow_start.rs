//! Copa's slow start: double once per round trip, as long as the rate is below the one that the
//! queueing delay allows.
//!
//! V. Arun and H. Balakrishnan, "Copa: Practical Delay-Based Congestion Control for the Internet",
//! NSDI 2018; mvfst's `Copa.cpp` and the authors' genericCC. Copa steers its rate towards `1 /
//! (delta * queueing delay)` packets per second, which leaves it about `1/delta` packets in the
//! queue wherever it is. Slow start is how it gets there from below, and needs no threshold: it is
//! over at the first ACK at which the rate, `cwnd / standing RTT`, is above that target. The
//! queueing delay is that of the *standing* round trip, the minimum of the last half of one, so
//! that late ACKs and short bursts do not end it. Losses are no sign of it.
//!
//! mvfst does not grow with the ACKs: the window is constant for a round trip and is doubled at one
//! ACK, and pacing at two windows per round trip spreads what then may leave. The first ACK only
//! starts the clock, which makes it a round trip slower than slow start. What a doubling does to the
//! queue is seen a round trip later, when the next one is due, so it leaves with up to twice what
//! the path holds. The authors' own code grows by a packet with each ACK, after two windows in
//! which it only measures.
//!
//! | | mvfst | generic |
//! | --- | --- | --- |
//! | `delta`, so many packets may wait | 0.05, 20 | 0.5, 2 |
//! | the delay is that of | the latest round trip | the standing one |
//! | growth | twofold, at the first ACK a smoothed round trip after the last | a packet for each |
//! | before it | one ACK | all but one of twice the first window |
//! | continues at the target itself | yes | no |
//! | the ACK that ends it | takes `acked / (delta * cwnd)` off the window | is the last to add its packet |
//! | a loss | changes nothing | changes nothing; losses of more than 30 % in two round trips leave 0.7 of the window |
//!
//! # State
//!
//! mvfst's: the minimum RTT of ten seconds, the standing one, the smoothed one, `slow_start`,
//! `last_double`; the ACKs that generic has yet to count, and its losses in two round trips.
//!
//! # Deviations
//!
//! - With any avoidance but Copa's own, which is not here, this is its start alone. Velocity and
//!   direction stand still in slow start and are left out.
//! - A timeout ends it, and the avoidance responds to it. mvfst sets its least window at persistent
//!   congestion and stays in slow start; genericCC does nothing.
//! - Both programs grow a window that is not used; here it stays.
//! - Both begin with ten packets; here by the stack's rule, and generic's
//!   `num_probe_pkts` is that window.
//! - The minimum and the standing round trip are updated by ACKs, so that of the handshake, whose
//!   packets are shorter, counts for the smoothed one only.
//! - In both, every ACK gives a round-trip time; here, one that gives none (Karn's rule; where SACK
//!   gives none either, all of a recovery) changes nothing. Growth without a sample would be blind.
//! - generic's smoothed round trip moves by an eighth for each sample as mvfst's does, not by a
//!   sixteenth.
//!
//! # Contested
//!
//! - mvfst has the standing round trip's delay as a setting (`copaUseRttStanding`, off), which
//!   makes that the minimum of a whole smoothed round trip: `delay=standing`. The paper's abstract
//!   does not say which.
//! - 1/2 is genericCC's `default_delta`. `delta` is a setting of mvfst's too (`copaDeltaParam`).
//! - genericCC's comment has its losses answered above 10 %, its code above 30 %; the code's is
//!   taken. `loss_rate=0` answers each, at most once per window of data.
//! - The sources do not mention marks: they are losses here.
//! - The receiver's delay of an ACK is in the sample. The odd last segment of a train waits alone
//!   for its ACK and can end it: mostly at the end of a transfer, where it does no harm.

use std::collections::VecDeque;

use super::{Congestion, Maker, Reduction, Response, Startup, copies};
use crate::entry::{Certainty, Entry, Need};
use crate::model::round_trips::RoundTrips;
use crate::params::{Number, Params, Ratio, SpecError};
use crate::signals::{Ack, Established};
use crate::slow_start::SlowStart;
use crate::{Duration, Instant, Reason, Segments, Window, params, with_slow_start};

/// Entry of `copa-slow-start` in the catalog of startups.
pub const ENTRY: Entry<Maker> = Entry {
    name: "copa-slow-start",
    title: "Copa's slow start",
    source: "Arun, Balakrishnan: Copa: Practical Delay-Based Congestion Control for the Internet, \
             NSDI 2018; mvfst Copa.cpp; genericCC markoviancc",
    year: 2018,
    opened: "code: facebook/mvfst quic/congestion_control/Copa.cpp, Copa.h and \
             quic/state/TransportSettings.h at 00e67c1; venkatarun95/genericCC markoviancc.cc, \
             rtt-window.cc and estimators.cc at 18299d6; the abstract of the paper",
    compared: "doubling, delay and test of the rate, exit, answer to losses, pace",
    summary: "Doubles the window once per round trip, paced, until its rate is above the one that \
              the queueing delay allows.",
    params: with_slow_start!(Settings),
    needs: &[Need::Pacing],
    certainty: Certainty::Code,
    build: |params, _| Ok(copies(CopaSlowStart::new(params)?)),
};

params! {
    /// Parameters; those of slow start apply after a timeout.
    pub struct Settings {
        /// mvfst: doubles at one ACK per round trip; generic: the authors' genericCC, which grows
        /// by a packet for each one acknowledged
        variant: Variant = "mvfst",
        /// the target is a packet per `delta` times the queueing delay: about 1/delta packets wait
        /// in queues where slow start ends
        #[usual("by variant: 0.05 for mvfst, 0.5 for generic")]
        #[within(0.001..=10.0)]
        delta: Option<Number>,
        /// the standing round-trip time is the minimum over this share of a smoothed one
        #[usual("by variant: 0.5; 1 for mvfst with delay=standing")]
        standing: Option<Ratio>,
        /// which round-trip time is compared with the minimum to have the queueing delay
        #[usual("by variant: latest for mvfst, standing for generic")]
        delay: Option<Delay>,
        /// whether it paces, at two windows per smoothed round trip
        pacing: bool = "true",
        /// variant=generic: losses are answered where they are a larger share of what two round
        /// trips brought; 0 answers each, once per window of data
        loss_rate: Ratio = "0.3",
        /// variant=generic: what the answer to losses leaves of the window; 1 answers none
        beta: Ratio = "0.7",
    }

    pub enum Variant { Mvfst = "mvfst", Generic = "generic" }
    pub enum Delay { Standing = "standing", Latest = "latest" }
}

/// Time for which the minimum round-trip time is kept.
const MIN_RTT_WINDOW: Duration = Duration::from_secs(10);
/// The minimum window of a decrease.
const MIN_CWND: Segments = 2.0;
/// Windows per round trip at which it paces.
const PACING_GAIN: f64 = 2.0;
/// Default of delta in mvfst (`deltaParam_`).
const MVFST_DELTA: f64 = 0.05;
/// Default of delta in genericCC (`default_delta`).
const GENERIC_DELTA: f64 = 0.5;
/// A share of losses is judged of more packets than these.
const LEAST_PACKETS: Segments = 20.0;

/// The minimum RTT of a while.
#[derive(Clone, Debug, Default)]
struct Least {
    /// Samples that were, or may yet be, the minimum, with when they came; both rise.
    samples: VecDeque<(Instant, Duration)>,
}

impl Least {
    /// Takes a sample; returns the minimum of those that are no older than the window.
    fn sample(&mut self, now: Instant, rtt: Duration, window: Duration) -> Duration {
        while self.samples.back().is_some_and(|&(_, last)| last >= rtt) {
            self.samples.pop_back();
        }
        self.samples.push_back((now, rtt));
        while now.since(self.samples[0].0) > window {
            self.samples.pop_front();
        }
        self.samples[0].1
    }
}

/// Where the rate is, seen from the target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Position {
    Below,
    At,
    Above,
}

/// What generic makes of losses (`ReduceOnLoss`).
#[derive(Clone)]
struct ReduceOnLoss {
    /// The share of losses above which a period is answered; 0 for each single loss.
    loss_rate: f64,
    beta: f64,
    since: Instant,
    packets: Segments,
    lost: Segments,
}

impl ReduceOnLoss {
    fn new(settings: &Settings) -> ReduceOnLoss {
        ReduceOnLoss {
            loss_rate: settings.loss_rate,
            beta: settings.beta,
            since: Instant::ZERO,
            packets: 0.0,
            lost: 0.0,
        }
    }

    /// Counts the arrivals and losses that an ACK reports; true where a period ends that is to be
    /// answered.
    fn update(&mut self, w: &Window, a: &Ack, rtt: Duration) -> bool {
        let lost = w.segments(a.delivery.map_or(0, |delivery| delivery.lost));
        self.lost += lost;
        self.packets += w.segments(a.delivered) + lost;
        if a.now.since(self.since) <= rtt.times(2) || self.packets <= LEAST_PACKETS {
            return false;
        }
        let share = self.lost / self.packets;
        (self.since, self.packets, self.lost) = (a.now, 0.0, 0.0);
        self.loss_rate > 0.0 && share > self.loss_rate
    }

    fn reduce(&self, w: &mut Window) {
        w.cwnd = (self.beta * w.cwnd).max(MIN_CWND).min(w.cwnd);
    }
}

/// State of Copa's slow start on one connection.
#[derive(Clone)]
struct CopaSlowStart {
    delta: f64,
    standing_share: f64,
    latest: bool,
    paces: bool,
    rtts: RoundTrips,
    min_rtt: Least,
    standing: Least,
    slow_start: bool,
    last_double: Option<Instant>,
    /// generic: what is to be acknowledged before growth begins.
    probing: u64,
    /// generic: losses. Without, it is mvfst's.
    losses: Option<ReduceOnLoss>,
}

impl CopaSlowStart {
    fn new(params: &Params) -> Result<CopaSlowStart, SpecError> {
        let settings = Settings::read(params)?;
        let generic = settings.variant == Variant::Generic;
        params.effective(&Settings::beta, generic, "`variant=generic`")?;
        params.effective(&Settings::loss_rate, generic, "`variant=generic`")?;
        let (delta, delay) = match generic {
            true => (GENERIC_DELTA, Delay::Standing),
            false => (MVFST_DELTA, Delay::Latest),
        };
        let latest = settings.delay.unwrap_or(delay) == Delay::Latest;
        let usual_share = if generic || latest { 0.5 } else { 1.0 };
        Ok(CopaSlowStart {
            delta: settings.delta.unwrap_or(delta),
            standing_share: settings.standing.unwrap_or(usual_share),
            latest,
            paces: settings.pacing,
            rtts: RoundTrips::default(),
            min_rtt: Least::default(),
            standing: Least::default(),
            slow_start: true,
            last_double: None,
            probing: 0,
            losses: generic.then(|| ReduceOnLoss::new(&settings)),
        })
    }

    /// Takes a sample: the standing round trip and the queueing delay; nothing without one.
    fn measure(&mut self, a: &Ack) -> Option<(Duration, Duration)> {
        let rtt = a.rtt?;
        self.rtts.sample(a.rtt);
        let share = self.rtts.smoothed.nanos() as f64 * self.standing_share;
        let min_rtt = self.min_rtt.sample(a.now, rtt, MIN_RTT_WINDOW);
        let standing = self.standing.sample(a.now, rtt, Duration(share as u64));
        let delayed = if self.latest { rtt } else { standing };
        Some((standing, delayed.saturating_sub(min_rtt)))
    }

    /// Compares `cwnd / standing` with `1 / (delta * delay)`, both in packets, which is infinite
    /// without a delay.
    fn position(&self, cwnd: Segments, standing: Duration, delay: Duration) -> Position {
        let waiting = self.delta * delay.nanos() as f64 * cwnd;
        let allowed = standing.nanos() as f64;
        if waiting > allowed {
            Position::Above
        } else if waiting == allowed {
            Position::At
        } else {
            Position::Below
        }
    }

    /// mvfst: doubles while the rate is not above the target; true where it is.
    fn mvfst_ends(&mut self, w: &mut Window, a: &Ack, standing: Duration, delay: Duration) -> bool {
        if self.position(w.cwnd, standing, delay) == Position::Above {
            self.decrease(w, a);
            return true;
        }
        self.double(w, a);
        false
    }

    /// generic: grows first, and is at its end where the rate is then not below the target.
    fn generic_ends(
        &mut self,
        w: &mut Window,
        a: &Ack,
        standing: Duration,
        delay: Duration,
    ) -> bool {
        if self.probing > 0 {
            self.probing = self.probing.saturating_sub(a.delivered);
            return false;
        }
        if a.cwnd_limited {
            w.cwnd += w.segments(a.delivered);
        }
        self.position(w.cwnd, standing, delay) != Position::Below
    }

    /// generic: an answer to many losses, whether or not slow start continues.
    fn answer_losses(&mut self, w: &mut Window, a: &Ack) {
        let latest = self.rtts.latest;
        if let Some(losses) = &mut self.losses
            && losses.update(w, a, latest)
        {
            losses.reduce(w);
        }
    }

    /// mvfst: twofold, once per smoothed round trip; the first ACK starts the clock.
    fn double(&mut self, w: &mut Window, a: &Ack) {
        let Some(last_double) = self.last_double else {
            self.last_double = Some(a.now);
            return;
        };
        if a.cwnd_limited && a.now.since(last_double) > self.rtts.smoothed {
            w.cwnd = (2.0 * w.cwnd).min(w.ssthresh);
            self.last_double = Some(a.now);
        }
    }

    /// mvfst's ordinary decrease, velocity 1, which the ACK that ends slow start brings.
    fn decrease(&self, w: &mut Window, a: &Ack) {
        let change = w.segments(a.delivered) / (self.delta * w.cwnd);
        w.cwnd = (w.cwnd - change).max(MIN_CWND).min(w.cwnd);
    }

    fn leave(&mut self, w: &mut Window) -> Option<Reason> {
        self.cancel(w);
        w.ssthresh = w.cwnd;
        Some(Reason::Delay)
    }

    /// Paces below the threshold, which neither program has; at it the avoidance is in charge.
    fn go_on(&mut self, w: &mut Window) {
        if !w.in_slow_start() {
            self.cancel(w);
        } else if self.paces && self.rtts.smoothed > Duration::ZERO {
            w.pacing = w.rate_over(PACING_GAIN * w.cwnd, self.rtts.smoothed);
        }
    }

    fn cancel(&mut self, w: &mut Window) {
        if std::mem::take(&mut self.slow_start) && self.paces {
            w.pacing = None;
        }
    }
}

impl Startup for CopaSlowStart {
    fn on_established(&mut self, w: &mut Window, e: &Established) {
        self.rtts.sample(e.rtt);
        self.probing = (2 * w.cwnd_segments()).saturating_sub(1) * u64::from(w.mss);
        if let Some(losses) = &mut self.losses {
            losses.since = e.now;
        }
        self.go_on(w);
    }

    fn on_ack(&mut self, w: &mut Window, a: &Ack, slow_start: &mut SlowStart) -> Option<Reason> {
        if !self.slow_start {
            slow_start.grow(w, a);
            return None;
        }
        let (standing, delay) = self.measure(a)?;
        let ends = match self.losses {
            None => self.mvfst_ends(w, a, standing, delay),
            Some(_) => self.generic_ends(w, a, standing, delay),
        };
        self.answer_losses(w, a);
        if ends {
            return self.leave(w);
        }
        self.go_on(w);
        None
    }

    /// A loss does not end it; a timeout does.
    fn on_congestion(&mut self, w: &mut Window, c: &Congestion) -> Response {
        if c.is_timeout() || !self.slow_start {
            self.cancel(w);
            return Response::STANDARD;
        }
        if let Some(losses) = self.losses.as_ref().filter(|l| l.loss_rate == 0.0) {
            losses.reduce(w);
        }
        self.go_on(w);
        Response::continues(Reduction::SelfManaged)
    }

    fn wants_delivery(&self) -> bool {
        self.losses.is_some()
    }

    fn owns_cwnd(&self) -> bool {
        self.slow_start
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::AlgorithmKind;
    use crate::signals::{Delivery, Loss, Timeout};
    use crate::testing::{self, at_ms, ms, slow_start, with_reno};
    use crate::{Controller, Convention, Rate};

    /// The vectors' segments.
    const MSS: u64 = 1252;

    fn copa(spec: &str) -> CopaSlowStart {
        let params = Params::parse(AlgorithmKind::STARTUP, ENTRY.name, ENTRY.params, spec).unwrap();
        CopaSlowStart::new(&params).unwrap()
    }

    fn window(bytes: f64) -> Window {
        Window {
            cwnd: bytes / MSS as f64,
            header: 0,
            ..Window::new(MSS as u32)
        }
    }

    /// An ACK of so many bytes at `now`, after a round trip of `rtt`, both in milliseconds.
    fn ack(now: f64, rtt: f64, bytes: u64) -> Ack {
        Ack {
            rtt: Some(ms(rtt)),
            ..Ack::of(at_ms(now), bytes)
        }
    }

    /// Where a window of so many packets is after a sample.
    fn position(c: &mut CopaSlowStart, cwnd: f64, now: f64, rtt: f64) -> Position {
        let (standing, delay) = c.measure(&ack(now, rtt, MSS)).unwrap();
        c.position(cwnd, standing, delay)
    }

    fn assert_below(c: &mut CopaSlowStart, acks: &[(f64, f64)]) {
        for &(now, rtt) in acks {
            assert_eq!(position(c, 1.0, now, rtt), Position::Below, "{now} ms");
        }
    }

    /// After a least round trip of 20 ms and a standing one of 25, the former long ago.
    fn delayed(spec: &str) -> CopaSlowStart {
        let mut c = copa(spec);
        assert_below(&mut c, &[(0.0, 20.0), (100.0, 25.0)]);
        c
    }

    /// V1
    #[test]
    fn the_rate_may_be_the_target_and_not_a_byte_more() {
        let after = |spec: &str, bytes| {
            let mut w = window(bytes);
            delayed(spec).on_ack(&mut w, &ack(101.0, 25.0, MSS), &mut slow_start())
        };
        assert_eq!(after("delta=0.5", 12_520.0), None);
        assert_eq!(after("delta=0.5", 12_521.0), Some(Reason::Delay));
        assert_eq!(after("delta=0.25", 25_040.0), None);
        assert_eq!(after("delta=0.25", 25_041.0), Some(Reason::Delay));
        // mvfst's own.
        assert_eq!(after("", 125_200.0), None);
        assert_eq!(after("", 125_201.0), Some(Reason::Delay));
    }

    #[test]
    fn the_authors_end_at_the_target_after_the_packet_that_reaches_it() {
        let after = |bytes| {
            let mut c = delayed("variant=generic");
            let mut w = window(bytes);
            let reason = c.on_ack(&mut w, &ack(101.0, 25.0, MSS), &mut slow_start());
            (reason, (w.cwnd * MSS as f64).round())
        };
        assert_eq!(after(11_267.0), (None, 12_519.0));
        assert_eq!(after(11_268.0), (Some(Reason::Delay), 12_520.0));
    }

    #[test]
    fn without_a_queue_no_rate_is_too_high() {
        let position = copa("").position(1e9, ms(20.0), Duration::ZERO);
        assert_eq!(position, Position::Below);
    }

    /// V2
    #[test]
    fn the_first_ack_starts_the_clock_and_one_per_round_trip_doubles() {
        let mut c = copa("");
        let mut w = window(12_520.0);
        let mut windows = vec![];
        for now in [50.0, 50.2, 100.0, 100.2, 100.4, 150.2, 150.4] {
            let reason = c.on_ack(&mut w, &ack(now, 50.0, MSS), &mut slow_start());
            assert_eq!(reason, None);
            windows.push(w.cwnd_bytes());
        }
        let doubled = [12_520, 12_520, 12_520, 25_040, 25_040, 25_040, 50_080];
        assert_eq!(windows, doubled);
        // Two windows in 50 ms.
        assert_eq!(w.pacing, Some(Rate::of(2 * 50_080, ms(50.0))));
    }

    #[test]
    fn a_window_that_is_not_used_is_not_doubled() {
        let mut c = copa("");
        let mut w = window(12_520.0);
        for now in [50.0, 200.0] {
            let a = Ack {
                cwnd_limited: false,
                ..ack(now, 50.0, MSS)
            };
            c.on_ack(&mut w, &a, &mut slow_start());
        }
        assert_eq!(w.cwnd_bytes(), 12_520);
    }

    /// V3
    #[test]
    fn the_ack_that_ends_it_takes_the_ordinary_decrease() {
        let mut c = delayed("delta=0.5");
        let mut w = window(100_160.0);
        let end = c.on_ack(&mut w, &ack(101.0, 25.0, 2_504), &mut slow_start());
        assert_eq!(end, Some(Reason::Delay));
        let taken = 100_160.0 - w.cwnd * MSS as f64;
        assert!((taken - 62.6).abs() < 1e-9, "{taken}");
        assert_eq!((w.ssthresh, w.pacing), (w.cwnd, None));
        assert!(!c.owns_cwnd());
    }

    fn opened(spec: &str) -> (Controller, Window) {
        let e = Established {
            initial_window: 10.0,
            rtt: Some(ms(50.0)),
            ..Established::at(at_ms(50.0))
        };
        testing::opened(&ENTRY, spec, Convention::RFC, MSS, &e)
    }

    /// V4
    #[test]
    fn the_authors_measure_for_two_windows_and_grow_by_a_packet_each() {
        let (mut c, mut w) = opened("variant=generic");
        let mut windows = vec![];
        for number in 1..=21 {
            c.on_ack(&mut w, &ack(100.0 + f64::from(number), 50.0, MSS));
            windows.push(w.cwnd);
        }
        assert_eq!(windows[..19], [10.0; 19]);
        assert_eq!(windows[19..], [11.0, 12.0]);
    }

    #[test]
    fn the_standing_round_trip_is_the_least_of_half_a_smoothed_one() {
        let mut least = Least::default();
        let mut sample = |now, rtt| least.sample(at_ms(now), ms(rtt), ms(20.0));
        assert_eq!(sample(0.0, 40.0), ms(40.0));
        assert_eq!(sample(10.0, 48.0), ms(40.0));
        assert_eq!(sample(15.0, 44.0), ms(40.0));
        assert_eq!(sample(20.0, 60.0), ms(40.0));
        assert_eq!(sample(21.0, 60.0), ms(44.0));
        assert_eq!(sample(50.0, 70.0), ms(70.0));
        // Smoothed 42.5 ms: for 21.25 the standing one is 40, then 60.
        let after = |spec: &str, now| {
            let mut c = copa(spec);
            assert_below(&mut c, &[(0.0, 40.0)]);
            position(&mut c, 10.0, now, 60.0)
        };
        assert_eq!(after("variant=generic", 21.0), Position::Below);
        assert_eq!(after("variant=generic", 22.0), Position::Above);
        assert_eq!(after("variant=generic,standing=1", 22.0), Position::Below);
        // mvfst's is that of a whole one where its delay counts.
        assert_eq!(after("delay=standing,delta=0.5", 42.0), Position::Below);
        assert_eq!(after("delay=standing,delta=0.5", 43.0), Position::Above);
    }

    #[test]
    fn the_least_round_trip_is_forgotten_after_ten_seconds() {
        let after = |now| {
            let mut c = copa("");
            assert_below(&mut c, &[(0.0, 20.0), (5.0, 25.0)]);
            position(&mut c, 101.0, now, 25.0)
        };
        assert_eq!(after(10_000.0), Position::Above);
        assert_eq!(after(10_001.0), Position::Below);
    }

    #[test]
    fn an_ack_without_a_sample_changes_nothing() {
        let mut c = copa("");
        let mut w = window(12_520.0);
        c.on_ack(&mut w, &ack(50.0, 50.0, MSS), &mut slow_start());
        let blind = Ack::of(at_ms(150.0), MSS);
        assert_eq!(c.on_ack(&mut w, &blind, &mut slow_start()), None);
        assert_eq!(w.cwnd_bytes(), 12_520);
    }

    #[test]
    fn a_single_late_ack_ends_it_only_where_the_latest_counts() {
        let after = |spec: &str| {
            let mut c = copa(spec);
            assert_below(&mut c, &[(0.0, 20.0)]);
            let mut w = window(51.0 * MSS as f64);
            c.on_ack(&mut w, &ack(1.0, 30.0, MSS), &mut slow_start())
        };
        assert_eq!(after(""), Some(Reason::Delay));
        assert_eq!(after("delay=standing"), None);
    }

    #[test]
    fn a_threshold_ends_it() {
        let (mut c, mut w) = opened("ssthresh=15");
        c.on_ack(&mut w, &ack(100.0, 50.0, MSS));
        c.on_ack(&mut w, &ack(150.2, 50.0, MSS));
        assert_eq!((w.cwnd, w.pacing, c.owns_cwnd()), (15.0, None, false));
        assert_eq!(c.exit().unwrap().reason, Reason::Ssthresh);
        let (c, w) = opened("ssthresh=5");
        assert_eq!((w.cwnd, w.pacing, c.owns_cwnd()), (10.0, None, false));
    }

    fn lose(c: &mut Controller, w: &mut Window) {
        let loss = Loss {
            now: at_ms(120.0),
            flight: w.cwnd_bytes(),
            usable: w.cwnd,
        };
        c.on_loss(w, &loss);
    }

    #[test]
    fn a_loss_does_not_end_it() {
        for (spec, left) in [
            ("", 10.0),
            ("variant=generic", 10.0),
            ("variant=generic,loss_rate=0", 7.0),
            ("variant=generic,loss_rate=0,beta=1", 10.0),
        ] {
            let (mut c, mut w) = opened(spec);
            c.on_ack(&mut w, &ack(100.0, 50.0, MSS));
            lose(&mut c, &mut w);
            assert_eq!((w.cwnd, c.exit()), (left, None), "{spec}");
            assert!(c.recovery_is_self_managed());
        }
        // It doubles while what was lost is repaired.
        let (mut c, mut w) = opened("");
        c.on_ack(&mut w, &ack(100.0, 50.0, MSS));
        lose(&mut c, &mut w);
        c.on_recovery_ack(&mut w, &ack(150.2, 50.0, MSS));
        assert_eq!(w.cwnd, 20.0);
    }

    #[test]
    fn the_authors_answer_losses_of_more_than_three_in_ten_every_two_round_trips() {
        let after = |lost: u64, now| {
            let (mut c, mut w) = opened("variant=generic");
            let delivery = Some(Delivery {
                lost: lost * MSS,
                ..Delivery::default()
            });
            let a = Ack {
                delivery,
                ..ack(now, 50.0, 14 * MSS)
            };
            c.on_ack(&mut w, &a);
            (w.cwnd, c.exit().copied())
        };
        // A period is more than two round trips, from 50 ms on, and more than twenty packets.
        assert_eq!(after(7, 150.0), (10.0, None));
        assert_eq!(after(7, 150.1), (7.0, None));
        assert_eq!(after(6, 150.1), (10.0, None));
    }

    #[test]
    fn a_timeout_ends_it_and_slow_start_follows() {
        let (mut c, mut w) = opened("");
        assert!(w.pacing.is_some());
        let timeout = Timeout {
            now: at_ms(300.0),
            flight: w.cwnd_bytes(),
            usable: w.cwnd,
            repeated: false,
        };
        c.on_timeout(&mut w, &timeout);
        let exit = c.exit().unwrap();
        assert_eq!((exit.reason, exit.cwnd), (Reason::Timeout, 10.0));
        assert_eq!((w.cwnd, w.ssthresh, w.pacing), (1.0, 5.0, None));
        c.on_ack(&mut w, &ack(350.0, 50.0, MSS));
        assert_eq!(w.cwnd, 2.0);
    }

    #[test]
    fn what_a_loss_leaves_is_the_authors() {
        let refused = with_reno(&ENTRY, "beta=0.5", Convention::RFC);
        assert!(
            refused
                .err()
                .unwrap()
                .to_string()
                .ends_with("parameter `beta` has no effect here; it needs `variant=generic`")
        );
        assert!(with_reno(&ENTRY, "loss_rate=0", Convention::RFC).is_err());
    }
}
