//! HyStart: slow start that watches its own ACKs for the moment to stop.
//!
//! S. Ha and I. Rhee, "Hybrid Slow Start for High-Bandwidth and Long-Distance Networks",
//! PFLDnet 2008, Algorithm 1. Slow start keeps doubling; what changes is when it ends. Two
//! signs indicate that the path is nearly full. *ACK train*: the packets of a round leave back
//! to back and return as a train of closely spaced ACKs, whose length in time grows with
//! the window; when it is as long as the forward delay, half a round trip, the window is
//! about the path's capacity. *Delay*: when the first round-trip times of a round exceed
//! those of the round before (or the minimum RTT), a queue has begun to grow. Either
//! sets the threshold to the current window, and congestion control follows with
//! nothing lost. It made CUBIC usable on fast long paths and has been part of Linux since
//! 2.6.29.
//!
//! The values of `variant`:
//!
//! | variant | clock | train limit | reference of delay | rise that counts |
//! | --- | --- | --- | --- | --- |
//! | `2008` | ticks | `>= dMin/2` | the last round | 1/16 of it, at least 2 ticks, rounded up |
//! | `2011` | ticks | `>= dMin/2` | the last round | 1/8 of it, 4 to 16 ms |
//! | `linux-2.6.29` | ms | `> delay_min/2` | `delay_min` | 1/16 of it, 2 to 16 ms |
//! | `linux-3.19` | ms | `> delay_min/2` | `delay_min` | 1/8 of it, 4 to 16 ms |
//! | `linux-5.6` | us | `> (delay_min + ack_delay)/2` | `delay_min` | 1/8 of it, 4 to 16 ms |
//! | `picoquic` | exact | none | the smallest maximum of seven samples | 1/4 of it, or a packet's pacing time |
//! | `s2n` | us | none | the last round | 1/8 of it, 4 to 16 ms |
//!
//! `picoquic` is the delay test of private-octopus/picoquic at d199d45 (`hystart/filtered.rs`). Samples are
//! a millisecond apart or more. What is compared is the smallest of the last seven, and slow start ends
//! when that has been too large seven times, at any window. `landing=half-then-recovery` is what that
//! stack does then ([landing](../../concepts/landing.md)).
//!
//! `linux-5.6` doubles the train limit for a paced sender, whose packets no longer
//! leave back to back. `2011` is S. Ha and I. Rhee, "Taming the Elephants: New TCP Slow
//! Start", Computer Networks 55(9); its text was not available. `s2n` is that of s2n-quic
//! (s2n-quic-core 0.91.0, recovery/hybrid_slow_start.rs). A round ends with the ACK of a packet that
//! left no earlier than the last one before the round. Only the eighth sample of a round is tested.
//! The handshake is a round.
//!
//! `resume=true` tests an exit with the packets in flight ([resume](../../concepts/resume.md)).
//!
//! # State
//!
//! The paper's: `roundStart`, `lastAckTime`, `lastRTT`, `curRTT`, `samplingCnt`, `dMin`,
//! `found` and the byte that ends the round.
//!
//! # Contested
//!
//! - The paper's listing sets `found` below 16 segments too and never acts on it then. Here
//!   nothing is found below `low_window`, as in Linux. Under `2008` and `2011` rounds, trains
//!   and samples are followed below it; under Linux's variants only rounds are.
//! - Kernels up to 5.16 noticed a new round after testing its first ACK, current ones
//!   before. `linux-5.6` is the current order.
//! - picoquic judges time stamps instead where both ends use that extension, raises the window to half
//!   of a measured bandwidth, and ignores losses below a smoothed rate of 15 % (`cubic.c`). These are left out.
//! - The paper, and kernels of its time, continue slow start while `cwnd == ssthresh`. Here
//!   the avoidance takes over, as in current kernels: a difference of one ACK.

mod filtered;

use self::filtered::Filtered;
use super::resume::{self, ResumeSettings};
use super::{Congestion, Maker, Repaired, Response, Startup};
use crate::entry::{Certainty, Entry};
use crate::model::pacing::GSO_MAX;
use crate::params::{Params, SpecError};
use crate::signals::{Ack, Established, Recovered, Sent};
use crate::slow_start::SlowStart;
use crate::variants::HyStartVariant as Variant;
use crate::{
    Convention, Duration, Instant, Rate, Reason, Segments, Window, params, with_slow_start,
};

