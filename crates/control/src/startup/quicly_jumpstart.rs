//! quicly's jumpstart: one paced round trip at a preset or a cached window.
//!
//! h2o's QUIC stack, quicly (K. Oku), `include/quicly/cc.h`, `include/quicly/pacer.h`,
//! `lib/quicly.c`, `lib/cc-reno.c`, `lib/cc-pico.c` and `lib/cc-cubic.c` as of commit b11d3634
//! (1 April 2026). When the sender first has more to send than the window lets out, the window jumps:
//! to what an earlier connection's rate and round-trip time make together or, where there was none,
//! to a number of packets that the server's operator has chosen. What the jump lets out is paced over
//! a round trip. Its first acknowledgement ends it, with the window that is in flight then; from there
//! slow start continues. A first loss returns to what of the jump had been acknowledged, or to the
//! initial window if that is more, and is halved; acknowledgements of the rest lift the window to
//! seven tenths of what they add up to. Other than Jump Start it jumps once and at most so far; other
//! than Careful Resume it does not wait a round trip, and takes all of what is cached.
//!
//! It is decided once a connection, whatever comes out (`quicly.c`, at the end of `quicly_send`):
//! where nothing was lost so far, and the jump is more than the window and what was in flight before
//! the sender began to send.
//!
//! With `rapid_start` growth, pace and first recovery are those of [`super::rapid_start`] as quicly has
//! it: the jump's window is not lowered to what was acknowledged, but shrinks by what is delivered and
//! lost, to half of what was acknowledged of the jump at least.
//!
//! # State
//!
//! The jump's first position and the one after its last, `enter_pn` and `exit_pn`; the bytes of
//! it that have been acknowledged; the smoothed and the minimum RTT; what was in flight
//! when the sender began to send.
//!
//! # Deviations
//!
//! - quicly numbers packets, so that a repaired one has another number and is not counted as
//!   acknowledged of the jump. Here positions stand for numbers, and bytes that were sent again are
//!   left out instead. Whether anything of the jump has arrived while something sent before it is
//!   missing is reported by the bytes that have arrived, one packet being missing.
//! - In quicly the operator may let only a share of the connections jump; here each one does.
//! - Only one path is known: no other is migrated to, on which quicly would not jump again.
//! - quicly's pacer lets eight to ten packets leave together. Here the first window leaves at once,
//!   and from then on one by one.
//! - quicly continues to pace at twice the window a round trip after the first loss; here the stack paces
//!   from then on, or does not.
//! - A threshold that is given, `ssthresh`, rules out a jump to it or beyond: quicly jumps only while
//!   it has none.
//! - With `rapid_start`, on paths below 4 ms and where nothing was jumped to, the avoidance answers
//!   the first loss by its own rule; quicly's `pico` halves.
//! - Where data leaves before the handshake is over, the cached round-trip time counts as
//!   measured.
//!
//! # Contested
//!
//! - In the code both numbers of packets are 0, so that nothing jumps: they are the operator's
//!   policy. 64 is the recommended minimum, and 1000 leaves all but the fastest memories
//!   whole.
//! - All of the cached rate is more than RFC 9959 allows; `jump_mode=rfc9959` takes half.
//! - A loss closes the jump at the packet that was lost. That an acknowledgement shows is counted
//!   before what it shows to be lost, so a packet of the jump is found lost when the jump has ended;
//!   one that left before it, and is found lost before anything of the jump is acknowledged, lets
//!   nothing of the jump count.
//! - quicly halves the window at the end of slow start under all of its congestion controls; `beta`
//!   is the same under all avoidances here.

use super::{Assisted, Congestion, Maker, Reduction, Repaired, Response, Startup, copies};
use crate::entry::{Certainty, Entry, Need};
use crate::model::rapid_start::{Flight, QuiclyRecovery, Sense, Shares};
use crate::model::round_trips::RoundTrips;
use crate::params::{Params, Ratio, SpecError};
use crate::signals::{Ack, Established, Idle, PathInfo, PathMemory, Recovered, Sent};
use crate::slow_start::SlowStart;
use crate::{Duration, Instant, Reason, Segments, Window, params, with_slow_start};

