//! Westwood: after a loss, back to the window that the measured rate fills.
//!
//! S. Mascolo, C. Casetti, M. Gerla, M. Sanadidi, R. Wang, "TCP Westwood: Bandwidth
//! Estimation for Enhanced Transport over Wireless Links", MobiCom 2001. Reno halves its
//! window at every loss, whether a queue was full or a radio link lost a packet. Westwood
//! measures the rate at which ACKs come back and, at a loss, sets the threshold to
//! `rate * RTTmin`: what the path holds without a queue. Where buffers were full that is much like
//! halving; where the loss meant nothing, the window stays. Growth is Reno's.
//!
//! ACKs that arrive squeezed together make the rate of a single one far too high, so it is
//! filtered: `westwood` filters each ACK's, over a second. *Westwood+* (L. Grieco and S.
//! Mascolo, 2004, and Linux) counts the bytes of a whole round trip first, which squeezing
//! does not change.
//!
//! # State
//!
//! `RTTmin`; the estimate, and the last sample of the filter; segments that duplicate ACKs
//! reported before the ACK that covers them; for `plus` the bytes of the window that is
//! measured.
//!
//! # Contested
//!
//! - `plus` halves when a loss is found and goes to the estimate when the recovery ends, as
//!   the kernel does.
//! - The first two duplicate ACKs are not reported to a controller. The limit of two segments per
//!   ACK keeps the ACK that covers them from counting too much.
//! - The original code divides the threshold after a timeout in slow start by 2, 3 and 4 in
//!   turn.

use super::{Avoidance, Maker, copies, reno};
use crate::entry::{Certainty, Entry};
use crate::params::{Params, SpecError};
use crate::signals::{Ack, Loss, Recovered, Timeout};
use crate::{Convention, Duration, Family, Instant, Segments, Window, params};

/// Entry of `westwood` in the catalog of congestion controls.
pub const ENTRY: Entry<Maker> = Entry {
    name: "westwood",
    title: "Westwood and Westwood+",
    source: "Mascolo, Casetti, Gerla, Sanadidi, Wang: TCP Westwood, MobiCom 2001; the authors' \
             ns-2 module; Linux 2.6.22 tcp_westwood.c",
    year: 2001,
    opened: "code: UCLA's TCPW-NR 1.3 for ns-2, Linux 2.6.22 tcp_westwood.c",
    compared: "filters, threshold after loss and timeout",
    summary: "Reno that falls back to the measured rate times the minimum round-trip time on loss.",
    params: Settings::PARAMS,
    needs: &[],
    certainty: Certainty::Code,
    build: |params, convention| Ok(copies(Westwood::new(params, convention)?)),
};

params! {
    pub struct Settings {
        /// how the rate is measured: westwood, ACK by ACK; plus, once per round trip (Westwood+)
        #[usual("by stack: plus under linux, otherwise westwood")]
        variant: Option<Variant>,
        /// variant=westwood: the filter, by the time between ACKs (the module's filter 3) or with
        /// fixed coefficients (its filter 1)
        filter: Filter = "tustin",
        /// filter=tustin: the time constant
        #[check(|tau| tau >= Duration::from_millis(1), "at least 1ms")]
        tau: Duration = "1s",
        growth: Option<reno::Growth> as reno::Settings,
        base: Option<reno::Base> as reno::Settings,
    }

    pub enum Variant { Westwood = "westwood", Plus = "plus" }
    pub enum Filter { Tustin = "tustin", Fixed = "fixed" }
}

/// The rate by a low-pass filter over single ACKs.
#[derive(Clone, Copy, Debug)]
struct PerAck {
    /// Time constant; `None` for fixed coefficients.
    tau: Option<Duration>,
    /// Estimated bandwidth, in bytes per second.
    bwe: f64,
    last_sample: f64,
    last_ack: Option<Instant>,
    /// Segments that duplicate ACKs have reported already.
    unaccounted: f64,
}

impl PerAck {
    /// Segments for which an ACK counts: those not yet reported by duplicates, at most two.
    fn count(&mut self, acked: Segments) -> Segments {
        if acked == 0.0 {
            self.unaccounted += 1.0;
            return 1.0;
        }
        if acked <= 1.0 {
            return acked;
        }
        let rest = if self.unaccounted >= acked {
            self.unaccounted -= acked - 1.0;
            1.0
        } else {
            acked - std::mem::replace(&mut self.unaccounted, 0.0)
        };
        rest.min(2.0)
    }

