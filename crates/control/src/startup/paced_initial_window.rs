//! Initial Spreading: a large first window, spaced over the first round trip.
//!
//! R. Sallantin, C. Baudoin, E. Chaput, F. Arnal, E. Dubois, A.-L. Beylot, "Initial Spreading: a
//! Fast Start-Up TCP Mechanism", IEEE LCN 2013, and draft-sallantin-iccrg-initial-spreading. A
//! larger initial window saves round trips and, sent at once, overflows small buffers: its
//! packets are lost together and there are too few acknowledgements to repair them by. So the
//! window leaves one packet at a time, `RTT/IW` apart, with the round trip that the handshake
//! measured. Its acknowledgements come back as far apart, and slow start continues from them as
//! ever, its bursts of two spread over the whole round.
//!
//! Rapid Start's rule, twice the initial window over a full round trip, is the same rate as the
//! initial window over half of one: `spread=0.5`. What current Linux does instead, the first
//! ten packets at once and everything after them paced, is no startup but the stack's
//! `pacing = "internal"`.
//!
//! # State
//!
//! How much of the window has left.
//!
//! # Contested
//!
//! - The papers' text was not at hand; spacing and its end are as others describe them. Which
//!   window the authors propose is not settled by that, so it is the stack's, and `iw` changes
//!   it.
//! - Without a round-trip time, as after a lost SYN, there is nothing to spread over: the
//!   window leaves at once, at most ten segments of it.

use super::{Congestion, Maker, Response, Startup, copies};
use crate::entry::{Certainty, Entry, Need};
use crate::params::Ratio;
use crate::signals::{Ack, Established, Idle, Sent};
use crate::slow_start::SlowStart;
use crate::{Rate, Reason, Segments, Window, params, with_slow_start};

/// Entry of `paced-initial-window` in the catalog of startups.
pub const ENTRY: Entry<Maker> = Entry {
    name: "paced-initial-window",
    title: "Initial Spreading",
    source: "Sallantin et al.: Initial Spreading, IEEE LCN 2013; draft-irtf-iccrg-pacing",
    year: 2013,
    opened: "text: draft-irtf-iccrg-pacing; abstract of Initial Spreading",
    compared: "spacing, its end",
    summary: "Spaces the initial window over the first round trip, then slow start.",
    params: with_slow_start!(Settings),
    needs: &[Need::Pacing],
    certainty: Certainty::Derived,
    build: |params, _| Ok(copies(PacedInitialWindow::new(Settings::read(params)?))),
};

params! {
    pub struct Settings {
        /// the share of the first round trip over which the initial window is spread; 0.5 is Rapid
        /// Start's rate
        #[check(|spread| spread >= 0.01, "a share from 0.01 to 1")]
        spread: Ratio = "1",
    }
}

/// What leaves at once where no round trip is known.
const PLAIN: Segments = 10.0;

/// State of Initial Spreading on one connection.
#[derive(Clone)]
struct PacedInitialWindow {
    spread: f64,
    /// Bytes of the window that have not left yet, while it is being spread.
    left: u64,
}

impl PacedInitialWindow {
    fn new(settings: Settings) -> PacedInitialWindow {
        PacedInitialWindow {
            spread: settings.spread,
            left: 0,
        }
    }

    fn cancel(&mut self, w: &mut Window) {
        if self.left > 0 {
            w.pacing = None;
        }
        self.left = 0;
    }
}

impl Startup for PacedInitialWindow {
    fn on_established(&mut self, w: &mut Window, e: &Established) {
        let Some(rtt) = e.rtt else {
            w.cwnd = w.cwnd.min(PLAIN);
            return;
        };
        // In half a round trip what is twice as much in a whole one.
        let wire = w.cwnd.floor() * f64::from(w.wire()) / self.spread;
        let rate = Rate::of(wire as u64, rtt);
        if rate.bps() > 0 {
            w.pacing = Some(rate);
            self.left = w.cwnd_bytes();
        }
    }

    /// All of the window is out.
    fn on_sent(&mut self, w: &mut Window, s: &Sent) -> Option<Reason> {
        if self.left > 0 && self.left <= u64::from(s.bytes) {
            self.cancel(w);
        }
        self.left = self.left.saturating_sub(u64::from(s.bytes));
        None
    }

    /// Grows as slow start; ACKs clock what follows the initial window.
    fn on_ack(&mut self, w: &mut Window, a: &Ack, slow_start: &mut SlowStart) -> Option<Reason> {
        self.cancel(w);
        slow_start.grow(w, a);
        None
    }

    fn on_congestion(&mut self, w: &mut Window, _c: &Congestion) -> Response {
        self.cancel(w);
        Response::STANDARD
    }

    fn on_idle(&mut self, w: &mut Window, _before: &Window, _i: &Idle) -> bool {
        self.cancel(w);
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{RTT, ms, with_reno};
    use crate::{Controller, Convention, Duration, Instant};

    const MSS: u32 = 1460;

    fn opened(spec: &str, rtt: Option<Duration>) -> (Controller, Window) {
        let mut c = with_reno(&ENTRY, spec, Convention::RFC).unwrap();
        let mut w = Window::new(MSS);
        let e = Established {
            initial_window: 10.0,
            rtt,
            ..Established::at(Instant::ZERO + RTT)
        };
        c.on_established(&mut w, &e);
        (c, w)
    }

    fn gap(spec: &str) -> Duration {
        let (_, w) = opened(spec, Some(RTT));
        w.pacing.unwrap().time_for(u64::from(MSS) + 40)
    }

    #[test]
    fn the_window_is_spread_over_one_round_trip() {
        assert_eq!([gap(""), gap("iw=20")], [ms(10.0), ms(5.0)]);
        assert_eq!(gap("spread=0.5"), ms(5.0));
    }

    fn send(c: &mut Controller, w: &mut Window, count: u64) {
        for number in 0..count {
            let sent = Sent {
                now: Instant::ZERO + RTT,
                bytes: MSS,
                seq: number * u64::from(MSS),
                retransmission: false,
                flight: (number + 1) * u64::from(MSS),
            };
            c.on_sent(w, &sent);
        }
    }

    #[test]
    fn the_last_of_it_or_the_first_ack_ends_the_pacing() {
        let (mut c, mut w) = opened("", Some(RTT));
        send(&mut c, &mut w, 9);
        assert!(w.pacing.is_some());
        c.on_ack(
            &mut w,
            &Ack::of(Instant::ZERO + RTT.times(2), u64::from(MSS)),
        );
        assert_eq!((w.pacing, w.cwnd), (None, 11.0));
        let (mut c, mut w) = opened("", Some(RTT));
        send(&mut c, &mut w, 10);
        assert_eq!(w.pacing, None);
    }

    #[test]
    fn without_a_round_trip_at_most_ten_leave_at_once() {
        let (_, w) = opened("iw=20", None);
        assert_eq!((w.cwnd, w.pacing), (10.0, None));
    }

    #[test]
    fn a_share_of_nothing_is_refused() {
        let error = with_reno(&ENTRY, "spread=0", Convention::RFC)
            .err()
            .unwrap();
        assert_eq!(
            error.to_string(),
            "startup `paced-initial-window`: parameter `spread`: `0` is not a share from 0.01 to 1"
        );
    }
}
