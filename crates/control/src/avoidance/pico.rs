//! Pico: quicly's linear increase at the average speed of CUBIC.
//!
//! h2o/quicly, `lib/cc-pico.c` at b11d3634 (K. Oku). A loss fixes how many bytes must be acknowledged
//! for one more packet in the window: as many as Reno would need, or those that CUBIC would take on the
//! average of its epochs with and without fast convergence, where these are fewer. The first loss
//! halves the window, since slow start has gone to twice what the path holds; later ones keep 0.7 of
//! it. It is the congestion control with which quicly has [`rapid_start`](crate::startup::rapid_start).
//!
//! # Deviations
//!
//! - quicly keeps the round trip in whole milliseconds, and its window in whole bytes.
//! - In quicly slow start grows by whole packets too. A full-size packet makes no difference.
//! - Persistent congestion leaves the window in quicly; with `persistent_congestion` it falls here.
//!
//! # Contested
//!
//! - In quicly nothing ends slow start but a loss, or a threshold that a loss has set. After a startup
//!   that ends otherwise, the window is taken for one at which a loss came.

use super::{Avoidance, Maker, copies};
use crate::entry::{Certainty, Entry};
use crate::signals::{Ack, Established, Loss, Timeout};
use crate::{Duration, Instant, Segments, Window};

/// Entry of `pico` in the catalog of congestion controls.
pub const ENTRY: Entry<Maker> = Entry {
    name: "pico",
    title: "Pico",
    source: "h2o/quicly, lib/cc-pico.c, June 2021",
    year: 2021,
    opened: "code: h2o/quicly b11d3634, cc-pico.c and cc.h",
    compared: "increase, decrease",
    summary: "Adds packets at the average speed of CUBIC, halves the window on the first loss and \
              keeps 0.7 of it on later ones.",
    params: &[],
    needs: &[],
    certainty: Certainty::Code,
    build: |_, _| Ok(copies(Pico::default())),
};

/// `QUICLY_RENO_BETA`.
const BETA: f64 = 0.7;
/// What the first loss leaves of the window.
const FIRST_BETA: f64 = 0.5;
/// `QUICLY_MIN_CWND`.
const MINIMUM: Segments = 2.0;
/// `(1 + 2 * 0.85^(1/3)) / 2`: the mean length of CUBIC's epochs with and without fast convergence.
const EPOCHS: f64 = 1.447;

/// The share that quicly's congestion controls leave of the window.
pub(super) fn share(w: &Window) -> f64 {
    if w.ssthresh.is_finite() {
        BETA
    } else {
        FIRST_BETA
    }
}

/// A round trip in seconds; quicly takes one of no duration for one of a millisecond
/// (`include/quicly/loss.h`, `quicly_rtt_update`).
pub(super) fn seconds(rtt: Duration) -> f64 {
    rtt.max(Duration::from_millis(1)).secs()
}

/// State of Pico on one connection. In segments.
#[derive(Clone, Default)]
struct Pico {
    /// `stash`: acknowledged since the last increase.
    acked: Segments,
    /// `bytes_per_mtu_increase`; `None` before the first loss.
    per_increase: Option<Segments>,
    /// That before the last reduction.
    before: Option<Segments>,
    srtt: Duration,
}

impl Pico {
    /// Segments to be acknowledged for one more, after a loss at this window
    /// (`calc_bytes_per_mtu_increase`).
    fn per_increase(&self, cwnd: Segments) -> Segments {
        // A root that is the same on every machine.
        let cubic = EPOCHS / 0.3 * libm::cbrt(0.3 / 0.4 * cwnd) / seconds(self.srtt);
        (cwnd * BETA).min(cubic)
    }

    fn reduce(&mut self, w: &mut Window) {
        self.before = self.per_increase;
        self.per_increase = Some(self.per_increase(w.cwnd));
        w.cwnd = (w.cwnd * share(w)).max(MINIMUM);
        w.ssthresh = w.cwnd;
    }
}

impl Avoidance for Pico {
    fn on_established(&mut self, _w: &Window, e: &Established) {
        self.srtt = e.rtt.unwrap_or(Duration::ZERO);
    }

    fn on_start(&mut self, w: &mut Window, _now: Instant) {
        self.per_increase.get_or_insert(self.per_increase(w.cwnd));
    }

    fn on_startup_ack(&mut self, _w: &Window, a: &Ack) {
        self.srtt = a.srtt;
    }

    fn on_ack(&mut self, w: &mut Window, a: &Ack) {
        self.srtt = a.srtt;
        if !a.cwnd_limited {
            return;
        }
        let per_increase = self.per_increase.unwrap_or(w.cwnd * BETA);
        self.acked += w.segments(a.credit);
        let packets = (self.acked / per_increase).floor();
        w.cwnd += packets;
        self.acked -= packets * per_increase;
    }

    fn on_loss(&mut self, w: &mut Window, _l: &Loss) {
        self.reduce(w);
    }

    fn on_timeout(&mut self, w: &mut Window, t: &Timeout) {
        if !t.repeated {
            self.reduce(w);
        }
        w.cwnd = 1.0;
    }

    fn on_spurious(&mut self, _w: &mut Window) {
        self.per_increase = self.before;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::ms;
    use crate::{Controller, Convention, catalog};

    const MSS: u32 = 1280;

    fn avoiding(cwnd: Segments, rtt: f64) -> (Controller, Window) {
        let mut c = catalog::controller("slow-start", "pico", Convention::QUIC).unwrap();
        let mut w = Window::new(MSS);
        let e = Established {
            rtt: Some(ms(rtt)),
            ..Established::at(Instant::ZERO)
        };
        c.on_established(&mut w, &e);
        w.cwnd = cwnd;
        (c, w)
    }

    fn lose(c: &mut Controller, w: &mut Window) {
        let loss = Loss {
            now: Instant::ZERO,
            flight: w.cwnd_bytes(),
            usable: w.cwnd,
        };
        c.on_loss(w, &loss);
    }

    #[test]
    fn the_first_loss_leaves_half_and_the_next_seven_tenths() {
        let (mut c, mut w) = avoiding(100.0, 50.0);
        lose(&mut c, &mut w);
        assert_eq!((w.cwnd, w.ssthresh), (50.0, 50.0));
        lose(&mut c, &mut w);
        assert_eq!((w.cwnd, w.ssthresh), (35.0, 35.0));
    }

    /// Segments to be acknowledged until the window has grown, after a loss at 100 segments.
    fn acked_until_growth(rtt: f64) -> u32 {
        let (mut c, mut w) = avoiding(100.0, rtt);
        lose(&mut c, &mut w);
        let ack = Ack {
            srtt: ms(rtt),
            ..Ack::of(Instant::ZERO, u64::from(MSS))
        };
        (1..)
            .find(|_| {
                c.on_ack(&mut w, &ack);
                w.cwnd > 50.0
            })
            .unwrap()
    }

    /// As `quicly_cc_type_pico` with the same calls: 65 090 bytes for one increase, and 89 600.
    #[test]
    fn it_grows_as_cubic_would_on_average_and_at_least_as_reno() {
        assert_eq!(acked_until_growth(400.0), 51);
        assert_eq!(acked_until_growth(40.0), 70);
    }
}
