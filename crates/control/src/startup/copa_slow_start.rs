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
mod tests;
