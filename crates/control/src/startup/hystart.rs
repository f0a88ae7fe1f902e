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
mod tests {
    use super::*;
    use crate::signals::Timeout;
    use crate::testing::{at_ms, ms, slow_start};
    use crate::{Controller, catalog};

    const MSS: u64 = 1460;

    fn hystart(spec: &str) -> HyStart {
        let specs = ENTRY.params;
        let kind = crate::params::AlgorithmKind::STARTUP;
        let params = Params::parse(kind, "hystart", specs, spec).unwrap();
        HyStart::new(&params, Convention::RFC).unwrap()
    }

    /// A connection in the middle of slow start.
    struct Flow {
        c: Controller,
        w: Window,
        una: u64,
        nxt: u64,
    }

    impl Flow {
        fn new(spec: &str, cwnd: f64) -> Flow {
            let spec = format!("hystart:{spec}");
            let mut c = catalog::controller(&spec, "none", Convention::RFC).unwrap();
            let mut w = Window::new(MSS as u32);
            c.on_established(&mut w, &Established::at(Instant::ZERO));
            w.cwnd = cwnd;
            Flow {
                c,
                w,
                una: 0,
                nxt: 0,
            }
        }

        /// An ACK of one segment; the window stays, so that the test sees one thing only.
        fn ack(&mut self, now: Instant, rtt: Duration) -> Option<Reason> {
            let cwnd = self.w.cwnd;
            self.una += MSS;
            let (una, nxt) = (self.una, self.nxt);
            let ack = Ack {
                una,
                nxt,
                rtt: Some(rtt),
                ..Ack::of(now, MSS)
            };
            self.c.on_ack(&mut self.w, &ack);
            self.w.cwnd = cwnd;
            self.c.exit().map(|exit| exit.reason)
        }

        /// So many more segments are out, and a round of them begins with the next ACK.
        fn round(&mut self, segments: u64) {
            self.nxt = self.una + segments * MSS;
        }
    }

    #[test]
    fn the_rise_that_counts() {
        let eta = |variant: &str, rtts: [f64; 6]| {
            let h = hystart(&format!("variant={variant}"));
            rtts.map(|rtt| h.eta(ms(rtt)).nanos() as f64 / 1e6)
        };
        let rtts = [10.0, 40.0, 64.0, 100.0, 200.0, 300.0];
        assert_eq!(eta("2008", rtts), [2.0, 3.0, 4.0, 7.0, 13.0, 19.0]);
        assert_eq!(eta("linux-2.6.29", rtts), [2.0, 2.5, 4.0, 6.25, 12.5, 16.0]);
        for variant in ["2011", "linux-3.19", "linux-5.6", "s2n"] {
            assert_eq!(eta(variant, rtts), [4.0, 5.0, 8.0, 12.5, 16.0, 16.0]);
        }
    }

    /// The ACK with which `s2n` leaves: nine of 50 ms, and then these. Ten packets are out, and each
    /// ACK sends another.
    fn s2n_leaves(then: [f64; 9]) -> Option<usize> {
        let mut h = hystart("variant=s2n");
        let mut w = Window::new(MSS as u32);
        w.cwnd = 100.0;
        let mut out: std::collections::VecDeque<_> = (0..10).map(|n| 0.1 * f64::from(n)).collect();
        h.last_sent = at_ms(0.9);
        let leaves = |rtt: f64| {
            let now = out.pop_front().unwrap() + rtt;
            let ack = Ack {
                rtt: Some(ms(rtt)),
                ..Ack::of(at_ms(now), MSS)
            };
            let reason = h.s2n(&w, &ack);
            out.push_back(now);
            h.last_sent = at_ms(now);
            reason.is_some()
        };
        [[50.0; 9], then].concat().into_iter().position(leaves)
    }

    #[test]
    fn s2n_tests_the_eighth_sample_of_a_round_only() {
        assert_eq!(s2n_leaves([57.0; 9]), Some(9 + 7));
        let mut rtts = [57.0; 9];
        rtts[7] = 50.0;
        assert_eq!(s2n_leaves(rtts), None);
    }

