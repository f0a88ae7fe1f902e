//! Startups in noq.

#[cfg(feature = "lab")]
pub mod lab;
#[cfg(feature = "noq-runtime")]
mod socket;

use flowstart_live::{Adapter, Lost};
use noq_proto::congestion::ControllerMetrics;
use std::time::Instant;

/// noq paces at the controller's rate where no socket does.
fn on_path(_: &Startup) {}

crate::adapter::adapter!(noq_proto, {
    // Not `on_packet_sent`: a datagram that carries the end of the handshake too is one.
    fn on_sent(&mut self, now: Instant, bytes: u64, largest_pn: u64) {
        self.0.on_sent(now, bytes, Some(largest_pn));
    }

    fn on_ack(
        &mut self,
        now: Instant,
        sent: Instant,
        bytes: u64,
        pn: u64,
        _app_limited: bool,
        rtt: &noq_proto::RttEstimator,
    ) {
        self.0.on_ack(now, (sent, bytes), Some(pn), rtt.get());
    }

    fn on_congestion_event(
        &mut self,
        now: Instant,
        sent: Instant,
        is_persistent_congestion: bool,
        is_ecn: bool,
        _lost_bytes: u64,
        _largest_lost_pn: u64,
    ) {
        let (now, sent) = (self.0.time(now), self.0.time(sent));
        self.0.own(|adapter| match is_ecn {
            true => adapter.on_mark(sent, now),
            false => adapter.on_congestion(Lost::Told, is_persistent_congestion, now),
        });
    }

    fn on_packet_lost(&mut self, lost_bytes: u16, pn: u64, _now: Instant) {
        self.0
            .own(|adapter| adapter.on_packet_lost(pn, lost_bytes.into()));
    }

    fn on_spurious_congestion_event(&mut self) {
        self.0.own(Adapter::on_spurious);
    }

    fn window(&self) -> u64 {
        self.0.gate().window(1)
    }

    fn metrics(&self) -> ControllerMetrics {
        let gate = self.0.gate();
        let mut metrics = ControllerMetrics::default();
        // noq's pacer reads both.
        (metrics.congestion_window, metrics.pacing_rate) = gate.for_pacer();
        metrics.ssthresh = gate.metrics().ssthresh;
        metrics
    }
});

/// The socket to give to an endpoint whose connections this startup is to pace.
///
/// noq has a separate token bucket, from which ten packets leave at once. Over this socket
/// the window opens for the datagrams that are due and closes behind them, which needs tokio's
/// runtime. Datagrams that are due together leave in one call (GSO).
/// Either all connections with factories of this startup, or of a copy of it, have such a socket,
/// or none.
#[cfg(feature = "noq-runtime")]
pub fn socket(
    startup: &Startup,
    inner: Box<dyn ::noq::AsyncUdpSocket>,
) -> Box<dyn ::noq::AsyncUdpSocket> {
    startup.expect_socket();
    Box::new(socket::PacedSocket(inner))
}

/// A connection's handle on its first path; `None` where it has another controller.
#[cfg(feature = "noq-runtime")]
pub fn handle(connection: &::noq::Connection) -> Option<Handle> {
    Live::handle(connection.congestion_state(::noq::PathId::ZERO)?)
}
