//! quinn's bucket: 1.25 windows a round trip, which are earned once it is too empty for a packet. A
//! wait lasts until it is full (quinn-proto 0.11.19, `connection/pacing.rs`).

use crate::pacing::token_bucket::{Demand, TokenBucket};
use crate::pacing::tokens::{Gain, Tokens};
use flowstart_control::{Duration, Instant};

pub(super) const GAIN: Gain = (5, 4);
/// `BURST_INTERVAL_NANOS`: the capacity is what one window a round trip is in this time.
const BURST_INTERVAL: Duration = Duration::from_millis(2);
/// Minimum of the capacity in packets.
const MIN_BURST_SIZE: u64 = 10;
/// Maximum of the capacity in packets.
const MAX_BURST_SIZE: u64 = 256;

/// Tokens are rounded down, so that a full wait may be a byte short of a full bucket.
pub(super) struct Quinn(Tokens);

impl Quinn {
    pub(super) fn new(demand: &Demand, now: Instant) -> Quinn {
        Quinn(Tokens::full(capacity_of(demand), demand.window, now))
    }
}

fn capacity_of(demand: &Demand) -> u64 {
    capacity(|time| demand.bytes_in(time), demand.packet)
}

/// The capacity, where `bytes_in` is what is sent in a time.
pub(super) fn capacity(bytes_in: impl Fn(Duration) -> u64, packet: u64) -> u64 {
    bytes_in(BURST_INTERVAL).clamp(MIN_BURST_SIZE * packet, MAX_BURST_SIZE * packet)
}

impl TokenBucket for Quinn {
    fn wait(&mut self, demand: &Demand, now: Instant) -> Option<Instant> {
        let tokens = &mut self.0;
        tokens.follow(demand, capacity_of);
        if tokens.suffices(demand) {
            return None;
        }
        tokens.fill(tokens.earned(GAIN, demand.srtt, now), now);
        let enough = demand.packet.max(tokens.capacity);
        tokens.due(demand, now, |t| t.time_until(enough, GAIN, demand.srtt))
    }

    fn sent(&mut self, bytes: u64) {
        self.0.take(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::super::Bucket;
    use super::super::testing::{PACKET, WINDOW, bucket, burst, demand};
    use super::*;

    #[test]
    fn ten_packets_leave_together_every_eight_milliseconds() {
        let mut bucket = bucket(Bucket::Quinn, WINDOW);
        let (sent, due) = burst(&mut *bucket, Instant::ZERO);
        assert_eq!((sent, due), (10, Instant::from_millis(8)));
        assert_eq!(burst(&mut *bucket, due), (10, Instant::from_millis(16)));
    }

    #[test]
    fn a_fast_path_has_two_milliseconds_in_a_burst() {
        assert_eq!(capacity_of(&demand(10_000 * PACKET)) / PACKET, 200);
    }
}
