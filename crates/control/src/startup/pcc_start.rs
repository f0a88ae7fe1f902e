//! PCC's starting phase: double the rate, one monitor interval after the other, until the utility
//! that an interval is found to have had falls.
//!
//! M. Dong, Q. Li, D. Zarchy, P. B. Godfrey, M. Schapira, "PCC: Re-architecting Congestion Control
//! for Consistent High Performance", NSDI 2015 (Allegro), and M. Dong, T. Meng et al., "PCC Vivace:
//! Online-Learning Congestion Control", NSDI 2018. PCC has no model of the path. It sends at a rate
//! for about a round trip, a monitor interval, waits for what becomes of these packets, and turns
//! rate, losses and round-trip times into one number. In its starting phase it doubles the rate as
//! long as that number grows, and then goes back to the last rate that was good. No single loss
//! means anything, only a share of an interval's packets.
//!
//! | | master | nsdi18 |
//! | --- | --- | --- |
//! | first rate | the first window over 100 ms or, if shorter, the round trip | 0.7 Mbit/s |
//! | an interval lasts | the minimum RTT, until four of its packets have a round-trip time | a round trip, ten packets at least |
//! | until it is judged | half of the rate is sent | another interval follows at the rate there is |
//! | an interval that was good | doubles the rate | doubles it, so that it doubles with every interval after the first two |
//! | utility | Vivace's | Allegro's |
//! | an interval that is not complete 1.8 least round trips after its end | is waited for | was too fast |
//! | losses that do not count | none | the first 50 packets |
//!
//! Vivace's utility is `x^0.9 - 900 x max(0, dRTT/dt) - 11.35 x L` of a rate of x Mbit/s, a share
//! of losses L and the slope of the round-trip times, Allegro's `x (1 - L) s(L - 0.05) - x L` with a
//! sigmoid s that falls from one to zero.
//!
//! # State
//!
//! The rate, the intervals that are not judged yet (rate, bytes, losses, sums for the slope of
//! round-trip times), the last utility and the rate that had it.
//!
//! # Deviations
//!
//! - What follows in PCC, the rate probing, is not here. Of the last good rate the avoidance gets a
//!   window of two round trips, and no pacing; while the phase lasts, that bounds what is in flight,
//!   which neither program bounds.
//! - No packet carries the number of its interval. What was sent is taken to arrive or to be found
//!   lost in the order of sending: an interval is complete when as many bytes have left the flight
//!   as had been sent at its end.
//! - master counts round-trip times of ACKs that come evenly only; here all count. Its trend of six
//!   intervals and more is left out.
//! - What leaves faster than an interval's rate, as the first ten packets do under linux, counts as
//!   sent at that rate.
//! - An interval in which the application ran out of data or the peer's window was full is not judged.
//! - The round trip of the handshake is the first sample; both programs wait for one of data.
//! - A timeout of the retransmission timer ends the phase and is the avoidance's to answer; neither
//!   program has one. Where an interval times out, nsdi18's programs halve the rate there is; here
//!   the last good one is gone back to, as after any interval that was not good.
//! - nsdi18's intervals of 3000 packets at most are not cut here.
//!
//! # Contested
//!
//! - The branch NSDI-2018 has two programs. Its Allegro (`cc.h`) doubles with each interval, judged
//!   or not; its Vivace (`pcc.h`) judges one doubled interval at a time and sends others at the same
//!   rate meanwhile. Both go back to the last rate that was good. Here intervals follow each other as
//!   in both, and each that is judged doubles the rate: as fast as `cc.h` but for one interval, and
//!   never without an answer.
//! - The first rate is between the 0.6 and 0.8 Mbit/s of `pcc.h`, which sends twice that in its first
//!   interval; `cc.h` begins at 2 Mbit/s.
//! - The 50 packets are `pcc.h`'s too. As written there, intervals with no more losses than are left
//!   do not use any up; here they do.
//! - Of two intervals at one rate the second is not compared with the first, since they differ only
//!   by noise.
//! - `cc.h` divides Allegro's utility by the round-trip time (`utility=allegro-rtt`), the paper's
//!   has nothing of delay: without losses it never falls, and a deep queue is filled to its end.
//! - master's flags have a tolerance of 100 times for round trips in this phase. It switches the
//!   early end by them off, but not the slope in the utility: only one of less than 1 ms in an
//!   interval, or less than the scatter about it, is taken for none.

