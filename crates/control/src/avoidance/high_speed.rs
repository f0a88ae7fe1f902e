//! HighSpeed TCP: the larger the window, the bolder its steps.
//!
//! RFC 3649 (S. Floyd, "HighSpeed TCP for Large Congestion Windows", December 2003,
//! Experimental). Reno's window of 83 000 segments, 10 Gbit/s over 100 ms, takes more than an
//! hour from one loss to the next; no real path is as clean. HighSpeed TCP keeps Reno's rules
//! up to 38 segments. Beyond, each round trip adds `a(w)` segments instead of one and a loss
//! takes the share `b(w)` instead of a half, chosen so that the window grows with the loss
//! rate along a straight line in logarithms: from Reno's at 38 segments to 83 000 segments at
//! one loss in ten million. It is meant to be used with limited slow start.
//!
//! `rfc` takes the loss rate at a window as the RFC's table does, `p(w) = 0.078/w^1.2` (§5).
//! `ns2` takes it from the line itself, which makes `a(w)` three percent larger.
//!
//! # State
//!
//! The increase at the current window, computed anew when its whole part changes.
//!
//! # Contested
//!
//! - The RFC's text was not at hand; its formulas are confirmed by ns-2's and its table by
//!   the kernel's. The kernel's table itself, 73 steps, is not offered.

use super::{Avoidance, Maker, copies, reno};
use crate::entry::{Certainty, Entry};
use crate::params::{Params, Ratio, SpecError};
use crate::signals::{Ack, Loss, Timeout};
use crate::{Convention, Family, Segments, Window, params};

/// Entry of `high-speed` in the catalog of congestion controls.
pub const ENTRY: Entry<Maker> = Entry {
    name: "high-speed",
    title: "HighSpeed TCP",
    source: "RFC 3649 §5",
    year: 2003,
    opened: "code: ns-2.35, and the table of Linux; RFC 3649's formulas as they quote them",
    compared: "increase, decrease",
    summary: "Adds more and gives up less the larger the window; Reno up to 38 segments.",
    params: Settings::PARAMS,
    needs: &[],
    certainty: Certainty::Derived,
    build: |params, convention| Ok(copies(HighSpeed::new(params, convention)?)),
};

params! {
    pub struct Settings {
        /// the loss rate at a window: rfc, 0.078/w^1.2, as the RFC's table has it; ns2, on the line
        /// between the two windows
        #[usual("by stack: ns2 under ns2, otherwise rfc")]
        variant: Option<Variant>,
        /// up to this window the rules are Reno's
        #[check(|window| window >= 2.0, "at least 2")]
        low_window: Segments = "38",
        /// the window at the other end of the line
        high_window: Segments = "83000",
        /// variant=ns2: the loss rate at `high_window`
        #[check(|p| p > 0.0, "above zero")]
        high_p: Ratio = "0.0000001",
        /// the share of the window that a loss takes at `high_window`
        #[within(0.01..=0.5)]
        high_decrease: Ratio = "0.1",
        /// what adds a(w)/w: each ACK, as the RFC writes, or each segment that it covers, which
        /// delayed ACKs do not slow down
        #[usual("by stack: per-ack under ns2, otherwise per-segment")]
        growth: Option<Growth>,
        base: Option<reno::Base> as reno::Settings,
    }

    pub enum Variant { Rfc = "rfc", Ns2 = "ns2" }
    pub enum Growth { PerAck = "per-ack", PerSegment = "per-segment" }
}

/// Response function: growth and decrease by the window.
#[derive(Clone, Copy, Debug)]
struct Response {
    low_window: f64,
    high_decrease: f64,
    /// Natural logarithms of the two windows.
    ln_low: f64,
    ln_high: f64,
    /// `ln p` at the low window and its slope over `ln w`; `None` for the RFC's formula.
    line: Option<(f64, f64)>,
}

impl Response {
    /// §5: the share that a loss takes, falling from a half with the logarithm of the window;
    /// beyond the high window the line continues, to a hundredth at least.
    fn b(&self, w: Segments) -> f64 {
        if w <= self.low_window {
            return 0.5;
        }
        let along = (libm::log(w) - self.ln_low) / (self.ln_high - self.ln_low);
        let b = (self.high_decrease - 0.5) * along + 0.5;
        b.max(0.01)
    }

