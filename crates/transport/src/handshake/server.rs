//! The server's end of a handshake that is made of packets: what it has of the client's messages, what
//! it may send, and how much of it before the client's address is validated (RFC 9000 §8.1). Its
//! flight is the beginning of the stream of a [`Sender`](crate::sender::Sender).

use super::dialogue::Dialogue;
use super::{Amplification, Flight, MessageOptions, UDP_IP, amplification_limit};
use crate::narrow::saturated;
use crate::numbers::Numbers;
use crate::ranges::RangeSet;
use flowstart_control::{Duration, Instant};
use flowstart_wire::{Answers, Data, Message, Packet, SynAck, UNLIMITED_WINDOW};

/// Bytes of a datagram that is too small to be of use.
const SMALLEST: u32 = 64;

/// What a handshake has cost its server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Packets until the response.
    pub packets: u32,
    /// Their bytes on the wire.
    pub bytes: u64,
    /// How long the limit of three times what had come kept a packet from leaving.
    pub blocked: Duration,
    /// When the client's last message came.
    pub complete: Option<Instant>,
}

/// The server's end of a handshake.
pub(crate) struct Server {
    dialogue: Dialogue,
    /// What has come of the client's messages, and in which packets.
    received: RangeSet,
    numbers: Numbers,
    /// One past the largest number.
    numbers_end: u32,
    /// Bytes that came and that left, while the address is not validated.
    credit: Option<[u32; 2]>,
    amplification: Amplification,
    /// It sends a certificate and a signature.
    is_signed: bool,
    retries: bool,
    is_retry_due: bool,
    /// A SYN-ACK is to leave on a connection that was opened with data (RFC 7413).
    owes_syn_ack: bool,
    /// An acknowledgement without data is to leave.
    owes_ack: bool,
    /// How far its stream was handed over, and how much of the response waits.
    handed: u64,
    response: u64,
    blocked_since: Option<Instant>,
    pub report: Report,
}

impl Server {
    /// That of a handshake with these messages; with QUIC the client's address is to be validated.
    pub(crate) fn new(dialogue: Dialogue, messages: &MessageOptions, validates: bool) -> Server {
        let limited = validates && !messages.token;
        Server {
            dialogue,
            received: RangeSet::default(),
            numbers: Numbers::default(),
            numbers_end: 0,
            credit: limited.then_some([0, 0]),
            amplification: messages.amplification,
            is_signed: messages.flight != Some(Flight::Resumed),
            retries: messages.retry && limited,
            is_retry_due: false,
            owes_syn_ack: false,
            owes_ack: false,
            handed: 0,
            response: 0,
            blocked_since: None,
            report: Report::default(),
        }
    }

    /// Where the response begins in the stream.
    pub(crate) fn response_from(&self) -> u64 {
        self.dialogue.response_from()
    }

    /// Marks a packet of the flight with which the certificate begins or ends.
    pub(crate) fn mark(&self, data: &mut Data) {
        let from = self.response_from();
        data.set_opening(data.start() < from || data.is_empty());
        if self.is_signed && !data.repeats() {
            data.set_signature(data.start() == 0, data.start() < from && data.end() >= from);
        }
    }

    /// Where the ServerHello ends in the stream.
    pub(crate) fn keys(&self) -> u64 {
        self.dialogue.keys
    }

    /// The response waits for its turn.
    pub(crate) fn hold(&mut self, bytes: u64) {
        self.response = self.response.saturating_add(bytes);
    }

    /// A packet of so many bytes has come from the client.
    pub(crate) fn on_bytes(&mut self, wire: u32) {
        if let Some([received, _]) = &mut self.credit {
            *received = received.saturating_add(wire.saturating_sub(UDP_IP));
        }
    }

    /// The client is at its address.
    pub(crate) fn validate(&mut self) {
        self.credit = None;
    }