    #[test]
    fn s2n_has_no_train() {
        let params = |spec| {
            let kind = crate::params::AlgorithmKind::STARTUP;
            Params::parse(kind, "hystart", ENTRY.params, spec).unwrap()
        };
        let s2n = Convention {
            hystart: Variant::S2n,
            ..Convention::QUIC
        };
        let refused = HyStart::new(&params("detect=train"), s2n);
        let refused = refused.err().unwrap().to_string();
        assert!(refused.contains("another `variant` than s2n"), "{refused}");
    }

    #[test]
    fn a_coarse_clock_counts_in_ticks() {
        let h = hystart("tick=10ms");
        assert_eq!(h.eta(ms(100.0)), ms(20.0));
        assert_eq!(h.eta(ms(400.0)), ms(30.0));
        assert_eq!(ms(19.9).floor(h.tick), ms(10.0));
    }

    /// The index of the ACK, counted from 0 at the round's start, that ends a train of
    /// ACKs `spacing` apart when the minimum RTT is 100 ms.
    fn train(spec: &str, spacing: f64) -> Option<u64> {
        let mut flow = Flow::new(&format!("{spec},detect=train"), 64.0);
        flow.round(1000);
        (0..200).find(|i| {
            let now = at_ms(1000.0 + spacing * *i as f64);
            flow.ack(now, ms(100.0)) == Some(Reason::AckTrain)
        })
    }

    #[test]
    fn a_train_as_long_as_half_the_path() {
        assert_eq!(train("variant=2008", 1.2), Some(42));
        assert_eq!(train("variant=linux-3.19,tick=0s", 1.2), Some(42));
        assert_eq!(train("variant=2008", 2.0), Some(25));
        for variant in ["linux-2.6.29", "linux-3.19", "linux-5.6"] {
            assert_eq!(train(&format!("variant={variant}"), 2.0), Some(26));
        }
        // In whole milliseconds 50.4 is not above 50; and current kernels add ack_delay.
        assert_eq!(train("variant=linux-3.19", 1.2), Some(43));
        assert_eq!(train("variant=linux-5.6", 1.2), Some(43));
    }

    #[test]
    fn acks_too_far_apart_are_no_train() {
        for variant in ["2008", "linux-3.19", "linux-5.6"] {
            assert_eq!(train(&format!("variant={variant},tick=0s"), 2.1), None);
        }
    }

    #[test]
    fn one_gap_ends_the_train_for_its_round() {
        for variant in ["2008", "linux-3.19", "linux-5.6"] {
            let mut flow = Flow::new(&format!("variant={variant},detect=train"), 64.0);
            flow.round(1000);
            for i in (0..4).chain(10..200) {
                assert_eq!(flow.ack(at_ms(1000.0 + f64::from(i)), ms(100.0)), None);
            }
        }
    }

    /// Rounds of RTTs, in ms, with ACKs too far apart for a train; the last one's verdict.
    fn delay(spec: &str, cwnd: f64, rounds: &[&[f64]]) -> Option<Reason> {
        let mut flow = Flow::new(spec, cwnd);
        let mut now = 1000.0;
        let mut verdict = None;
        for rtts in rounds {
            flow.round(rtts.len() as u64);
            for rtt in *rtts {
                now += 5.0;
                verdict = flow.ack(at_ms(now), ms(*rtt));
            }
        }
        verdict
    }

    #[test]
    fn the_first_round_trips_of_a_round_have_risen() {
        let before = [100.0; 8];
        let risen = [107.0, 108.0, 109.0, 107.0, 110.0, 111.0, 107.0, 108.0];
        let exit = delay("variant=2008", 64.0, &[&before, &risen]);
        assert_eq!(exit, Some(Reason::Delay));
        assert_eq!(delay("variant=2008", 64.0, &[&before, &risen[..7]]), None);
        let mut less = risen;
        less[3] = 106.0;
        assert_eq!(delay("variant=2008", 64.0, &[&before, &less]), None);
        assert_eq!(
            delay("variant=2008,detect=train", 64.0, &[&before, &risen]),
            None
        );
    }