use std::collections::VecDeque;

use super::{Congestion, Maker, Reduction, Response, Startup, copies};
use crate::entry::{Certainty, Entry, Need};
use crate::model::round_trips::RoundTrips;
use crate::signals::{Ack, Established, Sent};
use crate::slow_start::SlowStart;
use crate::{Duration, Instant, Rate, Reason, Segments, Window, params, with_slow_start};

/// Entry of `pcc-start` in the catalog of startups.
pub const ENTRY: Entry<Maker> = Entry {
    name: "pcc-start",
    title: "PCC's starting phase",
    source: "Dong, Li, Zarchy, Godfrey, Schapira: PCC: Re-architecting Congestion Control for \
             Consistent High Performance, NSDI 2015; Dong, Meng, Zarchy et al.: PCC Vivace: \
             Online-Learning Congestion Control, NSDI 2018; PCC-Uspace",
    year: 2015,
    opened: "code: PCCproject/PCC-Uspace src/pcc/pcc_sender.cpp, pcc_vivace_sender.cpp, \
             pcc_monitor_interval_queue.cpp, pcc_utility_manager.cpp of branch master at 30c2cfe \
             (May 2021); pcc-gradient/sender/app/pcc.h, app/cc.h, src/core.cpp of branch NSDI-2018 \
             at 98ac946 (August 2020); abstracts of both papers",
    compared: "first rate, length and end of an interval, doubling, half of the rate meanwhile, \
               both utilities, slope of round-trip times, fall-back",
    summary: "Doubles the sending rate from one monitor interval to the next until the utility \
              measured in one falls, and goes back to the rate before.",
    params: with_slow_start!(Settings),
    needs: &[Need::Pacing],
    certainty: Certainty::Code,
    build: |params, _| Ok(copies(PccStart::new(Settings::read(params)?))),
};

params! {
    /// Parameters; those of slow start apply after a timeout.
    pub struct Settings {
        /// master: PCC-Uspace's master, one interval at a time; nsdi18: its branch NSDI-2018, whose
        /// intervals follow without a gap
        variant: Variant = "master",
        /// what an interval is worth. vivace: rate, losses and how round-trip times rise; allegro:
        /// rate and losses; allegro-rtt: the same over the round-trip time
        #[usual("by variant: vivace for master, allegro for nsdi18")]
        utility: Option<Utility>,
        /// the first sending rate
        #[usual(
            "by variant: the first window over 100 ms or a shorter round trip for master, 700kbps \
             for nsdi18"
        )]
        #[check(|rate| rate >= MIN_RATE, "100kbps or more")]
        rate0: Option<Rate>,
        /// so many lost packets do not count
        #[usual("by variant: none for master, 50 for nsdi18")]
        loss_allowance: Option<Segments>,
    }

    pub enum Variant { Master = "master", Nsdi18 = "nsdi18" }
    pub enum Utility { Vivace = "vivace", Allegro = "allegro", AllegroRtt = "allegro-rtt" }
}

