//! Vegas: hold one to three segments in the queue, and no more.
//!
//! L. Brakmo and L. Peterson, "TCP Vegas: End to End Congestion Avoidance on a Global
//! Internet", IEEE JSAC 13(8), 1995. Reno learns the size of a path by overflowing it. Vegas
//! watches the round-trip time instead. The minimum, `baseRTT`, is the path
//! without a queue; a window sent on such a path would pass at the *expected* rate
//! `window/baseRTT`. The *actual* rate of the last round is lower by what waits in queues:
//! `diff = (expected - actual) * baseRTT` segments of this flow. Below `alpha` the window
//! grows by a segment per round trip, above `beta` it shrinks by one, between them it is
//! constant. A lone flow settles without ever losing a packet; next to flows that fill the queue
//! it is the one that yields.
//!
//! The values of `variant`:
//!
//! | variant | round-trip time of a round | window that is compared | growth |
//! | --- | --- | --- | --- |
//! | `ns2` | the mean | what is out when the round ends | `1/cwnd` per ACK, for the round |
//! | `linux` | the minimum, plus 1 us | what was out when it began | a segment at its end |
//! | `paper` | the mean | what was out when it began | as `ns2` |
//!
//! ns-2 rounds `diff` to whole segments, the kernel counts half ones. A round in which the
//! kernel has fewer than three samples is Reno's.
//!
//! # State
//!
//! The measurement that `Rounds` keeps, which begins with the connection so that the
//! minimum RTT is known when the startup ends; the increment of this round.
//!
//! # Contested
//!
//! - ns-2 finds losses with a separate timer, finer than the transport's, and cuts the
//!   window to a half where a segment is lost for the second time. Finding losses is the
//!   transport's here, so each is answered as a first one: three quarters remain.
//! - A timeout leaves two segments in ns-2, one in the kernel.
//! - The paper's text was not at hand; `paper` differs from `ns2` only in the window.

use super::{Avoidance, Maker, copies, reno};
use crate::entry::{Certainty, Entry};
use crate::params::{Params, SpecError};
use crate::signals::{Ack, Idle, Loss, Timeout};
use crate::{Convention, Duration, Family, Instant, Segments, Window, params};

/// Entry of `vegas` in the catalog of congestion controls.
pub const ENTRY: Entry<Maker> = Entry {
    name: "vegas",
    title: "Vegas",
    source: "Brakmo, Peterson: TCP Vegas, IEEE JSAC 13(8), 1995; ns-2 VegasTcpAgent; \
             Linux 2.6.22 tcp_vegas.c",
    year: 1995,
    opened: "code: ns-2.35 VegasTcpAgent, Linux 2.6.22 tcp_vegas.c",
    compared: "increase, decrease, samples",
    summary: "Keeps one to three of the flow's segments in the queue, judged by round-trip times.",
    params: Settings::PARAMS,
    needs: &[],
    certainty: Certainty::Code,
    build: |params, convention| Ok(copies(Vegas::new(params, convention)?)),
};

params! {
    pub struct Settings {
        /// whose measurement: ns2, the mean of a round against what is out at its end; linux, the
        /// minimum of a round against what was out at its beginning; paper, the mean against what
        /// was out at its beginning
        #[usual("by stack: linux under linux, otherwise ns2")]
        variant: Option<Variant>,
        /// grow while fewer segments than these wait in queues
        #[usual("by variant: 2 for linux, otherwise 1")]
        alpha: Option<Segments>,
        /// shrink while more segments than these wait in queues
        #[usual("by variant: 4 for linux, otherwise 3")]
        beta: Option<Segments>,
        base: Option<reno::Base> as reno::Settings,
    }

    pub enum Variant { Ns2 = "ns2", Linux = "linux", Paper = "paper" }
}

impl Variant {
    /// As given, or as the stack has it.
    pub(crate) fn given(variant: Option<Variant>, convention: Convention) -> Variant {
        variant.unwrap_or(match convention.family {
            Family::Linux => Variant::Linux,
            _ => Variant::Ns2,
        })
    }
}

