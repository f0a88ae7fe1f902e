//! CircuitStart: double until a queue stands, and keep what got through.
//!
//! C. Döpmann and F. Tschorsch, "CircuitStart: A Slow Start For Multi-Hop Anonymity Systems",
//! SIGCOMM 2018 (poster). In Tor each relay of a circuit runs a window towards the next one,
//! clocked by its word that cells were forwarded; nothing is lost between them, so queues alone
//! tell of congestion. The window doubles from two cells, round by round, until the excess that
//! Vegas would see, `diff = cwnd * (curRTT - baseRTT) / baseRTT`, is more than `gamma` cells.
//! By then it has overshot, and halving would be a guess: the window becomes what was confirmed
//! of the last round's train in the time that the path takes without a queue, which is what the
//! path carries. Avoidance is to be Vegas' (`avoidance = "vegas"`).
//!
//! Here a hop is a connection's path, a segment is a cell and its acknowledgement the feedback.
//!
//! # Parameters
//!
//! | name | default | meaning |
//! | --- | --- | --- |
//! | `gamma` | 4 segments | leave when more than these wait in queues |
//! | `sample` | `least` | which round-trip time of a round counts |
//! | `confirmed` | `base-rtt` | over how much of the last round confirmed segments are counted |
//! | `iw` | 2 | the first window |
//! | `growth`, `limit`, `ssthresh` | as [`super::slow_start`] | growth |
//!
//! # State
//!
//! `baseRTT`; of the round its end, when its first segment was confirmed, the window with which
//! it began, its round-trip time and what was confirmed of it.
//!
//! # Contested
//!
//! - Only the abstract was at hand; the rules are reconstructed from what others say of it.
//! - A round's last round-trip time includes the train's own queue: at `sample=latest` the
//!   start-up ends as soon as a train of it is longer than `gamma`, whatever the path has room
//!   for. The least one sees queues that stand.
//! - A train that is confirmed at the rate of the bottleneck for one `baseRTT` is one
//!   bandwidth-delay product. `confirmed=round` counts all of it, which is the window before
//!   the last doubling and undoes no overshoot.
//! - The window doubles with the acknowledgements, not at the end of a round.

use super::Startup;
use crate::entry::{Certainty, Entry};
use crate::params::{ParamSpec, Params, Unit};
use crate::signals::{Ack, Established, Timeout};
use crate::slow_start::{self, SlowStart};
use crate::{Reason, Segments, Time, Window};

/// The catalog entry.
pub const ENTRY: Entry<dyn Startup> = Entry {
    name: "circuit-start",
    title: "CircuitStart",
    source: "Döpmann, Tschorsch: CircuitStart, SIGCOMM 2018 (poster)",
    year: 2018,
    opened: "abstract of the poster; code: the authors' ns-3, tor-bktap.cc",
    compared: "both exit tests, window at exit, doubling",
    summary: "Doubles the window until a queue stands, then keeps what the last round confirmed \
              within the round trip of the empty path.",
    params: &[
        GAMMA,
        SAMPLE,
        CONFIRMED,
        IW,
        slow_start::GROWTH,
        slow_start::LIMIT,
        slow_start::SSTHRESH,
    ],
    needs: &[],
    certainty: Certainty::Reconstructed,
    build: |params, _| Ok(Box::new(CircuitStart::new(params))),
};

const GAMMA: ParamSpec = ParamSpec {
    name: "gamma",
    unit: Unit::Segments,
    default: "4",
    meaning: "the start-up ends when more segments than these wait in queues",
};

const SAMPLE: ParamSpec = ParamSpec {
    name: "sample",
    unit: Unit::Choice(&["least", "latest"]),
    default: "least",
    meaning: "which round-trip time of a round is its curRTT",
};

const CONFIRMED: ParamSpec = ParamSpec {
    name: "confirmed",
    unit: Unit::Choice(&["base-rtt", "round"]),
    default: "base-rtt",
    meaning: "what of the last round the window becomes: what was confirmed within one baseRTT \
              of its first segment, or all of it",
};

const IW: ParamSpec = ParamSpec {
    name: "iw",
    unit: Unit::InitialWindow,
    default: "2pkt",
    meaning: "the first window; after a lost SYN at most what the stack's rule allows",
};

/// Segments in excess: what Vegas takes to wait in queues.
fn diff(cwnd: Segments, current: Time, base: Time) -> Segments {
    cwnd * current.since(base).nanos() as f64 / base.nanos().max(1) as f64
}

/// A round: from an ACK to that of all that was out then.
#[derive(Clone, Copy, Debug, Default)]
struct Round {
    until: u64,
    /// When its first segment was confirmed.
    since: Time,
    cwnd: Segments,
    current: Option<Time>,
    confirmed: u64,
}