/// Bytes of a packet in the first rate (`kDefaultTCPMSS`).
const DEFAULT_MSS: f64 = 1400.0;
/// Before there is another (`kInitialRtt`).
const INITIAL_RTT: Duration = Duration::from_millis(100);
/// The minimum number of packets of an interval that have a round-trip time (`kMinReliableRtt`).
const MIN_RELIABLE_RTT: Segments = 4.0;
/// nsdi18's first rate, bits per second.
const NSDI18_RATE: Rate = Rate(700_000);
/// Minimum rate of nsdi18 (`kMinRateMbpsSlowStart`).
const MIN_RATE: Rate = Rate(100_000);
/// Lost packets that nsdi18 does not count (`loss_ignore_count`).
const LOSS_IGNORE_COUNT: Segments = 50.0;
/// Minimum number of packets in an interval of nsdi18.
const MIN_PACKETS: u64 = 10;
/// nsdi18: so many least round trips after its last packet an interval has timed out, within these
/// bounds (`allocated_times_`, `kMinTimeoutMillis`).
const TIMEOUT: f64 = 1.8;
const MIN_TIMEOUT: Duration = Duration::from_millis(50);
const MAX_TIMEOUT: Duration = Duration::from_secs(1);
/// A slope that raises round-trip times by less in an interval is none, in microseconds.
const LEAST_RISE: f64 = 1000.0;
/// Maximum in flight, in windows of the rate and the minimum round trip.
const INFLIGHT: f64 = 2.0;
const MIN_CWND: Segments = 2.0;
const MICROS: f64 = 1e6;
/// Bytes per second that no rate exceeds.
const MAX_RATE: f64 = 1.25e11;

/// Vivace's utility of a rate in Mbit/s (`kSendingRateExponent`, `kLatencyCoefficient`,
/// `kVivaceLossCoefficient`).
fn vivace(mbps: f64, gradient: f64, loss: f64) -> f64 {
    libm::pow(mbps, 0.9) - 900.0 * mbps * gradient.max(0.0) - 11.35 * mbps * loss
}

/// Utility of Allegro at this rate and loss rate.
fn allegro(mbps: f64, loss: f64) -> f64 {
    let sigmoid = 1.0 - 1.0 / (1.0 + libm::exp(-100.0 * (loss - 0.05)));
    mbps * (1.0 - loss) * sigmoid - mbps * loss
}

/// A line through round-trip times, in microseconds, by packets.
#[derive(Clone, Copy, Debug, Default)]
struct Regression {
    n: f64,
    x: f64,
    y: f64,
    xx: f64,
    xy: f64,
    yy: f64,
}

impl Regression {
    fn add(&mut self, x: f64, y: f64) {
        self.n += 1.0;
        self.x += x;
        self.y += y;
        self.xx += x * x;
        self.xy += x * y;
        self.yy += y * y;
    }

    /// Mean round-trip time, in microseconds.
    fn mean(&self) -> f64 {
        self.y / self.n
    }

    /// By how much round-trip times rise in the time of a packet, and how far they are off the line
    /// that the program draws with that, as a share of their mean.
    fn gradient(&self, packet_time: f64) -> (f64, f64) {
        let (x, y) = (self.x / self.n, self.y / self.n);
        let spread = self.xx / self.n - x * x;
        if self.n < 2.0 || spread <= 0.0 || y <= 0.0 {
            return (0.0, 0.0);
        }
        let covariance = self.xy / self.n - x * y;
        let gradient = covariance / spread / packet_time;
        let scatter = self.yy / self.n - y * y;
        let off = scatter - 2.0 * gradient * covariance + gradient * gradient * spread;
        (gradient, libm::sqrt(off.max(0.0)) / y)
    }
}

/// Monitor interval with its measurements.
#[derive(Clone, Copy, Debug)]
struct Interval {
    /// Bytes of payload per second.
    rate: f64,
    /// It is to be judged.
    useful: bool,
    /// When its first packet left and its last.
    first: Option<Instant>,
    last: Instant,
    /// What had been sent before it, and with it.
    from: u64,
    to: u64,
    /// Bytes found lost before any of it left the flight; set then.
    lost_before: Option<u64>,
    /// Packets that have a round-trip time.
    sampled: Segments,
    rtts: Regression,
}

