//! CUBIC as neqo has it (neqo 0.30.1 at 80ca01e, neqo-transport/src/cc, `cubic.rs` and
//! `classic_cc.rs`).
//!
//! The curve and Reno's estimate are RFC 9438's, with the minimum round trip. The larger of the two is
//! the target, in the Reno-friendly region as well, and the window moves towards it by whole
//! datagrams: one for so many bytes acknowledged as the distance to the target calls for. Reno's
//! estimate grows by whole datagrams too, and never faster than `alpha_cubic`. An ACK that finds the
//! window unused begins a new epoch. A mark leaves 0.85 of the window (RFC 8511).

use super::constants::Constants;
use crate::avoidance::hooks::Avoidance;
use crate::signals::{Ack, Established, Loss, Marked, Timeout};
use crate::{Duration, Instant, Segments, Window};

/// `cwnd_min`.
const MINIMUM: Segments = 2.0;
/// What a mark leaves of the window (`BETA_USIZE_DIVIDEND_ECN`).
const BETA_ECN: f64 = 0.85;

/// State of neqo's CUBIC on one connection. In segments.
#[derive(Clone)]
pub(super) struct CubicNeqo {
    constants: Constants,
    min_rtt: Duration,
    state: State,
    /// Before the last reduction.
    undo: Option<State>,
}

#[derive(Clone, Copy, Default)]
struct State {
    k: f64,
    w_max: Option<Segments>,
    epoch: Option<Epoch>,
    /// `acked_bytes`: acknowledged since the last increase.
    acked: Segments,
}

#[derive(Clone, Copy)]
struct Epoch {
    start: Instant,
    w_est: Segments,
    /// `reno_acked_bytes`.
    reno_acked: Segments,
}

impl CubicNeqo {
    pub(super) fn new(constants: Constants) -> CubicNeqo {
        CubicNeqo {
            constants,
            min_rtt: Duration::MAX,
            state: State::default(),
            undo: None,
        }
    }

    fn measure(&mut self, a: &Ack) {
        self.min_rtt = a.rtt.unwrap_or(Duration::MAX).min(self.min_rtt);
    }

    /// `start_epoch`.
    fn begin(&mut self, w: &Window, now: Instant) -> Epoch {
        let w_max = self.state.w_max.filter(|w_max| *w_max > w.cwnd);
        self.state.w_max = Some(w_max.unwrap_or(w.cwnd));
        // A root that is the same on every machine.
        self.state.k = w_max.map_or(0.0, |w_max| libm::cbrt((w_max - w.cwnd) / self.constants.c));
        Epoch {
            start: now,
            w_est: w.cwnd,
            reno_acked: 0.0,
        }
    }

    /// Segments to be acknowledged for one more, where `acked` are now (`bytes_for_cwnd_increase`).
    fn per_increase(&mut self, w: &Window, acked: Segments, now: Instant) -> Segments {
        let Constants { beta, c, .. } = self.constants;
        let alpha = 3.0 * (1.0 - beta) / (1.0 + beta);
        let begun = self.state.epoch;
        let mut epoch = begun.unwrap_or_else(|| self.begin(w, now));
        epoch.reno_acked += acked;
        let d = (now.since(epoch.start) + self.min_rtt).secs() - self.state.k;
        let curve = c * (d * d * d) + self.state.w_max.unwrap_or(w.cwnd);
        let increase = (alpha * epoch.reno_acked / w.cwnd).floor();
        epoch.w_est += increase;
        epoch.reno_acked -= increase * w.cwnd / alpha;
        self.state.epoch = Some(epoch);
        let curve = curve.clamp(w.cwnd, 1.5 * w.cwnd);
        let target = match self.constants.friendly {
            true => curve.max(epoch.w_est),
            false => curve,
        };
        w.cwnd / (target - w.cwnd).max(1.0 / f64::from(w.mss))
    }