    #[test]
    fn linux_compares_with_the_least_ever_seen_from_the_ninth_ack_on() {
        for variant in ["linux-3.19", "linux-5.6"] {
            let spec = format!("variant={variant}");
            // The older variants notice the new round with its first ACK, which they have
            // tested already: one ACK more.
            let more = usize::from(variant == "linux-3.19");
            let enough = vec![113.0; 9 + more];
            let first = [100.0; 8];
            assert_eq!(delay(&spec, 64.0, &[&first, &enough]), Some(Reason::Delay));
            assert_eq!(delay(&spec, 64.0, &[&first, &enough[1..]]), None);
            assert_eq!(delay(&spec, 64.0, &[&first, &[112.0; 30]]), None);
        }
    }

    #[test]
    fn current_kernels_keep_looking_for_a_lower_round_trip_time() {
        let mut rtts = [113.0; 12];
        rtts[8..].fill(101.0);
        let first = [100.0; 8];
        assert_eq!(delay("variant=linux-5.6", 64.0, &[&first, &rtts]), None);
        rtts[8] = 113.0;
        assert_eq!(
            delay("variant=linux-5.6", 64.0, &[&first, &rtts]),
            Some(Reason::Delay)
        );
    }

    #[test]
    fn no_exit_below_sixteen_segments() {
        let rounds: [&[f64]; 2] = [&[100.0; 8], &[120.0; 12]];
        for variant in ["2008", "2011", "linux-2.6.29", "linux-5.6"] {
            let spec = format!("variant={variant}");
            assert_eq!(delay(&spec, 12.0, &rounds), None);
            assert_eq!(delay(&spec, 16.0, &rounds), Some(Reason::Delay));
        }
        assert_eq!(delay("low_window=8", 12.0, &rounds), Some(Reason::Delay));
    }

    #[test]
    fn an_exit_sets_the_threshold_to_the_window() {
        let mut flow = Flow::new("", 16.0);
        for (base, rtt) in [(0.0, 100.0), (100.0, 120.0)] {
            flow.round(8);
            for i in 0..8 {
                flow.ack(at_ms(1000.0 + base + 5.0 * f64::from(i)), ms(rtt));
            }
        }
        assert_eq!((flow.w.cwnd, flow.w.ssthresh), (16.0, 16.0));
        assert_eq!(flow.c.exit().unwrap().cwnd, 16.0);
    }

    #[test]
    fn a_paced_sender_has_the_whole_round_trip_in_current_kernels() {
        let mut h = hystart("variant=linux-5.6");
        h.d_min = ms(100.0);
        let mut w = Window::new(MSS as u32);
        w.cwnd = 64.0;
        assert_eq!(h.train_limit(&w, ms(100.0)), ms(50.5));
        w.pacing = Some(Rate::from_bps(800_000_000));
        assert_eq!(h.train_limit(&w, ms(100.0)), ms(101.0));
        w.pacing = Some(Rate::from_bps(8_000_000_000));
        assert_eq!(h.train_limit(&w, ms(100.0)), ms(100.26086));
        let h = HyStart {
            paced: Some(false),
            ..h
        };
        assert_eq!(h.train_limit(&w, ms(100.0)), ms(50.13043));
    }

    /// A lone flow on an empty path: the window at the exit. ACKs of a round come back
    /// `spacing` apart, one per packet, `rtt` after the packets left.
    fn exit_window(spec: &str, iw: f64, spacing: f64, rtt: f64) -> f64 {
        let mut flow = Flow::new(spec, iw);
        let mut start = 0.0;
        loop {
            start += rtt;
            let round = flow.w.cwnd;
            flow.round(round as u64);
            for i in 0..round as u64 {
                let now = at_ms(start + spacing * i as f64);
                if flow.ack(now, ms(rtt)).is_some() {
                    return flow.w.cwnd;
                }
                flow.w.cwnd += 1.0;
            }
        }
    }

