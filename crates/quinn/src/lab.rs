//! quinn's two endpoints in virtual time.

use crate::{Factory, Live};

flowstart_live::quinn_proto_lab!(quinn_proto);

/// The congestion controls of quinn-proto, its default first.
pub const NATIVE: [&str; 3] = ["cubic", "newreno", "bbr"];

/// Those that the preset `quinn` simulates.
pub const CONTROLS: [lab::agreement::Control; 2] = [
    ("cubic", "slow-start", "cubic"),
    ("newreno", "slow-start", "reno"),
];

/// Where quinn differs from noq.
mod api {
    use super::{Controllers, Native};
    use bytes::BytesMut;
    use quinn_proto::congestion::{BbrConfig, Controller};
    use quinn_proto::{
        Connection, DatagramEvent, EcnCodepoint, Endpoint, EndpointConfig, ServerConfig, Transmit,
    };
    use std::net::SocketAddr;
    use std::sync::Arc;
    use std::time::{Duration, Instant};

    pub fn endpoint(config: Arc<EndpointConfig>, server: Option<Arc<ServerConfig>>) -> Endpoint {
        Endpoint::new(config, server, false, None)
    }

    pub fn transmit(of: &mut Connection, now: Instant, into: &mut Vec<u8>) -> Option<Transmit> {
        of.poll_transmit(now, 1, into)
    }

    pub fn receive(
        endpoint: &mut Endpoint,
        from: SocketAddr,
        (ecn, data): (Option<EcnCodepoint>, BytesMut),
        answer: &mut Vec<u8>,
        now: Instant,
    ) -> Option<DatagramEvent> {
        endpoint.handle(now, from, None, ecn, data, answer)
    }

    pub fn congestion(of: &Connection) -> Option<&dyn Controller> {
        Some(of.congestion_state())
    }

    pub fn native(native: &Native) -> Controllers {
        match native.cc.as_str() {
            "bbr" => {
                let mut config = BbrConfig::default();
                native
                    .initial_window
                    .map(|bytes| config.initial_window(bytes));
                Arc::new(config)
            }
            "newreno" => super::new_reno(native),
            _ => super::cubic(native),
        }
    }

    /// The smoothed round trip, and packets found lost.
    pub fn statistics(of: &mut Connection) -> Option<(Duration, u64)> {
        let path = of.stats().path;
        Some((path.rtt, path.lost_packets))
    }
}
