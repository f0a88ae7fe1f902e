//! CUBIC as quinn and noq have it (quinn-proto 0.11.19 and noq-proto 1.4.0, `congestion/cubic.rs`).
//!
//! The curve is RFC 8312's. The window moves by whole packets: what each acknowledged packet adds is
//! summed up, and a packet's worth moves it. quinn then drops the rest of the sum, noq keeps it. The
//! estimate of Reno's window follows from the time since the loss (§4.2, eq. 4), not from ACKs.

use super::constants::Constants;
use crate::avoidance::hooks::Avoidance;
use crate::model::Model;
use crate::model::capacity::Capacity;
use crate::signals::{Ack, Loss, Timeout};
use crate::{Instant, Segments, Window};

/// State of quinn's CUBIC on one connection.
#[derive(Clone)]
pub(super) struct CubicQuinn {
    constants: Constants,
    /// What is more than a packet stays in the sum (noq).
    keeps_rest: bool,
    state: State,
    /// Before the last reduction.
    undo: Option<State>,
}

#[derive(Clone, Copy, Default)]
struct State {
    k: f64,
    w_max: Segments,
    cwnd_inc: Segments,
    /// `recovery_start_time`: the curve's time counts from here.
    start: Option<Instant>,
}

impl CubicQuinn {
    pub(super) fn new(constants: Constants, keeps_rest: bool) -> CubicQuinn {
        CubicQuinn {
            constants,
            keeps_rest,
            state: State::default(),
            undo: None,
        }
    }

    fn reduce(&mut self, w: &mut Window, now: Instant) {
        let beta = self.constants.beta;
        self.undo = Some(self.state);
        let w_max = self.constants.w_max(w.cwnd, self.state.w_max);
        w.ssthresh = (w.cwnd * beta).max(2.0);
        w.cwnd = w.ssthresh;
        self.state = State {
            // RFC 8312 §4.1, eq. 2. A root that is the same on every machine.
            k: libm::cbrt(w_max * (1.0 - beta) / self.constants.c),
            w_max,
            cwnd_inc: self.state.cwnd_inc * beta,
            start: Some(now),
        };
    }

    /// What one acknowledged packet adds to the window before it moves.
    fn growth(&mut self, w: &Window, a: &Ack) -> Segments {
        let Constants { beta, c, .. } = self.constants;
        let state = &mut self.state;
        let start = match state.start {
            Some(start) => start,
            // A startup has ended without a loss.
            None => {
                state.w_max = state.w_max.max(w.cwnd);
                state.k = libm::cbrt((state.w_max - w.cwnd) / c);
                state.start = Some(a.now);
                a.now
            }
        };
        let (t, rtt) = (a.now.since(start).secs(), a.srtt.secs());
        let ahead = t + rtt - state.k;
        let w_cubic = c * (ahead * ahead * ahead) + state.w_max;
        let w_est = state.w_max * beta + 3.0 * (1.0 - beta) / (1.0 + beta) * t / rtt;
        if self.constants.friendly && w_cubic < w_est {
            (w_est - w.cwnd).max(0.0)
        } else {
            (w_cubic - w.cwnd).max(0.0) / w.cwnd
        }
    }
}

impl Avoidance for CubicQuinn {
    fn on_ack(&mut self, w: &mut Window, a: &Ack) {
        if !a.cwnd_limited {
            return;
        }
        let packets = a.credit.div_ceil(u64::from(w.mss));
        for _ in 0..packets {
            self.state.cwnd_inc += self.growth(w, a);
            if self.state.cwnd_inc >= 1.0 {
                w.cwnd += 1.0;
                let rest = self.state.cwnd_inc - 1.0;
                self.state.cwnd_inc = if self.keeps_rest { rest } else { 0.0 };
            }
        }
    }

    fn on_loss(&mut self, w: &mut Window, l: &Loss) {
        self.reduce(w, l.now);
    }

    /// Persistent congestion: the curve begins anew where the window reaches the threshold.
    fn on_timeout(&mut self, w: &mut Window, t: &Timeout) {
        let beta = self.constants.beta;
        if !t.repeated {
            self.reduce(w, t.now);
        }
        w.ssthresh = (w.cwnd * beta).max(2.0);
        self.state = State::default();
        w.cwnd = 1.0;
    }

    fn on_spurious(&mut self, _w: &mut Window) {
        if let Some(before) = self.undo.take() {
            self.state = before;
        }
    }

    /// An estimate of what path and queue hold is used as the window of a loss there.
    fn adopt_model(&mut self, model: Box<dyn Model>) -> Option<Box<dyn Model>> {
        match Capacity::of(model) {
            Ok(capacity) => {
                self.state.w_max = capacity;
                None
            }
            Err(model) => Some(model),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Duration;
    use crate::testing::LOSS;

    fn cubic(keeps_rest: bool) -> (CubicQuinn, Window) {
        let mut w = Window::new(1000);
        w.cwnd = 100.0;
        (CubicQuinn::new(Constants::RFC, keeps_rest), w)
    }

    /// Of one packet, so many milliseconds after the loss.
    fn ack(ms: u64) -> Ack {
        Ack {
            srtt: Duration::from_millis(50),
            ..Ack::of(Instant::from_millis(ms), 1000)
        }
    }

    #[test]
    fn a_loss_leaves_seven_tenths_and_the_curve_returns_after_k() {
        let (mut cubic, mut w) = cubic(false);
        cubic.on_loss(&mut w, &LOSS);
        assert_eq!((w.cwnd, w.ssthresh), (70.0, 70.0));
        assert!((cubic.state.k - 4.217).abs() < 0.001);
    }

    #[test]
    fn the_window_moves_by_whole_packets() {
        let (mut cubic, mut w) = cubic(false);
        cubic.on_loss(&mut w, &LOSS);
        for n in 0..200 {
            cubic.on_ack(&mut w, &ack(10 * n));
            assert_eq!(w.cwnd.fract(), 0.0);
        }
        assert!(w.cwnd > 75.0);
    }

    #[test]
    fn noq_keeps_what_is_more_than_a_packet() {
        let rest = |keeps_rest| {
            let (mut cubic, mut w) = cubic(keeps_rest);
            cubic.on_loss(&mut w, &LOSS);
            cubic.state.cwnd_inc = 0.999;
            cubic.on_ack(&mut w, &ack(10));
            assert_eq!(w.cwnd, 71.0);
            cubic.state.cwnd_inc
        };
        assert_eq!(rest(false), 0.0);
        assert!(rest(true) > 0.0);
    }
}
