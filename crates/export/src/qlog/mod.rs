//! What a flow's sender did and knew, as qlog.
//!
//! The schema is qlog 0.3 (draft-ietf-quic-qlog-main-schema-02, draft-ietf-quic-qlog-quic-events-02)
//! as JSON text sequences, the latest that qvis reads. TCP is shown in QUIC's terms: its data
//! packets are numbered in the order of their sending, and an acknowledgement names those of
//! them that it is the first to cover. The title and `protocol_type` say so.

mod event;
mod file;
pub mod session;
mod state;
mod transmissions;

use event::{Header, Written};
use file::{About, File};
use flowstart_control::Instant;
use flowstart_sim::record::packets::{FlowLog, Host, What};
use flowstart_wire::{Ack, Body, Packet};
use serde_json::{Value as Json, json};
use state::State;
use transmissions::Transmissions;

/// What the sender of `log` did, as qlog.
pub fn qlog(log: &FlowLog) -> Vec<u8> {
    let mut writer = Writer {
        log,
        transmissions: Transmissions::new(log.stack.recovery.kind),
        state: State::new(log),
        received: 0,
        file: file(log),
    };
    writer.event(
        Instant::ZERO,
        "recovery:parameters_set",
        &event::parameters(log),
    );
    for (at, what) in &log.entries {
        writer.take(*at, what);
    }
    writer.file.into_bytes()
}

/// The file with its first record.
fn file(log: &FlowLog) -> File {
    let (protocol, shown) = match log.stack.numbers_packets() {
        true => ("QUIC", ""),
        false => ("TCP", ", TCP shown as qlog"),
    };
    let FlowLog {
        flow,
        startup,
        cc,
        stack,
        ..
    } = log;
    File::new(&About {
        title: &format!(
            "flow {flow}: {startup}, {cc}, stack {}{shown}",
            stack.preset
        ),
        description: "The data's sender, simulated by flowstart",
        vantage_point: if log.by_receiver { "server" } else { "client" },
        group: &format!("flow-{flow}"),
        protocol,
    })
}

struct Writer<'a> {
    log: &'a FlowLog,
    transmissions: Transmissions,
    state: State,
    /// How many packets have reached the sender.
    received: u64,
    file: File,
}

impl Writer<'_> {
    fn take(&mut self, at: Instant, what: &What) {
        match what {
            What::Sent(Host::Sender, packet) => self.sent(at, packet),
            What::Received(Host::Sender, packet) => self.arrived(at, packet),
            What::Lost { start, end } => {
                let lost = self.transmissions.lose(*start, *end);
                self.lost(at, &lost, "reordering_threshold");
            }
            What::TimedOut => {
                let lost = self.transmissions.time_out();
                self.lost(at, &lost, "pto_expired");
            }
            What::Knows(known) => {
                for (name, data) in self.state.learn(known, at) {
                    self.event(at, name, &data);
                }
            }
            What::Sent(Host::Receiver, _)
            | What::Received(Host::Receiver, _)
            | What::Dropped(_) => {}
        }
    }

    fn sent(&mut self, at: Instant, packet: &Packet) {
        let frames;
        let header = match &packet.body {
            Body::Data(data) if data.end() == 0 => {
                frames = self.crypto();
                Header::handshake()
            }
            Body::Data(data) => {
                let (number, lost) = self.transmissions.send(data);
                self.lost(at, &lost, "reordering_threshold");
                frames = vec![event::stream(data)];
                Header::data(number)
            }
            Body::Syn(syn) => {
                frames = self.crypto();
                Header::opening(syn.number)
            }
            Body::SynAck(answer) => {
                frames = self.crypto();
                Header::opening(answer.answers)
            }
            Body::Ack(_) | Body::Message(_) => return,
        };
        let length = self.length(packet);
        let written = Written {
            header,
            length,
            frames,
        };
        self.event(at, "transport:packet_sent", &written.to_json());
    }

    fn arrived(&mut self, at: Instant, packet: &Packet) {
        let number = self.received;
        self.received += 1;
        let (header, frames) = match &packet.body {
            Body::Ack(Ack::Bytes(ack)) => {
                let acked = self.transmissions.acknowledge(ack);
                (Header::data(number), vec![event::ack(&acked, None)])
            }
            Body::Ack(Ack::Numbers(ack)) => {
                let ranges: Vec<_> = ack.numbers().map(|(first, end)| (first, end - 1)).collect();
                self.transmissions.acknowledge_numbers(&ranges);
                let frame = match ranges.is_empty() {
                    true => json!({ "frame_type": "handshake_done" }),
                    false => event::ack(&ranges, Some(ack.delay())),
                };
                (Header::data(number), vec![frame])
            }
            Body::Syn(syn) => (Header::opening(syn.number), self.crypto()),
            Body::Message(message) => (Header::opening(message.number), self.crypto()),
            Body::SynAck(answer) => (Header::opening(answer.answers), self.crypto()),
            Body::Data(_) => return,
        };
        let length = self.length(packet);
        let written = Written {
            header,
            length,
            frames,
        };
        self.event(at, "transport:packet_received", &written.to_json());
    }

    fn lost(&mut self, at: Instant, numbers: &[u64], trigger: &str) {
        for number in numbers {
            let data = json!({ "header": Header::data(*number).to_json(), "trigger": trigger });
            self.event(at, "recovery:packet_lost", &data);
        }
    }

    /// The handshake's, which TCP has none of.
    fn crypto(&self) -> Vec<Json> {
        match self.log.stack.numbers_packets() {
            true => vec![json!({ "frame_type": "crypto", "offset": 0, "length": 0 })],
            false => Vec::new(),
        }
    }

    /// Bytes of a packet: of QUIC those of the datagram's payload, of TCP those from the IP header
    /// on.
    fn length(&self, packet: &Packet) -> u32 {
        const UDP_IP: u32 = 8 + 20;
        match self.log.stack.numbers_packets() {
            true => packet.wire.saturating_sub(UDP_IP),
            false => packet.wire,
        }
    }

    fn event(&mut self, at: Instant, name: &str, data: &Json) {
        self.file.event(at, name, data);
    }
}