impl Interval {
    fn new(rate: f64, useful: bool, from: u64) -> Interval {
        Interval {
            rate,
            useful,
            first: None,
            last: Instant::ZERO,
            from,
            to: from,
            lost_before: None,
            sampled: 0.0,
            rtts: Regression::default(),
        }
    }

    /// A packet of it has left.
    fn count(&mut self, bytes: u32, now: Instant) {
        self.first.get_or_insert(now);
        (self.last, self.to) = (now, self.to + u64::from(bytes));
    }

    /// How long it has lasted.
    fn lasted(&self, now: Instant) -> Duration {
        self.first.map_or(Duration::ZERO, |first| now.since(first))
    }

    /// Updates the intervals by an ACK, after which `resolved` bytes have left the flight.
    fn sample(&mut self, w: &Window, a: &Ack, resolved: u64, lost_before: u64) {
        if resolved <= self.from || resolved > self.to {
            return;
        }
        self.lost_before.get_or_insert(lost_before);
        if let Some(rtt) = a.rtt {
            self.sampled += w.segments(a.delivered);
            let micros = rtt.nanos() as f64 / 1_000.0;
            self.rtts.add(w.segments(resolved - self.from), micros);
        }
    }

    /// So much of it was lost, `lost` being all that was so far.
    fn lost(&self, lost: u64) -> u64 {
        let lost = lost.saturating_sub(self.lost_before.unwrap_or(lost));
        lost.min(self.to - self.from)
    }

    /// From the first packet to the end of the last, in microseconds.
    fn duration(&self, w: &Window) -> f64 {
        self.lasted(self.last).nanos() as f64 / 1_000.0 + self.packet_time(w)
    }

    /// How long a packet takes at this rate, in microseconds.
    fn packet_time(&self, w: &Window) -> f64 {
        f64::from(w.mss) / self.rate * MICROS
    }

    /// Its utility where this share of it was lost.
    fn utility(&self, w: &Window, utility: Utility, loss: f64) -> f64 {
        let sent = (self.to - self.from) as f64 / self.duration(w) * MICROS;
        let mbps = sent.min(self.rate) * 8.0 / MICROS;
        match utility {
            Utility::Vivace => vivace(mbps, self.inflation(w), loss),
            Utility::Allegro => allegro(mbps, loss),
            Utility::AllegroRtt => allegro(mbps, loss) / self.rtts.mean().max(1.0) * MICROS,
        }
    }

    /// By how much round-trip times rose per time, where that is more than noise.
    fn inflation(&self, w: &Window) -> f64 {
        let (gradient, error) = self.rtts.gradient(self.packet_time(w));
        let rises = gradient.abs() >= LEAST_RISE / self.duration(w);
        if rises && error < gradient.abs() {
            gradient
        } else {
            0.0
        }
    }
}

/// State of PCC's starting phase on one connection.
#[derive(Clone)]
struct PccStart {
    /// master: one interval at a time.
    waits: bool,
    utility: Utility,
    rate0: Option<Rate>,
    /// Lost packets that do not count, as far as they are left.
    loss_allowance: Segments,
    starting: bool,
    /// Bytes of payload per second.
    rate: f64,
    rtts: RoundTrips,
    intervals: VecDeque<Interval>,
    sent: u64,
    lost: u64,
    last_utility: f64,
    last_rate: Option<f64>,
}

impl PccStart {
    fn new(settings: Settings) -> PccStart {
        let waits = settings.variant == Variant::Master;
        let utility = match waits {
            true => Utility::Vivace,
            false => Utility::Allegro,
        };
        let usual_allowance = if waits { 0.0 } else { LOSS_IGNORE_COUNT };
        PccStart {
            waits,
            utility: settings.utility.unwrap_or(utility),
            rate0: settings.rate0.or((!waits).then_some(NSDI18_RATE)),
            loss_allowance: settings.loss_allowance.unwrap_or(usual_allowance),
            starting: true,
            rate: 0.0,
            rtts: RoundTrips::default(),
            intervals: VecDeque::new(),
            sent: 0,
            lost: 0,
            last_utility: if waits { 0.0 } else { f64::NEG_INFINITY },
            last_rate: None,
        }
    }

