//! Gauge: a paced flight, the rate of the path from its ACKs, and growth by what is delivered.
//!
//! This project's own; no other text defines it. A startup has no measurement of its path, and after one
//! round trip it may know nearly all of it: the ACKs of the initial window leave the bottleneck as far
//! apart as it let the packets through. Gauge takes that for the rate of the path where it is credible,
//! sends at half of it, and otherwise grows as BBR does, by a multiple of what is delivered.
//! It ends where the pipe is full, sends what is delivered until the result of its
//! overshoot, and leaves a window that the path holds without a queue.
//!
//! - *First flight.* The initial window leaves at once. Behind it, until the first ACK, packets are
//!   paced at `blind_rate`, at least `blind_packets` in the round trip: as much as a slow path bears.
//! - *Estimate.* The bytes that follow the first ACK of the initial window, over the time that their
//!   ACKs take, are the rate of the path where every gap is near the mean one (`coherent`) and there
//!   are four ACKs. Otherwise the window has arrived in that time, more or less `noise`: the rate is at
//!   least so much and at most so much. It is the rate of the path, not what others leave of it. It is
//!   trusted only where others leave room: where a packet of the first flight that was sent
//!   behind the window found less than the share `drained` of the queue in which the window had stood,
//!   by its round trip.
//! - *Growth.* The pace is the largest of what it was, `gain` times the rate delivered, and `trust`
//!   times the minimum estimated rate, but not more than `leap` times the rate delivered. It is at
//!   most `ceiling` times the maximum estimate, until that is refuted: by a rate delivered that is
//!   nearer to the ceiling than to the estimate, or by two round trips at the ceiling without the queue
//!   that this would leave. The rate delivered is the largest sample of this round trip and the last.
//!   The window holds what is paced in `window` of the minimum RTT, and four packets. Until something is
//!   lost, it is no smaller than the initial one, neither here nor below.
//! - *Bound.* Where the window limits what is delivered and this has not grown by a quarter in three
//!   round trips, growth has ended (BBR). No queue shows: jitter may be far above the minimum RTT, so
//!   that the window holds less than the path. Then it holds what is paced in the mean RTT of the time
//!   without a queue. Where growth ends again, in round trips of `noise` at least, the pipe is full, and
//!   this is final. If less than `full` of the largest rate is delivered by then and the mean RTT has
//!   grown, jitter has begun meanwhile, and the window holds the new mean.
//! - *Delay.* Round trips are late where the minimum of five samples and more, over an eighth of a
//!   round trip, exceeds the minimum RTT by `late` of it and by `noise`, two consecutive times.
//!   Only packets count that left when the initial window was acknowledged. Then the pace is the
//!   rate delivered for a round trip at most. If less than `full` of the rate sent is delivered
//!   meanwhile, the pipe seems full. If round trips are late no more, or all is delivered, growth
//!   continues; in the latter case others have caused the delay, and it is judged anew from there.
//! - *Doubt.* That the pipe is full is a hypothesis, and the packets in flight test it: they were sent
//!   faster than it is said to deliver. The rate delivered is sent until all of them are acknowledged.
//!   A full pipe delivers no more than before. If the rate delivered times `full` exceeds that of
//!   the exit, jitter or a varying rate has caused the delay. While round trips are late, the test begins
//!   anew at this rate, with `test` times the rate delivered and a window for the latest round trip. When
//!   they are late no more, growth continues. Otherwise the exit is final.
//! - *Loss.* More than one packet lost in two round trips, and more than the share `losses` of those
//!   sent, or half of it where round trips are late, show that the pipe is full. Fewer are repaired,
//!   and growth continues. A congestion mark shows
//!   it as well; but the first flight's are its own burst's, and where marks are counted one by one they
//!   change nothing.
//! - *Repair.* When the pipe is full, the pace is the rate delivered, until everything that was out is
//!   acknowledged. The window holds what is paced in the mean RTT without a queue, and at least half of
//!   the window at the exit, up to the initial one. After losses, samples of the time before count no
//!   more: behind a policer they are of another rate. The repair has as many round trips as the losses of
//!   two round trips at `gain` take, twice, for what is sent again may be lost again; and one for the ACKs.
//! - *Hand-over.* The window and the threshold are then what the path holds at the rate delivered,
//!   after a repair at least at its mean over the repair, over the mean of the round trips that were not
//!   late or that were found not to be the flow's. Where the rate delivered is only a share of the rate
//!   estimated, others have the rest, and the window is this share of it, at least `yield`. It is at least
//!   that of the repair, and without a loss the initial window. The avoidance takes the rate delivered
//!   over the last round trip, queue included, for what path and queue hold.
//! - *Guard.* Where the queue showed in the round trips before the end, or growth ended without one,
//!   losses without a queue are random. After a recovery in which a round trip was not late, and while at
//!   most the share `losses` of all bytes was lost, the window is as before the loss. Where delay showed
//!   nothing, as with short buffers, the avoidance alone responds to losses.
//! - A timeout and an idle time end it; slow start continues where the stack and the avoidance leave it.
//!
//! Where its ideas come from: the paced flight behind the initial window from Jump Start and quicly's
//! jumpstart, made a rate; the dispersion of a train from packet pairs, Swift Start and Paced Start;
//! growth by a multiple of the rate delivered and the repair at that rate from BBR; a first jump that
//! deliveries confirm from Careful Resume; the tolerance for few losses from BBRv3; a delay that one's own
//! packets can have caused, and an exit that is taken back, from HyStart++ and SEARCH.
//!
//! # State
//!
//! The minimum RTT, the ACKs of the initial window, rates and losses of two round trips, the
//! minimum RTTs of two intervals, the pace.
//!
//! # Deviations
//!
//! - None: this is its text.
//!
//! # Contested
//!
//! - The spacing of a train shows how fast the bottleneck is, not what others leave of it. Where a
//!   queue happens to be short when the first flight comes, half of the rate may be too much for
//!   a round trip; what is lost ends the startup, and the window left is smaller by the others' share.
//! - On links that hand on packets in bunches, a bunch can look even. `leap` bounds what that costs.