/// What Vegas measures, round by round: alike in its startup and afterwards.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rounds {
    variant: Variant,
    /// `baseRTT`; later than any time while nothing is known.
    base_rtt: Duration,
    sum_rtt: Duration,
    cnt_rtt: u64,
    min_rtt: Duration,
    /// Latest sample of the round trip (`v_rtt`).
    rtt: Duration,
    /// `v_actual`: the rate of the last round, segments per second.
    actual: f64,
    /// `begseq`: the round ends with the first ACK beyond it.
    beg_nxt: u64,
    beg_una: u64,
    beg_time: Instant,
    /// The congestion window when the round began.
    beg_cwnd: Segments,
}

/// Measurements of a round that has ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Round {
    /// Segments of this flow in queues; `None` where the round has too few samples.
    pub(crate) diff: Option<Segments>,
    /// `linux`: the window that would have had no queue.
    pub(crate) target: Segments,
    /// The congestion window at its beginning.
    pub(crate) old_cwnd: Segments,
}

impl Rounds {
    pub(crate) fn new(variant: Variant) -> Rounds {
        Rounds {
            variant,
            base_rtt: Duration::MAX,
            sum_rtt: Duration::ZERO,
            cnt_rtt: 0,
            min_rtt: Duration::MAX,
            rtt: Duration::ZERO,
            actual: 0.0,
            beg_nxt: 0,
            beg_una: 0,
            beg_time: Instant::ZERO,
            beg_cwnd: 0.0,
        }
    }

    /// Takes in an ACK. ns-2 judges a round before it looks at the sample of the ACK that
    /// ends it, the kernel after.
    pub(crate) fn on_ack(&mut self, w: &Window, a: &Ack) -> Option<Round> {
        if self.variant == Variant::Linux {
            self.sample(a.rtt);
        }
        let over = a.una > self.beg_nxt;
        let round = over.then(|| self.measure(w, a));
        if self.variant != Variant::Linux {
            self.sample(a.rtt);
        }
        round
    }

    /// Takes in an ACK during recovery, whose sample alone counts.
    pub(crate) fn on_recovery_ack(&mut self, a: &Ack) {
        self.sample(a.rtt);
    }

    /// What was measured before a pause or a timeout is no part of a round; the base stays,
    /// except in the kernel.
    pub(crate) fn restart(&mut self) {
        (self.sum_rtt, self.cnt_rtt, self.min_rtt) = (Duration::ZERO, 0, Duration::MAX);
        if self.variant == Variant::Linux {
            self.base_rtt = Duration::MAX;
        }
    }

    fn sample(&mut self, rtt: Option<Duration>) {
        let Some(rtt) = rtt else { return };
        let rtt = match self.variant {
            Variant::Linux => Duration::from_micros(rtt.nanos() / 1_000 + 1),
            _ => rtt,
        };
        self.rtt = rtt;
        self.sum_rtt += rtt;
        self.cnt_rtt += 1;
        self.min_rtt = self.min_rtt.min(rtt);
        self.base_rtt = self.base_rtt.min(rtt);
    }

    fn measure(&mut self, w: &Window, a: &Ack) -> Round {
        let (diff, target) = match self.variant {
            Variant::Ns2 => (self.diff_ns2(w, a), 0.0),
            Variant::Paper => (self.diff_paper(w, a), 0.0),
            Variant::Linux => self.diff_linux(w),
        };
        let old_cwnd = self.beg_cwnd;
        (self.sum_rtt, self.cnt_rtt, self.min_rtt) = (Duration::ZERO, 0, Duration::MAX);
        (self.beg_una, self.beg_nxt) = (self.beg_nxt, a.nxt);
        (self.beg_time, self.beg_cwnd) = (a.now, w.cwnd);
        Round {
            diff,
            target,
            old_cwnd,
        }
    }

    /// The mean of the round, or how long it lasted where nothing could be measured.
    fn mean(&self, now: Instant) -> Duration {
        match self.cnt_rtt {
            0 => now.since(self.beg_time),
            n => self.sum_rtt.over(n),
        }
    }

