//! Startups in quinn.

#[cfg(feature = "lab")]
pub mod lab;
#[cfg(feature = "quinn-runtime")]
mod socket;

use flowstart_live::Lost;
use quinn_proto::congestion::ControllerMetrics;
use std::sync::Once;
use std::time::Instant;

/// Warns, once in a process, of a startup that paces without a socket that can: quinn 0.11 paces by the
/// window alone, ten packets and more at once.
fn on_path(startup: &Startup) {
    static WARNED: Once = Once::new();
    if startup.lacks_socket() {
        let [name, _] = startup.names();
        WARNED.call_once(|| {
            tracing::warn!(
                "startup `{name}` paces, but the endpoint's socket is not that of \
                 `flowstart_quinn::quinn::socket`: quinn paces by the window alone"
            );
        });
    }
}

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
        // quinn leaves room for a byte more than it sends. It reads the window for the congestion control
        // and for its pacer (quinn-proto 0.11.19, `Connection::poll_transmit`).
        self.0.gate().window(2) + 1
    }

    fn metrics(&self) -> ControllerMetrics {
        let reported = self.0.gate().metrics();
        let mut metrics = ControllerMetrics::default();
        metrics.congestion_window = reported.window;
        metrics.ssthresh = reported.ssthresh;
        metrics.pacing_rate = reported.pacing.map(|bytes| 8 * bytes);
        metrics
    }
});

/// The socket to give to an endpoint whose connections this startup is to pace.
///
/// quinn has a separate token bucket, from which ten packets leave at once. Over this socket
/// the window opens for the datagrams that are due and closes behind them, which needs tokio's
/// runtime. Datagrams that are due together leave in one call (GSO).
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
