//! Handshakes that are made of packets: when they ended, and what they cost.

use super::flow_record::FlowRecord;
use flowstart_control::{Duration, Instant};
use flowstart_transport::{Client, HandshakeReport};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A handshake that was made of packets. Times are counted from the client's first packet.
#[derive(Clone, Debug, JsonSchema, Serialize, Deserialize)]
pub struct HandshakeRow {
    /// Which flow.
    pub flow: u32,
    /// Until the client had all of the server's messages.
    #[schemars(extend("unit" = "seconds", "null" = "the client did not get all of them"))]
    pub handshake_s: Option<f64>,
    /// Until the server had the client's last message.
    #[schemars(extend("unit" = "seconds", "null" = "the server did not get it"))]
    pub handshake_complete_s: Option<f64>,
    /// Until the client had the first byte of the response.
    #[schemars(extend("unit" = "seconds", "null" = "the client did not get it"))]
    pub first_byte_s: Option<f64>,
    /// Packets that both ends sent for it, retransmissions included, acknowledgements of the client
    /// not; of early data also what left before the client's last message came.
    #[schemars(extend("unit" = "packets"))]
    pub handshake_packets: u64,
    /// Their bytes on the wire.
    #[schemars(extend("unit" = "bytes"))]
    pub handshake_bytes: u64,
    /// For how long the limit of three times what had come kept the server from sending.
    #[schemars(extend("unit" = "seconds"))]
    pub handshake_blocked_s: f64,
}

/// What is noted of a handshake.
#[derive(Clone, Debug, Default)]
pub(crate) struct HandshakeRecord {
    pub(crate) first_byte: Option<Instant>,
    done: Option<Instant>,
    complete: Option<Instant>,
    packets: u64,
    bytes: u64,
    blocked: Duration,
}

impl HandshakeRecord {
    /// Takes over what the two ends of a flow know of it.
    pub(crate) fn note(&mut self, client: Option<&Client>, server: Option<&HandshakeReport>) {
        if let Some(client) = client {
            let (packets, bytes) = client.sent();
            self.done = client.done_at();
            self.packets += u64::from(packets);
            self.bytes += bytes;
        }
        if let Some(server) = server {
            self.complete = server.complete;
            self.packets += u64::from(server.packets);
            self.bytes += server.bytes;
            self.blocked = server.blocked;
        }
    }

    pub(crate) fn row(&self, flow: u32, record: &FlowRecord) -> HandshakeRow {
        let since = |at: Option<Instant>| at.map(|at| record.since_opened(at));
        HandshakeRow {
            flow,
            handshake_s: since(self.done),
            handshake_complete_s: since(self.complete),
            first_byte_s: since(self.first_byte),
            handshake_packets: self.packets,
            handshake_bytes: self.bytes,
            handshake_blocked_s: self.blocked.secs(),
        }
    }
}
