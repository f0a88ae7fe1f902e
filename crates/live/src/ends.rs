//! The two ends of a connection, and what travels between them.

use flowstart_sim::ExternalSender;

/// UDP payload of a full datagram: 1500 bytes of IPv4.
pub const MTU: u16 = 1472;

/// One end of the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// It opens the connection.
    Client,
    /// It answers.
    Server,
}

impl Side {
    /// The one at the other end.
    pub fn other(self) -> Side {
        match self {
            Side::Client => Side::Server,
            Side::Server => Side::Client,
        }
    }
}

/// What travels.
#[derive(Clone, Debug)]
pub struct Datagram {
    /// UDP payload.
    pub payload: Vec<u8>,
    /// It may be marked.
    pub ect: bool,
    /// It was.
    pub ce: bool,
}

/// Which side of the connection sends the data.
pub fn sender(flow: &ExternalSender) -> Side {
    match flow.by_receiver {
        true => Side::Server,
        false => Side::Client,
    }
}