mod constants;
mod delay;
mod delivery;
mod dispersion;

use super::{Assisted, Congestion, Maker, Reduction, Repaired, Response, Startup, copies};
use crate::entry::{Certainty, Entry, Need};
use crate::model::Model;
use crate::model::capacity::Capacity;
use crate::model::plateau::Plateau;
use crate::params::{Params, SpecError};
use crate::signals::{Ack, Established, Idle, PathInfo, PathMemory, Recovered, Sent};
use crate::slow_start::SlowStart;
use crate::{Duration, Instant, Rate, Reason, Segments, Window, with_slow_start};
use constants::Constants;
use delay::Delay;
use delivery::{Deliveries, share};
use dispersion::{Dispersion, Estimate};

/// Entry of `gauge` in the catalog of startups.
pub const ENTRY: Entry<Maker> = Entry {
    name: "gauge",
    title: "Gauge",
    source: "this project's own; its page is the text",
    year: 2026,
    opened: "text: its own page",
    compared: "first flight, estimate, growth, end, repair, hand-over",
    summary: "Paces a little behind the initial window, takes the rate of the path from that \
              window's ACKs where they come evenly, and grows by what is delivered until its queue or \
              losses show that the pipe is full.",
    params: with_slow_start!(constants::Settings),
    needs: &[Need::Pacing],
    certainty: Certainty::Text,
    build: |params, _| Ok(copies(Gauge::new(params)?)),
};

/// A window below which an ACK clock stops.
const LEAST_CWND: Segments = 4.0;
/// In one round trip the queue is sent, and in the next one it is acknowledged.
const ROUNDS_AT_CEILING: u32 = 2;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Phase {
    /// The initial window is being sent.
    Open,
    /// Its ACKs come in; behind it a little is paced.
    Measure,
    /// The pace grows by what is delivered.
    Ramp,
    /// Round trips show a queue since this time: is it the flow's own?
    Hold(Instant),
    /// The pipe seems full: this is tested until everything up to `until` is acknowledged.
    Doubt {
        /// What was delivered when it began.
        rate: Rate,
        until: u64,
        /// More was delivered than a full pipe had.
        refuted: bool,
    },
    /// The pipe is full: the rate delivered is sent until everything up to `until` is acknowledged.
    Settle {
        until: u64,
        /// The window is no smaller: half of that at the exit (RFC 5681 §3.1), up to the initial one.
        floor: Segments,
        /// Round trips since it began.
        rounds: u32,
    },
    /// The avoidance has the window, on a path whose queue shows before it overflows.
    Guard {
        /// The window before the latest loss.
        cwnd: Segments,
        /// The minimum round trip since.
        rtt: Duration,
    },
    /// The avoidance has the window; after a timeout slow start.
    Over,
}

