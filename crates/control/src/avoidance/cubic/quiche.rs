//! CUBIC as quiche has it (quiche 0.30.0, `recovery/congestion/cubic.rs`).
//!
//! The curve and the estimate of Reno's window are RFC 9438's, computed for each acknowledged packet
//! and in whole bytes; the window moves by whole packets. These things are quiche's own:
//!
//! - In slow start the window grows by a packet once the bytes of one are acknowledged. Under Reno it
//!   grows with each packet, however short.
//! - In a recovery, acknowledgements let packets leave by RFC 6937's proportional rate reduction.
//! - A reduction is taken back at the first growth after it, unless it left slow start or so many
//!   packets were lost: two, and a fifth of the reduced window.
//! - After HyStart++ the curve's time counts from where conservative slow start began, with `K` zero.
//! - There is no persistent congestion (RFC 9002 §7.6).

use super::constants::Constants;
use crate::avoidance::hooks::Avoidance;
use crate::model::Model;
use crate::model::slower_since::SlowerSince;
use crate::signals::{Ack, Loss, Timeout};
use crate::{Duration, Instant, Segments, Window};

/// `ROLLBACK_THRESHOLD_PERCENT`, as a share of the window.
const ROLLBACK_SHARE: Segments = 0.2;
/// `MIN_ROLLBACK_THRESHOLD`, in packets.
const MIN_ROLLBACK: Segments = 2.0;
/// Of a byte: whole bytes in segments are no exact numbers.
const ROUNDING: f64 = 1e-6;

/// State of quiche's CUBIC on one connection.
#[derive(Clone)]
pub(super) struct CubicQuiche {
    constants: Constants,
    curve: Curve,
    w_est: Segments,
    alpha: f64,
    cwnd_inc: Segments,
    /// `bytes_acked_sl`.
    acked_in_slow_start: u64,
    min_rtt: Duration,
    /// `lost_count`.
    lost: Segments,
    prior: Option<Prior>,
}

#[derive(Clone, Copy, Default)]
struct Curve {
    k: f64,
    w_max: Segments,
    /// The curve's time counts from here.
    start: Option<Instant>,
    /// It is the start of a recovery, `congestion_recovery_start_time`.
    follows_loss: bool,
}

/// Before the last reduction (`PriorState`).
#[derive(Clone, Copy)]
struct Prior {
    cwnd: Segments,
    ssthresh: Segments,
    lost: Segments,
    curve: Curve,
}

impl CubicQuiche {
    pub(super) fn new(constants: Constants) -> CubicQuiche {
        CubicQuiche {
            constants,
            curve: Curve::default(),
            w_est: 0.0,
            alpha: 0.0,
            cwnd_inc: 0.0,
            acked_in_slow_start: 0,
            min_rtt: Duration::MAX,
            lost: 0.0,
            prior: None,
        }
    }

    /// `ALPHA_AIMD`.
    fn alpha(&self) -> f64 {
        let beta = self.constants.beta;
        3.0 * (1.0 - beta) / (1.0 + beta)
    }

    fn measure(&mut self, w: &Window, a: &Ack) {
        self.min_rtt = a.rtt.map_or(self.min_rtt, |rtt| self.min_rtt.min(rtt));
        let lost = a.delivery.map_or(0, |delivery| delivery.lost);
        self.lost += w.segments(lost).ceil();
    }

    fn reduce(&mut self, w: &mut Window, now: Instant) {
        let Constants { beta, c, .. } = self.constants;
        self.prior = Some(Prior {
            cwnd: w.cwnd,
            ssthresh: w.ssthresh,
            lost: self.lost,
            curve: self.curve,
        });
        let w_max = self.constants.w_max(w.cwnd, self.curve.w_max);
        w.ssthresh = whole_bytes(w, w.cwnd * beta).max(2.0);
        w.cwnd = w.ssthresh;
        self.curve = Curve {
            // A root that is the same on every machine.
            k: libm::cbrt((w_max - w.cwnd).max(0.0) / c),
            w_max,
            start: Some(now),
            follows_loss: true,
        };
        self.cwnd_inc *= beta;
        self.w_est = w.cwnd;
        self.alpha = self.alpha();
    }

