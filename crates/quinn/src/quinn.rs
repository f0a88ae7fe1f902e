//! Startups in quinn.

#[cfg(feature = "lab")]
pub mod lab;
#[cfg(feature = "quinn-runtime")]
mod socket;

use flowstart_live::Lost;
use std::time::Instant;

crate::adapter::adapter!(quinn_proto, {
    fn on_sent(&mut self, now: Instant, bytes: u64, _last_packet_number: u64) {
        self.0.on_sent(now, bytes, None);
    }

    fn on_ack(
        &mut self,
        now: Instant,
        sent: Instant,
        bytes: u64,
        _app_limited: bool,
        rtt: &quinn_proto::RttEstimator,
    ) {
        self.0.on_ack(now, (sent, bytes), None, rtt.get());
    }

    fn on_congestion_event(
        &mut self,
        now: Instant,
        sent: Instant,
        is_persistent_congestion: bool,
        lost_bytes: u64,
    ) {
        let (now, sent) = (self.0.time(now), self.0.time(sent));
        let lost = Lost::Oldest {
            newest: sent,
            bytes: lost_bytes,
        };
        self.0.own(|adapter| match lost_bytes {
            // quinn reports a mark in this way.
            0 => adapter.on_mark(sent, now),
            _ => adapter.on_congestion(lost, is_persistent_congestion, now),
        });
    }

    fn window(&self) -> u64 {
        // quinn leaves room for a byte more than it sends.
        self.0.gate().window() + 1
    }
});

/// The socket to give to an endpoint whose connections this startup is to pace.
///
/// quinn has a separate token bucket, from which ten packets leave at once. Over this socket
/// the window opens when a datagram is due and closes behind it, which needs tokio's runtime.
/// Either all connections with factories of this startup, or of a copy of it, have such a socket,
/// or none.
#[cfg(feature = "quinn-runtime")]
pub fn socket(
    startup: &Startup,
    inner: Arc<dyn ::quinn::AsyncUdpSocket>,
) -> Arc<dyn ::quinn::AsyncUdpSocket> {
    startup.expect_socket();
    Arc::new(socket::PacedSocket(inner))
}

/// A connection's handle; `None` where it has another controller.
#[cfg(feature = "quinn-runtime")]
pub fn handle(connection: &::quinn::Connection) -> Option<Handle> {
    Live::handle(connection.congestion_state())
}