    /// `reduce_cwnd`.
    fn reduce(&mut self, w: &mut Window, beta: f64) {
        self.undo = Some(self.state);
        let last = self.state.w_max.unwrap_or(0.0);
        // A window that is less than a segment below counts as equal.
        let w_max = match w.cwnd + 1.0 < last {
            true => self.constants.w_max(w.cwnd, last),
            false => w.cwnd,
        };
        self.state = State {
            k: 0.0,
            w_max: Some(w_max),
            epoch: None,
            acked: self.state.acked * beta,
        };
        w.cwnd = (w.cwnd * beta).max(MINIMUM);
        w.ssthresh = w.cwnd;
    }
}

impl Avoidance for CubicNeqo {
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
            self.state.epoch = None;
            return;
        }
        let acked = w.segments(a.credit);
        let per_increase = self.per_increase(w, acked, a.now);
        let acked = self.state.acked.min(per_increase) + acked;
        let datagrams = (acked / per_increase).floor();
        self.state.acked = acked - datagrams * per_increase;
        w.cwnd += datagrams;
    }

    fn on_loss(&mut self, w: &mut Window, _l: &Loss) {
        self.reduce(w, self.constants.beta);
    }

    fn on_marked(&mut self, w: &mut Window, _m: &Marked) {
        self.reduce(w, BETA_ECN);
    }

    fn on_timeout(&mut self, w: &mut Window, t: &Timeout) {
        if !t.repeated {
            self.reduce(w, self.constants.beta);
        }
        (w.cwnd, self.state.acked) = (1.0, 0.0);
    }

    fn on_spurious(&mut self, _w: &mut Window) {
        self.state = self.undo.take().unwrap_or(self.state);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{at_ms, ms};
    use crate::{Controller, Convention, catalog};

    const MSS: u32 = 1252;

    fn lost_at(cwnd: Segments, marked: bool) -> (Controller, Window) {
        let mut c =
            catalog::controller("slow-start", "cubic:variant=neqo", Convention::QUIC).unwrap();
        let mut w = Window::new(MSS);
        let e = Established {
            rtt: Some(ms(100.0)),
            ..Established::at(Instant::ZERO)
        };
        c.on_established(&mut w, &e);
        w.cwnd = cwnd;
        let loss = Loss {
            now: Instant::ZERO,
            flight: w.cwnd_bytes(),
            usable: w.cwnd,
        };
        match marked {
            false => c.on_loss(&mut w, &loss),
            true => c.on_marked(
                &mut w,
                &Marked {
                    now: loss.now,
                    flight: loss.flight,
                    usable: loss.usable,
                },
            ),
        }
        (c, w)
    }

    #[test]
    fn a_mark_leaves_more_than_a_loss() {
        assert_eq!(lost_at(100.0, false).1.cwnd, 70.0);
        assert_eq!(lost_at(100.0, true).1.cwnd, 85.0);
    }

    /// Windows after each of so many rounds of 100 ms.
    fn rounds(cwnd: Segments, count: u32) -> Vec<Segments> {
        let (mut c, mut w) = lost_at(cwnd, false);
        let windows = (1..=count).map(|round| {
            for _ in 0..w.cwnd as u32 {
                let ack = Ack {
                    rtt: Some(ms(100.0)),
                    ..Ack::of(at_ms(100.0 * f64::from(round)), MSS.into())
                };
                c.on_ack(&mut w, &ack);
            }
            w.cwnd
        });
        windows.collect()
    }

    #[test]
    fn it_grows_by_whole_datagrams() {
        let windows = rounds(100.0, 30);
        assert!(windows.iter().all(|w| w.fract() == 0.0), "{windows:?}");
        assert!(windows.windows(2).all(|pair| pair[0] <= pair[1]));
        // The curve is back at the window of the loss after cbrt(75) = 4.2 s.
        assert!((90.0..=100.0).contains(&windows[29]), "{windows:?}");
    }
}
