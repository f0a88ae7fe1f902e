//! CUBIC as s2n-quic has it (s2n-quic-core 0.91.0, `recovery/cubic.rs`).
//!
//! The curve is RFC 8312's. Its time begins with the first ACK behind a recovery, not with the loss.
//! An ACK moves the window once, however many packets it acknowledges, and by no more than half of
//! what it acknowledges. The round trip is the minimum. Where Reno's estimate is larger, the window
//! becomes that estimate. Time in which the application left the window unused does not count.
//! The window grows to at most 1.5 times the largest flight since the last loss.

use super::constants::Constants;
use crate::avoidance::hooks::Avoidance;
use crate::session::limited::flight_before;
use crate::signals::{Ack, Established, Loss, Timeout};
use crate::{Duration, Instant, Segments, Window};

/// `minimum_window`.
const MINIMUM: Segments = 2.0;
/// `MAX_CWND_MULTIPLIER`.
const MAX_CWND_MULTIPLIER: f64 = 1.5;
/// `LOW_SSTHRESH` of `recovery/hybrid_slow_start.rs`.
const LOW_SSTHRESH: Segments = 16.0;

/// State of s2n-quic's CUBIC on one connection.
#[derive(Clone)]
pub(super) struct CubicS2n {
    constants: Constants,
    min_rtt: Duration,
    /// `bytes_in_flight_hi`: the largest flight that an ACK has found since the last loss.
    largest_flight: u64,
    state: State,
    /// Before the last reduction.
    undo: Option<State>,
}

#[derive(Clone, Copy, Default)]
struct State {
    k: f64,
    w_max: Segments,
    w_last_max: Segments,
    times: Option<Times>,
}

/// `CongestionAvoidanceTiming`.
#[derive(Clone, Copy)]
struct Times {
    start: Instant,
    increased: Instant,
    app_limited: Option<Instant>,
}

impl State {
    /// A slow start ended without a loss at this window.
    fn without_loss(cwnd: Segments) -> State {
        State {
            w_max: cwnd,
            ..State::default()
        }
    }
}

impl CubicS2n {
    pub(super) fn new(constants: Constants) -> CubicS2n {
        CubicS2n {
            constants,
            min_rtt: Duration::MAX,
            largest_flight: 0,
            state: State::default(),
            undo: None,
        }
    }

    fn measure(&mut self, a: &Ack) {
        self.min_rtt = a.rtt.unwrap_or(Duration::MAX).min(self.min_rtt);
        self.largest_flight = flight_before(a).max(self.largest_flight);
    }

    /// `multiplicative_decrease`.
    fn reduce(&mut self, w: &mut Window) {
        let Constants { beta, c, .. } = self.constants;
        self.undo = Some(self.state);
        self.largest_flight = 0;
        let lower = self.constants.fast_convergence && w.cwnd < self.state.w_last_max;
        let w_max = match lower {
            true => (w.cwnd * (1.0 + beta) / 2.0).max(MINIMUM),
            false => w.cwnd,
        };
        let cwnd = (w.cwnd * beta).max(MINIMUM);
        self.state = State {
            // A root that is the same on every machine.
            k: libm::cbrt((w_max - cwnd).max(0.0) / c),
            w_max,
            w_last_max: w.cwnd,
            times: None,
        };
        (w.cwnd, w.ssthresh) = (cwnd, cwnd);
    }

    /// How long the curve has run, with an ACK that lets the window grow.
    fn elapsed(&mut self, w: &Window, now: Instant) -> f64 {
        if self.state.times.is_none() && self.state.w_max == 0.0 {
            self.state = State::without_loss(w.cwnd);
        }
        let times = self.state.times.get_or_insert(Times {
            start: now,
            increased: now,
            app_limited: None,
        });
        if let Some(limited) = times.app_limited.take() {
            times.start += limited.since(times.increased);
        }
        times.increased = now;
        now.since(times.start).secs()
    }
}

impl Avoidance for CubicS2n {
    fn on_established(&mut self, _w: &Window, e: &Established) {
        self.min_rtt = e.rtt.unwrap_or(Duration::MAX);
    }

    fn on_startup_ack(&mut self, _w: &Window, a: &Ack) {
        self.measure(a);
    }

    fn on_recovery_ack(&mut self, _w: &mut Window, a: &Ack) {
        self.measure(a);
    }

