//! Limited slow start: no more than a fixed number of segments are added per round trip.
//!
//! RFC 3742 §2 (S. Floyd, "Limited Slow-Start for TCP with Large Congestion Windows",
//! March 2004, Experimental). The last round of slow start adds a whole window at once, on
//! a fast long path many thousands of segments, and as many may be lost. Above
//! `max_ssthresh` this variant adds at most half of `max_ssthresh` per round trip: linear
//! growth, some fifty segments a round by default. The overshoot is bounded; the price is
//! paid by paths that are really large, which take hundreds of rounds to fill.
//!
//! Three variants differ in detail. `rfc` is the RFC's, in whole bytes. `ns2` is ns-2's: it
//! takes `max_ssthresh` for the ordinary threshold as well and limits growth *above* it
//! until the first fast retransmit. `linux` is that of kernels up to 3.x: a credit of
//! `max_ssthresh/2` per ACK, without the RFC's rounding down to `1/K`.
//!
//! # State
//!
//! The `linux` variant's credit; for `ns2` whether a fast retransmit has ended it.
//!
//! # Deviations
//!
//! - The RFC's text was not at hand; its rule is as ns-2, Linux and other programs quote it.
//! - The RFC's own example counts 836 rounds to 83 000 segments, which takes `max_ssthresh` for the
//!   growth of a round; the printed rule gives half of that growth and twice the rounds, and is
//!   what is followed.

use super::{Congestion, Maker, Response, Startup, copies};
use crate::entry::{Certainty, Entry};
use crate::params::{Params, SpecError};
use crate::signals::{Ack, Established};
use crate::slow_start::{SlowStart, peer_window};
use crate::{Convention, Family, Reason, Segments, Window, params, with_slow_start};

/// Entry of `limited-slow-start` in the catalog of startups.
pub const ENTRY: Entry<Maker> = Entry {
    name: "limited-slow-start",
    title: "Limited slow start",
    source: "RFC 3742 §2",
    year: 2004,
    opened: "code: ns-2.35 TcpAgent::limited_slow_start, Linux up to 3.x tcp_slow_start; RFC 3742's formula as three programs quote it",
    compared: "growth above max_ssthresh, threshold",
    summary: "Slow start that adds at most max_ssthresh/2 segments per round trip once the \
              window exceeds max_ssthresh.",
    params: with_slow_start!(Settings),
    needs: &[],
    certainty: Certainty::Code,
    build: |params, convention| Ok(copies(LimitedSlowStart::new(params, convention)?)),
};