/// State of Gauge on one connection.
#[derive(Clone)]
struct Gauge {
    k: Constants,
    phase: Phase,
    memory: Option<PathMemory>,
    /// Marks are counted one by one, so that those of the first flight need no answer.
    counts_marks: bool,
    /// Bytes of the initial window, and those that the application has for more.
    initial: u64,
    rest: u64,
    /// The minimum RTT: the handshake's, then that of data.
    base: Duration,
    /// The latest round trip of data, and the sum and the number of those without a queue.
    latest: Option<Duration>,
    queueless: (Duration, u64),
    /// The same while it is judged whether they are.
    judged: (Duration, u64),
    dispersion: Dispersion,
    estimate: Option<Estimate>,
    /// Round trips that began at the ceiling, without a queue.
    at_ceiling: u32,
    /// When the initial window left; of what was sent behind it, the minimum round trip.
    opened: Instant,
    behind: Duration,
    deliveries: Deliveries,
    /// Growth of the rate delivered where the window limits it.
    plateau: Plateau,
    /// The mean RTT, once growth ended under a window for the minimum RTT.
    jittered: Option<Duration>,
    /// When the latest round trip without growth began.
    round_from: Instant,
    delay: Delay,
    /// What is paced at, payload only.
    pace: Rate,
    /// One past the last byte sent.
    high: u64,
    /// What path and queue hold, until it is handed to the avoidance.
    capacity: Option<Segments>,
}

impl Gauge {
    fn new(params: &Params) -> Result<Gauge, SpecError> {
        let k = Constants::read(params)?;
        Ok(Gauge {
            k,
            phase: Phase::Open,
            memory: None,
            counts_marks: false,
            initial: 0,
            rest: 0,
            base: Duration::MAX,
            latest: None,
            queueless: (Duration::ZERO, 0),
            judged: (Duration::ZERO, 0),
            dispersion: Dispersion::new(k.coherent, k.noise.over(2)),
            estimate: None,
            at_ceiling: 0,
            opened: Instant::MAX,
            behind: Duration::MAX,
            deliveries: Deliveries::default(),
            plateau: Plateau::default(),
            jittered: None,
            round_from: Instant::ZERO,
            delay: Delay::new(k.late, k.noise),
            pace: Rate(0),
            high: 0,
            capacity: None,
        })
    }

    /// Behind the initial window a little is paced over the first round trip.
    fn open(&mut self, w: &mut Window, now: Instant) {
        self.phase = Phase::Measure;
        self.opened = now;
        if self.base == Duration::MAX {
            return;
        }
        let packets = self.blind_packets(w);
        if let Some(rate) = w.rate_over(packets, self.base) {
            w.cwnd += packets;
            w.pacing = Some(rate);
            w.pacing_from = now + rate.time_for(w.wire().into());
            self.pace = Rate::of((packets * f64::from(w.mss)) as u64, self.base);
        }
    }

    /// What follows the initial window before anything is known of the path.
    fn blind_packets(&self, w: &Window) -> Segments {
        let rate = self.k.blind_rate.max(self.remembered(w).unwrap_or(Rate(0)));
        let at_rate = rate.bytes_in(self.base) as f64 / f64::from(w.wire());
        let rest = w.segments(self.rest).ceil();
        let all = if rest <= self.k.rest { rest } else { 0.0 };
        at_rate.max(self.k.blind_packets).max(all)
    }