    fn on_ack(&mut self, w: &mut Window, a: &Ack) {
        self.measure(a);
        if !a.cwnd_limited {
            if let Some(times) = &mut self.state.times {
                times.app_limited = Some(a.now);
            }
            return;
        }
        let most = MAX_CWND_MULTIPLIER * w.segments(self.largest_flight);
        if w.cwnd >= most {
            return;
        }
        let Constants { beta, c, .. } = self.constants;
        let t = self.elapsed(w, a.now);
        let State { k, w_max, .. } = self.state;
        let rtt = match self.min_rtt {
            Duration::MAX => a.srtt.secs(),
            least => least.secs(),
        };
        let w_cubic = |t: f64| c * ((t - k) * (t - k) * (t - k)) + w_max;
        let w_est = w_max * beta + 3.0 * (1.0 - beta) / (1.0 + beta) * (t / rtt);
        let most = most.min(w.cwnd + w.segments(a.credit) / 2.0);
        if self.constants.friendly && w_cubic(t) < w_est {
            w.cwnd = w_est.min(most).max(MINIMUM);
        } else {
            let ahead = (w_cubic(t + rtt) - w.cwnd).max(0.0);
            w.cwnd = (w.cwnd + ahead / w.cwnd).min(most);
        }
    }

    fn on_loss(&mut self, w: &mut Window, _l: &Loss) {
        self.reduce(w);
    }

    /// Persistent congestion.
    fn on_timeout(&mut self, w: &mut Window, t: &Timeout) {
        if !t.repeated {
            self.reduce(w);
        }
        self.state = State::default();
        w.ssthresh = w.ssthresh.max(LOW_SSTHRESH);
        w.cwnd = MINIMUM;
    }

    fn on_start(&mut self, w: &mut Window, _now: Instant) {
        self.state = State {
            w_last_max: self.state.w_last_max,
            ..State::without_loss(w.cwnd)
        };
    }

    fn on_spurious(&mut self, _w: &mut Window) {
        if let Some(before) = self.undo.take() {
            self.state = before;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::LOSS;

    /// Behind a loss at 100 packets.
    fn reduced() -> (CubicS2n, Window) {
        let mut w = Window::new(1000);
        w.cwnd = 100.0;
        let mut cubic = CubicS2n::new(Constants::RFC);
        cubic.on_loss(&mut w, &LOSS);
        (cubic, w)
    }

    /// Of ten packets, after so many milliseconds.
    fn ack(ms: u64) -> Ack {
        Ack {
            rtt: Some(Duration::from_millis(500)),
            flight: 100_000,
            srtt: Duration::from_millis(500),
            ..Ack::of(Instant::from_millis(ms), 10_000)
        }
    }

    #[test]
    fn a_loss_leaves_seven_tenths_and_the_curve_waits_for_the_end_of_recovery() {
        let (mut cubic, mut w) = reduced();
        assert_eq!((w.cwnd, w.ssthresh), (70.0, 70.0));
        cubic.on_ack(&mut w, &ack(1000));
        // (0.4 * (0.5 - K)^3 + 100 - 70) / 70, with K of 4.217.
        assert!((w.cwnd - 70.135).abs() < 0.001, "{}", w.cwnd);
    }

    #[test]
    fn an_ack_adds_at_most_half_of_what_it_acknowledges() {
        let (mut cubic, mut w) = reduced();
        cubic.on_ack(&mut w, &ack(0));
        let before = w.cwnd;
        cubic.on_ack(&mut w, &ack(100_000));
        assert_eq!(w.cwnd, before + 5.0);
    }

    #[test]
    fn the_window_stays_at_one_and_a_half_times_the_largest_flight() {
        let (mut cubic, mut w) = reduced();
        let mut window = |ms, flight| {
            let ack = Ack { flight, ..ack(ms) };
            cubic.on_ack(&mut w, &ack);
            w.cwnd
        };
        assert_eq!(window(0, 30_000), 70.0);
        assert!(window(0, 40_000) > 70.0);
        assert_eq!([window(100_000, 40_000), window(100_000, 0)], [75.0, 75.0]);
    }

    #[test]
    fn time_of_an_unused_window_does_not_count() {
        let grown = |limited: bool| {
            let (mut cubic, mut w) = reduced();
            cubic.on_ack(&mut w, &ack(0));
            let unused = Ack {
                cwnd_limited: false,
                ..ack(8000)
            };
            if limited {
                cubic.on_ack(&mut w, &unused);
            }
            cubic.on_ack(&mut w, &ack(8010));
            w.cwnd
        };
        assert!(grown(true) < grown(false));
    }
}
