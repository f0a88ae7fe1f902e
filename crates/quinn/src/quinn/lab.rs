//! quinn's two endpoints in virtual time.

use super::{Factory, Live};

flowstart_live::quinn_proto_lab!(quinn_proto);

/// Where quinn differs from noq.
mod api {
    use bytes::BytesMut;
    pub(super) use quinn_proto::congestion::BbrConfig as Bbr;
    use quinn_proto::congestion::Controller;
    use quinn_proto::{
        Connection, DatagramEvent, EcnCodepoint, Endpoint, EndpointConfig, ServerConfig, Transmit,
    };
    use std::net::SocketAddr;
    use std::sync::Arc;
    use std::time::{Duration, Instant};

    pub(super) fn endpoint(
        config: Arc<EndpointConfig>,
        server: Option<Arc<ServerConfig>>,
    ) -> Endpoint {
        Endpoint::new(config, server, false, None)
    }

    pub(super) fn transmit(
        of: &mut Connection,
        now: Instant,
        into: &mut Vec<u8>,
    ) -> Option<Transmit> {
        of.poll_transmit(now, 1, into)
    }

    pub(super) fn receive(
        endpoint: &mut Endpoint,
        from: SocketAddr,
        (ecn, data): (Option<EcnCodepoint>, BytesMut),
        answer: &mut Vec<u8>,
        now: Instant,
    ) -> Option<DatagramEvent> {
        endpoint.handle(now, from, None, ecn, data, answer)
    }

    pub(super) fn congestion(of: &Connection) -> Option<&dyn Controller> {
        Some(of.congestion_state())
    }

    /// The smoothed round trip, and packets found lost.
    pub(super) fn statistics(of: &mut Connection) -> Option<(Duration, u64)> {
        let path = of.stats().path;
        Some((path.rtt, path.lost_packets))
    }
}
