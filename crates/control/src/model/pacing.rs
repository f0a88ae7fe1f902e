//! Windows per round trip: what the startups share that pace all the time.

use crate::{Duration, Rate, Window};

/// Bytes of the largest burst that leaves Linux at once: `sk_gso_max_size`, `GSO_LEGACY_MAX_SIZE` less
/// the room for headers (`sk_dst_gso_max_size`; MAX_TCP_HEADER is 320 with wireless LAN and tunnels).
pub const GSO_MAX: u64 = 65_536 - (320 + 1);

/// Spreads windows over round trips.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pacing {
    on: bool,
    srtt: Option<Duration>,
}

impl Pacing {
    pub(crate) fn new(on: bool) -> Pacing {
        Pacing { on, srtt: None }
    }

    /// The handshake: so many windows over its round trip, if there is a fair one.
    pub(crate) fn open(&mut self, w: &mut Window, rtt: Option<Duration>, windows: f64) {
        if let Some(rtt) = rtt {
            self.set(w, rtt, windows);
        }
    }

    /// From now on so many windows per smoothed round trip, to which `rtt` belongs.
    pub(crate) fn update(&mut self, w: &mut Window, rtt: Option<Duration>, windows: f64) {
        self.srtt = match (self.srtt, rtt) {
            // RFC 6298's weight.
            (Some(srtt), Some(rtt)) => Some((srtt.times(7) + rtt).over(8)),
            (srtt, rtt) => srtt.or(rtt),
        };
        if let Some(srtt) = self.srtt {
            self.set(w, srtt, windows);
        }
    }

    fn set(&self, w: &mut Window, rtt: Duration, windows: f64) {
        let wire = w.cwnd * f64::from(w.wire()) * windows;
        let rate = Rate::of(wire as u64, rtt);
        if self.on && rate.bps() > 0 {
            w.pacing = Some(rate);
        }
    }

    /// Something has left: nothing more is paced where the threshold was reached meanwhile,
    /// for at and above it ACKs are the avoidance's.
    pub(crate) fn on_sent(&mut self, w: &mut Window) {
        if !w.in_slow_start() {
            self.end(w);
        }
    }

    /// Paces no more: the stack may as it likes.
    pub(crate) fn end(&mut self, w: &mut Window) {
        if std::mem::take(&mut self.on) {
            w.pacing = None;
        }
    }
}
