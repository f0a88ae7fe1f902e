//! QUIC's packets as UDP datagrams. What is in them is not written: it would be encrypted.

use super::frame::Frame;
use super::ip;
use super::ports::Ports;
use flowstart_sim::record::packets::{FlowLog, Host};
use flowstart_wire::Packet;

const UDP: u8 = 17;
const HEADER: u32 = 8;

/// Both ends of a QUIC connection.
pub(super) struct Connection {
    ports: Ports,
    id: u16,
}

impl Connection {
    /// That of `log`.
    pub(super) fn of(log: &FlowLog) -> Connection {
        const HTTPS: u16 = 443;
        let ports = Ports::of(log, HTTPS);
        Connection { ports, id: 0 }
    }

    /// A datagram of the size of `packet`.
    pub(super) fn send(&mut self, host: Host, packet: &Packet) -> Frame {
        self.id = self.id.wrapping_add(1);
        let payload = packet.wire.saturating_sub(ip::HEADER + HEADER);
        let [from, to] = self.ports.sent_by(host);
        let length = HEADER + payload;
        let mut header = Vec::with_capacity(HEADER as usize);
        for field in [from, to, length as u16, 0] {
            header.extend(field.to_be_bytes());
        }
        let sum = ip::transport_checksum(host, UDP, length, &header);
        header[6..8].copy_from_slice(&sum.to_be_bytes());
        Frame {
            from: host,
            protocol: UDP,
            id: self.id,
            header,
            payload,
            tsval: None,
        }
    }
}