    /// Half of what an earlier connection got, headers included, where the round trip is at least half
    /// and at most ten times what it was (RFC 9959).
    fn remembered(&self, w: &Window) -> Option<Rate> {
        let memory = self.memory.filter(|_| self.k.memory)?;
        let like = self.base.times(2) >= memory.min_rtt && self.base <= memory.min_rtt.times(10);
        like.then(|| memory.rate.scaled(0.5 * w.wire_per_payload()))
    }

    /// Paces, with a window that does not hold it back.
    fn drive(&self, w: &mut Window) {
        let rtt = match self.phase {
            // The delay is not the flow's, and must not keep the test from being one.
            Phase::Doubt { refuted: true, .. } => self.latest.unwrap_or(self.base),
            // Jitter may be far above the minimum RTT: a window for less lowers what is delivered.
            Phase::Settle { .. } => self.mean_rtt(),
            _ => self.jittered.unwrap_or(self.base),
        };
        let held = self.pace.scaled(self.k.window).bytes_in(rtt);
        w.cwnd = (w.segments(held) + LEAST_CWND).max(self.least_cwnd(w));
        w.pacing = self.on_the_wire(w);
    }

    /// Returns the pacing rate with headers.
    fn on_the_wire(&self, w: &Window) -> Option<Rate> {
        let rate = self.pace.scaled(w.wire_per_payload());
        (rate.bps() > 0).then_some(rate)
    }

    fn measure(&mut self, w: &mut Window, a: &Ack) {
        let arrived = a.delivered_total.min(self.initial);
        self.dispersion.take(a.now, arrived);
        self.estimate = self.dispersion.estimate();
        let opened = w.cwnd;
        self.leap();
        self.drive(w);
        if arrived == self.initial || self.deliveries.lost().0 > 0 {
            self.phase = Phase::Ramp;
            self.delay.judge_from(a.now);
            self.deliveries.compare_from_now();
        } else {
            w.cwnd = w.cwnd.max(opened);
        }
    }

    /// Up to a share of the rate estimated no delivery is waited for, but that of some part of it.
    fn leap(&mut self) {
        if let Some(estimate) = self.estimate.filter(|estimate| self.has_drained(estimate)) {
            let trusted = estimate.rate.scaled(self.k.trust);
            let delivered = self.deliveries.rate().scaled(self.k.leap);
            self.pace = self.pace.max(trusted.min(delivered));
        }
    }

    /// Others leave room: what stood in the queue of the bottleneck when the initial window came was
    /// gone when something behind it came.
    fn has_drained(&self, estimate: &Estimate) -> bool {
        let left = self.behind.saturating_sub(self.base).nanos() as f64;
        left < self.k.drained * estimate.queued.nanos() as f64
    }

    /// The pace grows by what is delivered, up to the ceiling.
    fn grow(&mut self) {
        self.leap();
        let delivered = self.deliveries.rate();
        let mut pace = delivered.scaled(self.k.gain);
        if let Some(most) = self.estimate.and_then(|estimate| estimate.most) {
            let ceiling = most.scaled(self.k.ceiling);
            if self.is_refuted(delivered, most) {
                self.estimate = None;
            } else {
                pace = pace.min(ceiling);
                self.at_ceiling += u32::from(self.pace >= ceiling && self.deliveries.round_began());
            }
        }
        self.pace = self.pace.max(pace);
    }

    /// The estimate is wrong: more was delivered than there can be, or what was sent at the ceiling, and
    /// acknowledged a round trip later, has left no queue.
    fn is_refuted(&self, delivered: Rate, most: Rate) -> bool {
        let sent = || self.base.scaled(self.k.ceiling * self.k.window);
        delivered > most.scaled(f64::midpoint(1.0, self.k.ceiling))
            || self.at_ceiling > ROUNDS_AT_CEILING && self.delay.shows_queue(sent(), self.base)
    }