    fn on_ack(&mut self, w: &Window, a: &Ack) {
        let last = *self.last_ack.get_or_insert(a.now);
        let dt = a.now.since(last);
        let bytes = self.count(w.segments(a.acked)) * f64::from(w.mss);
        if dt > Duration::ZERO {
            self.last_ack = Some(a.now);
            self.filter(bytes / dt.secs(), dt);
        }
    }

    fn filter(&mut self, sample: f64, dt: Duration) {
        match self.tau {
            None => self.bwe = 0.9047 * self.bwe + 0.0476 * (sample + self.last_sample),
            Some(tau) => {
                let rest = self.silence(dt, tau.over(2));
                let x = 2.0 * tau.secs() / rest.secs();
                self.bwe =
                    self.bwe * (x - 1.0) / (x + 1.0) + (sample + self.last_sample) / (x + 1.0);
            }
        }
        self.last_sample = sample;
    }

    /// A long time without ACKs counts as samples of zero, half a time constant apart.
    fn silence(&mut self, dt: Duration, half: Duration) -> Duration {
        /// After so many hardly anything is left of the estimate.
        const MOST: u64 = 64;
        let zeros = (dt.nanos() - 1) / half.nanos();
        for _ in 0..zeros.min(MOST) {
            self.bwe = 0.6 * self.bwe + 0.2 * self.last_sample;
            self.last_sample = 0.0;
        }
        dt.saturating_sub(half.times(zeros))
    }
}

/// The rate by the bytes of a round trip, in bytes per millisecond as in the kernel.
#[derive(Clone, Copy, Debug, Default)]
struct PerRound {
    since: Option<Instant>,
    bytes: u64,
    ns_est: u64,
    bw_est: u64,
}

impl PerRound {
    fn on_ack(&mut self, bytes: u64, now: Instant, rtt: Option<Duration>) {
        /// No shorter time is measured over.
        const LEAST: Duration = Duration::from_millis(50);
        let since = *self.since.get_or_insert(now);
        let span = now.since(since);
        self.bytes = self.bytes.saturating_add(bytes);
        if rtt.is_some_and(|rtt| span > rtt.max(LEAST)) {
            self.filter(self.bytes / (span.nanos() / 1_000_000));
            (self.since, self.bytes) = (Some(now), 0);
        }
    }

    /// Two filters in sequence; the first sample sets both.
    fn filter(&mut self, sample: u64) {
        if self.ns_est == 0 && self.bw_est == 0 {
            (self.ns_est, self.bw_est) = (sample, sample);
            return;
        }
        self.ns_est = (7 * self.ns_est + sample) / 8;
        self.bw_est = (7 * self.bw_est + self.ns_est) / 8;
    }
}

#[derive(Clone, Copy, Debug)]
enum Estimator {
    PerAck(PerAck),
    PerRound(PerRound),
}

/// State of Westwood on one connection.
#[derive(Clone)]
struct Westwood {
    estimator: Estimator,
    rtt_min: Option<Duration>,
    rtt: Option<Duration>,
    delivered: u64,
    growth: reno::Increase,
    decrease: reno::Decrease,
    /// Consecutive timeouts in slow start, and one.
    divisor: f64,
    /// Divisor before the last timeout.
    divisor_before: f64,
    /// Whether a recovery that this avoidance began is under way.
    recovering: bool,
}

impl Westwood {
    fn new(params: &Params, convention: Convention) -> Result<Westwood, SpecError> {
        let settings = Settings::read(params)?;
        let by_stack = match convention.family {
            Family::Linux => Variant::Plus,
            _ => Variant::Westwood,
        };
        let plus = settings.variant.unwrap_or(by_stack) == Variant::Plus;
        let filtered = settings.filter == Filter::Tustin;
        params.effective(&Settings::filter, !plus, "`variant=westwood`")?;
        params.effective(
            &Settings::tau,
            !plus && filtered,
            "`variant=westwood,filter=tustin`",
        )?;
        let estimator = if plus {
            Estimator::PerRound(PerRound::default())
        } else {
            Estimator::PerAck(PerAck {
                tau: filtered.then_some(settings.tau),
                bwe: 0.0,
                last_sample: 0.0,
                last_ack: None,
                unaccounted: 0.0,
            })
        };
        Ok(Westwood {
            estimator,
            rtt_min: None,
            rtt: None,
            delivered: 0,
            growth: reno::Increase::given(settings.growth, convention),
            decrease: reno::Decrease::of(reno::Base::given(settings.base, convention)),
            divisor: 1.0,
            divisor_before: 1.0,
            recovering: false,
        })
    }

