//! What every bucket of tokens does, and what it follows.

use crate::narrow::narrowed;
use flowstart_control::{Duration, Instant};

/// The round trip before one is measured (RFC 9002 §6.2.2).
const INITIAL_RTT: Duration = Duration::from_millis(333);

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
    pub(super) fn bytes_in(&self, time: Duration) -> u64 {
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
