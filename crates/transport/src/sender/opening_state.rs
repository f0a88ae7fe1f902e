//! What lasts until a connection is open.

use crate::handshake::Server;
use crate::quick_start::Asked;
use flowstart_control::Instant;
use flowstart_control::signals::PathInfo;
use flowstart_wire::SynAck;

/// What a sender is given for opening its connection.
#[derive(Clone, Copy, Debug, Default)]
pub struct Preparation {
    /// What is known of the path without a measurement.
    pub known: PathInfo,
    /// Bits that no other host can guess.
    pub secret: u64,
}

/// What lasts until the connection is open.
pub(super) struct OpeningState {
    pub preparation: Preparation,
    /// A request for a rate that is on its way.
    pub asked: Option<Asked>,
    /// Exchanges to come, this one included.
    pub exchanges: u32,
    /// SYNs sent, those sent again, and how many there were before this exchange.
    pub syns: u32,
    pub repeats: u32,
    pub first: u32,
    /// When each left, where packets are numbered.
    pub sent: Vec<Instant>,
    /// One of them did not arrive.
    pub lost: bool,
    /// When an unanswered SYN is sent again although data leaves.
    pub deadline: Option<Instant>,
    /// The data's receiver opens the connection.
    pub accepts: bool,
    /// The server's end of a handshake that is made of packets.
    pub server: Option<Box<Server>>,
}

impl OpeningState {
    pub(super) fn new(
        preparation: Preparation,
        exchanges: u32,
        server: Option<Server>,
    ) -> OpeningState {
        OpeningState {
            server: server.map(Box::new),
            preparation,
            asked: None,
            exchanges,
            syns: 0,
            repeats: 0,
            first: 0,
            sent: Vec::new(),
            lost: false,
            deadline: None,
            accepts: false,
        }
    }

    /// Whether `answer` shows that a SYN of this exchange, sent before that which it answers,
    /// has not arrived.
    pub(super) fn is_missing(&self, answer: &SynAck) -> bool {
        let told = |n: u64| {
            answer
                .numbers()
                .any(|(first, end)| (first..end).contains(&n))
        };
        (self.first..answer.answers).any(|n| !told(n.into()))
    }
}
