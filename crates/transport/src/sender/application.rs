//! What the application hands over, and the window after an idle time.

use super::{Sender, Spreading};
use crate::stack::Restart;
use flowstart_control::signals::Idle;
use flowstart_control::{Instant, Segments};

impl Sender {
    /// The application hands over `bytes` more.
    pub fn push(&mut self, bytes: u64, now: Instant) {
        if self.holds_response(bytes) {
            return;
        }
        self.hand_over(bytes, now);
    }

    /// So many bytes more are to leave.
    pub(super) fn hand_over(&mut self, bytes: u64, now: Instant) {
        self.held_back = None;
        self.restart_after_idle(now);
        if self.connection.sent().samples_delivery() && self.is_left_idle() {
            let pipe = self.flight();
            if let Some(delivery) = self.connection.sent_mut().delivery() {
                delivery.application_limits(pipe);
            }
        }
        let mss = self.connection.mss();
        let whole = if self.connection.stack().ns2.whole_segments {
            bytes.div_ceil(mss) * mss
        } else {
            bytes
        };
        match &mut self.send_buffer {
            Some(buffer) => {
                buffer.push(whole);
                self.refill();
            }
            None => self.connection.queue(whole),
        }
        self.recovery.on_data();
    }

    /// Whether all that the application has handed over is on its way, with room for more
    /// (draft-cheng-iccrg-delivery-rate-estimation §3.4).
    #[inline(never)]
    pub(super) fn is_left_idle(&self) -> bool {
        let c = &self.connection;
        c.is_drained() && c.window().has_room(self.flight()) && self.recovery.plan(c).is_none()
    }

    /// RFC 5681 §4.1.
    fn restart_after_idle(&mut self, now: Instant) {
        let c = &mut self.connection;
        let Some(idle) = c.idle_for(now) else { return };
        let restart_window = match c.stack().window.restart {
            Restart::InitialWindow => c.stack().initial_window(),
            Restart::One => 1.0,
            Restart::Keep | Restart::Paced => f64::INFINITY,
            Restart::Linux => c.restart_window(idle),
        };
        if c.stack().window.restart == Restart::Linux && !c.controller_owns_cwnd() {
            let window = c.window_mut();
            window.ssthresh = window.ssthresh.max((0.75 * window.cwnd).floor());
        }
        let idle = Idle {
            now,
            idle,
            restart_window,
        };
        c.on_idle(&idle);
        if c.stack().window.restart == Restart::Paced {
            self.pace_restart();
        }
        self.set_usual_pacing();
    }

    /// What is left of the window after an idle time has no ACKs to clock it: it is paced over the
    /// round trip (ns-2's `tcp-rbp.cc`).
    fn pace_restart(&mut self) {
        /// `rbp_scale_`.
        const SHARE: f64 = 0.75;
        /// `RBP_MIN_SEGMENTS`.
        const LEAST: Segments = 2.0;
        let c = &mut self.connection;
        let cwnd = c.window().cwnd;
        let usual = c.rtt().smoothed().map(|(srtt, _)| (cwnd, srtt));
        let Some((cwnd, rtt)) = c.controller().paced_restart().or(usual) else {
            return;
        };
        let share = (cwnd * SHARE + 0.5).floor();
        c.window_mut().cwnd = c.window().cwnd.min(share.max(LEAST));
        c.window_mut().pacing = c.window().rate_over(c.usable().floor(), rtt);
        if c.window().pacing.is_some() {
            self.spreading = Spreading::Restart;
        }
    }
}
