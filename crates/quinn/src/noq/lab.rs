//! noq's two endpoints in virtual time.

use super::{Factory, Live};

flowstart_live::quinn_proto_lab!(noq_proto);

/// Where noq differs from quinn.
mod api {
    use bytes::BytesMut;
    pub(super) use noq_proto::congestion::Bbr3Config as Bbr;
    use noq_proto::congestion::Controller;
    use noq_proto::{
        Connection, DatagramEvent, EcnCodepoint, Endpoint, EndpointConfig, FourTuple, PathId,
        ServerConfig, Transmit,
    };
    use std::net::SocketAddr;
    use std::num::NonZeroUsize;
    use std::sync::Arc;
    use std::time::{Duration, Instant};

    pub(super) fn endpoint(
        config: Arc<EndpointConfig>,
        server: Option<Arc<ServerConfig>>,
    ) -> Endpoint {
        Endpoint::new(config, server, false)
    }

    pub(super) fn transmit(
        of: &mut Connection,
        now: Instant,
        into: &mut Vec<u8>,
    ) -> Option<Transmit> {
        of.poll_transmit(now, NonZeroUsize::MIN, into)
    }

    pub(super) fn receive(
        endpoint: &mut Endpoint,
        from: SocketAddr,
        (ecn, data): (Option<EcnCodepoint>, BytesMut),
        answer: &mut Vec<u8>,
        now: Instant,
    ) -> Option<DatagramEvent> {
        endpoint.handle(now, FourTuple::new(from, None), ecn, data, answer)
    }

    pub(super) fn congestion(of: &Connection) -> Option<&dyn Controller> {
        of.congestion_state(PathId::ZERO)
    }

    /// The smoothed round trip, and packets found lost.
    pub(super) fn statistics(of: &mut Connection) -> Option<(Duration, u64)> {
        let path = of.path_stats(PathId::ZERO)?;
        Some((path.rtt, path.lost_packets))
    }
}