    /// `rollback`: takes the last reduction back, unless it left slow start.
    fn roll_back(&mut self, w: &mut Window) -> bool {
        let prior = self
            .prior
            .filter(|p| p.cwnd >= p.ssthresh && w.cwnd < p.cwnd);
        if let Some(prior) = prior {
            (w.cwnd, w.ssthresh) = (prior.cwnd, prior.ssthresh);
            self.restore(prior.curve);
        }
        prior.is_some()
    }

    /// A curve that followed no loss begins anew.
    fn restore(&mut self, curve: Curve) {
        self.curve = match curve.follows_loss {
            true => curve,
            false => Curve::default(),
        };
    }

    /// Whether too few packets were lost for the last reduction to count.
    fn lost_few(&self, w: &Window) -> bool {
        let most = (w.cwnd.trunc() * ROLLBACK_SHARE).trunc().max(MIN_ROLLBACK);
        let prior = self.prior.map_or(0.0, |prior| prior.lost);
        self.curve.follows_loss && self.lost - prior < most
    }

    /// What one acknowledged packet of this size adds to the window before it moves.
    fn growth(&mut self, w: &Window, size: Segments, now: Instant) -> Segments {
        let c = self.constants.c;
        let first = self.curve.w_max == 0.0 || self.curve.start.is_none();
        if first {
            self.curve.w_max = w.cwnd;
            self.curve.k = 0.0;
            self.w_est = w.cwnd;
            self.alpha = self.alpha();
            self.curve.follows_loss = self.curve.start.is_none();
        }
        let start = *self.curve.start.get_or_insert(now);
        let Curve { k, w_max, .. } = self.curve;
        let t = now.since(start).secs();
        let w_cubic = |t: f64| {
            let ahead = t - k;
            c * (ahead * ahead * ahead) + w_max
        };
        self.w_est += self.alpha * size / w.cwnd;
        if self.w_est >= w_max {
            self.alpha = 1.0;
        }
        if self.constants.friendly && w_cubic(t) < self.w_est {
            return (whole_bytes(w, self.w_est) - w.cwnd).max(0.0);
        }
        let target = w_cubic(t + self.min_rtt.secs()).clamp(w.cwnd, 1.5 * w.cwnd);
        whole_bytes(w, (whole_bytes(w, target) - w.cwnd) / w.cwnd)
    }
}

impl Avoidance for CubicQuiche {
    fn on_startup_ack(&mut self, w: &Window, a: &Ack) {
        self.measure(w, a);
    }

    fn on_recovery_ack(&mut self, w: &mut Window, a: &Ack) {
        self.measure(w, a);
    }

    fn on_ack(&mut self, w: &mut Window, a: &Ack) {
        self.measure(w, a);
        if !a.cwnd_limited {
            return;
        }
        let mut credit = a.credit;
        while credit > 0 {
            let size = credit.min(w.mss.into());
            credit -= size;
            if self.lost_few(w) && self.roll_back(w) {
                continue;
            }
            self.cwnd_inc += self.growth(w, w.segments(size), a.now);
            if self.cwnd_inc >= 1.0 {
                w.cwnd += 1.0;
                self.cwnd_inc -= 1.0;
            }
        }
    }

    fn on_loss(&mut self, w: &mut Window, l: &Loss) {
        self.reduce(w, l.now);
    }

    /// Only other transports have timeouts: quiche has no persistent congestion.
    fn on_timeout(&mut self, w: &mut Window, t: &Timeout) {
        if !t.repeated {
            self.reduce(w, t.now);
        }
    }

    /// What the last reduction replaced.
    fn on_spurious(&mut self, _w: &mut Window) {
        if let Some(prior) = self.prior {
            self.restore(prior.curve);
        }
    }

    fn paces_reduction(&self) -> bool {
        true
    }

    fn counts_for_startup(&self) -> bool {
        true
    }