/// Entry of `quicly-jumpstart` in the catalog of startups.
pub const ENTRY: Entry<Maker> = Entry {
    name: "quicly-jumpstart",
    title: "quicly's jumpstart",
    source: "h2o/quicly, cc.h and quicly.c, April 2026",
    year: 2026,
    opened: "code: h2o/quicly b11d3634, quicly.c, cc.h, cc-reno.c, cc-pico.c, cc-cubic.c, pacer.h",
    compared: "entry, size, pace, validation, loss before and in the jump, lift, with Rapid Start",
    summary: "Paces one round trip at a preset or cached window as soon as the window is \
              what holds it back, and keeps what gets through.",
    params: with_slow_start!(Settings),
    needs: &[Need::Pacing, Need::Cache],
    certainty: Certainty::Code,
    build: |params, _| Ok(copies(QuiclyJumpstart::new(params)?)),
};

params! {
    pub struct Settings {
        /// share of the cached window that the jump takes: all of it as quicly does, or half
        jump_mode: JumpMode = "quicly",
        /// the window of the jump without a cached window, or with one that does not count; 0 for
        /// none
        #[check(f64::is_finite, "a number of packets; quicly's jump has a bound")]
        default_packets: Segments = "64",
        /// the window of the jump from a memory is at most this; 0 to take no memory into account
        #[check(f64::is_finite, "a number of packets; quicly's jump has a bound")]
        max_packets: Segments = "1000",
        /// the first reduction leaves this share of the window
        #[check(|beta| beta >= 0.1, "a share from 0.1 to 1")]
        beta: Ratio = "0.5",
        /// whether it grows threefold while there is no queue, and recovers from the first loss as
        /// Rapid Start does in quicly
        rapid_start: bool = "false",
    }

    pub enum JumpMode { Quicly = "quicly", Rfc9959 = "rfc9959" }
}

/// The largest payload that a packet of the jump may stand for.
const LARGEST_PAYLOAD: u32 = 1472;
/// `QUICLY_RENO_BETA`: the share of what is acknowledged of the jump that its recovery may open again,
/// and what Rapid Start leaves of what path and queue hold.
const RENO_BETA: f64 = 0.7;
/// Share of the reduction by bytes delivered (`QUICLY_RAPID_START_K`).
const RAPID_START_K: f64 = 11.0 / 18.0;
/// Windows that are paced over a round trip, outside of the jump.
const PACED_WINDOWS: f64 = 2.0;

/// What may be jumped to.
#[derive(Clone, Copy, Debug)]
struct JumpSize {
    half: bool,
    default: Segments,
    max: Segments,
}

impl JumpSize {
    /// The jump's window in bytes, where the minimum round trip so far is `rtt`; zero for none
    /// (`derive_jumpstart_cwnd`).
    fn jump(&self, mss: u32, memory: Option<&PathMemory>, rtt: Duration) -> u64 {
        let bytes = |packets: Segments| (packets * f64::from(mss.min(LARGEST_PAYLOAD))) as u64;
        let known = |memory: &&PathMemory| memory.rate.bps() > 0 && memory.min_rtt > Duration::ZERO;
        let Some(memory) = memory.filter(known).filter(|_| self.max > 0.0) else {
            return bytes(self.default);
        };
        // The rate times the lesser of the two round trips.
        let remembered = memory.rate.bytes_in(memory.min_rtt.min(rtt));
        let share = if self.half {
            remembered / 2
        } else {
            remembered
        };
        share.min(bytes(self.max))
    }
}

/// The packets of the jump, by number or by position.
#[derive(Clone, Copy, Debug)]
struct Jump {
    /// `enter_pn`: the first; never where there is none.
    enter: u64,
    /// `exit_pn`: the one after the last, where that is known.
    exit: u64,
    /// `bytes_acked`, and those among them of before the jump.
    acked: u64,
}

const NEVER: u64 = u64::MAX;

impl Jump {
    const NONE: Jump = Jump {
        enter: NEVER,
        exit: NEVER,
        acked: 0,
    };

    /// Takes in an acknowledgement of so many bytes; counts them where the newest is of the jump.
    fn on_ack(&mut self, newest: u64, bytes: u64) -> bool {
        let counts = (self.enter..self.exit).contains(&newest);
        if counts {
            self.acked += bytes;
        }
        counts
    }

    /// Its first acknowledgement: `next` is not of it any more.
    fn validate(&mut self, next: u64) {
        self.exit = next;
    }