    fn measure(&mut self, w: &Window, a: &Ack) {
        if let Some(rtt) = a.rtt {
            self.rtt = Some(rtt);
            self.rtt_min = Some(self.rtt_min.map_or(rtt, |least| least.min(rtt)));
        }
        let bytes = a.delivered_total.saturating_sub(self.delivered);
        self.delivered = self.delivered.max(a.delivered_total);
        match &mut self.estimator {
            Estimator::PerAck(e) => e.on_ack(w, a),
            Estimator::PerRound(e) => e.on_ack(bytes, a.now, self.rtt),
        }
    }

    /// The window that the estimated rate fills, in whole segments; `None` while nothing is
    /// known.
    fn window(&self, w: &Window) -> Option<Segments> {
        let rate = match &self.estimator {
            Estimator::PerAck(e) => e.bwe,
            Estimator::PerRound(e) => e.bw_est as f64 * 1_000.0,
        };
        let rtt_min = self.rtt_min.filter(|_| rate > 0.0)?;
        Some((rate * rtt_min.secs() / f64::from(w.mss)).floor())
    }

    fn plus(&self) -> bool {
        matches!(self.estimator, Estimator::PerRound(_))
    }
}

impl Avoidance for Westwood {
    fn on_start(&mut self, _w: &mut Window, _now: Instant) {
        self.growth.forget();
    }

    fn on_startup_ack(&mut self, w: &Window, a: &Ack) {
        self.measure(w, a);
    }

    fn on_ack(&mut self, w: &mut Window, a: &Ack) {
        self.measure(w, a);
        self.growth.grow(w, a);
    }

    fn on_recovery_ack(&mut self, w: &mut Window, a: &Ack) {
        self.measure(w, a);
    }

    fn on_loss(&mut self, w: &mut Window, l: &Loss) {
        self.growth.reduce();
        self.divisor_before = self.divisor;
        self.recovering = true;
        match self.window(w) {
            Some(window) if !self.plus() => {
                w.ssthresh = window.max(2.0);
                w.cwnd = w.cwnd.min(w.ssthresh);
            }
            _ => self.decrease.on_loss(w, l),
        }
    }

    /// The kernel waits until now.
    fn on_recovered(&mut self, w: &mut Window, _r: &Recovered) {
        if !std::mem::take(&mut self.recovering) || !self.plus() {
            return;
        }
        if let Some(window) = self.window(w) {
            w.ssthresh = window.max(2.0);
            w.cwnd = w.ssthresh;
        }
    }

    fn on_timeout(&mut self, w: &mut Window, t: &Timeout) {
        self.recovering = false;
        let window = self.window(w);
        let slow_start = w.in_slow_start();
        let before = w.ssthresh;
        self.decrease.on_timeout(w, t);
        if t.repeated {
            self.growth.forget();
            w.ssthresh = before;
            return;
        }
        self.growth.reduce();
        self.divisor_before = self.divisor;
        let divisor = if slow_start { self.divisor + 1.0 } else { 1.0 };
        self.divisor = divisor.min(4.0);
        if let Some(window) = window {
            let divisor = if self.plus() { 1.0 } else { self.divisor };
            w.ssthresh = (window / divisor).floor().max(2.0);
        }
        if self.plus() {
            self.rtt_min = None;
        }
    }

