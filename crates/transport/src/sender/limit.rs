//! What keeps a sender from sending its next packet.
//!
//! One reason holds at a time: that of the first check which stops the packet. The checks are in
//! the order of Linux's `tcp_write_xmit`, with what it does not count in their places:
//!
//! 1. Without a connection it is the handshake.
//! 2. With nothing to send it is the application, or the send buffer where the application has more
//!    and cwnd does not count as the limit (`tcp_cwnd_validate`: `TCP_CHRONO_SNDBUF_LIMITED`).
//! 3. With a full congestion window it is cwnd, also while lost data waits for it.
//! 4. With data beyond the peer's window it is that window (`tcp_snd_wnd_test`:
//!    `TCP_CHRONO_RWND_LIMITED`), or flow control of QUIC (RFC 9000 §4.1).
//! 5. With room in both it is the pacer.
//!
//! So `tcp_info`'s `tcpi_rwnd_limited` and `tcpi_sndbuf_limited` are the times of two of these
//! reasons. `tcpi_busy_time` is that of all reasons while data is not acknowledged. QUIC's names
//! are those of qlog's event of a blocked sender and of msquic's statistics of streams.

use super::Sender;
use crate::flow_control::Level;
use flowstart_control::named;

named! {
    /// Why the next packet does not leave yet.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Limit {
        /// The connection is not open.
        Handshake = "handshake",
        /// All that the application has handed over has left, and it may have more later.
        Application = "application",
        /// The application has more, and the send buffer is full of what is not acknowledged.
        SendBuffer = "send-buffer",
        /// The peer's limit for the stream is reached.
        StreamFlowControl = "stream-flow-control",
        /// The peer's limit for the connection is reached.
        ConnectionFlowControl = "connection-flow-control",
        /// TCP's receive window is full.
        ReceiveWindow = "receive-window",
        /// The congestion window is full.
        Cwnd = "cwnd",
        /// The pacer's time has not come.
        Pacing = "pacing",
        /// Nothing: all data has left, and what remains is the link's time.
        Link = "link",
    }
}

impl Limit {
    /// Those that the receiver sets.
    pub const WINDOWS: [Limit; 3] = [
        Limit::StreamFlowControl,
        Limit::ConnectionFlowControl,
        Limit::ReceiveWindow,
    ];

    /// Those that a setting of an end may change, whatever the startup and the path: windows, send
    /// buffer, and the application.
    pub const OF_ENDS: [Limit; 5] = [
        Limit::Application,
        Limit::SendBuffer,
        Limit::StreamFlowControl,
        Limit::ConnectionFlowControl,
        Limit::ReceiveWindow,
    ];
}

impl Sender {
    /// What keeps the next packet from leaving, after [`poll_transmit`](Self::poll_transmit) has
    /// returned the last one that may leave now. It holds until the next event.
    pub fn limit(&self) -> Limit {
        let c = &self.connection;
        if !self.may_send_data() || self.serves() {
            return Limit::Handshake;
        }
        if self.held_back.is_some() {
            return Limit::Pacing;
        }
        let flight = self.flight();
        if let Some(level) = c.blocked_by() {
            // The tighter of the two bounds: a rest of cwnd that no full packet fits is room as well.
            return match (flight < c.window().cwnd_bytes(), level) {
                (false, _) => Limit::Cwnd,
                (true, Level::Stream) => Limit::StreamFlowControl,
                (true, Level::Connection) => Limit::ConnectionFlowControl,
            };
        }
        let in_window = c.window().has_room(flight);
        if c.has_nothing_to_send() {
            return match self.send_buffer.as_deref().filter(|b| b.holds_back()) {
                Some(buffer) if buffer.limits(in_window) => Limit::SendBuffer,
                Some(_) => Limit::Cwnd,
                None => Limit::Application,
            };
        }
        match in_window && self.meets_peer_window(flight) {
            true => self.peer_limit(),
            false => Limit::Cwnd,
        }
    }

    /// Whether the peer's window stops new data, or keeps a burst of it too small to leave
    /// (`tcp_tso_should_defer`), in which the congestion window has more room.
    fn meets_peer_window(&self, flight: u64) -> bool {
        let c = &self.connection;
        let room = (c.una().saturating_add(c.peer_window())).saturating_sub(c.nxt());
        let is_new = c.nxt() >= c.high() && c.sent().first_lost().is_none();
        let is_less = room < c.window().cwnd_bytes().saturating_sub(flight);
        is_new && (is_less || c.next_segment().is_none())
    }

    fn peer_limit(&self) -> Limit {
        match self.connection.stack().numbers_packets() {
            true => Limit::StreamFlowControl,
            false => Limit::ReceiveWindow,
        }
    }
}