    /// A first sample shorter than what the first rate was reckoned with raises it.
    fn take_rtt(&mut self, rtt: Option<Duration>) {
        let first = self.rtts.latest == Duration::ZERO;
        self.rtts.sample(rtt);
        let rtt = self.rtts.latest;
        if first && Duration::ZERO < rtt && rtt < INITIAL_RTT && self.rate0.is_none() {
            self.multiply(INITIAL_RTT.nanos() as f64 / rtt.nanos() as f64);
        }
    }

    fn multiply(&mut self, factor: f64) {
        self.rate = (factor * self.rate).min(MAX_RATE);
    }

    fn useful(&self) -> usize {
        self.intervals.iter().filter(|i| i.useful).count()
    }

    /// master's `CreateNewInterval`, and the end of nsdi18's.
    fn begins(&self, w: &Window, now: Instant) -> bool {
        let Some(current) = self.intervals.back() else {
            return true;
        };
        let lasted = current.lasted(now);
        if !self.waits {
            let packets = (current.to - current.from) / u64::from(w.mss);
            return lasted >= self.rtts.smoothed && packets >= MIN_PACKETS;
        }
        if self.rtts.latest == Duration::ZERO {
            return false;
        }
        let sampled = current.sampled >= MIN_RELIABLE_RTT && lasted >= self.rtts.least;
        self.useful() == 0 || current.useful && sampled
    }

    /// Begins an interval with the next packet where the last is long enough. That is decided before
    /// the packet leaves, since the wait after it is to be the interval's.
    fn advance(&mut self, w: &Window, now: Instant) {
        if !self.begins(w, now) {
            return;
        }
        let interval = if self.waits {
            let useful = self.rtts.latest > Duration::ZERO && self.useful() == 0;
            let rate = if useful { self.rate } else { self.rate / 2.0 };
            // Only the last of those that are not judged is of interest.
            self.intervals.retain(|interval| interval.useful);
            Interval::new(rate, useful, self.sent)
        } else {
            Interval::new(self.rate, true, self.sent)
        };
        self.intervals.push_back(interval);
    }

    /// nsdi18: the first interval has taken too long, for its packets wait in a queue.
    fn is_overdue(&self, now: Instant) -> bool {
        let allowed = Duration((TIMEOUT * self.rtts.least.nanos() as f64) as u64);
        let allowed = allowed.clamp(MIN_TIMEOUT, MAX_TIMEOUT);
        let closed = !self.waits && self.intervals.len() > 1;
        let first = self.intervals.front().filter(|_| closed);
        first.is_some_and(|interval| interval.useful && now > interval.last + allowed)
    }

    /// Judges the intervals that are complete, `resolved` bytes having left the flight; why it ends,
    /// if it does.
    fn judge(&mut self, w: &Window, resolved: u64, now: Instant) -> Option<Reason> {
        while let Some(interval) = self.next_complete(resolved) {
            // Without a time between packets, or without data of the application's.
            if interval.first == Some(interval.last) || !interval.useful {
                continue;
            }
            let lost = w.segments(interval.lost(self.lost));
            let counted = (lost - self.loss_allowance).max(0.0);
            self.loss_allowance -= lost - counted;
            let loss = counted / w.segments(interval.to - interval.from);
            let utility = interval.utility(w, self.utility, loss);
            let again = !self.waits && self.last_rate >= Some(interval.rate);
            if !again && utility <= self.last_utility {
                return Some(if loss > 0.0 {
                    Reason::Loss
                } else {
                    Reason::Delay
                });
            }
            if !again {
                (self.last_utility, self.last_rate) = (utility, Some(interval.rate));
            }
            self.multiply(2.0);
        }
        self.is_overdue(now).then_some(Reason::Delay)
    }

