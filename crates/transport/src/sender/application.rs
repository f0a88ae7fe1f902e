//! What the application hands over, and the window after an idle time.

use super::send_buffer::SendBuffer;
use super::{Sender, Spreading};
use crate::pacing::pacer::Release;
use crate::pacing::rate;
use crate::segment::ByteRange;
use crate::stack::Restart;
use flowstart_control::signals::Idle;
use flowstart_control::{Instant, Rate, Segments};
use flowstart_wire::Packet;

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

    /// The application hands over what the send buffer has room for.
    #[cold]
    pub(super) fn refill(&mut self) {
        let c = &mut self.connection;
        let taken = match self.send_buffer.as_deref_mut() {
            Some(SendBuffer::Payload(buffer)) => buffer.take(c.queued() - c.una()),
            Some(SendBuffer::Kernel(buffer)) => buffer.write(c),
            None => 0,
        };
        if taken > 0 {
            self.held_back = None;
            c.queue(taken);
        }
    }

    /// An acknowledgement frees space, which a kernel sees once what may leave has left.
    #[cold]
    pub(super) fn free_send_buffer(&mut self) {
        match self.send_buffer.as_deref_mut() {
            Some(SendBuffer::Kernel(buffer)) => buffer.on_ack(self.connection.una()),
            _ => self.refill(),
        }
    }

    /// A segment has left the send buffer, with this release of the pacer.
    #[cold]
    pub(super) fn leaves_send_buffer(
        &mut self,
        segment: ByteRange,
        release: Option<(Rate, Release)>,
    ) {
        let Some(SendBuffer::Kernel(buffer)) = self.send_buffer.as_deref_mut() else {
            return;
        };
        let c = &self.connection;
        let burst = release.map_or_else(|| rate::burst(c), |(_, release)| release.burst);
        buffer.on_sent(segment, burst, self.recovery.is_cwnd_limited(c));
        if buffer.is_between_bursts() {
            self.refill();
        }
    }

    /// What leaves of the data that the application writes once nothing else may leave.
    #[cold]
    pub(super) fn poll_written(&mut self, now: Instant) -> Option<Packet> {
        while self.may_send_data() {
            let flight = self.flight();
            let c = &self.connection;
            let Some(SendBuffer::Kernel(buffer)) = self.send_buffer.as_deref_mut() else {
                return None;
            };
            buffer.pause(c, flight);
            let before = c.queued();
            self.refill();
            if self.connection.queued() == before {
                return None;
            }
            let packet = self.poll_next(now);
            if packet.is_some() {
                return packet;
            }
        }
        None
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