    fn ramp(&mut self, w: &mut Window, a: &Ack) -> Option<Reason> {
        if self.is_congested(w) {
            return Some(self.settle(w, a.now, a.nxt, Reason::Loss));
        }
        if self.judge_delay(a) {
            self.leave(w);
            self.guard(w);
            return Some(Reason::Delay);
        }
        if self.judge_growth(a) {
            self.leave(w);
            self.guard(w);
            return Some(Reason::FullPipe);
        }
        let growing = self.phase == Phase::Ramp;
        if growing {
            self.grow();
        } else {
            let gain = if self.tests_again() { self.k.test } else { 1.0 };
            self.pace = self.deliveries.rate().scaled(gain);
        }
        if let Some(rtt) = a.rtt {
            let sum = match growing {
                true => &mut self.queueless,
                false => &mut self.judged,
            };
            *sum = (sum.0 + rtt, sum.1 + 1);
        }
        self.drive(w);
        None
    }

    /// Whether a larger window gets no more. Nothing else shows the end of growth where jitter hides
    /// queues and the window for the minimum RTT holds less than the path: it is tried for the mean
    /// RTT first.
    fn judge_growth(&mut self, a: &Ack) -> bool {
        let rate = self.deliveries.rate();
        if a.cwnd_limited {
            // Jitter that lasts for some round trips is no measure of its mean.
            let lasts = self.jittered.map_or(Duration::ZERO, |_| self.k.noise);
            let round = self.deliveries.round_began() && a.now.since(self.round_from) >= lasts;
            self.plateau.update(rate, round);
            if round {
                self.round_from = a.now;
            }
        }
        if self.phase != Phase::Ramp || !self.plateau.now {
            return false;
        }
        // A queue of the flow's own leaves the rate; jitter that has begun since then lowers it.
        let (mean, full) = (self.mean_rtt(), self.plateau.full_bw.scaled(self.k.full));
        let ended = self
            .jittered
            .is_some_and(|held| mean <= held || rate >= full);
        if !ended {
            self.jittered = Some(mean);
            self.plateau.look_again(rate);
        }
        ended
    }

    /// Ends the growth with the window for the rate delivered.
    fn leave(&mut self, w: &mut Window) {
        self.pace = self.deliveries.rate();
        self.export(w);
        self.hand_over(w);
    }

    /// The initial window, until something is lost; then what the exit left, up to the initial one.
    fn least_cwnd(&self, w: &Window) -> Segments {
        match self.phase {
            Phase::Settle { floor, .. } => floor,
            _ if self.deliveries.share_lost() > 0.0 => LEAST_CWND,
            _ => w.segments(self.initial),
        }
    }

    /// The mean of round trips that were not late or that were found not to be the flow's.
    fn mean_rtt(&self) -> Duration {
        match self.queueless {
            (_, 0) => self.base,
            (sum, count) => sum.over(count).max(self.base),
        }
    }

    /// Whether a queue of the flow's own is there for good.
    fn judge_delay(&mut self, a: &Ack) -> bool {
        let late = self.delay.is_late(self.base);
        let rate = self.deliveries.rate();
        match self.phase {
            Phase::Ramp if late => self.phase = Phase::Hold(a.now),
            Phase::Hold(_) | Phase::Doubt { refuted: true, .. } if !late => self.resume(),
            Phase::Hold(_) if self.deliveries.share_of_sent() < self.k.full => {
                self.doubt(rate, a.nxt, false);
            }
            Phase::Hold(since) if a.now.since(since) >= self.base => {
                // All that was sent is delivered: the delay is not the flow's.
                self.resume();
                self.delay.judge_from(a.now);
            }
            Phase::Doubt { rate: full, .. } if self.k.doubts && full < rate.scaled(self.k.full) => {
                self.doubt(rate, a.nxt, true);
            }
            Phase::Doubt { until, .. } => return a.una >= until,
            _ => {}
        }
        false
    }

    fn doubt(&mut self, rate: Rate, until: u64, refuted: bool) {
        self.phase = Phase::Doubt {
            rate,
            until,
            refuted,
        };
    }

    /// An exit was refuted, and round trips are still late.
    fn tests_again(&self) -> bool {
        matches!(self.phase, Phase::Doubt { refuted: true, .. })
    }

    /// The delay was not the flow's: growth continues.
    fn resume(&mut self) {
        self.phase = Phase::Ramp;
        let (sum, count) = std::mem::take(&mut self.judged);
        self.queueless = (self.queueless.0 + sum, self.queueless.1 + count);
    }