    /// A packet for each that has been acknowledged in full (`on_packet_acked`).
    fn startup_credit(&mut self, w: &Window, a: &Ack) -> u64 {
        if !a.cwnd_limited {
            return 0;
        }
        self.acked_in_slow_start += a.credit;
        let rest = self.acked_in_slow_start % u64::from(w.mss);
        std::mem::replace(&mut self.acked_in_slow_start, rest) - rest
    }

    /// The losses, by which a reduction is taken back.
    fn wants_delivery(&self) -> bool {
        true
    }

    fn adopt_model(&mut self, model: Box<dyn Model>) -> Option<Box<dyn Model>> {
        let since = model.downcast::<SlowerSince>();
        since.map(|since| self.curve.start = Some(since.0)).err()
    }
}

/// So many segments in whole bytes.
fn whole_bytes(w: &Window, segments: Segments) -> Segments {
    let mss = f64::from(w.mss);
    (segments * mss + ROUNDING).trunc() / mss
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signals::Delivery;
    use crate::testing::LOSS;

    /// With a window of 100 packets, above or in slow start.
    fn cubic(ssthresh: Segments) -> (CubicQuiche, Window) {
        let mut w = Window::new(1000);
        (w.cwnd, w.ssthresh) = (100.0, ssthresh);
        (CubicQuiche::new(Constants::RFC), w)
    }

    /// Of one packet, so many milliseconds after the loss, which has found so many lost.
    fn ack(ms: u64, lost: u64) -> Ack {
        Ack {
            rtt: Some(Duration::from_millis(50)),
            delivery: Some(Delivery {
                lost: 1000 * lost,
                ..Delivery::default()
            }),
            ..Ack::of(Instant::from_millis(ms), 1000)
        }
    }

    /// The window at the first growth after a loss of so many packets.
    fn after_loss(ssthresh: Segments, lost: u64) -> Segments {
        let (mut cubic, mut w) = cubic(ssthresh);
        cubic.on_loss(&mut w, &LOSS);
        assert_eq!((w.cwnd, w.ssthresh), (70.0, 70.0));
        cubic.on_recovery_ack(&mut w, &ack(0, lost));
        cubic.on_ack(&mut w, &ack(50, 0));
        w.cwnd
    }

    #[test]
    fn a_loss_of_less_than_a_fifth_of_the_window_is_taken_back() {
        assert_eq!(after_loss(50.0, 13), 100.0);
        assert_eq!(after_loss(50.0, 14), 70.0);
    }

    #[test]
    fn the_loss_that_ends_slow_start_counts_however_few_packets_it_has() {
        assert_eq!(after_loss(f64::INFINITY, 1), 70.0);
    }

    #[test]
    fn slow_start_grows_by_a_packet_once_the_bytes_of_one_are_acknowledged() {
        let (mut cubic, w) = cubic(f64::INFINITY);
        let of = |bytes| Ack::of(Instant::ZERO, bytes);
        let credits = [900, 1000, 1000, 100].map(|bytes| cubic.startup_credit(&w, &of(bytes)));
        assert_eq!(credits, [0, 1000, 1000, 1000]);
    }

    #[test]
    fn the_window_moves_by_whole_packets_and_returns_to_where_the_loss_was() {
        let (mut cubic, mut w) = cubic(f64::INFINITY);
        cubic.on_loss(&mut w, &LOSS);
        for n in 0..430 {
            cubic.on_ack(&mut w, &ack(10 * n, 0));
            assert_eq!(w.cwnd.fract(), 0.0);
        }
        assert!((95.0..=100.0).contains(&w.cwnd), "{}", w.cwnd);
    }

    #[test]
    fn after_conservative_slow_start_the_curve_has_begun_with_it() {
        let grown = |since: Option<u64>| {
            let (mut cubic, mut w) = cubic(100.0);
            if let Some(ms) = since {
                let model = Box::new(SlowerSince(Instant::from_millis(ms)));
                assert!(cubic.adopt_model(model).is_none());
            }
            for n in 0..100 {
                cubic.on_ack(&mut w, &ack(10_000 + 10 * n, 0));
            }
            w.cwnd
        };
        assert!(grown(Some(5000)) > grown(None));
    }
}
