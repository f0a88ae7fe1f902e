//! tquic's bucket, of one window a round trip. A wait lasts until there is a packet, not until it is
//! full (tquic 1.6.0 at 2a57740, `congestion_control/pacing.rs`; `cubic.rs`, `pacing_rate`).

use crate::pacing::token_bucket::{Demand, TokenBucket};
use crate::pacing::tokens::{Gain, Tokens};
use flowstart_control::{Duration, Instant};

const GAIN: Gain = (1, 1);
/// Bounds of the capacity in packets (`MIN_BURST_PACKET_NUM`, `MAX_BURST_PACKET_NUM`).
const BURST: (u64, u64) = (10, 128);
/// The capacity is what one window a round trip is in this time (`pacing_granularity`).
const GRANULARITY: Duration = Duration::from_millis(1);

pub(super) struct Tquic(Tokens);

impl Tquic {
    pub(super) fn new(demand: &Demand, now: Instant) -> Tquic {
        Tquic(Tokens::full(capacity(demand), demand.window, now))
    }
}

fn capacity(demand: &Demand) -> u64 {
    let (least, most) = BURST;
    let usual = demand.bytes_in(GRANULARITY);
    usual.clamp(least * demand.packet, most * demand.packet)
}

impl TokenBucket for Tquic {
    fn wait(&mut self, demand: &Demand, now: Instant) -> Option<Instant> {
        let tokens = &mut self.0;
        tokens.follow(demand, capacity);
        if tokens.suffices(demand) {
            return None;
        }
        tokens.fill(tokens.earned(GAIN, demand.srtt, now), now);
        tokens.due(demand, now, |t| {
            t.full_time_until(demand.packet, GAIN, demand.srtt)
        })
    }

    fn sent(&mut self, bytes: u64) {
        self.0.take(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::super::Bucket;
    use super::super::testing::{PACKET, WINDOW, bucket, burst};
    use super::*;

    #[test]
    fn a_wait_is_for_one_packet_at_one_window_a_round_trip() {
        let mut bucket = bucket(Bucket::Tquic, WINDOW);
        let (sent, due) = burst(&mut *bucket, Instant::ZERO);
        assert_eq!((sent, due), (10, Instant::from_millis(1)));
        assert_eq!(burst(&mut *bucket, due), (1, Instant::from_millis(2)));
    }

    #[test]
    fn what_it_waits_for_is_there_after_the_wait() {
        let rtt = Duration::from_nanos(60_000_007);
        let demand = Demand::new(12_347, PACKET, Some(rtt), false);
        let mut bucket = bucket(Bucket::Tquic, demand.window);
        let mut now = Instant::ZERO;
        for _ in 0..100 {
            if let Some(due) = bucket.wait(&demand, now) {
                now = due;
                assert_eq!(bucket.wait(&demand, now), None);
            }
            bucket.sent(PACKET);
        }
    }
}