    fn is_congested(&self, w: &Window) -> bool {
        let (lost, of) = self.deliveries.lost();
        match self.k.losses {
            Some(share) => w.segments(lost) > 1.0 + self.tolerated(share) * w.segments(of),
            None => lost > 0,
        }
    }

    /// The share of losses that is no congestion: with a queue half of it.
    fn tolerated(&self, share: f64) -> f64 {
        share
            * if self.delay.is_late(self.base) {
                0.5
            } else {
                1.0
            }
    }

    /// Ends the growth: the pipe is full.
    fn settle(&mut self, w: &mut Window, now: Instant, until: u64, reason: Reason) -> Reason {
        if reason == Reason::Loss {
            self.deliveries.forget();
        }
        self.export(w);
        self.phase = Phase::Settle {
            until,
            floor: w.segments(self.initial).min(w.cwnd / 2.0).max(LEAST_CWND),
            rounds: 0,
        };
        self.deliveries.average_from_now(now);
        self.conserve(w);
        reason
    }

    /// What path and queue hold, for the avoidance.
    fn export(&mut self, w: &Window) {
        let full = self.latest.unwrap_or(self.base);
        self.capacity = Some(w.segments(self.deliveries.rate().bytes_in(full)));
    }

    /// What is delivered is sent.
    fn conserve(&mut self, w: &mut Window) {
        self.pace = self.deliveries.rate();
        self.drive(w);
    }

    /// What is delivered is sent until the overshoot is repaired, or had the time to be.
    fn repair(&mut self, w: &mut Window, a: &Ack) {
        self.conserve(w);
        let Phase::Settle { until, rounds, .. } = &mut self.phase else {
            return;
        };
        *rounds += u32::from(self.deliveries.round_began());
        if a.una >= *until || *rounds > self.k.rounds_of_repair() {
            self.pace = self.pace.max(self.deliveries.average(a.now));
            self.hand_over(w);
            if self.delay.is_late(self.base) {
                self.guard(w);
            }
        }
    }

    /// The window that the path holds at the rate delivered, without a queue. Next to others it is
    /// smaller by what they get.
    fn hand_over(&mut self, w: &mut Window) {
        let got = match self.estimate.and_then(|estimate| estimate.most) {
            Some(most) => share(self.pace, most).clamp(self.k.yield_to, 1.0),
            None => 1.0,
        };
        let held = w.segments(self.pace.bytes_in(self.mean_rtt()));
        w.cwnd = (got * held).max(self.least_cwnd(w));
        w.ssthresh = w.cwnd;
        self.end(w);
    }

    /// From now on losses without a queue leave the window.
    fn guard(&mut self, w: &Window) {
        if self.k.guards {
            self.phase = Phase::Guard {
                cwnd: w.cwnd,
                rtt: Duration::MAX,
            };
        }
    }

    fn end(&mut self, w: &mut Window) {
        w.pacing = None;
        self.phase = Phase::Over;
    }
}

impl Startup for Gauge {
    fn on_established(&mut self, w: &mut Window, e: &Established) {
        self.initial = w.cwnd_bytes();
        self.rest = e.queued.saturating_sub(self.initial);
        self.counts_marks = e.counts_marks;
        self.base = e.rtt.unwrap_or(Duration::MAX);
    }

    fn on_sent(&mut self, w: &mut Window, s: &Sent) -> Option<Reason> {
        self.high = self.high.max(s.seq + u64::from(s.bytes));
        if self.phase == Phase::Open && self.high >= self.initial {
            self.open(w, s.now);
        }
        None
    }

