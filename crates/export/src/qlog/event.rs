//! The JSON of events (draft-ietf-quic-qlog-quic-events-02).

use flowstart_control::Duration;
use flowstart_sim::record::packets::FlowLog;
use flowstart_wire::Data;
use serde_json::{Value as Json, json};

/// qlog's times and durations are milliseconds.
pub(super) fn milliseconds(time: Duration) -> f64 {
    time.0 as f64 / 1e6
}

/// A packet's header.
#[derive(Clone, Copy, Debug)]
pub(super) struct Header {
    kind: &'static str,
    number: u64,
}

impl Header {
    /// That of a packet with data or an acknowledgement.
    pub(super) fn data(number: u64) -> Header {
        let kind = "1RTT";
        Header { kind, number }
    }

    /// That of a packet that opens the connection.
    pub(super) fn opening(number: u32) -> Header {
        Header {
            kind: "initial",
            number: number.into(),
        }
    }

    /// That of the packet that ends the handshake.
    pub(super) fn handshake() -> Header {
        Header {
            kind: "handshake",
            number: 0,
        }
    }

    /// As JSON.
    pub(super) fn to_json(self) -> Json {
        json!({ "packet_type": self.kind, "packet_number": self.number })
    }
}

/// A packet that was sent or received.
pub(super) struct Written {
    /// Its header.
    pub header: Header,
    /// Its bytes.
    pub length: u32,
    /// Its frames.
    pub frames: Vec<Json>,
}

impl Written {
    /// As the data of `packet_sent` and `packet_received`.
    pub(super) fn to_json(&self) -> Json {
        json!({
            "header": self.header.to_json(),
            "raw": { "length": self.length },
            "frames": self.frames,
        })
    }
}

/// A part of the stream.
pub(super) fn stream(data: &Data) -> Json {
    json!({
        "frame_type": "stream",
        "stream_id": 0,
        "offset": data.start(),
        "length": data.len(),
    })
}

/// An acknowledgement of the packets of `ranges`, each from its first to its last number. `delay`
/// is the field ACK Delay, in units of 8 µs (RFC 9000 §18.2).
pub(super) fn ack(ranges: &[(u64, u64)], delay: Option<u32>) -> Json {
    const UNIT_MS: f64 = 0.008;
    let mut frame = json!({ "frame_type": "ack", "acked_ranges": ranges });
    if let Some(delay) = delay {
        frame["ack_delay"] = json!(f64::from(delay) * UNIT_MS);
    }
    frame
}

/// `recovery:parameters_set`.
pub(super) fn parameters(log: &FlowLog) -> Json {
    let stack = &log.stack;
    let segments = stack.window.initial.segments(stack.framing.mss);
    json!({
        "max_datagram_size": stack.framing.mss,
        "initial_congestion_window": (segments * f64::from(stack.framing.mss)) as u64,
    })
}
