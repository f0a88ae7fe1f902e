//! QS-app: a first window as large as the sender's own interface allows.
//!
//! K. Kumazoe, D. Cavendish, M. Tsuru, Y. Oie, M. Gerla, slides for the IRTF, November 2008
//! ("Quick Start with no pacing"). Where routers do not answer, an application may guess: the
//! sender's interface is the one link of known speed, so it opens with the window that
//! this link and the round-trip time of the handshake make, `interface * RTT / MSS`, and
//! skips slow start altogether. Where the interface is the narrowest link the window is
//! exactly right. Where a later link is narrower, most of the first flight is lost, and how a
//! sender lives through the loss of a hundred thousand packets decides everything.
//!
//! Its paced twin spreads the same window over the first round trip.
//!
//! # State
//!
//! The rate of the interface; whether the first flight still leaves.
//!
//! # Contested
//!
//! - What follows the first window is not specified. Avoidance is the natural reading of a sender
//!   that takes its window for the path's.
//! - The slides count payload, so the wire carries 2.7 % more than the interface does; kept.

use super::{Assisted, Congestion, Maker, Response, Startup, copies};
use crate::entry::{Certainty, Entry, Need};
use crate::signals::{Ack, Established, PathInfo};
use crate::slow_start::SlowStart;
use crate::{Duration, Rate, Reason, Segments, Window, params, with_slow_start};

/// Entry of `qs-app` in the catalog of startups.
pub const ENTRY: Entry<Maker> = Entry {
    name: "qs-app",
    title: "QS-app (interface-speed window)",
    source: "Kumazoe, Cavendish, Tsuru, Oie, Gerla: slides for the IRTF, November 2008",
    year: 2008,
    opened: "text: the slides",
    compared: "first window, with and without pace",
    summary: "Opens with the window that the sender's own interface and the round-trip time \
              make, at once or paced.",
    params: with_slow_start!(Settings),
    needs: &[Need::Interface],
    certainty: Certainty::Text,
    build: |params, _| Ok(copies(QsApp::new(Settings::read(params)?))),
};

params! {
    /// Parameters; those of slow start apply with `after=slow-start`.
    pub struct Settings {
        /// the rate that the window is made for
        #[usual("by path: the rate of the sender's interface")]
        interface_rate: Option<Rate>,
        /// whether the window is spread over the first round trip
        paced: bool = "false",
        /// what follows the first window: congestion control from there, or slow start
        after: After = "avoidance",
        /// whether segments count with their headers
        wire_size: bool = "false",
        /// so many sessions share the interface: each takes its part
        #[within(1..=1_000_000)]
        sessions: u32 = "1",
    }

    pub enum After { Avoidance = "avoidance", SlowStart = "slow-start" }
}

/// State of QS-app on one connection.
#[derive(Clone)]
struct QsApp {
    rate: Option<Rate>,
    paced: bool,
    avoidance: bool,
    wire_size: bool,
    sessions: u64,
    /// The first flight has not been acknowledged yet.
    active: bool,
}

impl QsApp {
    fn new(settings: Settings) -> QsApp {
        QsApp {
            rate: settings.interface_rate,
            paced: settings.paced,
            avoidance: settings.after == After::Avoidance,
            wire_size: settings.wire_size,
            sessions: settings.sessions.into(),
            active: false,
        }
    }

    fn begin(&mut self, w: &mut Window, rate: Rate, rtt: Duration) {
        let segment = if self.wire_size { w.wire() } else { w.mss };
        let window = Rate(rate.bps() / self.sessions).bytes_in(rtt) / u64::from(segment);
        w.cwnd = (window as Segments).max(w.cwnd);
        if self.avoidance {
            w.ssthresh = w.cwnd;
        }
        if self.paced {
            w.pacing = w.rate_over(w.cwnd.floor(), Duration::ZERO + rtt);
        }
        self.active = true;
    }

    fn cancel(&mut self, w: &mut Window) {
        if std::mem::take(&mut self.active) {
            w.pacing = None;
        }
    }
}

impl Startup for QsApp {
    fn on_established(&mut self, w: &mut Window, e: &Established) {
        if let (Some(rate), Some(rtt)) = (self.rate, e.rtt) {
            self.begin(w, rate, rtt);
        }
    }