/// Entry of `hystart` in the catalog of startups.
pub const ENTRY: Entry<Maker> = Entry {
    name: "hystart",
    title: "HyStart (hybrid slow start)",
    source: "Ha, Rhee: Hybrid Slow Start for High-Bandwidth and Long-Distance Networks, \
             PFLDnet 2008, Algorithm 1; Linux tcp_cubic.c; picoquic cc_common.c",
    year: 2008,
    opened: "text: the paper, PFLDnet 2008; code: Linux tcp_cubic.c, three generations; \
             private-octopus/picoquic at d199d45, cc_common.c and cubic.c",
    compared: "ACK train, delay rule, rounds, low window; picoquic's filter",
    summary: "Slow start that ends when the ACK train of a round gets as long as the path, or \
              when round-trip times rise.",
    params: with_slow_start!(Settings, ResumeSettings),
    needs: &[],
    certainty: Certainty::Text,
    build: |params, convention| resume::maker(HyStart::new(params, convention)?, params),
};

params! {
    pub struct Settings {
        /// whose rules: the paper's, its journal version's, a kernel's from that version on,
        /// picoquic's, or s2n-quic's
        #[usual("by stack: linux-5.6 under linux, s2n under s2n, picoquic under picoquic, otherwise 2008")]
        variant: Option<Variant>,
        /// which signs end it (Linux hystart_detect)
        detect: Detect = "both",
        /// no exit below this window (low_ssthresh in the paper)
        low_window: Segments = "16",
        /// the resolution of the sender's clock; 0s is exact
        #[usual("by variant: 1us for linux-5.6 and s2n, otherwise 1ms")]
        tick: Option<Duration>,
        /// whether the sender spaces its packets out
        #[usual("by window: whether a pacing rate is set")]
        paced: Option<bool>,
    }

    pub enum Detect { Both = "both", Train = "train", Delay = "delay" }
}

/// Samples of a round that are looked at.
const N_SAMPLING: u32 = 8;
/// ACKs no further apart than this belong to one train.
const TRAIN_GAP: Duration = Duration::from_millis(2);

/// State of HyStart on one connection.
#[derive(Clone)]
struct HyStart {
    variant: Variant,
    detect_train: bool,
    detect_delay: bool,
    low_window: Segments,
    tick: Duration,
    paced: Option<bool>,
    found: bool,
    d_min: Duration,
    round_start: Instant,
    last_ack_time: Instant,
    last_rtt: Duration,
    cur_rtt: Duration,
    samples: u32,
    end_seq: u64,
    nxt: u64,
    /// Linux: samples before this are not trusted.
    deaf_until: Instant,
    /// picoquic's.
    filtered: Filtered,
    /// s2n-quic: when the last packet left, and when the last one before the round had.
    last_sent: Instant,
    round_end: Instant,
}

impl HyStart {
    fn new(params: &Params, convention: Convention) -> Result<HyStart, SpecError> {
        let settings = Settings::read(params)?;
        let variant = settings.variant.unwrap_or(convention.hystart);
        let fine = variant == Variant::Linux56;
        let tick = match variant {
            Variant::Linux56 | Variant::S2n => Duration::from_micros(1),
            _ => Duration::from_millis(1),
        };
        params.effective(&Settings::paced, fine, "`variant=linux-5.6`")?;
        let rounds = variant != Variant::Picoquic;
        let needs = "another variant than `picoquic`";
        params.effective(&Settings::detect, rounds, needs)?;
        params.effective(&Settings::low_window, rounds, needs)?;
        params.effective(&Settings::tick, rounds, needs)?;
        let has_train = variant != Variant::S2n;
        params.effective(&Settings::detect, has_train, "another `variant` than s2n")?;
        Ok(HyStart {
            variant,
            detect_train: settings.detect != Detect::Delay && has_train,
            detect_delay: settings.detect != Detect::Train,
            low_window: settings.low_window,
            tick: settings.tick.unwrap_or(tick),
            paced: settings.paced,
            found: false,
            d_min: Duration::MAX,
            round_start: Instant::ZERO,
            last_ack_time: Instant::ZERO,
            last_rtt: Duration::MAX,
            cur_rtt: Duration::MAX,
            samples: 0,
            end_seq: 0,
            nxt: 0,
            deaf_until: Instant::ZERO,
            filtered: Filtered::default(),
            last_sent: Instant::ZERO,
            round_end: Instant::ZERO,
        })
    }

    fn is_linux(&self) -> bool {
        use Variant::{Linux56, Linux319, Linux2629};
        matches!(self.variant, Linux2629 | Linux319 | Linux56)
    }