    fn on_ack(&mut self, w: &mut Window, a: &Ack, slow_start: &mut SlowStart) -> Option<Reason> {
        if let Phase::Over | Phase::Guard { .. } = self.phase {
            slow_start.grow(w, a);
            return None;
        }
        if let Some(rtt) = a.rtt {
            self.base = match self.latest {
                // That of the handshake was of small packets.
                None => rtt,
                Some(_) => self.base.min(rtt),
            };
            self.latest = Some(rtt);
            let after = a.now.saturating_sub(rtt).since(self.opened);
            if Duration::ZERO < after && after < self.base {
                self.behind = self.behind.min(rtt);
            }
            self.delay.sample(a.now, rtt, self.base);
        }
        if let Some(d) = &a.delivery {
            self.deliveries.take(d);
        }
        if self.base == Duration::MAX {
            return None;
        }
        match self.phase {
            Phase::Open | Phase::Measure => self.measure(w, a),
            Phase::Ramp | Phase::Hold(_) | Phase::Doubt { .. } => return self.ramp(w, a),
            Phase::Settle { .. } => self.repair(w, a),
            Phase::Guard { .. } | Phase::Over => {}
        }
        None
    }

    /// Losses are judged by their share, with the ACK that shows them.
    fn on_congestion(&mut self, w: &mut Window, c: &Congestion) -> Response {
        match (c, self.phase) {
            (Congestion::Timeout(_), _) => {
                self.end(w);
                Response::STANDARD
            }
            (Congestion::Loss(_), Phase::Guard { .. }) => {
                self.guard(w);
                Response::STANDARD
            }
            (_, Phase::Guard { .. } | Phase::Over) => Response::STANDARD,
            (Congestion::Loss(_), _) if self.k.repairs => {
                Response::continues(Reduction::SelfManaged)
            }
            (Congestion::Loss(_), _) => {
                self.end(w);
                Response::continues(Reduction::Standard)
            }
            (Congestion::Mark(_), Phase::Settle { .. }) => {
                Response::continues(Reduction::SelfManaged)
            }
            // The initial window's own queue, of which nothing is left.
            (Congestion::Mark(_), Phase::Open | Phase::Measure) if self.counts_marks => {
                Response::continues(Reduction::Done)
            }
            (Congestion::Mark(mark), _) => {
                let before = w.cwnd;
                self.settle(w, mark.now, self.high, Reason::Ecn);
                w.cwnd = w.cwnd.min(before);
                Response::ends(Reduction::SelfManaged)
            }
        }
    }

    fn on_recovery_ack(&mut self, _w: &mut Window, a: &Ack) {
        if let Phase::Guard { rtt, .. } = &mut self.phase {
            *rtt = a.rtt.map_or(*rtt, |latest| latest.min(*rtt));
            if let Some(d) = &a.delivery {
                self.deliveries.take(d);
            }
        }
    }

    /// A loss without a queue leaves the window.
    fn on_recovered(&mut self, w: &mut Window, _r: &Recovered) -> Repaired {
        if let Phase::Guard { cwnd, rtt } = self.phase {
            let queue = self.delay.shows_queue(rtt, self.base);
            let random = self.deliveries.share_lost() <= self.k.losses.unwrap_or(0.0);
            if random && !queue {
                w.cwnd = w.cwnd.max(cwnd);
                w.ssthresh = w.cwnd;
            }
        }
        Repaired::Continues
    }

    fn on_idle(&mut self, w: &mut Window, _before: &Window, i: &Idle) -> bool {
        if self.owns_cwnd() {
            self.end(w);
            w.cwnd = w.cwnd.min(i.restart_window);
        }
        false
    }

    /// The pipe was full, whatever became of the loss.
    fn on_spurious(&mut self, _w: &mut Window) -> bool {
        !matches!(self.phase, Phase::Settle { .. })
    }

    fn wants_delivery(&self) -> bool {
        true
    }

    fn reads_samples(&self) -> bool {
        self.owns_cwnd()
    }

    fn owns_cwnd(&self) -> bool {
        !matches!(self.phase, Phase::Guard { .. } | Phase::Over)
    }

    fn export_model(&mut self) -> Option<Box<dyn Model>> {
        let capacity = self.capacity.take()?;
        Some(Box::new(Capacity(capacity)))
    }

    fn in_charge(&self, w: &Window) -> bool {
        self.owns_cwnd() || w.in_slow_start()
    }

    fn assisted(&mut self) -> Option<&mut dyn Assisted> {
        Some(self)
    }
}

impl Assisted for Gauge {
    fn on_known(&mut self, k: &PathInfo) {
        self.memory = k.memory.filter(|memory| !memory.in_use);
    }
}

#[cfg(test)]
mod tests;
