//! picoquic's raised window: in its initial slow start the window is no less than a long round trip or
//! a measured bandwidth calls for.
//!
//! picoquic 1.1.52 at d199d45, `cc_common.c`: `picoquic_cc_update_cwin_for_long_rtt` multiplies the
//! initial window by the minimum round trip over 100 ms, and `picoquic_cc_update_target_cwin_estimation`
//! takes half of the peak bandwidth times the smoothed round trip. The peak is
//! `picoquic_estimate_max_path_bandwidth`'s (`frames.c`): what arrives between acknowledgements that are
//! more than a millisecond apart, over the longer of the times of sending and acknowledging.

use crate::signals::{Ack, Established};
use crate::{Convention, Duration, Instant, Segments, Window};

/// `PICOQUIC_TARGET_RENO_RTT`: the round trip up to which the window is not raised.
const RENO_RTT: Duration = Duration::from_millis(100);
/// `PICOQUIC_TARGET_SATELLITE_RTT`: the longest that counts.
const SATELLITE_RTT: Duration = Duration::from_millis(610);
/// `PICOQUIC_MAX_BANDWIDTH_TIME_INTERVAL_MIN`.
const INTERVAL: Duration = Duration::from_millis(1);
/// The share of what bandwidth and round trip make together.
const SHARE: f64 = 0.5;

/// An acknowledgement to which later ones are compared.
#[derive(Clone, Copy, Debug)]
struct Reference {
    sent: Instant,
    acked: Instant,
    delivered: u64,
}

/// What raises the window of one connection.
#[derive(Clone, Debug)]
pub(crate) struct RaisedWindow {
    initial: Segments,
    min_rtt: Duration,
    reference: Option<Reference>,
    /// Bytes per second.
    peak: f64,
}

impl RaisedWindow {
    /// Under a convention that has it.
    pub(crate) fn of(convention: Convention) -> Option<RaisedWindow> {
        convention.raises_window.then_some(RaisedWindow {
            initial: 0.0,
            min_rtt: Duration::MAX,
            reference: None,
            peak: 0.0,
        })
    }

    /// The handshake is complete, and slow start has opened the window.
    pub(crate) fn open(&mut self, w: &mut Window, e: &Established) {
        self.initial = e.initial_window;
        if let Some(rtt) = e.rtt {
            self.min_rtt = rtt;
            self.reference = Some(Reference {
                sent: e.now.saturating_sub(rtt),
                acked: e.now,
                delivered: 0,
            });
            w.cwnd = w.cwnd.max(self.for_long_rtt());
        }
    }

    /// An ACK of the initial slow start, before it lets the window grow.
    pub(crate) fn raise(&mut self, w: &mut Window, a: &Ack) {
        self.min_rtt = a.rtt.unwrap_or(Duration::MAX).min(self.min_rtt);
        self.measure(a);
        if w.ssthresh.is_finite() {
            return;
        }
        let target = SHARE * self.peak * a.srtt.secs() / f64::from(w.mss);
        w.cwnd = w.cwnd.max(self.for_long_rtt()).max(target);
    }

    fn for_long_rtt(&self) -> Segments {
        if self.min_rtt <= RENO_RTT || self.min_rtt == Duration::MAX {
            return 0.0;
        }
        self.initial * self.min_rtt.min(SATELLITE_RTT).secs() / RENO_RTT.secs()
    }

    fn measure(&mut self, a: &Ack) {
        let Some(sent) = a.sent() else { return };
        let next = Reference {
            sent,
            acked: a.now,
            delivered: a.delivered_total,
        };
        let last = *self.reference.get_or_insert(next);
        let acking = a.now.since(last.acked);
        if sent < last.sent || acking <= INTERVAL {
            return;
        }
        let time = sent.since(last.sent).max(acking);
        let bytes = a.delivered_total.saturating_sub(last.delivered);
        self.peak = self.peak.max(bytes as f64 / time.secs());
        self.reference = Some(next);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{at_ms, ms};
    use crate::{Controller, catalog};

    const MSS: u32 = 1440;
    /// 15 360 bytes in datagrams of 1440.
    const INITIAL: f64 = 15_360.0 / 1440.0;

    fn opened(startup: &str, rtt: f64) -> (Controller, Window) {
        let mut c = catalog::controller(
            startup,
            "reno",
            Convention {
                raises_window: true,
                ..Convention::QUIC
            },
        )
        .unwrap();
        let mut w = Window::new(MSS);
        let e = Established {
            initial_window: INITIAL,
            rtt: Some(ms(rtt)),
            ..Established::at(at_ms(rtt))
        };
        c.on_established(&mut w, &e);
        (c, w)
    }

    #[test]
    fn the_initial_window_follows_round_trips_of_100_to_610_ms() {
        for (rtt, bytes) in [
            (50.0, 15_360),
            (100.0, 15_360),
            (600.0, 92_160),
            (700.0, 93_696),
        ] {
            assert_eq!(opened("slow-start", rtt).1.cwnd_bytes(), bytes, "{rtt}");
        }
    }

    fn ack(at: f64, rtt: f64, delivered: u64) -> Ack {
        Ack {
            rtt: Some(ms(rtt)),
            srtt: ms(rtt),
            delivered_total: delivered * u64::from(MSS),
            cwnd_limited: false,
            ..Ack::of(at_ms(at), u64::from(MSS))
        }
    }

    /// Ten packets that left together arrive 2 ms apart: 500 packets a second for 200 ms.
    #[test]
    fn it_is_at_least_half_of_the_peak_bandwidth_times_the_round_trip() {
        let (mut c, mut w) = opened("slow-start", 80.0);
        for packet in 0..10 {
            let queued = 2.0 * packet as f64;
            c.on_ack(&mut w, &ack(280.0 + queued, 200.0 + queued, 1 + packet));
        }
        assert!((w.cwnd - 0.5 * 500.0 * 0.218).abs() < 0.01, "{}", w.cwnd);
    }

    #[test]
    fn the_time_of_sending_bounds_the_bandwidth() {
        let (mut c, mut w) = opened("slow-start", 80.0);
        for packet in 0..10 {
            // Sent 20 ms apart, acknowledged 2 ms apart.
            let rtt = 260.0 - 18.0 * packet as f64;
            c.on_ack(&mut w, &ack(340.0 + 2.0 * packet as f64, rtt, 1 + packet));
        }
        assert_eq!(w.cwnd, INITIAL);
    }

    #[test]
    fn after_the_initial_slow_start_nothing_raises_it() {
        let (mut c, mut w) = opened("slow-start", 600.0);
        (w.cwnd, w.ssthresh) = (10.0, 20.0);
        c.on_ack(&mut w, &ack(1200.0, 600.0, 1));
        assert_eq!(w.cwnd, 10.0);
    }
}