    /// A round ends with the first ACK beyond what had been sent when it began. (§III.B does
    /// not define it; the kernel does so.)
    fn start_round(&mut self, now: Instant, nxt: u64) {
        self.round_start = now;
        self.last_ack_time = now;
        self.last_rtt = self.cur_rtt;
        self.cur_rtt = Duration::MAX;
        self.samples = 0;
        self.end_seq = nxt;
    }

    /// §III.B, Algorithm 1: what happens on each ACK. RTTs are rounded up to ticks, as
    /// `usecs_to_jiffies` does, and halves down.
    fn seed(&mut self, w: &Window, a: &Ack) -> Option<Reason> {
        let now = a.now.floor(self.tick);
        if a.una > self.end_seq {
            self.start_round(now, a.nxt);
        }
        if let Some(rtt) = a.rtt.map(|rtt| ceil(rtt, self.tick)) {
            self.d_min = self.d_min.min(rtt);
            if self.samples < N_SAMPLING {
                self.cur_rtt = self.cur_rtt.min(rtt);
                self.samples += 1;
            }
        }
        let mut train = false;
        if now.since(self.last_ack_time) <= TRAIN_GAP {
            self.last_ack_time = now;
            train = now.since(self.round_start) >= self.d_min.over(2).floor(self.tick);
        }
        let rise = self.last_rtt + self.eta(self.last_rtt);
        let delay =
            self.samples == N_SAMPLING && self.cur_rtt >= rise && self.cur_rtt < Duration::MAX;
        self.verdict(w, train, delay)
    }

    /// `hystart_update` and what calls it, of the kernel.
    fn linux(&mut self, w: &Window, a: &Ack) -> Option<Reason> {
        let now = a.now.floor(self.tick);
        // Round-trip times right after a recovery reflect the loss, not the path.
        let sample = a.rtt.filter(|_| a.now >= self.deaf_until);
        let new_round = a.una > self.end_seq;
        if new_round && self.variant == Variant::Linux56 && sample.is_some() {
            self.start_round(now, a.nxt);
        }
        let found = sample.and_then(|rtt| self.linux_tests(w, now, rtt, a.srtt));
        if new_round && self.variant != Variant::Linux56 {
            self.start_round(now, a.nxt);
        }
        found
    }

    fn linux_tests(
        &mut self,
        w: &Window,
        now: Instant,
        rtt: Duration,
        srtt: Duration,
    ) -> Option<Reason> {
        // Up to 5.5 delays were kept in eighths of a millisecond.
        let unit = if self.variant == Variant::Linux56 {
            self.tick
        } else {
            self.tick.over(8)
        };
        let rtt = coarse(rtt, unit);
        self.d_min = self.d_min.min(rtt);
        if w.cwnd < self.low_window {
            return None;
        }
        let mut train = false;
        if self.detect_train && now.since(self.last_ack_time) <= TRAIN_GAP {
            self.last_ack_time = now;
            train = now.since(self.round_start) > self.train_limit(w, srtt);
        }
        let tested = self.samples == N_SAMPLING;
        if !tested || self.variant == Variant::Linux56 {
            self.cur_rtt = self.cur_rtt.min(rtt);
            self.samples = N_SAMPLING.min(self.samples + 1);
        }
        let delay = tested && self.cur_rtt > self.d_min + self.eta(self.d_min);
        self.verdict(w, train, delay)
    }

    /// `HybridSlowStart::on_rtt_update` of s2n-quic.
    fn s2n(&mut self, w: &Window, a: &Ack) -> Option<Reason> {
        let (rtt, sent) = a.rtt.zip(a.sent())?;
        if sent >= self.round_end {
            self.start_round(a.now, a.nxt);
            self.round_end = self.last_sent;
        }
        if self.samples < N_SAMPLING {
            self.cur_rtt = self.cur_rtt.min(rtt.floor(self.tick));
        }
        self.samples += 1;
        let tested = self.samples == N_SAMPLING && self.last_rtt < Duration::MAX;
        let delay = tested && self.cur_rtt >= self.last_rtt + self.eta(self.last_rtt);
        self.verdict(w, false, delay)
    }

    fn verdict(&mut self, w: &Window, train: bool, delay: bool) -> Option<Reason> {
        let reason = if train && self.detect_train {
            Reason::AckTrain
        } else if delay && self.detect_delay {
            Reason::Delay
        } else {
            return None;
        };
        (w.cwnd >= self.low_window).then_some(reason)
    }

