//! A packet as bytes, but for its payload and for what may change on its way.

use super::ip;
use flowstart_sim::record::packets::Host;
use flowstart_wire::Ecn;

/// A packet that a host has sent.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    /// Its sender.
    pub from: Host,
    /// The protocol's number in the IP header.
    pub protocol: u8,
    /// The identification in the IP header.
    pub id: u16,
    /// The transport's header.
    pub header: Vec<u8>,
    /// Bytes of payload, which are zeros.
    pub payload: u32,
    /// TSval, where it has timestamps.
    pub tsval: Option<u32>,
}

impl Frame {
    /// Bytes on the wire, from the IP header on.
    pub(super) fn on_wire(&self) -> u32 {
        ip::HEADER + self.header.len() as u32 + self.payload
    }

    /// Its headers, where its ECN bits are now these.
    pub(super) fn bytes(&self, ecn: Ecn) -> Vec<u8> {
        let mut bytes = ip::header(self.from, self.protocol, self.on_wire(), self.id, ecn).to_vec();
        bytes.extend(&self.header);
        bytes
    }
}
