//! A file of qlog 0.3 as a JSON text sequence.

use super::event::milliseconds;
use flowstart_control::Instant;
use serde_json::{Value as Json, json};

/// What a file is about.
pub(super) struct About<'a> {
    /// What is shown.
    pub title: &'a str,
    /// The endpoint that was watched.
    pub description: &'a str,
    /// `client` or `server`.
    pub vantage_point: &'a str,
    /// What identifies connections.
    pub group: &'a str,
    /// `QUIC` or `TCP`.
    pub protocol: &'a str,
}

/// A file on its way.
pub(super) struct File {
    bytes: Vec<u8>,
}

impl File {
    /// One with its first record, which describes the others.
    pub(super) fn new(about: &About<'_>) -> File {
        let mut file = File { bytes: Vec::new() };
        file.record(&json!({
            "qlog_version": "0.3",
            "qlog_format": "JSON-SEQ",
            "title": about.title,
            "description": about.description,
            "trace": {
                "vantage_point": { "name": "flowstart", "type": about.vantage_point },
                "common_fields": {
                    "group_id": about.group,
                    "protocol_type": [about.protocol],
                    "reference_time": 0.0,
                    "time_format": "relative",
                },
            },
        }));
        file
    }

    /// Adds an event.
    pub(super) fn event(&mut self, at: Instant, name: &str, data: &Json) {
        let time = milliseconds(at.since(Instant::ZERO));
        self.record(&json!({ "time": time, "name": name, "data": data }));
    }

    /// The whole file.
    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// A record of a JSON text sequence (RFC 7464 §2).
    fn record(&mut self, record: &Json) {
        const RECORD_SEPARATOR: u8 = 0x1E;
        self.bytes.push(RECORD_SEPARATOR);
        self.bytes.extend(record.to_string().bytes());
        self.bytes.push(b'\n');
    }
}
