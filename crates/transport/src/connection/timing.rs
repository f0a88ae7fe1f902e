//! Round trips, the retransmission timer and idle times of a connection.

use super::{Connection, Timed};
use flowstart_control::{Duration, Instant, Segments};

impl Connection {
    /// Stops timing the segment that is being timed (ns-2: whenever its timer is reset).
    pub(crate) fn stop_timing(&mut self) {
        self.timed = Timed::default();
    }

    /// A partial acknowledgement passed the timed segment: ns-2 drops the measurement
    /// but ends a back-off.
    pub(crate) fn drop_passed_timing(&mut self) {
        if self.timed.covered_by(self.una()) {
            self.stop_timing();
            self.rtt.end_backoff();
        }
    }

    /// Starts the retransmission timer anew.
    pub(crate) fn restart_timer(&mut self, now: Instant) {
        let own = self.session.window.timeout;
        let timeout = own.unwrap_or_else(|| self.rtt.rto());
        self.timer.set(now + timeout, now);
    }

    /// When the retransmission timer is due, where it runs.
    #[inline(always)]
    pub(crate) fn timer_due(&self) -> Option<Instant> {
        self.timer.due()
    }

    /// Stops the retransmission timer.
    pub(crate) fn stop_timer(&mut self) {
        self.timer.stop();
    }

    /// Whether the retransmission timer fires.
    pub(crate) fn timer_fires(&mut self, now: Instant) -> bool {
        self.timer.fires(now, self.stack.rto.jiffy)
    }

    /// How long nothing was sent, where that is longer than the timeout and nothing is
    /// outstanding. ns-2 counts from the last acknowledgement, since its timer runs on.
    pub(crate) fn idle_for(&self, now: Instant) -> Option<Duration> {
        if self.high() == 0 || self.outstanding() > 0 {
            return None;
        }
        let since = if self.rtt.times_one_segment() {
            self.last_acked
        } else {
            self.last_sent
        };
        Some(now.since(since)).filter(|idle| *idle >= self.rtt.rto())
    }

    /// What an idle time leaves of the window under Linux: half for each timeout that it lasted,
    /// but no less than the initial window (`tcp_cwnd_restart`).
    pub(crate) fn restart_window(&self, idle: Duration) -> Segments {
        let (least, rto) = (self.stack.initial_window(), self.rtt.rto());
        let (mut cwnd, mut left) = (self.session.window.cwnd, idle.saturating_sub(rto));
        while left > Duration::ZERO && cwnd > least {
            cwnd = (cwnd / 2.0).floor();
            left = left.saturating_sub(rto);
        }
        cwnd.max(least)
    }
}
