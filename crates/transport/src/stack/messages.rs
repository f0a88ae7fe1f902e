//! The two ends of a handshake that is made of packets, as a stack has them.

use super::{RecoveryKind, Stack, UDP_IP};
use crate::handshake::{ClientConfig, Dialogue, Layout, SMALLEST_INITIAL, Server};
use crate::narrow::whole;
use flowstart_control::Duration;

impl Stack {
    /// The messages of a handshake that is made of packets; `None` where it is counted in round trips.
    pub fn dialogue(&self) -> Option<Dialogue> {
        let layout = self.numbers_packets().then(|| Layout {
            datagram: self.packet().saturating_sub(UDP_IP),
            mss: self.framing.mss,
        });
        Dialogue::new(self.handshake, &self.messages, self.server_flight, layout)
    }

    /// Bytes of the server's messages in such a handshake.
    pub fn flight_bytes(&self) -> Option<u32> {
        let [.., flight] = self.messages.sizes(self.server_flight)?;
        Some(flight)
    }

    /// The longest timeout of QUIC before such a handshake is over.
    pub(crate) fn handshake_timeout_max(&self) -> Duration {
        self.messages.timeout_max.unwrap_or(self.rto.max)
    }

    /// The server's end of such a handshake.
    pub(crate) fn server(&self) -> Option<Server> {
        let validates = self.numbers_packets();
        Some(Server::new(self.dialogue()?, &self.messages, validates))
    }

    /// What the client's end needs.
    pub(super) fn client(&self) -> Option<ClientConfig> {
        let smallest = SMALLEST_INITIAL + UDP_IP;
        let (opening, recovery) = (self.framing.opening, &self.recovery);
        Some(ClientConfig {
            dialogue: self.dialogue()?,
            keeps_early: self.messages.keeps_early as usize,
            probes_in_pairs: self.messages.probes_in_pairs,
            numbers: self.numbers_packets(),
            fast_open: self.handshake.opens_in_syn(),
            syn_linear: self.messages.syn_linear,
            opening: match self.numbers_packets() {
                true => opening.clamp(smallest, self.packet().max(smallest)),
                false => opening,
            },
            packet: self.packet(),
            header: self.framing.header,
            rto: self.rto.clone(),
            probes: recovery.kind == RecoveryKind::Rack
                && recovery.sack
                && recovery.tail_loss_probe,
            timeout_max: self.handshake_timeout_max(),
            bucket: self.pacing.bucket(),
            window: whole(self.initial_window() * self.datagram() as f64),
        })
    }
}