/// CircuitStart.
struct CircuitStart {
    gamma: Segments,
    latest: bool,
    whole_round: bool,
    base: Option<Time>,
    round: Round,
}

impl CircuitStart {
    fn new(params: &Params) -> CircuitStart {
        CircuitStart {
            gamma: params.segments("gamma"),
            latest: params.choice("sample") == "latest",
            whole_round: params.choice("confirmed") == "round",
            base: None,
            round: Round::default(),
        }
    }

    fn measure(&mut self, a: &Ack) {
        if let Some(rtt) = a.rtt {
            self.base = Some(self.base.map_or(rtt, |base| base.min(rtt)));
            let kept = self.round.current.filter(|_| !self.latest);
            self.round.current = Some(kept.map_or(rtt, |least| least.min(rtt)));
        }
        let base = self.base.unwrap_or(Time::MAX);
        if self.whole_round || a.now.since(self.round.since) <= base {
            self.round.confirmed += a.acked;
        }
    }

    fn begin_round(&mut self, w: &Window, a: &Ack) {
        self.round = Round {
            until: a.nxt,
            cwnd: w.cwnd,
            since: a.now,
            current: None,
            confirmed: 0,
        };
    }

    /// Whether more than gamma segments of the round's window waited in queues.
    fn is_full(&self) -> bool {
        let Round { cwnd, current, .. } = self.round;
        let (Some(current), Some(base)) = (current, self.base) else {
            return false;
        };
        diff(cwnd, current, base) > self.gamma
    }
}

impl Startup for CircuitStart {
    fn on_established(&mut self, w: &mut Window, e: &Established) {
        self.base = e.rtt;
        self.round.cwnd = w.cwnd;
    }

    fn on_ack(&mut self, w: &mut Window, a: &Ack, slow_start: &mut SlowStart) -> Option<Reason> {
        if self.round.until == 0 {
            // What is out at the first ACK is the first round.
            self.begin_round(w, a);
        }
        self.measure(a);
        if a.una < self.round.until {
            slow_start.grow(w, a);
            return None;
        }
        if self.is_full() {
            let confirmed = w.segments(self.round.confirmed);
            w.cwnd = confirmed.max(2.0).min(w.cwnd);
            w.ssthresh = w.cwnd;
            slow_start.leave_unused(a);
            return Some(Reason::Delay);
        }
        slow_start.grow(w, a);
        self.begin_round(w, a);
        None
    }

    fn on_timeout(&mut self, _w: &mut Window, _t: &Timeout) {
        self.round = Round::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{ms, with_reno};
    use crate::{Controller, Convention};

    const MSS: u64 = 1460;

    #[test]
    fn the_excess_is_that_of_vegas() {
        let (base, current) = (ms(50.0), ms(60.0));
        assert!((diff(16.0, current, base) - 3.2).abs() < 1e-9);
        assert!((diff(32.0, current, base) - 6.4).abs() < 1e-9);
    }

    /// A round of so many segments, confirmed one by one so far apart, at round trips of 60 ms
    /// where the path's is 50; the window and the reason it ended, if it did.
    fn after_round(spec: &str, window: u64, apart: f64) -> (f64, Option<Reason>) {
        let mut c: Controller = with_reno(&ENTRY, spec, Convention::Rfc).unwrap();
        let mut w = Window::new(MSS as u32);
        let e = Established {
            rtt: Some(ms(50.0)),
            ..Established::at(Time::ZERO)
        };
        c.on_established(&mut w, &e);
        w.cwnd = window as f64;
        for number in 1..=window {
            let ack = Ack {
                una: number * MSS,
                nxt: window * MSS,
                rtt: Some(ms(60.0)),
                ..Ack::of(ms(60.0 + (number - 1) as f64 * apart), MSS)
            };
            c.on_ack(&mut w, &ack);
        }
        (w.cwnd, c.exit().map(|exit| exit.reason))
    }

    #[test]
    fn sixteen_segments_stay_and_thirty_two_leave_what_a_round_trip_confirmed() {
        assert_eq!(after_round("", 16, 2.6), (32.0, None));
        // Twenty of them within 50 ms of the first.
        assert_eq!(after_round("", 32, 2.6), (20.0, Some(Reason::Delay)));
        assert_eq!(after_round("confirmed=round", 32, 2.6).0, 32.0);
        assert_eq!(after_round("gamma=7", 32, 2.6), (64.0, None));
    }

    #[test]
    fn it_opens_with_two_cells() {
        let mut c = with_reno(&ENTRY, "", Convention::Rfc).unwrap();
        let mut w = Window::new(MSS as u32);
        let e = Established {
            initial_window: 10.0,
            rtt: Some(ms(50.0)),
            ..Established::at(Time::ZERO)
        };
        c.on_established(&mut w, &e);
        assert_eq!(w.cwnd, 2.0);
    }
}
