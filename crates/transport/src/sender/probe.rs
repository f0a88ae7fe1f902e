//! Zero-window probes (RFC 9293 §3.8.6.1, RFC 1122 §4.2.2.17): where the peer's window holds all
//! data back and nothing is on its way that it would answer, probes are sent to it from time to
//! time, since the acknowledgement that opens the window may be lost.

use super::{Persist, Sender};
use crate::connection::Connection;
use crate::segment::ByteRange;
use flowstart_control::Instant;
use flowstart_wire::Packet;

impl Sender {
    /// The peer's window is closed: a probe, once the timer has expired that is started here.
    #[cold]
    #[inline(never)]
    pub(super) fn poll_probe(&mut self, now: Instant) -> Option<Packet> {
        let due = self.persist == Persist::Due;
        self.persist = Persist::Waits;
        let c = &mut self.connection;
        if !due {
            c.restart_timer(now);
            return None;
        }
        let Some(plan) = part(c) else {
            return Some(c.window_probe());
        };
        self.end_persist();
        let segment = plan.by_position(self.connection.high());
        self.recovery.on_sent(&mut self.connection, segment, now);
        Some(self.connection.transmit(plan, 0, now))
    }

    /// The peer has answered, maybe a probe (Linux's `tcp_ack_probe`).
    #[cold]
    pub(super) fn on_probe_answered(&mut self, now: Instant) {
        if self.connection.next_segment().is_some() {
            self.end_persist();
        } else {
            self.connection.restart_timer(now);
        }
    }

    fn end_persist(&mut self) {
        self.persist = Persist::Off;
        self.connection.rtt_mut().end_backoff();
        self.connection.stop_timer();
    }
}

/// Whether the peer's window is all that holds data back, and no answer is to come that would
/// report more of it. A sender that numbers packets is notified again of a window that opens (RFC
/// 9000 §13.3).
#[inline]
pub(super) fn is_stalled(c: &Connection) -> bool {
    c.outstanding() == 0
        && c.timer_due().is_none()
        && c.nxt() < c.sendable()
        && !c.stack().numbers_packets()
}

/// What fits into a window of less than a segment, which nothing else sends (RFC 1122 §4.2.3.4).
fn part(c: &Connection) -> Option<ByteRange> {
    let end = c
        .segment_end(c.nxt())
        .min(c.una().saturating_add(c.peer_window()));
    let start = c.nxt();
    (end > start).then_some(ByteRange { start, end })
}
