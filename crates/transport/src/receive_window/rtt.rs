//! The round trip as a Linux receiver sees it (`tcp_rcv_rtt_measure`, `tcp_rcv_rtt_measure_ts`).
//!
//! Two things are timed: how long an acknowledgement takes to be echoed in the timestamp of new
//! data, in whole milliseconds; and how long a whole window of data takes to come. The shortest
//! counts at once; only echoes pull the estimate up again.

use flowstart_control::{Duration, Instant};
use std::collections::VecDeque;

/// `TCP_TIMEOUT_INIT` and `TCP_RTO_MIN`.
const RTO_INITIAL: Duration = Duration::from_secs(1);
const RTO_MIN: Duration = Duration::from_millis(200);

/// A receiver's estimate of the round trip.
#[derive(Clone, Debug, Default)]
pub(super) struct ReceiverRtt {
    /// `rcv_rtt_est.rtt_us`: eight times the estimate, in microseconds; zero for none.
    rtt8: u64,
    /// Acknowledgements that no data has answered yet: how far they go, and their timestamps. One
    /// of each millisecond is enough.
    sent: VecDeque<(u64, u64)>,
    /// The timestamp that the last data echoed, and whether it has given its sample.
    echoed: Option<(u64, bool)>,
    /// A window that is being timed: its end, and when it was offered.
    window: Option<(u64, Instant)>,
    /// The receiver's own retransmission timeout, which nothing but the first sample has set: RFC 6298
    /// §2.2 with Linux's lower bound of the variation.
    rto: Option<Duration>,
}

impl ReceiverRtt {
    /// The estimate; zero before there is one.
    pub(super) fn estimate(&self) -> Duration {
        Duration::from_micros(self.rtt8 / 8)
    }

    /// An acknowledgement of everything below `next` leaves.
    pub(super) fn acknowledged(&mut self, next: u64, now: Instant) {
        let stamp = now.nanos() / 1_000_000;
        match self.sent.back_mut() {
            // Data that has echoed of more echoes no less.
            Some(last) if last.1 == stamp => {}
            _ => self.sent.push_back((next, stamp)),
        }
    }

    /// Data has come whose sender had echoed so far; only `full` segments are timed.
    #[inline]
    pub(super) fn on_data(&mut self, echoed: u64, full: bool, now: Instant) {
        while self.sent.front().is_some_and(|(next, _)| *next <= echoed) {
            let stamp = self.sent.pop_front().map(|(_, stamp)| stamp);
            if self.echoed.map(|(last, _)| last) != stamp {
                self.echoed = stamp.map(|stamp| (stamp, false));
            }
        }
        let Some((stamp, used @ false)) = &mut self.echoed else {
            return;
        };
        if !full {
            return;
        }
        *used = true;
        let elapsed = (now.nanos() / 1_000_000).saturating_sub(*stamp);
        if elapsed > 0 {
            let rtt = Duration::from_millis(elapsed);
            self.rto.get_or_insert(rtt + rtt.times(2).max(RTO_MIN));
            self.sample(elapsed * 1000, false);
        }
    }

    /// What is expected now, and the end of what is offered.
    #[inline]
    pub(super) fn on_window(&mut self, next: u64, end: u64, now: Instant) {
        if let Some((_, since)) = self.window.take_if(|(end, _)| next >= *end) {
            self.sample((now.since(since).nanos() / 1000).max(1), true);
        }
        self.window.get_or_insert((end, now));
    }

    /// `tcp_rcv_rtt_update`.
    fn sample(&mut self, us: u64, of_window: bool) {
        if self.rtt8 == 0 || 8 * us < self.rtt8 {
            self.rtt8 = 8 * us;
        } else if !of_window {
            self.rtt8 = self.rtt8 + us - self.rtt8 / 8;
        }
    }

    /// The estimate, once there is one.
    pub(super) fn smoothed(&self) -> Option<Duration> {
        (self.rtt8 > 0).then(|| Duration::from_micros(self.rtt8 / 8))
    }

    /// The receiver's own retransmission timeout.
    pub(super) fn rto(&self) -> Duration {
        self.rto.unwrap_or(RTO_INITIAL)
    }
}