    #[test]
    fn the_papers_paths_end_within_one_and_a_half_of_their_capacity() {
        for (spacing, rtt, iw, expected) in [
            (0.12, 106.0, 2.0, 954.0),
            (0.12, 106.0, 3.0, 1210.0),
            (0.12, 106.0, 10.0, 1082.0),
            (0.03, 160.0, 3.0, 5739.0),
            (1.2, 100.0, 3.0, 90.0),
        ] {
            let found = exit_window("tick=0s,detect=train", iw, spacing, rtt);
            // The ACK at the round's start is number zero.
            assert!((found - expected).abs() <= 1.0, "{found} is not {expected}");
        }
    }

    #[test]
    fn a_recorded_kernel_leaves_at_80_plus_8_by_delay() {
        // 5 Mbit/s, 64 ms: ACKs 2.4 ms apart are no train. The round that sends 80 packets
        // meets a queue from its first one on.
        let mut flow = Flow::new("variant=linux-5.6", 10.0);
        let mut start = 0.0;
        let mut rtt = 64.0;
        for packets in [10, 20, 40, 80] {
            start += 200.0;
            flow.round(packets);
            for i in 0..packets {
                let now = at_ms(start + 2.4 * i as f64);
                if flow.ack(now, ms(rtt)).is_some() {
                    break;
                }
                flow.w.cwnd += 1.0;
            }
            rtt = if packets == 40 { 100.0 } else { 64.0 };
        }
        assert_eq!(flow.w.ssthresh, 88.0);
    }

    #[test]
    fn a_recorded_kernel_leaves_at_1071_by_train() {
        // 100 Mbit/s, 102 ms: half of it and ack_delay are 430 ACKs in the round of 640.
        let found = exit_window("variant=linux-5.6,detect=train", 10.0, 0.12, 102.0);
        assert!((1069.0..=1072.0).contains(&found), "{found}");
    }

    #[test]
    fn picoquic_leaves_at_any_window_and_once() {
        let rounds: [&[f64]; 2] = [&[100.0; 7], &[126.0; 13]];
        assert_eq!(delay("variant=picoquic", 4.0, &rounds), Some(Reason::Delay));
        let mut h = hystart("variant=picoquic");
        let timeout = Timeout {
            now: at_ms(1.0),
            flight: MSS,
            usable: 64.0,
            repeated: false,
        };
        h.on_congestion(&mut Window::new(MSS as u32), &Congestion::Timeout(timeout));
        assert!(h.found);
    }

    #[test]
    fn a_timeout_forgets_the_path() {
        for variant in ["2008", "linux-5.6"] {
            let mut h = hystart(&format!("variant={variant}"));
            (h.d_min, h.found) = (ms(10.0), true);
            let timeout = Timeout {
                now: at_ms(1.0),
                flight: MSS,
                usable: 64.0,
                repeated: false,
            };
            h.on_congestion(&mut Window::new(MSS as u32), &Congestion::Timeout(timeout));
            assert_eq!((h.d_min, h.found), (Duration::MAX, false));
        }
    }

    #[test]
    fn linux_ignores_samples_for_a_second_after_recovery() {
        let mut h = hystart("variant=linux-5.6");
        let mut w = Window::new(MSS as u32);
        h.on_recovered(
            &mut w,
            &Recovered {
                now: at_ms(500.0),
                retransmitted: 0,
                flight: 0,
            },
        );
        let ack = |now| Ack {
            rtt: Some(ms(50.0)),
            ..Ack::of(at_ms(now), MSS)
        };
        h.on_ack(&mut w, &ack(1499.0), &mut slow_start());
        assert_eq!(h.d_min, Duration::MAX);
        h.on_ack(&mut w, &ack(1500.0), &mut slow_start());
        assert_eq!(h.d_min, ms(50.0));
    }
}