    /// Takes the next interval all of which has left the flight.
    fn next_complete(&mut self, resolved: u64) -> Option<Interval> {
        let &interval = self.intervals.front()?;
        let closed = self.intervals.len() > 1;
        let judged = interval.useful && interval.sampled >= MIN_RELIABLE_RTT;
        if resolved < interval.to || !(closed || self.waits && judged) {
            return None;
        }
        self.intervals.pop_front()
    }

    /// The window and the pace of the interval under way.
    fn write(&mut self, w: &mut Window) {
        w.cwnd = self.window(w, self.rate).min(w.ssthresh);
        if !w.in_slow_start() {
            return self.cancel(w);
        }
        let usual = if self.rtts.latest == Duration::ZERO && self.waits {
            self.rate / 2.0
        } else {
            self.rate
        };
        let rate = self
            .intervals
            .back()
            .map_or(usual, |interval| interval.rate);
        w.pacing = Some(Rate(((rate * w.wire_per_payload() * 8.0) as u64).max(1)));
    }

    /// Two windows of this rate.
    fn window(&self, w: &Window, rate: f64) -> Segments {
        let least = self.rtts.least;
        let rtt = if least > Duration::ZERO {
            least
        } else {
            INITIAL_RTT
        };
        (INFLIGHT * rate * rtt.secs() / f64::from(w.mss)).max(MIN_CWND)
    }

    fn leave(&mut self, w: &mut Window) {
        let rate = self.last_rate.unwrap_or(self.rate / 2.0);
        w.cwnd = self.window(w, rate);
        w.ssthresh = w.cwnd;
        self.cancel(w);
    }

    fn cancel(&mut self, w: &mut Window) {
        if std::mem::take(&mut self.starting) {
            w.pacing = None;
        }
    }
}

impl Startup for PccStart {
    fn on_established(&mut self, w: &mut Window, e: &Established) {
        self.rate = match self.rate0 {
            Some(rate) => (rate.bps() as f64 / 8.0).min(MAX_RATE),
            None => w.cwnd_segments() as f64 * DEFAULT_MSS / INITIAL_RTT.secs(),
        };
        self.take_rtt(e.rtt);
        self.advance(w, e.now);
        self.write(w);
    }

    fn on_sent(&mut self, w: &mut Window, s: &Sent) -> Option<Reason> {
        if !self.starting {
            return None;
        }
        self.sent += u64::from(s.bytes);
        if let Some(current) = self.intervals.back_mut() {
            current.count(s.bytes, s.now);
        }
        self.advance(w, s.now);
        self.write(w);
        None
    }

    fn on_ack(&mut self, w: &mut Window, a: &Ack, slow_start: &mut SlowStart) -> Option<Reason> {
        if !self.starting {
            slow_start.grow(w, a);
            return None;
        }
        self.take_rtt(a.rtt);
        let resolved = self.sent.saturating_sub(a.flight);
        let before = self.lost;
        self.lost = before.max(resolved.saturating_sub(a.delivered_total));
        for interval in &mut self.intervals {
            interval.sample(w, a, resolved, before);
        }
        let flight = a.nxt - a.una + a.acked;
        let full = flight.saturating_add(u64::from(w.mss)) > a.peer_window;
        if (a.queued == 0 || full)
            && let Some(current) = self.intervals.back_mut()
        {
            current.useful = false;
        }
        if let Some(reason) = self.judge(w, resolved, a.now) {
            self.leave(w);
            return Some(reason);
        }
        self.advance(w, a.now);
        self.write(w);
        None
    }

    /// Losses are judged with their interval; a timeout ends it.
    fn on_congestion(&mut self, w: &mut Window, c: &Congestion) -> Response {
        if self.starting && !c.is_timeout() {
            return Response::continues(Reduction::SelfManaged);
        }
        self.cancel(w);
        Response::STANDARD
    }

    fn owns_cwnd(&self) -> bool {
        self.starting
    }
}

#[cfg(test)]
mod tests;