    /// The first loss of the connection. Whether it is of the jump or of before: then the jump is
    /// over where it was lost, if not before.
    fn on_first_loss(&mut self, lost: u64) -> bool {
        let concerned = self.enter < NEVER && lost < self.exit;
        if concerned && self.exit == NEVER {
            self.exit = lost;
        }
        concerned
    }
}

/// State that only `rapid_start` uses.
#[derive(Clone, Copy, Debug)]
struct Rapid {
    sense: Sense,
    flight: Flight,
}

#[derive(Clone, Copy, Debug)]
enum Phase {
    /// The window has not been the limit yet.
    Before,
    /// The jump leaves; none of it is acknowledged.
    Jumping,
    /// Slow start, after the jump or without one.
    Growing,
    /// A loss in the jump is being repaired; its time, until the ACK that showed it is handled.
    Lifting(Option<Instant>),
    /// The first loss is being repaired as Rapid Start does.
    Shrinking(QuiclyRecovery),
    /// There is nothing to be seen to.
    Over,
}

/// When the sender began to send, and what was in flight.
#[derive(Clone, Copy, Debug)]
struct Call {
    at: Instant,
    flight: u64,
}

/// State of quicly's jumpstart on one connection.
#[derive(Clone)]
struct QuiclyJumpstart {
    jump_size: JumpSize,
    beta: f64,
    rapid: Option<Rapid>,
    phase: Phase,
    memory: Option<PathMemory>,
    initial: Segments,
    rtts: RoundTrips,
    /// One past what the application has handed over, as far as that is known.
    queued_until: u64,
    call: Call,
    high: u64,
    delivered: u64,
    una: u64,
    jump: Jump,
    /// Bytes of the jump that were sent again.
    retransmitted: u64,
    /// What the avoidance is to take for the window at the loss, until it is handed over.
    lost_at: Option<Segments>,
}

impl QuiclyJumpstart {
    fn new(params: &Params) -> Result<QuiclyJumpstart, SpecError> {
        let settings = Settings::read(params)?;
        let rapid = settings.rapid_start;
        params.effective(&Settings::beta, !rapid, "`rapid_start=false`")?;
        Ok(QuiclyJumpstart {
            jump_size: JumpSize {
                half: settings.jump_mode == JumpMode::Rfc9959,
                default: settings.default_packets,
                max: settings.max_packets,
            },
            beta: settings.beta,
            rapid: rapid.then(|| Rapid {
                sense: Sense::new(true),
                flight: Flight::default(),
            }),
            phase: Phase::Before,
            memory: None,
            initial: 1.0,
            rtts: RoundTrips::default(),
            queued_until: 0,
            call: Call {
                at: Instant::MAX,
                flight: 0,
            },
            high: 0,
            delivered: 0,
            una: 0,
            jump: Jump::NONE,
            retransmitted: 0,
            lost_at: None,
        })
    }

    /// Nothing was lost so far, and the threshold was not reached.
    fn is_starting(&self) -> bool {
        matches!(self.phase, Phase::Before | Phase::Jumping | Phase::Growing)
    }

    /// The sender has more to send than the window lets out, for the first time.
    fn decide(&mut self, w: &mut Window) {
        self.phase = Phase::Growing;
        let least = self.rtts.least;
        let jump = self.jump_size.jump(w.mss, self.memory.as_ref(), least);
        if jump <= w.cwnd_bytes() + self.call.flight || w.segments(jump) >= w.ssthresh {
            return;
        }
        self.phase = Phase::Jumping;
        self.jump.enter = self.high;
        w.cwnd = w.segments(jump);
        self.pace(w);
    }

    /// Sets the pacing rate (`calc_pacer_send_rate`).
    fn pace(&self, w: &mut Window) {
        let windows = match (self.phase, &self.rapid) {
            (Phase::Jumping, _) => 1.0,
            (_, Some(rapid)) => rapid.sense.gains().1,
            (_, None) => PACED_WINDOWS,
        };
        if self.rtts.smoothed > Duration::ZERO {
            w.pacing = w.rate_over(windows * w.cwnd, self.rtts.smoothed);
        }
    }