    /// In ns-2's order of operations. Its window is what is out and the segment just
    /// acknowledged; a round of a single segment resets the base.
    fn diff_ns2(&mut self, w: &Window, a: &Ack) -> Option<Segments> {
        let rtt = self.mean(a.now);
        let length = w.segments(a.nxt - self.beg_nxt.min(a.nxt));
        if rtt == Duration::ZERO {
            return None;
        }
        if rtt < self.base_rtt || length <= 1.0 {
            self.base_rtt = rtt;
        }
        self.actual = length / rtt.secs();
        let base = self.base_rtt.secs();
        Some(((out(w, a) / base - self.actual) * base + 0.5).floor())
    }

    fn diff_paper(&mut self, w: &Window, a: &Ack) -> Option<Segments> {
        let rtt = self.mean(a.now);
        let length = w.segments(self.beg_nxt - self.beg_una);
        if rtt == Duration::ZERO {
            return None;
        }
        self.base_rtt = self.base_rtt.min(rtt);
        Some(length * (1.0 - self.base_rtt.secs() / rtt.secs()))
    }

    /// In half segments, as the kernel's fixed point has it.
    fn diff_linux(&self, w: &Window) -> (Option<Segments>, Segments) {
        /// Fewer than these are as likely delayed ACKs as a queue.
        const ENOUGH: u64 = 3;
        let old_wnd = w.segments(self.beg_nxt - self.beg_una).floor();
        if self.cnt_rtt < ENOUGH {
            return (None, old_wnd);
        }
        let (base, min) = (self.base_rtt.nanos() as f64, self.min_rtt.nanos() as f64);
        let halves = (2.0 * old_wnd * base / min).floor();
        (Some((2.0 * old_wnd - halves) / 2.0), (halves / 2.0).floor())
    }
}

/// What is out and the segment just acknowledged: ns-2's `t_seqno - last_ack`.
pub(crate) fn out(w: &Window, a: &Ack) -> Segments {
    w.segments(a.nxt - a.una) + 1.0
}

/// State of Vegas on one connection.
#[derive(Clone)]
struct Vegas {
    variant: Variant,
    alpha: Segments,
    beta: Segments,
    rounds: Rounds,
    /// What each ACK of this round adds.
    incr: Segments,
    /// Growth per ACK before the last reduction.
    incr_before: Segments,
    /// `linux`: this round grows as Reno does.
    reno: bool,
    decrease: reno::Decrease,
}

impl Vegas {
    fn new(params: &Params, convention: Convention) -> Result<Vegas, SpecError> {
        let settings = Settings::read(params)?;
        let variant = Variant::given(settings.variant, convention);
        let (alpha, beta) = match variant {
            Variant::Linux => (2.0, 4.0),
            Variant::Ns2 | Variant::Paper => (1.0, 3.0),
        };
        let alpha = settings.alpha.unwrap_or(alpha);
        let beta = settings.beta.unwrap_or(beta);
        if beta < alpha {
            let (param, expected) = match settings.beta {
                Some(_) => (Settings::beta, format!("at least `alpha`, {alpha}")),
                None => (Settings::alpha, format!("at most `beta`, {beta}")),
            };
            return Err(SpecError::bad_value(params, &param, &expected));
        }
        Ok(Vegas {
            variant,
            alpha,
            beta,
            rounds: Rounds::new(variant),
            incr: 0.0,
            incr_before: 0.0,
            reno: false,
            decrease: reno::Decrease::of(reno::Base::given(settings.base, convention)),
        })
    }

    /// The rule of the round that begins.
    fn decide(&mut self, w: &mut Window, round: Round) {
        self.incr = 0.0;
        self.reno = round.diff.is_none() && self.variant == Variant::Linux;
        let Some(diff) = round.diff else { return };
        if diff > self.beta {
            let lower = match self.variant {
                Variant::Linux => w.cwnd.min(round.old_cwnd),
                _ => w.cwnd,
            };
            w.cwnd = (lower - 1.0).max(2.0).min(w.cwnd);
        } else if diff < self.alpha {
            self.incr = 1.0 / w.cwnd;
        }
    }

