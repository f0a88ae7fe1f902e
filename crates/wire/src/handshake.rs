//! Packets that open a connection.

use crate::ack_ranges::AckRanges;
use crate::options::{RateRequest, RateResponse};
use crate::packed::Byte;

/// Opens a connection.
#[derive(Clone, Copy, Debug)]
pub struct Syn {
    /// Which of its sender's it is, from zero: the packet number where packets have one.
    pub number: u32,
    /// The rate that it requests from the routers.
    pub request: Option<RateRequest>,
    /// Whether the data's receiver sends it, and its sender answers.
    pub by_receiver: bool,
    /// Bytes of the client's first message that it carries (RFC 7413).
    pub message: u32,
}

/// What an answer to the packet that opens a connection answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answers {
    /// The data's sender.
    Sender,
    /// The data's receiver, with the server's whole part of a handshake.
    Receiver,
    /// The data's receiver, in a handshake that is made of packets: it has no certificate.
    Message,
}

/// Answers a SYN.
#[derive(Clone, Copy, Debug)]
pub struct SynAck {
    /// The number of the SYN that it answers.
    pub answers: u32,
    /// The advertised window in bytes; [`UNLIMITED_WINDOW`](crate::UNLIMITED_WINDOW) for none.
    pub window: u32,
    /// Where packets are numbered: one past the largest number that has arrived.
    pub end: u32,
    /// And which have arrived.
    pub ranges: AckRanges<16>,
    /// What it answers.
    pub to: Answers,
    response: Option<Byte<RateResponse>>,
}

impl SynAck {
    /// A number that no SYN has.
    const RETRY: u32 = u32::MAX;

    /// Answers the SYN of this number.
    pub fn new(answers: u32, window: u32) -> SynAck {
        SynAck {
            answers,
            window,
            end: 0,
            ranges: AckRanges::default(),
            to: Answers::Sender,
            response: None,
        }
    }

    /// A Retry to the data's receiver: it begins again, with a token (RFC 9000 §8.1.2).
    pub fn retry() -> SynAck {
        SynAck {
            to: Answers::Message,
            ..SynAck::new(Self::RETRY, 0)
        }
    }

    /// Whether it is a Retry.
    pub fn is_retry(&self) -> bool {
        self.answers == Self::RETRY
    }

    /// What the routers said to the SYN's request.
    pub fn response(&self) -> Option<RateResponse> {
        self.response.map(Byte::get)
    }

    /// It carries what the routers said.
    pub fn set_response(&mut self, response: RateResponse) {
        self.response = Some(Byte::new(response));
    }

    /// The numbers of the SYNs that have arrived as `[first, end)`, the largest first; none where
    /// packets are not numbered.
    pub fn numbers(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.ranges.numbers(self.end.into())
    }
}

/// A part of what a client sends in a handshake and with its request: bytes `[start, end)` of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message {
    /// Which of the client's packets it is, from zero.
    pub number: u32,
    /// The first byte.
    pub start: u32,
    /// One past the last byte; nothing is in a probe.
    pub end: u32,
    /// It belongs to the first message, the ClientHello.
    pub is_hello: bool,
    /// It is protected by Handshake keys, which shows that the client is at its address (RFC 9000
    /// §8.1).
    pub validates: bool,
    /// It carries the token of a Retry.
    pub has_token: bool,
}