    /// Takes in what has arrived. Whether it counts as acknowledged of the jump.
    fn take(&mut self, w: &Window, a: &Ack) -> bool {
        let newly = a.delivered_total.saturating_sub(self.delivered);
        (self.una, self.delivered) = (a.una, a.delivered_total);
        let mut arrived = a.una.max(a.delivered_total);
        // With one packet missing of before the jump, these bytes are not all of before.
        let has_hole = a.delivered_total > a.una;
        if has_hole && a.una < self.jump.enter && self.jump.enter < NEVER {
            arrived += u64::from(w.mss);
        }
        let counts = self.jump.on_ack(arrived.saturating_sub(1), newly);
        // What is sent again has another number in quicly, and is not of the jump.
        let jumped = self
            .jump
            .exit
            .min(self.high)
            .saturating_sub(self.jump.enter);
        self.jump.acked = self
            .jump
            .acked
            .min(jumped.saturating_sub(self.retransmitted));
        counts
    }

    /// The first reduction after a jump: what was acknowledged of it, or the initial window, times
    /// beta.
    fn cut(&mut self, w: &mut Window) {
        let kept = w.segments(self.jump.acked).max(self.initial);
        self.lost_at = Some(kept);
        w.cwnd = (kept * self.beta).max(1.0);
        w.ssthresh = w.cwnd.max(2.0);
    }

    /// The acknowledgement that has shown the loss: quicly counts what it brings before what it
    /// shows to be lost, so that it may be the first of the jump.
    fn take_with_loss(&mut self, w: &mut Window, a: &Ack) {
        let closed = self.jump.exit;
        if closed <= self.jump.enter {
            self.jump.validate(a.nxt);
        }
        if !self.take(w, a) {
            self.jump.exit = closed;
        }
        self.cut(w);
    }

    /// Acknowledgements of the jump lift the window that its loss left.
    fn lift(&self, w: &mut Window) {
        w.cwnd = w.cwnd.max(w.segments(self.jump.acked) * RENO_BETA);
        w.ssthresh = w.ssthresh.max(w.cwnd);
    }

    /// Rapid Start's answer to the first loss. Its avoidance takes what was acknowledged of the jump,
    /// where the loss is of it, or a third of the window for what path and queue hold.
    fn shrink(&mut self, w: &mut Window, flight: Flight, c: &Congestion, now: Instant) {
        let acked = w.segments(self.jump.acked);
        let floor = 0.5 * self.initial.max(acked);
        let held = match (self.jump.enter..self.jump.exit).contains(&self.una) {
            true => acked,
            false => w.cwnd / 3.0,
        };
        self.lost_at = Some(held.max(self.initial));
        let shares = Shares::new(RENO_BETA, RAPID_START_K);
        let lost = matches!(c, Congestion::Loss(_));
        let mut recovery = QuiclyRecovery::begin(w, shares, floor, lost);
        recovery.account(w, (0, flight.lost_at(now)));
        self.phase = Phase::Shrinking(recovery);
    }

    fn grow(&mut self, w: &mut Window, a: &Ack, slow_start: &mut SlowStart) {
        let Some(rapid) = self.rapid.as_mut().filter(|rapid| !rapid.sense.is_off()) else {
            return slow_start.grow(w, a);
        };
        if a.cwnd_limited {
            w.cwnd += rapid.sense.gains().0 * w.segments(a.credit);
        }
    }

    fn cancel(&mut self, w: &mut Window) {
        if self.is_starting() {
            w.pacing = None;
        }
        (self.phase, self.lost_at) = (Phase::Over, None);
    }
}

impl Startup for QuiclyJumpstart {
    /// Without a round trip the decision waits for one. A lost SYN that leaves one segment is a loss,
    /// after which there is no jump.
    fn on_established(&mut self, w: &mut Window, e: &Established) {
        self.initial = w.cwnd;
        if let Some(rapid) = &mut self.rapid {
            rapid.sense.begin(e.rtt, e.now);
        }
        self.queued_until = e.queued;
        self.rtts.sample(e.rtt);
        if e.rtt.is_none() && e.initial_window <= 1.0 {
            self.phase = Phase::Over;
        }
    }

