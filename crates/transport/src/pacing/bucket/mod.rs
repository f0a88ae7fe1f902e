//! Pacers of QUIC stacks: packets take tokens from a bucket, which is filled at so many windows a
//! round trip. One file for each stack; s2n-quic's departure times have the same interface.

mod neqo;
mod noq;
mod picoquic;
mod quinn;
mod s2n;
mod tquic;

use crate::narrow::narrowed;
use flowstart_control::{Duration, Instant};

/// The round trip before one is measured (RFC 9002 §6.2.2).
const INITIAL_RTT: Duration = Duration::from_millis(333);

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
        let demand = Demand {
            window,
            packet,
            srtt: INITIAL_RTT,
            slow_start: true,
        };
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

/// What a bucket's size and filling follow.
#[derive(Clone, Copy, Debug)]
pub struct Demand {
    /// The window, in bytes of UDP payload.
    pub window: u64,
    /// A full packet, in bytes of UDP payload.
    pub packet: u64,
    /// The smoothed round trip.
    pub srtt: Duration,
    /// Slow start continues.
    pub slow_start: bool,
}

impl Demand {
    /// A demand on a path whose round trip is `srtt`, where one is measured.
    pub fn new(window: u64, packet: u64, srtt: Option<Duration>, slow_start: bool) -> Demand {
        let srtt = srtt.filter(|srtt| *srtt > Duration::ZERO);
        Demand {
            window,
            packet,
            srtt: srtt.unwrap_or(INITIAL_RTT),
            slow_start,
        }
    }

    /// Bytes of `time` at one window a round trip.
    fn bytes_in(&self, time: Duration) -> u64 {
        let bytes = u128::from(self.window) * u128::from(time.nanos());
        narrowed(bytes / u128::from(self.srtt.nanos().max(1)))
    }
}

/// The bucket of one connection. Sizes are bytes of UDP payload.
pub trait TokenBucket: Send + Sync {
    /// When a full packet may leave; `None` for now.
    fn wait(&mut self, demand: &Demand, now: Instant) -> Option<Instant>;

    /// A packet of so many bytes has left.
    fn sent(&mut self, bytes: u64);

    /// As [`wait`](Self::wait), where the congestion control sets a rate, in bytes per second.
    fn wait_at_rate(&mut self, _rate: u64, _packet: u64, _now: Instant) -> Option<Instant> {
        None
    }

    /// The end of a client's handshake leaves, in packets of this size.
    fn end_handshake(&mut self, _packet: u64) {}

    /// The handshake is confirmed.
    fn confirm(&mut self) {}

    /// Whether a packet has to wait until the handshake is confirmed.
    fn holds(&self, _packet: u64) -> bool {
        false
    }
}

#[cfg(test)]
mod testing;