    /// The window comes down, and nothing adds to it before the next round.
    fn reduce(&mut self) {
        (self.incr_before, self.incr) = (self.incr, 0.0);
    }

    fn grow(&mut self, w: &mut Window, a: &Ack, over: bool) {
        if !a.cwnd_limited {
            return;
        }
        match self.variant {
            // ns-2 waits where the window is not used.
            Variant::Ns2 | Variant::Paper if w.cwnd - out(w, a) > 2.0 => {}
            Variant::Ns2 | Variant::Paper => w.cwnd += self.incr,
            Variant::Linux if self.reno => w.cwnd += w.segments(a.credit) / w.cwnd,
            Variant::Linux if over && self.incr > 0.0 => w.cwnd += 1.0,
            Variant::Linux => {}
        }
    }
}

impl Avoidance for Vegas {
    fn on_start(&mut self, _w: &mut Window, _now: Instant) {
        (self.incr, self.reno) = (0.0, false);
    }

    fn on_startup_ack(&mut self, w: &Window, a: &Ack) {
        self.rounds.on_ack(w, a);
    }

    fn on_ack(&mut self, w: &mut Window, a: &Ack) {
        let round = self.rounds.on_ack(w, a);
        if let Some(round) = round {
            self.decide(w, round);
        }
        self.grow(w, a, round.is_some());
    }

    fn on_recovery_ack(&mut self, _w: &mut Window, a: &Ack) {
        self.rounds.on_recovery_ack(a);
    }

    /// ns-2 keeps three quarters, and never uses slow start again: its threshold is two.
    fn on_loss(&mut self, w: &mut Window, l: &Loss) {
        self.reduce();
        if self.variant == Variant::Linux {
            return self.decrease.on_loss(w, l);
        }
        w.ssthresh = 2.0;
        w.cwnd = if l.usable <= 3.0 {
            2.0_f64.min(w.cwnd)
        } else {
            l.usable * 0.75
        };
    }

    fn on_timeout(&mut self, w: &mut Window, t: &Timeout) {
        self.decrease.on_timeout(w, t);
        self.rounds.restart();
        match t.repeated {
            true => self.incr = 0.0,
            false => self.reduce(),
        }
        if self.variant != Variant::Linux {
            w.cwnd = 2.0;
        }
    }

    /// The round continues at its rate. `tcp_vegas.c` has `tcp_reno_undo_cwnd`, which restores the
    /// window alone.
    fn on_spurious(&mut self, _w: &mut Window) {
        if self.variant != Variant::Linux {
            self.incr = self.incr_before;
        }
    }

    /// Paces after an idle time (`RBP_VEGAS_RATE_ALGORITHM` of ns-2's `Vegas/RBP`).
    fn paced_restart(&self) -> Option<(Segments, Duration)> {
        let Rounds { actual, rtt, .. } = self.rounds;
        (actual > 0.0).then(|| (actual * rtt.secs(), rtt))
    }