    fn p(&self, w: Segments) -> f64 {
        let ln_w = libm::log(w);
        libm::exp(match self.line {
            None => libm::log(0.078) - 1.2 * ln_w,
            Some((ln_p, slope)) => ln_p + slope * (ln_w - self.ln_low),
        })
    }

    /// §5: segments per round trip, so that the average window is the one that belongs to
    /// the loss rate.
    fn a(&self, w: Segments) -> Segments {
        if w <= self.low_window {
            return 1.0;
        }
        let b = self.b(w);
        (w * w * self.p(w) * 2.0 * b / (2.0 - b)).max(1.0)
    }
}

/// State of HighSpeed TCP on one connection.
#[derive(Clone)]
struct HighSpeed {
    response: Response,
    per_ack: bool,
    base: reno::Base,
    /// The whole window for which `increase` was computed.
    at: u64,
    increase: Segments,
    decrease: reno::Decrease,
}

impl HighSpeed {
    fn new(params: &Params, convention: Convention) -> Result<HighSpeed, SpecError> {
        let settings = Settings::read(params)?;
        let Settings {
            low_window,
            high_window,
            ..
        } = settings;
        if !(low_window < high_window && high_window < f64::INFINITY) {
            let expected = format!("a number above `low_window`, {low_window}");
            return Err(SpecError::bad_value(
                params,
                &Settings::high_window,
                &expected,
            ));
        }
        let (variant, growth) = match convention.family {
            Family::Ns2 => (Variant::Ns2, Growth::PerAck),
            _ => (Variant::Rfc, Growth::PerSegment),
        };
        let by_line = settings.variant.unwrap_or(variant) == Variant::Ns2;
        params.effective(&Settings::high_p, by_line, "`variant=ns2`")?;
        let (ln_low, ln_high) = (libm::log(low_window), libm::log(high_window));
        let line = by_line.then(|| {
            // Reno's loss rate at the low window.
            let ln_p = libm::log(1.5 / (low_window * low_window));
            (
                ln_p,
                (libm::log(settings.high_p) - ln_p) / (ln_high - ln_low),
            )
        });
        let base = reno::Base::given(settings.base, convention);
        Ok(HighSpeed {
            response: Response {
                low_window,
                high_decrease: settings.high_decrease,
                ln_low,
                ln_high,
                line,
            },
            per_ack: settings.growth.unwrap_or(growth) == Growth::PerAck,
            base,
            at: 0,
            increase: 1.0,
            decrease: reno::Decrease::of(base),
        })
    }

    fn reduced(&self, w: &Window, flight: u64, usable: Segments) -> Segments {
        let base = self.base.segments(w, flight, usable);
        (base * (1.0 - self.response.b(base))).max(2.0)
    }
}

impl Avoidance for HighSpeed {
    fn on_ack(&mut self, w: &mut Window, a: &Ack) {
        if !a.cwnd_limited {
            return;
        }
        if self.at != w.cwnd_segments() {
            self.at = w.cwnd_segments();
            self.increase = self.response.a(w.cwnd);
        }
        let times = if self.per_ack {
            1.0
        } else {
            w.segments(a.credit)
        };
        w.cwnd += times * self.increase / w.cwnd;
    }

    fn on_loss(&mut self, w: &mut Window, l: &Loss) {
        w.ssthresh = self.reduced(w, l.flight, l.usable);
        w.cwnd = w.ssthresh;
    }

    /// §5 changes nothing here: half, and slow start from one segment.
    fn on_timeout(&mut self, w: &mut Window, t: &Timeout) {
        self.decrease.on_timeout(w, t);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Controller, Instant, catalog};

    fn response(spec: &str) -> Response {
        let kind = crate::params::AlgorithmKind::AVOIDANCE;
        let params = Params::parse(kind, ENTRY.name, ENTRY.params, spec).unwrap();
        HighSpeed::new(&params, Convention::RFC).unwrap().response
    }

    #[test]
    fn increase_and_decrease_by_window() {
        let r = response("");
        for (w, a, b) in [
            (118.0, 2.006, 0.441),
            (221.0, 3.005, 0.408),
            (1_058.0, 8.01, 0.327),
            (5_036.0, 20.01, 0.246),
            (10_661.0, 30.01, 0.207),
            (51_258.0, 60.97, 0.125),
            (83_000.0, 70.73, 0.100),
        ] {
            assert!((r.a(w) - a).abs() < 6e-3, "a({w}) = {}", r.a(w));
            assert!((r.b(w) - b).abs() < 6e-4, "b({w}) = {}", r.b(w));
        }
        assert_eq!((r.a(38.0), r.b(38.0), r.b(1e9)), (1.0, 0.5, 0.01));
    }