    fn on_sent(&mut self, w: &mut Window, s: &Sent) -> Option<Reason> {
        let end = s.seq + u64::from(s.bytes);
        if s.now != self.call.at {
            self.call = Call {
                at: s.now,
                flight: s.flight.saturating_sub(s.bytes.into()),
            };
        }
        self.high = self.high.max(end);
        if let Some(rapid) = &mut self.rapid {
            rapid.flight.on_sent(s.bytes);
        }
        if s.retransmission && (self.jump.enter..self.jump.exit).contains(&s.seq) {
            self.retransmitted += u64::from(s.bytes);
        }
        let full = s.flight + u64::from(w.mss) > w.cwnd_bytes() && end < self.queued_until;
        if full && matches!(self.phase, Phase::Before) && self.rtts.least > Duration::ZERO {
            self.decide(w);
        }
        if !w.in_slow_start() && self.is_starting() {
            self.cancel(w);
        }
        None
    }

    fn on_ack(&mut self, w: &mut Window, a: &Ack, slow_start: &mut SlowStart) -> Option<Reason> {
        self.rtts.sample(a.rtt);
        self.queued_until = a.nxt.saturating_add(a.queued);
        let counts = self.take(w, a);
        if let Some(rapid) = &mut self.rapid {
            rapid.flight.on_ack(a);
            if let Some(rtt) = a.rtt {
                rapid.sense.sample(rtt, a.now);
            }
        }
        if matches!(self.phase, Phase::Over) {
            slow_start.grow(w, a);
            return None;
        }
        let validates = counts && matches!(self.phase, Phase::Jumping);
        if validates {
            // What was in flight before this ACK.
            w.cwnd = w.segments(a.flight + a.delivered).clamp(1.0, w.cwnd);
            self.jump.validate(a.nxt);
            self.phase = Phase::Growing;
        }
        self.grow(w, a, slow_start);
        if w.in_slow_start() {
            self.pace(w);
        } else {
            self.cancel(w);
        }
        validates.then_some(Reason::FirstAck)
    }

    fn on_recovery_ack(&mut self, w: &mut Window, a: &Ack) {
        self.rtts.sample(a.rtt);
        if let (Phase::Shrinking(recovery), Some(rapid)) = (&mut self.phase, &mut self.rapid) {
            recovery.account(w, rapid.flight.on_ack(a));
            return;
        }
        let Phase::Lifting(found) = &mut self.phase else {
            self.take(w, a);
            return;
        };
        if found.take() == Some(a.now) {
            self.take_with_loss(w, a);
        } else if self.take(w, a) {
            self.lift(w);
        }
    }

    fn on_congestion(&mut self, w: &mut Window, c: &Congestion) -> Response {
        let jumping = matches!(self.phase, Phase::Jumping);
        let l = match c {
            Congestion::Loss(l) if self.is_starting() => *l,
            Congestion::Mark(m) if self.is_starting() => m.into(),
            _ => {
                self.cancel(w);
                return Response::STANDARD;
            }
        };
        w.pacing = None;
        // A packet of the jump is found lost by acknowledgements of later ones, which have ended it.
        if jumping && self.una >= self.jump.enter {
            self.jump.validate(self.high);
        }
        let concerned = self.jump.on_first_loss(self.una);
        if let Some(rapid) = self.rapid.filter(|rapid| !rapid.sense.is_off()) {
            self.shrink(w, rapid.flight, c, l.now);
            return Response::ends(Reduction::SelfManaged);
        }
        if !concerned {
            self.phase = Phase::Over;
            return Response::STANDARD;
        }
        let before = w.cwnd;
        self.cut(w);
        w.cwnd = w.cwnd.min(before);
        self.phase = Phase::Lifting(Some(l.now));
        Response::ends(Reduction::SelfManaged)
    }

    fn on_recovered(&mut self, _w: &mut Window, _r: &Recovered) -> Repaired {
        if matches!(self.phase, Phase::Shrinking(_) | Phase::Lifting(_)) {
            self.phase = Phase::Over;
        }
        self.lost_at.take().into()
    }

    fn on_idle(&mut self, w: &mut Window, _before: &Window, _i: &Idle) -> bool {
        if matches!(self.phase, Phase::Jumping) {
            self.cancel(w);
        }
        false
    }

    fn assisted(&mut self) -> Option<&mut dyn Assisted> {
        Some(self)
    }
}

impl Assisted for QuiclyJumpstart {
    fn on_known(&mut self, k: &PathInfo) {
        self.memory = k.memory;
    }
}

#[cfg(test)]
mod tests;
