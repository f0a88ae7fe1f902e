//! CUBIC as quicly has it (h2o/quicly at b11d3634, `lib/cc-cubic.c`).
//!
//! The curve and Reno's estimate are RFC 8312's, from 0.7 of the window at the loss on, although the
//! first loss leaves half of the window. An ACK moves the window once, however many packets it
//! acknowledges. quicly also grows an unused window; here the stack's rule applies.

use super::constants::Constants;
use crate::avoidance::hooks::Avoidance;
use crate::avoidance::pico;
use crate::signals::{Ack, Idle, Loss, Timeout};
use crate::{Instant, Segments, Window};

/// `QUICLY_MIN_CWND`.
const MINIMUM: Segments = 2.0;

/// State of quicly's CUBIC on one connection.
#[derive(Clone)]
pub(super) struct CubicQuicly {
    constants: Constants,
    curve: Option<Curve>,
    w_last_max: Segments,
    /// These two before the last reduction.
    before: (Option<Curve>, Segments),
}

#[derive(Clone, Copy)]
struct Curve {
    start: Instant,
    k: f64,
    w_max: Segments,
}

impl Curve {
    /// RFC 8312, eq. 1.
    fn at(&self, c: f64, t: f64) -> Segments {
        let d = t - self.k;
        c * (d * d * d) + self.w_max
    }
}

impl CubicQuicly {
    pub(super) fn new(constants: Constants) -> CubicQuicly {
        CubicQuicly {
            constants,
            curve: None,
            w_last_max: 0.0,
            before: (None, 0.0),
        }
    }

    fn reduce(&mut self, w: &mut Window, now: Instant) {
        let Constants { beta, c, .. } = self.constants;
        self.before = (self.curve, self.w_last_max);
        let w_max = self.constants.w_max(w.cwnd, self.w_last_max);
        self.w_last_max = w.cwnd;
        self.curve = Some(Curve {
            start: now,
            // A root that is the same on every machine.
            k: libm::cbrt(w_max * (1.0 - beta) / c),
            w_max,
        });
        w.cwnd = (w.cwnd * pico::share(w)).max(MINIMUM);
        w.ssthresh = w.cwnd;
    }
}

impl Avoidance for CubicQuicly {
    /// quicly ends slow start with a loss only; after another end the curve begins at its plateau.
    fn on_start(&mut self, w: &mut Window, now: Instant) {
        self.curve.get_or_insert(Curve {
            start: now,
            k: 0.0,
            w_max: w.cwnd,
        });
    }

    fn on_ack(&mut self, w: &mut Window, a: &Ack) {
        let Some(curve) = self.curve.filter(|_| a.cwnd_limited) else {
            return;
        };
        let Constants { beta, c, .. } = self.constants;
        let (t, rtt) = (a.now.since(curve.start).secs(), pico::seconds(a.srtt));
        let reno = curve.w_max * beta + 3.0 * (1.0 - beta) / (1.0 + beta) * t / rtt;
        if self.constants.friendly && curve.at(c, t) < reno {
            w.cwnd = w.cwnd.max(reno);
            return;
        }
        let target = curve.at(c, t + rtt);
        w.cwnd += (target / w.cwnd - 1.0).max(0.0);
    }

    fn on_loss(&mut self, w: &mut Window, l: &Loss) {
        self.reduce(w, l.now);
    }

    fn on_timeout(&mut self, w: &mut Window, t: &Timeout) {
        if !t.repeated {
            self.reduce(w, t.now);
        }
        w.cwnd = 1.0;
    }

    fn on_spurious(&mut self, _w: &mut Window) {
        (self.curve, self.w_last_max) = self.before;
    }

    fn on_idle(&mut self, _w: &mut Window, i: &Idle) {
        if let Some(curve) = &mut self.curve {
            curve.start += i.idle;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{at_ms, ms};
    use crate::{Controller, Convention, catalog};

    fn lost_at(cwnd: Segments) -> (Controller, Window) {
        let mut c =
            catalog::controller("slow-start", "cubic:variant=quicly", Convention::QUIC).unwrap();
        let mut w = Window::new(1280);
        w.cwnd = cwnd;
        let loss = Loss {
            now: Instant::ZERO,
            flight: w.cwnd_bytes(),
            usable: w.cwnd,
        };
        c.on_loss(&mut w, &loss);
        (c, w)
    }

    fn ack(at: f64, rtt: f64) -> Ack {
        Ack {
            srtt: ms(rtt),
            ..Ack::of(at_ms(at), 1280)
        }
    }

    /// As `quicly_cc_type_cubic` with the same calls: 64 000 bytes, then 90 189 and 90 866.
    #[test]
    fn the_first_loss_leaves_half_and_renos_estimate_begins_at_seven_tenths() {
        let (mut c, mut w) = lost_at(100.0);
        assert_eq!((w.cwnd, w.ssthresh), (50.0, 50.0));
        c.on_ack(&mut w, &ack(20.0, 23.0));
        assert!((w.cwnd - 70.46).abs() < 0.01, "{}", w.cwnd);
        c.on_ack(&mut w, &ack(43.0, 23.0));
        assert!((w.cwnd - 70.99).abs() < 0.01, "{}", w.cwnd);
    }

    /// Likewise: 640 000 bytes, then 640 833 and 642 112.
    #[test]
    fn an_ack_moves_the_window_once_towards_the_curve() {
        let (mut c, mut w) = lost_at(1000.0);
        assert_eq!(w.cwnd, 500.0);
        for (at, cwnd) in [(1000.0, 500.651), (10_000.0, 501.650)] {
            c.on_ack(&mut w, &ack(at, 500.0));
            assert!((w.cwnd - cwnd).abs() < 0.002, "{}", w.cwnd);
        }
    }
}
