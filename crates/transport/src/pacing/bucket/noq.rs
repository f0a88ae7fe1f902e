//! noq's bucket: as quinn's, rounded to the nearest byte, and no larger than ten milliseconds fill it.
//! It is filled at the rate of the congestion control where that sets one (noq-proto 1.4.0,
//! `connection/pacing.rs`).

use super::quinn::{self, GAIN};
use crate::narrow::narrowed;
use crate::pacing::token_bucket::{Demand, TokenBucket};
use crate::pacing::tokens::Tokens;
use flowstart_control::{Duration, Instant};

/// Maximum of the capacity, in time; one packet if that is more.
const MAX_BURST_INTERVAL: Duration = Duration::from_millis(10);

pub(super) struct Noq(Tokens);

impl Noq {
    pub(super) fn new(demand: &Demand, now: Instant) -> Noq {
        Noq(Tokens::full(capacity_of(demand), demand.window, now))
    }
}

fn capacity_of(demand: &Demand) -> u64 {
    capacity(|time| demand.bytes_in(time), demand.packet)
}

fn capacity(bytes_in: impl Fn(Duration) -> u64, packet: u64) -> u64 {
    let most = bytes_in(MAX_BURST_INTERVAL).max(packet);
    quinn::capacity(bytes_in, packet).min(most)
}

impl TokenBucket for Noq {
    fn wait(&mut self, demand: &Demand, now: Instant) -> Option<Instant> {
        let tokens = &mut self.0;
        tokens.follow(demand, capacity_of);
        if tokens.suffices(demand) {
            return None;
        }
        let earned = tokens.earned_to_nearest(GAIN, demand.srtt, now);
        if earned > 0 {
            tokens.fill(earned, now);
        }
        let enough = demand.packet.max(tokens.capacity);
        tokens.due(demand, now, |t| t.time_until(enough, GAIN, demand.srtt))
    }

    /// noq's `delay_at_rate`.
    fn wait_at_rate(&mut self, rate: u64, packet: u64, now: Instant) -> Option<Instant> {
        let rate = rate.max(1);
        let second = u128::from(Duration::from_secs(1).nanos());
        let bytes_in =
            |time: Duration| narrowed(u128::from(rate) * u128::from(time.nanos()) / second);
        let tokens = &mut self.0;
        // Its capacity is no window's.
        tokens.resize(capacity(bytes_in, packet), 0);
        let earned = bytes_in(now.since(tokens.filled));
        if earned > 0 {
            tokens.fill(earned, now);
        }
        let missing = packet.min(tokens.capacity).saturating_sub(tokens.left);
        let time = u128::from(missing) * second / u128::from(rate);
        (missing > 0).then(|| now + Duration::from_nanos(narrowed(time).max(1)))
    }

    fn sent(&mut self, bytes: u64) {
        self.0.take(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::super::Bucket;
    use super::super::testing::{PACKET, bucket, demand};
    use super::*;

    #[test]
    fn on_a_slow_path_packets_leave_one_by_one_until_the_window_changes() {
        let unmeasured = Demand::new(10 * PACKET, PACKET, None, true);
        let mut noq = Noq::new(&unmeasured, Instant::ZERO);
        assert_eq!(noq.0.capacity, PACKET);
        noq.wait(&demand(11 * PACKET), Instant::ZERO);
        assert_eq!(noq.0.capacity, 11 * PACKET / 10);
    }

    #[test]
    fn at_a_rate_up_to_ten_milliseconds_leave_together_and_then_one_by_one() {
        let mut bucket = bucket(Bucket::Noq, 100 * PACKET);
        let now = Instant::from_millis(100);
        let rate = 400 * PACKET;
        let mut sent = 0;
        let due = loop {
            if let Some(due) = bucket.wait_at_rate(rate, PACKET, now) {
                break due;
            }
            bucket.sent(PACKET);
            sent += 1;
        };
        assert_eq!((sent, due), (4, now + Duration::from_micros(2500)));
    }

    #[test]
    fn before_a_round_trip_is_measured_it_counts_as_a_third_of_a_second() {
        let mut bucket = bucket(Bucket::Noq, 10 * PACKET);
        bucket.sent(PACKET);
        let unmeasured = Demand::new(10 * PACKET, PACKET, None, false);
        let due = bucket.wait(&unmeasured, Instant::ZERO);
        assert_eq!(due.unwrap().nanos() / 1_000_000, 26);
    }

    #[test]
    fn a_wait_is_never_empty_on_a_very_short_path() {
        let rtt = Some(Duration::from_micros(20));
        let demand = Demand::new(10 * PACKET, PACKET, rtt, false);
        let mut bucket = bucket(Bucket::Noq, 10 * PACKET);
        let mut now = Instant::ZERO;
        for _ in 0..1000 {
            match bucket.wait(&demand, now) {
                None => bucket.sent(PACKET),
                Some(due) => {
                    assert!(due > now);
                    now = due;
                }
            }
        }
    }
}