    /// A message of the client has come.
    pub(crate) fn on_message(&mut self, message: &Message, now: Instant) {
        if message.validates {
            self.validate();
        }
        if self.retries && message.is_hello {
            self.is_retry_due = !message.has_token;
            if self.is_retry_due {
                return;
            }
            self.validate();
        }
        let before = self.contiguous();
        self.numbers.receive(message.number, 1, now);
        self.numbers_end = self.numbers_end.max(message.number + 1);
        self.take(message.start, message.end);
        let next = self.contiguous();
        // What the client waits for answers the whole of a message.
        let answers = self.dialogue.server_until(next) > self.handed
            || next > before && self.dialogue.is_response_due(next);
        self.owes_ack = !answers;
        if self.is_complete() {
            self.report.complete.get_or_insert(now);
        }
    }

    /// A SYN has come that carries so much of the client's first message.
    pub(crate) fn on_syn(&mut self, message: u32) {
        self.owes_syn_ack = true;
        self.take(0, message);
    }

    /// These bytes of the client's messages have come.
    fn take(&mut self, start: u32, end: u32) {
        if start < end {
            self.received.insert(start.into(), end.into(), |_, _| {});
        }
    }

    fn contiguous(&self) -> u32 {
        let first = self.received.first().filter(|(start, _)| *start == 0);
        first.map_or(0, |(_, end)| saturated(end))
    }

    /// All of the client's messages have come.
    pub(crate) fn is_complete(&self) -> bool {
        self.contiguous() >= self.dialogue.client_end()
    }

    /// Bytes of the stream that may be handed over now.
    pub(crate) fn take_due(&mut self) -> u64 {
        let received = self.contiguous();
        let until = self.dialogue.server_until(received);
        let mut due = until.saturating_sub(self.handed);
        self.handed += due;
        if self.dialogue.is_response_due(received) {
            due = due.saturating_add(std::mem::take(&mut self.response));
        }
        due
    }

    /// Bytes of UDP payload that may leave now, of a datagram of so many; `None` where it may not.
    pub(crate) fn room(&self, datagram: u32) -> Option<u32> {
        let Some([received, sent]) = self.credit else {
            return Some(datagram);
        };
        let left = amplification_limit(received).saturating_sub(sent);
        match self.amplification {
            Amplification::Exact => Some(left.min(datagram)).filter(|room| *room > SMALLEST),
            Amplification::DatagramStarts => (left > 0).then_some(datagram),
            Amplification::Fits => (left >= datagram).then_some(datagram),
        }
    }

    /// The limit keeps a packet from leaving.
    pub(crate) fn block(&mut self, now: Instant) {
        self.blocked_since.get_or_insert(now);
    }

    /// Whether the limit keeps packets from leaving.
    pub(crate) fn is_blocked(&self) -> bool {
        self.blocked_since.is_some()
    }

    /// It may leave after all.
    pub(crate) fn unblock(&mut self, now: Instant) {
        if let Some(since) = self.blocked_since.take() {
            self.report.blocked += now.since(since);
        }
    }

    /// A packet has left.
    pub(crate) fn on_sent(&mut self, packet: &Packet) {
        self.report.packets += 1;
        self.report.bytes += u64::from(packet.wire);
        if let Some([_, sent]) = &mut self.credit {
            *sent = sent.saturating_add(packet.wire.saturating_sub(UDP_IP));
        }
    }

    /// One past the largest number of the client's packets that has come.
    pub(crate) fn numbers_end(&self) -> u32 {
        self.numbers_end
    }

    /// The acknowledgement that is to leave without data, a SYN-ACK, or a Retry.
    pub(crate) fn take_answer(&mut self) -> Option<SynAck> {
        if std::mem::take(&mut self.owes_syn_ack) {
            return Some(answer());
        }
        if std::mem::take(&mut self.is_retry_due) {
            return Some(SynAck::retry());
        }
        std::mem::take(&mut self.owes_ack).then(|| {
            let mut answer = answer();
            self.numbers.answer(&mut answer);
            answer
        })
    }
}

/// What opens or acknowledges, and carries no message.
fn answer() -> SynAck {
    let mut answer = SynAck::new(0, UNLIMITED_WINDOW);
    answer.to = Answers::Message;
    answer
}
