//! Pacers of QUIC stacks: packets take tokens from a bucket, which is filled at so many windows a
//! round trip. One file for each stack; s2n-quic's departure times have the same interface.

mod neqo;
mod noq;
mod picoquic;
mod quinn;
mod s2n;
mod tquic;

use super::token_bucket::{Demand, TokenBucket};
use flowstart_control::Instant;

/// The stack whose bucket it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bucket {
    /// quinn's, filled only once it is too empty for a packet.
    Quinn,
    /// noq's, which rounds to the nearest byte and can be filled at a controller's rate.
    Noq,
    /// neqo's, of two packets and two windows a round trip.
    Neqo,
    /// tquic's, of one window a round trip.
    Tquic,
    /// s2n-quic's departure times, of ten packets each.
    S2n,
    /// picoquic's, which is empty at first.
    Picoquic,
}

impl Bucket {
    /// The bucket of a connection with this first window.
    pub fn of(self, window: u64, packet: u64, now: Instant) -> Box<dyn TokenBucket> {
        let demand = Demand::new(window, packet, None, true);
        match self {
            Bucket::Quinn => Box::new(quinn::Quinn::new(&demand, now)),
            Bucket::Noq => Box::new(noq::Noq::new(&demand, now)),
            Bucket::Neqo => Box::new(neqo::Neqo::new(&demand, now)),
            Bucket::Tquic => Box::new(tquic::Tquic::new(&demand, now)),
            Bucket::S2n => Box::new(s2n::S2n::new(&demand, now)),
            Bucket::Picoquic => Box::new(picoquic::Picoquic::new(&demand, now)),
        }
    }

    /// Whether it holds nothing before a round trip is measured: then the first packet waits too.
    pub fn begins_empty(self) -> bool {
        self == Bucket::Picoquic
    }

    /// Whether it is filled at the rate of a controller that sets one. Otherwise such packets take no
    /// tokens.
    pub fn follows_controller(self) -> bool {
        self == Bucket::Noq
    }

    /// Whether probes leave without tokens.
    pub fn exempts_probes(self) -> bool {
        matches!(self, Bucket::Quinn | Bucket::Neqo)
    }

    /// Whether a client's end of handshake takes tokens, and data waits for its confirmation.
    pub fn ends_handshake(self) -> bool {
        self == Bucket::S2n
    }
}

#[cfg(test)]
mod testing;