    /// To ns-2 a pause is a round like any other.
    fn on_idle(&mut self, _w: &mut Window, _i: &Idle) {
        if self.variant != Variant::Ns2 {
            self.rounds.restart();
            self.incr = 0.0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog;

    const MSS: u64 = 1460;

    fn ms(x: u64) -> Duration {
        Duration::from_millis(x)
    }

    /// A round of ns-2's in which `window` segments take `rtt`.
    fn diff(window: u64, base: u64, rtt: u64) -> (f64, f64) {
        let w = Window::new(MSS as u32);
        let ack = Ack {
            una: 101 * MSS,
            nxt: (100 + window) * MSS,
            ..Ack::of(Instant::from_millis(1_000), MSS)
        };
        let measured = |variant| {
            let mut rounds = Rounds::new(variant);
            (rounds.beg_una, rounds.beg_nxt) = (0, 100 * MSS);
            if variant == Variant::Paper {
                rounds.beg_una = (100 - window) * MSS;
            }
            rounds.sample(Some(ms(base)));
            (rounds.sum_rtt, rounds.cnt_rtt) = (ms(rtt).times(4), 4);
            rounds.on_ack(&w, &ack).unwrap().diff.unwrap()
        };
        (measured(Variant::Paper), measured(Variant::Ns2))
    }

    #[test]
    fn segments_in_the_queue() {
        for (window, rtt, raw, whole) in [
            (10, 100, 0.0, 0.0),
            (10, 110, 0.909, 1.0),
            (24, 105, 1.143, 1.0),
            (20, 120, 3.333, 3.0),
            (20, 125, 4.0, 4.0),
        ] {
            let found = diff(window, 100, rtt);
            assert!((found.0 - raw).abs() < 5e-4, "{found:?} is not {raw}");
            assert_eq!(found.1, whole, "{window} segments in {rtt} ms");
        }
    }

    /// Twenty segments in a round of 125 ms are 160 a second; the latest sample gives the interval.
    #[test]
    fn a_paced_restart_has_the_rate_of_the_last_round() {
        let kind = crate::params::AlgorithmKind::AVOIDANCE;
        let params = Params::parse(kind, ENTRY.name, ENTRY.params, "").unwrap();
        let mut c = Vegas::new(&params, Convention::NS2).unwrap();
        assert_eq!(c.paced_restart(), None, "nothing has been measured");
        (c.rounds.beg_nxt, c.rounds.cnt_rtt) = (100 * MSS, 1);
        (c.rounds.sum_rtt, c.rounds.rtt) = (ms(125), ms(120));
        let ack = Ack {
            una: 101 * MSS,
            nxt: 120 * MSS,
            rtt: None,
            ..Ack::of(Instant::from_millis(1_000), MSS)
        };
        c.rounds.on_ack(&Window::new(MSS as u32), &ack);
        let (window, rtt) = c.paced_restart().unwrap();
        assert!((window - 160.0 * 0.12).abs() < 1e-9, "{window}");
        assert_eq!(rtt, ms(120));
    }

    #[test]
    fn linux_counts_half_segments() {
        let mut rounds = Rounds::new(Variant::Linux);
        (rounds.beg_una, rounds.beg_nxt) = (0, 24 * MSS);
        (rounds.base_rtt, rounds.min_rtt) = (ms(100), ms(105));
        rounds.cnt_rtt = 3;
        let w = Window::new(MSS as u32);
        assert_eq!(rounds.diff_linux(&w), (Some(1.5), 22.0));
        rounds.cnt_rtt = 2;
        assert_eq!(rounds.diff_linux(&w).0, None);
    }

    /// The window after a round of `window` segments that took `rtt`, and after another
    /// whole window of ACKs.
    fn after_round(spec: &str, convention: Convention, window: u64, rtt: u64) -> (f64, f64) {
        let mut c = catalog::controller("slow-start", spec, convention).unwrap();
        let mut w = Window::new(MSS as u32);
        (w.cwnd, w.ssthresh) = (window as f64, 2.0);
        let mut ack = |w: &mut Window, una: u64, rtt: u64| {
            let ack = Ack {
                una: una * MSS,
                nxt: (una + window - 1) * MSS,
                rtt: Some(ms(rtt)),
                ..Ack::of(Instant::from_millis(100 * una), MSS)
            };
            c.on_ack(w, &ack);
        };
        // The round that ends here is the first: no queue is known of.
        ack(&mut w, 1, 100);
        w.cwnd = window as f64;
        (2..=window).for_each(|una| ack(&mut w, una, rtt));
        w.cwnd = window as f64;
        ack(&mut w, window + 1, rtt);
        let first = w.cwnd;
        (window + 2..=2 * window).for_each(|una| ack(&mut w, una, rtt));
        (first, w.cwnd)
    }

    #[test]
    fn it_holds_shrinks_or_grows() {
        // The mean of the round is that of nineteen samples of 120 and one of 100.
        assert_eq!(after_round("vegas", Convention::NS2, 20, 120), (20.0, 20.0));
        assert_eq!(after_round("vegas", Convention::NS2, 20, 130).0, 19.0);
        let (first, last) = after_round("vegas", Convention::NS2, 10, 100);
        assert!((first - 10.1).abs() < 1e-12 && (last - 11.0).abs() < 1e-9);
        let paper = after_round("vegas:variant=paper", Convention::NS2, 20, 130);
        assert_eq!(paper.0, 19.0);
    }

    #[test]
    fn linux_moves_by_whole_segments() {
        let linux = |rtt| after_round("vegas", Convention::LINUX, 40, rtt);
        assert_eq!(linux(100), (41.0, 41.0));
        // 40 segments, 107 ms: 2.5 segments in the queue; 115 ms: 5.
        assert_eq!(linux(107), (40.0, 40.0));
        assert_eq!(linux(115), (39.0, 39.0));
    }

    #[test]
    fn linux_without_samples_is_reno() {
        let (first, last) = after_round("vegas", Convention::LINUX, 2, 100);
        assert!(
            (first - 2.5).abs() < 1e-12 && last > first,
            "{first} {last}"
        );
    }

    fn lost(convention: Convention, cwnd: f64) -> (f64, f64) {
        let mut c = catalog::controller("slow-start", "vegas", convention).unwrap();
        let mut w = Window::new(MSS as u32);
        (w.cwnd, w.ssthresh) = (cwnd, cwnd);
        let loss = Loss {
            now: Instant::from_millis(1),
            flight: cwnd as u64 * MSS,
            usable: cwnd,
        };
        c.on_loss(&mut w, &loss);
        (w.cwnd, w.ssthresh)
    }

    #[test]
    fn a_loss_leaves_three_quarters() {
        assert_eq!(lost(Convention::NS2, 20.0), (15.0, 2.0));
        assert_eq!(lost(Convention::NS2, 3.0), (2.0, 2.0));
        assert_eq!(lost(Convention::LINUX, 20.0), (10.0, 10.0));
    }

    #[test]
    fn a_timeout_leaves_two_segments_in_ns2() {
        for (convention, cwnd) in [(Convention::NS2, 2.0), (Convention::LINUX, 1.0)] {
            let mut c = catalog::controller("slow-start", "vegas", convention).unwrap();
            let mut w = Window::new(MSS as u32);
            w.cwnd = 20.0;
            let timeout = Timeout {
                now: Instant::from_millis(1),
                flight: 20 * MSS,
                usable: 20.0,
                repeated: false,
            };
            c.on_timeout(&mut w, &timeout);
            assert_eq!((w.cwnd, w.ssthresh), (cwnd, 10.0));
        }
    }

    #[test]
    fn thresholds_in_the_wrong_order_are_refused() {
        let complaint = |spec: &str| {
            catalog::controller("slow-start", spec, Convention::RFC)
                .err()
                .unwrap()
                .to_string()
        };
        assert_eq!(
            complaint("vegas:beta=0"),
            "cc `vegas`: parameter `beta`: `0` is not at least `alpha`, 1"
        );
        assert_eq!(
            complaint("vegas:alpha=5"),
            "cc `vegas`: parameter `alpha`: `5` is not at most `beta`, 3"
        );
    }

    #[test]
    fn after_a_spurious_loss_the_round_continues_at_its_rate() {
        let kind = crate::params::AlgorithmKind::AVOIDANCE;
        let params = Params::parse(kind, ENTRY.name, ENTRY.params, "").unwrap();
        let mut vegas = Vegas::new(&params, Convention::RFC).unwrap();
        let mut w = Window::new(MSS as u32);
        (w.cwnd, vegas.incr) = (20.0, 0.05);
        let l = Loss {
            now: Instant::from_millis(1),
            flight: 20 * MSS,
            usable: 20.0,
        };
        vegas.on_loss(&mut w, &l);
        assert_eq!(vegas.incr, 0.0);
        vegas.on_spurious(&mut w);
        assert_eq!(vegas.incr, 0.05);
    }
}
