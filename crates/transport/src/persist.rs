//! Zero-window probes (RFC 9293 §3.8.6.1, RFC 1122 §4.2.2.17): where the peer's window holds all
//! data back and nothing is on its way that it would answer, probes are sent to it from time to
//! time, since the acknowledgement that opens the window may be lost.

use super::connection::Connection;
use super::segment::ByteRange;
use flowstart_wire::Packet;

/// State of a connection with a closed window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Persist {
    /// The window is open, or something is on its way.
    #[default]
    Off,
    /// The retransmission timer runs for the next probe.
    Waits,
    /// It has expired.
    Due,
}

/// Whether the peer's window is all that holds data back, and no answer is to come that would
/// report more of it. A sender that numbers packets is notified again of a window that opens (RFC
/// 9000 §13.3).
#[inline]
pub fn is_stalled(c: &Connection) -> bool {
    c.outstanding() == 0
        && c.timer.due().is_none()
        && c.nxt < c.queued
        && !c.stack.numbers_packets()
}

/// What fits into a window of less than a segment, which nothing else sends (RFC 1122 §4.2.3.4).
pub fn part(c: &Connection) -> Option<ByteRange> {
    let end = c.segment_end(c.nxt).min(c.una() + c.peer_window);
    let start = c.nxt;
    (end > start).then_some(ByteRange { start, end })
}

/// A segment without data whose position the peer has behind it, so that it answers at once
/// (Linux's `tcp_xmit_probe_skb`).
pub fn probe(c: &mut Connection) -> Packet {
    let position = c.una().saturating_sub(1);
    c.prev_high = position;
    c.empty_packet(c.stack.framing.header, position, 0)
}