    #[test]
    fn ns2_follows_the_line() {
        let r = response("variant=ns2");
        for (w, a) in [(118.0, 2.094), (5_036.0, 20.68), (83_000.0, 72.52)] {
            assert!((r.a(w) - a).abs() < 6e-3, "a({w}) = {}", r.a(w));
        }
    }

    /// The RFC's table (appendix B), which rounds the share to hundredths.
    #[test]
    fn the_table_of_the_rfc() {
        let r = response("");
        let rows = [
            (38.0, 0.50),
            (118.0, 0.44),
            (221.0, 0.41),
            (347.0, 0.38),
            (495.0, 0.37),
            (663.0, 0.35),
            (851.0, 0.34),
            (1_058.0, 0.33),
            (1_284.0, 0.32),
            (1_529.0, 0.31),
            (84_035.0, 0.10),
        ];
        for (row, (w, b)) in rows.into_iter().enumerate() {
            assert!((r.b(w) - b).abs() <= 5.1e-3, "b({w}) = {}", r.b(w));
            let a = if row == 10 { 71.0 } else { row as f64 + 1.0 };
            assert!((r.a(w) - a).abs() < 0.05, "a({w}) = {}", r.a(w));
        }
    }

    fn avoiding(spec: &str, convention: Convention, cwnd: f64) -> (Controller, Window) {
        let c = catalog::controller("slow-start", spec, convention).unwrap();
        let mut w = Window::new(1460);
        (w.cwnd, w.ssthresh) = (cwnd, 2.0);
        (c, w)
    }

    #[test]
    fn an_ack_adds_its_share() {
        let grown = |convention, segments: u64| {
            let (mut c, mut w) = avoiding("high-speed", convention, 5_036.0);
            c.on_ack(&mut w, &Ack::of(Instant::ZERO, segments * 1460));
            (w.cwnd - 5_036.0) * 5_036.0
        };
        assert!((grown(Convention::RFC, 1) - 20.01).abs() < 0.01);
        assert!((grown(Convention::RFC, 2) - 40.02).abs() < 0.02);
        assert!((grown(Convention::NS2, 2) - 20.68).abs() < 0.01);
        let (mut c, mut w) = avoiding("high-speed", Convention::RFC, 10.0);
        c.on_ack(&mut w, &Ack::of(Instant::ZERO, 1460));
        assert_eq!(w.cwnd, 10.1);
    }

    #[test]
    fn a_loss_takes_less_of_a_large_window() {
        let lost = |cwnd: f64| {
            let (mut c, mut w) = avoiding("high-speed", Convention::NS2, cwnd);
            let loss = Loss {
                now: Instant::ZERO,
                flight: 0,
                usable: cwnd,
            };
            c.on_loss(&mut w, &loss);
            assert_eq!(w.cwnd, w.ssthresh);
            w.cwnd / cwnd
        };
        assert_eq!(lost(38.0), 0.5);
        assert!((lost(1_058.0) - 0.673).abs() < 6e-4);
        assert!((lost(83_000.0) - 0.9).abs() < 1e-12);
    }

    #[test]
    fn a_timeout_is_renos() {
        let (mut c, mut w) = avoiding("high-speed", Convention::RFC, 1_000.0);
        let timeout = Timeout {
            now: Instant::ZERO,
            flight: 1_000 * 1460,
            usable: 1_000.0,
            repeated: false,
        };
        c.on_timeout(&mut w, &timeout);
        assert_eq!((w.cwnd, w.ssthresh), (1.0, 500.0));
    }

    #[test]
    fn a_line_needs_two_ends() {
        let complaint = |spec: &str| {
            let spec = format!("high-speed:{spec}");
            let error = catalog::controller("slow-start", &spec, Convention::RFC);
            error.err().unwrap().to_string()
        };
        assert!(
            complaint("high_window=38").ends_with("`38` is not a number above `low_window`, 38")
        );
        assert!(complaint("low_window=1").ends_with("`1` is not at least 2"));
        assert!(complaint("high_p=0").ends_with("`0` is not above zero"));
        assert!(complaint("high_decrease=0.6").ends_with("`0.6` is not a number from 0.01 to 0.5"));
    }
}