params! {
    /// Parameters; those of slow start apply below `max_ssthresh`.
    pub struct Settings {
        /// the window above which growth is limited; 0 for never
        max_ssthresh: Segments = "100",
        /// whose rule: RFC 3742's, ns-2's (max_ssthresh is the ordinary threshold too, and limited
        /// growth ends with the first fast retransmit) or Linux 2.6-3.x's (a credit per ACK)
        #[usual("by stack: rfc, ns2 or linux")]
        variant: Option<Rule>,
        /// variant=rfc: increments in whole bytes, at least one, or exact fractions of a segment
        arithmetic: Arithmetic = "bytes",
    }

    pub enum Rule { Rfc = "rfc", Ns2 = "ns2", Linux = "linux" }
    pub enum Arithmetic { Bytes = "bytes", Exact = "exact" }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Variant {
    Bytes,
    Exact,
    Ns2,
    Linux,
}

/// State of Limited slow start on one connection.
#[derive(Clone)]
struct LimitedSlowStart {
    max_ssthresh: Segments,
    variant: Variant,
    /// Credit towards the next segment (Linux's `snd_cwnd_cnt`).
    credit: Segments,
    /// ns-2: the last reduction, if any, was a timeout.
    unreduced: bool,
}

impl LimitedSlowStart {
    fn new(params: &Params, convention: Convention) -> Result<LimitedSlowStart, SpecError> {
        let settings = Settings::read(params)?;
        let by_stack = match convention.family {
            Family::Ns2 => Rule::Ns2,
            Family::Linux => Rule::Linux,
            _ => Rule::Rfc,
        };
        let variant = match settings.variant.unwrap_or(by_stack) {
            Rule::Ns2 => Variant::Ns2,
            Rule::Linux => Variant::Linux,
            Rule::Rfc if settings.arithmetic == Arithmetic::Exact => Variant::Exact,
            Rule::Rfc => Variant::Bytes,
        };
        let rfc = matches!(variant, Variant::Bytes | Variant::Exact);
        params.effective(&Settings::arithmetic, rfc, "`variant=rfc`")?;
        Ok(LimitedSlowStart {
            max_ssthresh: settings.max_ssthresh,
            variant,
            credit: 0.0,
            unreduced: true,
        })
    }

    fn off(&self) -> bool {
        self.max_ssthresh == 0.0
    }

    /// RFC 3742 §2: above `max_ssthresh` an ACK adds `int(MSS/K)` bytes,
    /// `K = int(cwnd/(0.5 max_ssthresh))`, K by the window before the ACK.
    fn grow_rfc(&mut self, w: &mut Window, a: &Ack, slow_start: &mut SlowStart) {
        if w.cwnd <= self.max_ssthresh {
            return slow_start.grow(w, a);
        }
        let mss = f64::from(w.mss);
        w.cwnd += slow_start.earned(w, a)
            * match self.variant {
                Variant::Exact => 1.0 / (w.cwnd / (0.5 * self.max_ssthresh)).floor(),
                // The RFC's int(MSS/K) is zero from 0.5*max_ssthresh*MSS segments on, and
                // growth would cease: at least one byte is added.
                _ => {
                    let cwnd = (w.cwnd * mss).round();
                    let k = (cwnd / (0.5 * self.max_ssthresh * mss)).floor();
                    (mss / k).floor().max(1.0) / mss
                }
            };
    }

    /// ns-2: slow start below the threshold, which is at most `max_ssthresh`; above it the
    /// larger of the congestion control's increment and 1/K. The order of operations is that
    /// of ns-2, for equal rounding.
    fn grow_ns2(&mut self, w: &mut Window, a: &Ack, slow_start: &mut SlowStart) {
        if w.in_slow_start() {
            return slow_start.grow(w, a);
        }
        if !a.cwnd_limited {
            return;
        }
        let mut increment = 1.0 / w.cwnd;
        let k = (w.cwnd / (self.max_ssthresh / 2.0)) as i32;
        if k > 0 {
            let limited = 1.0 / f64::from(k);
            if increment < limited {
                increment = limited;
            }
        }
        w.cwnd += increment;
    }

    /// Linux up to 3.x: credit gathers and buys segments at the price of one window each.
    /// The price does not rise within an ACK.
    fn grow_linux(&mut self, w: &mut Window, a: &Ack, slow_start: &mut SlowStart) {
        if w.cwnd <= self.max_ssthresh {
            return slow_start.grow(w, a);
        }
        let earned = slow_start.earned(w, a);
        if earned == 0.0 {
            return;
        }
        self.credit += (self.max_ssthresh / 2.0).floor() * earned;
        let bought = (self.credit / w.cwnd).floor();
        self.credit -= bought * w.cwnd;
        w.cwnd += bought;
    }
}

impl Startup for LimitedSlowStart {
    fn on_established(&mut self, w: &mut Window, e: &Established) {
        if self.variant == Variant::Ns2 && !self.off() {
            w.ssthresh = w
                .ssthresh
                .min(peer_window(w, e.peer_window))
                .min(self.max_ssthresh);
        }
    }

    fn on_ack(&mut self, w: &mut Window, a: &Ack, slow_start: &mut SlowStart) -> Option<Reason> {
        match self.variant {
            _ if self.off() => slow_start.grow(w, a),
            Variant::Bytes | Variant::Exact => self.grow_rfc(w, a, slow_start),
            Variant::Ns2 => self.grow_ns2(w, a, slow_start),
            Variant::Linux => self.grow_linux(w, a, slow_start),
        }
        None
    }

    fn on_congestion(&mut self, _w: &mut Window, c: &Congestion) -> Response {
        self.credit = 0.0;
        self.unreduced = c.is_timeout();
        Response::STANDARD
    }

    /// ns-2 keeps limited growth above the threshold as long as nothing but a timeout has
    /// reduced the window.
    fn in_charge(&self, w: &Window) -> bool {
        let limited = self.variant == Variant::Ns2 && self.unreduced && !self.off();
        w.in_slow_start() || limited
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Instant;
    use crate::signals::{Loss, Timeout};
    use crate::testing::{Receiver, established, rounds};

    fn every_segment(spec: &str, convention: Convention, count: usize) -> Vec<f64> {
        let comma = if spec.is_empty() { "" } else { "," };
        let spec = format!("limited-slow-start:iw=3{comma}{spec}");
        rounds(&spec, convention, Receiver::EverySegment, count)
    }

    fn assert_near(found: &[f64], expected: &[f64], tolerance: f64) {
        assert_eq!(found.len(), expected.len());
        for (f, e) in found.iter().zip(expected) {
            assert!((f - e).abs() <= tolerance, "{f} is not {e} in {found:?}");
        }
    }

    #[test]
    fn rfc_without_rounding() {
        let expected = [
            3.0, 6.0, 12.0, 24.0, 48.0, 96.0, 146.5, 196.3333, 246.25, 296.2, 346.2, 396.1762,
            446.1583,
        ];
        let found = every_segment("arithmetic=exact", Convention::RFC, 13);
        assert_near(&found, &expected, 1e-4);
    }

    #[test]
    fn rfc_in_bytes() {
        let expected = [
            4380, 8760, 17520, 35040, 70080, 140160, 213890, 286554, 359546, 432473, 505332,
            578140, 650784,
        ];
        let found = every_segment("", Convention::RFC, 13);
        let bytes: Vec<u64> = found.iter().map(|w| (w * 1460.0).round() as u64).collect();
        assert_eq!(bytes, expected);
    }

    #[test]
    fn as_ns2_records_it() {
        let expected = [
            3.0, 6.0, 12.0, 24.0, 48.0, 96.0, 146.0, 196.0, 246.0, 296.0, 345.87, 395.75, 445.66,
            495.59, 545.53, 595.49, 645.45,
        ];
        let found = every_segment("", Convention::NS2, 17);
        assert_near(&found, &expected, 0.005);
    }

    #[test]
    fn linux_buys_segments_with_credit() {
        let expected = [
            3, 6, 12, 24, 48, 96, 139, 182, 226, 272, 318, 365, 412, 459, 506, 554,
        ];
        let found = every_segment("", Convention::LINUX, 16);
        assert_eq!(found, expected.map(f64::from));
    }

    #[test]
    fn increments_in_bytes_by_k() {
        let increments = [730, 486, 365, 292, 243, 208, 182, 162, 146, 132];
        for (k, expected) in (2..).zip(increments) {
            let (mut c, mut w) = established("limited-slow-start", Convention::RFC);
            w.cwnd = f64::from(k) * 50.0 + 0.01;
            let before = w.cwnd;
            c.on_ack(&mut w, &Ack::of(Instant::ZERO, 1460));
            assert_eq!(
                ((w.cwnd - before) * 1460.0).round(),
                f64::from(expected),
                "K {k}"
            );
        }
    }

    #[test]
    fn k_by_the_window() {
        for (cwnd, increment) in [
            (100.0, 1.0),
            (100.01, 1.0 / 2.0),
            (149.99, 1.0 / 2.0),
            (150.0, 1.0 / 3.0),
            (199.99, 1.0 / 3.0),
            (250.0, 1.0 / 5.0),
            (5000.0, 1.0 / 100.0),
        ] {
            let (mut c, mut w) =
                established("limited-slow-start:arithmetic=exact", Convention::RFC);
            w.cwnd = cwnd;
            c.on_ack(&mut w, &Ack::of(Instant::ZERO, 1460));
            assert_eq!(w.cwnd, cwnd + increment);
        }
    }

    #[test]
    fn a_huge_window_still_grows_by_a_byte() {
        let (mut c, mut w) = established("limited-slow-start", Convention::RFC);
        w.cwnd = 100_000.0;
        c.on_ack(&mut w, &Ack::of(Instant::ZERO, 1460));
        assert!(((w.cwnd - 100_000.0) * 1460.0 - 1.0).abs() < 1e-6);
    }

    #[test]
    fn a_hundred_and_five_rounds_to_five_thousand_segments() {
        let windows = every_segment("arithmetic=exact", Convention::RFC, 120);
        let rounds = windows.iter().position(|w| *w >= 5000.0).unwrap();
        // From three segments 5 rounds reach 96 and 98 more the rest; the paper counts
        // from one.
        assert!((103..=105).contains(&rounds), "{rounds}");
    }

    #[test]
    fn ns2_leaves_limited_growth_at_a_fast_retransmit_and_returns_at_a_timeout() {
        let (mut c, mut w) = established("limited-slow-start", Convention::NS2);
        assert_eq!(w.ssthresh, 100.0);
        w.cwnd = 200.0;
        let one = Ack::of(Instant::ZERO, 1460);
        c.on_ack(&mut w, &one);
        assert_eq!(w.cwnd, 200.25);
        c.on_loss(
            &mut w,
            &Loss {
                now: Instant::ZERO,
                flight: 0,
                usable: 200.25,
            },
        );
        assert_eq!((w.cwnd, w.ssthresh), (100.125, 100.0));
        c.on_ack(&mut w, &one);
        assert_eq!(w.cwnd, 100.125 + 1.0 / 100.125);
        let timeout = Timeout {
            now: Instant::ZERO,
            flight: 0,
            usable: 100.0,
            repeated: false,
        };
        c.on_timeout(&mut w, &timeout);
        w.cwnd = 150.0;
        c.on_ack(&mut w, &one);
        assert_eq!(w.cwnd, 150.0 + 1.0 / 3.0);
    }

    #[test]
    fn zero_switches_it_off() {
        for convention in [Convention::RFC, Convention::NS2, Convention::LINUX] {
            let windows = every_segment("max_ssthresh=0", convention, 9);
            assert_eq!(windows.last(), Some(&768.0));
        }
    }
}