    /// The rise above `reference` that counts.
    fn eta(&self, reference: Duration) -> Duration {
        const MOST: Duration = Duration::from_millis(16);
        let clamp = |share: Duration, least| share.max(Duration::from_millis(least)).min(MOST);
        match self.variant {
            Variant::Seed2008 => {
                let two = if self.tick == Duration::ZERO {
                    TRAIN_GAP
                } else {
                    self.tick.times(2)
                };
                two.max(ceil(reference.over(16), self.tick))
            }
            Variant::Linux2629 => clamp(reference.over(16), 2),
            Variant::Seed2011 | Variant::Linux319 | Variant::Linux56 | Variant::S2n => {
                clamp(reference.over(8), 4)
            }
            Variant::Picoquic => filtered::rise(reference),
        }
    }

    /// How long a train must get, in the kernel.
    fn train_limit(&self, w: &Window, srtt: Duration) -> Duration {
        if self.variant != Variant::Linux56 {
            return self.d_min.over(2).floor(self.tick);
        }
        let limit = self.d_min + ack_delay(w, srtt);
        if self.paced.unwrap_or(w.pacing.is_some()) {
            limit
        } else {
            limit.over(2)
        }
    }
}

/// What batching at the sender may add to a train: four of the largest bursts at the
/// pacing rate, at most a millisecond. The kernel has a pacing rate even where it does not
/// pace: in slow start twice a window per smoothed round trip. It is less than a millisecond above
/// 2.1 Gbit/s only (`hystart_ack_delay`).
pub(crate) fn ack_delay(w: &Window, srtt: Duration) -> Duration {
    let rate = w
        .pacing
        .unwrap_or_else(|| Rate::of(2 * w.cwnd_bytes(), srtt));
    rate.time_for(4 * GSO_MAX).min(Duration::from_millis(1))
}

fn ceil(t: Duration, tick: Duration) -> Duration {
    if tick == Duration::ZERO {
        return t;
    }
    Duration(
        t.nanos()
            .div_ceil(tick.nanos())
            .saturating_mul(tick.nanos()),
    )
}

/// A measured delay in such units, at least one.
fn coarse(rtt: Duration, unit: Duration) -> Duration {
    rtt.floor(unit).max(unit)
}

impl Startup for HyStart {
    fn on_established(&mut self, _w: &mut Window, e: &Established) {
        let now = e.now.floor(self.tick);
        (self.round_start, self.last_ack_time) = (now, now);
        if self.variant == Variant::S2n {
            self.cur_rtt = e.rtt.map_or(Duration::MAX, |rtt| rtt.floor(self.tick));
        }
        if let Some(rtt) = e.rtt {
            self.filtered.open(rtt, e.now);
        }
    }

    fn on_sent(&mut self, _w: &mut Window, s: &Sent) -> Option<Reason> {
        self.nxt = self.nxt.max(s.seq + u64::from(s.bytes));
        self.last_sent = s.now;
        None
    }

    fn on_ack(&mut self, w: &mut Window, a: &Ack, slow_start: &mut SlowStart) -> Option<Reason> {
        let reason = match self.variant {
            _ if self.found => None,
            Variant::Seed2008 | Variant::Seed2011 => self.seed(w, a),
            Variant::Linux2629 | Variant::Linux319 | Variant::Linux56 => self.linux(w, a),
            Variant::Picoquic => a
                .rtt
                .filter(|rtt| self.filtered.take(w, a, *rtt))
                .map(|_| Reason::Delay),
            Variant::S2n => self.s2n(w, a),
        };
        match reason {
            None => slow_start.grow(w, a),
            Some(_) => {
                self.found = true;
                w.ssthresh = w.cwnd;
                slow_start.leave_unused(a);
            }
        }
        reason
    }

    /// After a timeout the path may have changed: what was known of it is forgotten. picoquic looks at
    /// delays in the first slow start only.
    fn on_congestion(&mut self, _w: &mut Window, c: &Congestion) -> Response {
        if self.variant == Variant::Picoquic {
            self.found = true;
            return Response::STANDARD;
        }
        if let Congestion::Timeout(t) = c {
            self.found = false;
            self.d_min = Duration::MAX;
            self.deaf_until = Instant::ZERO;
            if self.is_linux() {
                self.start_round(t.now.floor(self.tick), self.nxt);
            }
        }
        Response::STANDARD
    }

    /// Linux discards delay samples for a second after CUBIC's epoch starts.
    fn on_recovered(&mut self, _w: &mut Window, r: &Recovered) -> Repaired {
        if self.is_linux() {
            self.deaf_until = r.now + Duration::from_secs(1);
        }
        Repaired::Continues
    }
}

#[cfg(test)]
mod tests;