    /// What was measured stays, and no recovery is left whose end would lower the window.
    fn on_spurious(&mut self, _w: &mut Window) {
        self.growth.undo();
        self.divisor = self.divisor_before;
        self.recovering = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Controller;
    use crate::catalog;
    use crate::testing::Bottleneck;

    const MSS: u64 = 1460;

    fn per_ack(tau: Option<Duration>) -> PerAck {
        PerAck {
            tau,
            bwe: 0.0,
            last_sample: 0.0,
            last_ack: None,
            unaccounted: 0.0,
        }
    }

    fn filtered(tau: Option<Duration>, expected: [f64; 6]) {
        let mut e = per_ack(tau);
        for bwe in expected {
            e.filter(1e6, Duration::from_millis(12));
            assert!((e.bwe - bwe).abs() < 0.06, "{} is not {bwe}", e.bwe);
        }
    }

    #[test]
    fn a_million_every_twelve_milliseconds() {
        let tustin = [5964.2, 17821.5, 29537.3, 41113.4, 52551.5, 63853.0];
        filtered(Some(Duration::from_secs(1)), tustin);
        let fixed = [47600.0, 138263.7, 220287.2, 294493.8, 361628.6, 422365.4];
        filtered(None, fixed);
    }

    #[test]
    fn silence_counts_as_zeros() {
        let mut e = per_ack(Some(Duration::from_secs(1)));
        (e.bwe, e.last_sample) = (1_000.0, 500.0);
        let rest = e.silence(Duration::from_millis(1_012), Duration::from_millis(500));
        assert_eq!(rest, Duration::from_millis(12));
        // 0.6*1000 + 0.2*500, and 0.6 of it.
        assert!(
            (e.bwe - 420.0).abs() < 1e-9 && e.last_sample == 0.0,
            "{e:?}"
        );
    }

    #[test]
    fn what_duplicates_reported_is_not_counted_again() {
        let mut e = per_ack(None);
        assert_eq!([0.0; 3].map(|acked| e.count(acked)), [1.0; 3]);
        assert_eq!((e.count(5.0), e.unaccounted), (2.0, 0.0));
        e.unaccounted = 5.0;
        assert_eq!((e.count(3.0), e.unaccounted), (1.0, 3.0));
        e.unaccounted = 0.0;
        assert_eq!((e.count(1.0), e.count(7.0)), (1.0, 2.0));
    }

    #[test]
    fn plus_filters_twice_in_whole_numbers() {
        let mut e = PerRound::default();
        for (sample, expected) in [
            (1_000, (1_000, 1_000)),
            (1_200, (1_025, 1_003)),
            (800, (996, 1_002)),
            (1_000, (996, 1_001)),
        ] {
            e.filter(sample);
            assert_eq!((e.ns_est, e.bw_est), expected);
        }
    }

    #[test]
    fn plus_measures_over_a_round_trip() {
        let mut e = PerRound::default();
        let rtt = Some(Duration::from_millis(100));
        for number in 0..=10 {
            e.on_ack(1_000, Instant::from_millis(10 * number), rtt);
        }
        assert_eq!((e.bw_est, e.bytes), (0, 11_000));
        e.on_ack(1_000, Instant::from_millis(110), rtt);
        assert_eq!((e.bw_est, e.bytes), (12_000 / 110, 0));
    }

    fn algorithm(spec: &str) -> (Westwood, Window) {
        let kind = crate::params::AlgorithmKind::AVOIDANCE;
        let params = Params::parse(kind, ENTRY.name, ENTRY.params, spec).unwrap();
        let mut w = Window::new(1500);
        w.cwnd = 20.0;
        (Westwood::new(&params, Convention::RFC).unwrap(), w)
    }

    /// 1 Mbit/s, 100 ms, 1500 bytes: 8.33 segments.
    fn knowing(spec: &str) -> (Westwood, Window) {
        let (mut v, w) = algorithm(spec);
        v.rtt_min = Some(Duration::from_millis(100));
        match &mut v.estimator {
            Estimator::PerAck(e) => e.bwe = 125_000.0,
            Estimator::PerRound(e) => e.bw_est = 125,
        }
        (v, w)
    }

    fn loss() -> Loss {
        Loss {
            now: Instant::ZERO,
            flight: 20 * 1500,
            usable: 20.0,
        }
    }

    #[test]
    fn a_loss_leaves_what_the_rate_fills() {
        let (mut v, mut w) = knowing("");
        v.on_loss(&mut w, &loss());
        assert_eq!((w.cwnd, w.ssthresh), (8.0, 8.0));
        w.cwnd = 5.0;
        v.on_loss(&mut w, &loss());
        assert_eq!((w.cwnd, w.ssthresh), (5.0, 8.0));
        let (mut v, mut w) = algorithm("");
        v.on_loss(&mut w, &loss());
        assert_eq!((w.cwnd, w.ssthresh), (10.0, 10.0));
    }

    #[test]
    fn plus_waits_for_the_end_of_recovery() {
        let (mut v, mut w) = knowing("variant=plus");
        v.on_loss(&mut w, &loss());
        assert_eq!((w.cwnd, w.ssthresh), (10.0, 10.0));
        let recovered = Recovered {
            now: Instant::ZERO,
            retransmitted: 1,
            flight: 0,
        };
        v.on_recovered(&mut w, &recovered);
        assert_eq!((w.cwnd, w.ssthresh), (8.0, 8.0));
        w.cwnd = 9.0;
        v.on_recovered(&mut w, &recovered);
        assert_eq!(w.cwnd, 9.0);
    }

    #[test]
    fn timeouts_in_slow_start_divide() {
        let thresholds = |spec: &str| {
            let (mut v, mut w) = knowing(spec);
            [
                20.0,
                f64::INFINITY,
                f64::INFINITY,
                f64::INFINITY,
                f64::INFINITY,
            ]
            .map(|ssthresh| {
                w.ssthresh = ssthresh;
                w.cwnd = 20.0;
                v.rtt_min = Some(Duration::from_millis(100));
                let timeout = Timeout {
                    now: Instant::ZERO,
                    flight: 0,
                    usable: 20.0,
                    repeated: false,
                };
                v.on_timeout(&mut w, &timeout);
                assert_eq!(w.cwnd, 1.0);
                w.ssthresh
            })
        };
        assert_eq!(thresholds(""), [8.0, 4.0, 2.0, 2.0, 2.0]);
        assert_eq!(thresholds("variant=plus"), [8.0; 5]);
    }

    /// A lone flow of 10 Mbit/s and 100 ms: after six seconds the rate is known, and it is
    /// known from the beginning of the connection.
    #[test]
    fn the_rate_of_a_path() {
        let path = Bottleneck {
            transmission: Duration::from_micros(1_200),
            rtt: Duration::from_millis(100),
        };
        for convention in [Convention::RFC, Convention::LINUX] {
            let mut lost = 0.0;
            let start = "slow-start:ssthresh=100";
            let after = |c: &mut Controller, w: &mut Window, number: u64| {
                if number == 4_999 {
                    let l = Loss {
                        now: Instant::from_secs(6),
                        flight: w.cwnd as u64 * MSS,
                        usable: w.cwnd,
                    };
                    c.on_loss(w, &l);
                    let recovered = Recovered {
                        now: Instant::from_secs(6),
                        retransmitted: MSS,
                        flight: 0,
                    };
                    c.on_recovered(w, &recovered);
                    lost = w.cwnd;
                }
            };
            path.run_with(start, "westwood", convention, 5_000, |_, _| {}, after);
            // 83 segments less what the filters lag and truncate.
            assert!((80.0..=84.0).contains(&lost), "{lost}");
        }
    }

    #[test]
    fn a_filter_needs_time() {
        let error = catalog::controller("slow-start", "westwood:tau=0s", Convention::RFC);
        assert_eq!(
            error.err().unwrap().to_string(),
            "cc `westwood`: parameter `tau`: `0s` is not at least 1ms"
        );
    }

    #[test]
    fn a_spurious_timeout_in_slow_start_counts_towards_no_divisor() {
        let (mut v, mut w) = knowing("");
        let timeout = Timeout {
            now: Instant::ZERO,
            flight: 0,
            usable: 20.0,
            repeated: false,
        };
        let mut time_out = |v: &mut Westwood| {
            (w.cwnd, w.ssthresh) = (20.0, f64::INFINITY);
            v.on_timeout(&mut w, &timeout);
            w.ssthresh
        };
        assert_eq!(time_out(&mut v), 4.0);
        v.on_spurious(&mut Window::new(1500));
        assert_eq!(time_out(&mut v), 4.0);
    }

    #[test]
    fn after_a_spurious_loss_no_recovery_lowers_the_window() {
        let (mut v, mut w) = knowing("variant=plus");
        v.on_loss(&mut w, &loss());
        (w.cwnd, w.ssthresh) = (20.0, 20.0);
        v.on_spurious(&mut w);
        let recovered = Recovered {
            now: Instant::ZERO,
            retransmitted: 1,
            flight: 0,
        };
        v.on_recovered(&mut w, &recovered);
        assert_eq!(w.cwnd, 20.0);
    }
}