    fn on_ack(&mut self, w: &mut Window, a: &Ack, slow_start: &mut SlowStart) -> Option<Reason> {
        let first = self.active;
        self.cancel(w);
        if w.in_slow_start() {
            slow_start.grow(w, a);
        } else {
            slow_start.leave_unused(a);
        }
        first.then_some(Reason::FirstAck)
    }

    fn on_congestion(&mut self, w: &mut Window, _c: &Congestion) -> Response {
        self.cancel(w);
        Response::STANDARD
    }

    fn in_charge(&self, w: &Window) -> bool {
        self.active || w.in_slow_start()
    }

    fn assisted(&mut self) -> Option<&mut dyn Assisted> {
        Some(self)
    }
}

impl Assisted for QsApp {
    fn on_known(&mut self, k: &PathInfo) {
        self.rate = self.rate.or(k.interface_rate);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::with_reno;
    use crate::{Controller, Convention, Instant};

    fn opened(spec: &str, mbps: u64, ms: u64) -> (Controller, Window) {
        let mut c = with_reno(&ENTRY, spec, Convention::RFC).unwrap();
        let mut w = Window::new(1460);
        let known = PathInfo {
            interface_rate: Some(Rate(mbps * 1_000_000)),
            ..PathInfo::default()
        };
        c.on_known(&known);
        let rtt = Duration::from_millis(ms);
        let e = Established {
            initial_window: 3.0,
            rtt: Some(rtt),
            ..Established::at(Instant::ZERO + rtt)
        };
        c.on_established(&mut w, &e);
        (c, w)
    }

    #[test]
    fn the_window_of_an_interface() {
        for (mbps, ms, window) in [
            (100, 180, 1_541.0),
            (100, 220, 1_883.0),
            (1_000, 180, 15_410.0),
            (1_000, 220, 18_835.0),
            (10_000, 180, 154_109.0),
            (10_000, 220, 188_356.0),
            (1_000, 1, 85.0),
            (1, 1, 3.0),
        ] {
            let (_, w) = opened("", mbps, ms);
            assert_eq!((w.cwnd, w.ssthresh, w.pacing), (window, window, None));
        }
        assert_eq!(opened("interface_rate=100Mbps", 1_000, 180).1.cwnd, 1_541.0);
        assert_eq!(opened("wire_size=true", 1_000, 180).1.cwnd, 15_000.0);
        assert_eq!(opened("sessions=10", 1_000, 180).1.cwnd, 1_541.0);
    }

    #[test]
    fn the_paced_twin_takes_a_round_trip() {
        let (_, w) = opened("paced=true", 1_000, 180);
        assert_eq!(
            w.pacing.unwrap().time_for(1_500),
            Duration::from_nanos(11_680)
        );
    }

    #[test]
    fn the_first_ack_hands_over() {
        let (mut c, mut w) = opened("paced=true", 1_000, 1);
        c.on_ack(&mut w, &Ack::of(Instant::from_millis(2), 1460));
        assert_eq!((w.cwnd, w.pacing), (85.0, None));
        assert_eq!(c.exit().unwrap().reason, Reason::FirstAck);
        // A window of segments, that first one included, makes one more.
        (0..84).for_each(|_| c.on_ack(&mut w, &Ack::of(Instant::from_millis(2), 1460)));
        assert_eq!(w.cwnd, 86.0);
        let (mut c, mut w) = opened("after=slow-start", 1_000, 1);
        c.on_ack(&mut w, &Ack::of(Instant::from_millis(2), 1460));
        assert_eq!(w.cwnd, 86.0);
    }

    #[test]
    fn without_an_interface_it_is_slow_start() {
        let mut c = with_reno(&ENTRY, "", Convention::RFC).unwrap();
        let mut w = Window::new(1460);
        c.on_established(&mut w, &Established::at(Instant::ZERO));
        assert_eq!((w.cwnd, w.ssthresh), (1.0, f64::INFINITY));
    }

    #[test]
    fn sessions_are_counted() {
        let error = with_reno(&ENTRY, "sessions=0", Convention::RFC)
            .err()
            .unwrap();
        assert!(
            error
                .to_string()
                .ends_with("`0` is not a whole number from 1 to 1000000")
        );
    }
}
