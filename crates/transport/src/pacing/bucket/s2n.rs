//! s2n-quic's departure times: ten packets leave in each interval, whose length is what they take at
//! two windows a round trip in slow start, and 1.25 afterwards (s2n-quic-core 0.91.0,
//! `recovery/pacing.rs`).

use crate::handshake::INITIAL_ACK;
use crate::narrow::narrowed;
use crate::pacing::token_bucket::{Demand, TokenBucket};
use flowstart_control::{Duration, Instant};

/// Packets that leave in an interval.
const BURST: u64 = 10;
/// `MINIMUM_PACING_RTT`: shorter paths are not paced.
const MIN_PACED_RTT: Duration = Duration::from_millis(2);
/// `K_GRANULARITY`: what is due within this time is due now.
const GRANULARITY: Duration = Duration::from_millis(1);

pub(super) struct S2n {
    /// Bytes of an interval.
    capacity: u64,
    /// What is left of this one.
    left: u64,
    /// When this one begins.
    departure: Instant,
    /// The first window.
    window: u64,
    /// How many bytes may leave until the handshake is confirmed.
    unconfirmed: Option<u64>,
}

impl S2n {
    pub(super) fn new(demand: &Demand, now: Instant) -> S2n {
        S2n {
            capacity: BURST * demand.packet,
            left: BURST * demand.packet,
            departure: now,
            window: demand.window,
            unconfirmed: None,
        }
    }
}

impl TokenBucket for S2n {
    /// The packet that begins an interval sets the departure time of those behind it.
    fn wait(&mut self, demand: &Demand, now: Instant) -> Option<Instant> {
        if demand.srtt < MIN_PACED_RTT {
            return None;
        }
        if self.departure >= now + GRANULARITY {
            return Some(self.departure);
        }
        if self.left == 0 {
            let (windows, rounds) = if demand.slow_start { (2, 1) } else { (5, 4) };
            let time = u128::from(self.capacity) * u128::from(demand.srtt.nanos()) * rounds;
            let time = time / (u128::from(demand.window.max(1)) * windows);
            self.departure = (self.departure + Duration::from_nanos(narrowed(time))).max(now);
            self.left = self.capacity;
        }
        None
    }

    fn sent(&mut self, bytes: u64) {
        self.unconfirmed = self.unconfirmed.map(|left| left.saturating_sub(bytes));
        self.left = self.left.saturating_sub(bytes);
    }

    /// A client sends its Initial and the end of its handshake, both padded to a datagram. Until the
    /// handshake is confirmed the latter is in flight, in the first window.
    fn end_handshake(&mut self, packet: u64) {
        self.sent((2 * packet).saturating_sub(INITIAL_ACK.into()));
        self.unconfirmed = Some(self.window.saturating_sub(packet));
    }

    fn confirm(&mut self) {
        self.unconfirmed = None;
    }

    fn holds(&self, packet: u64) -> bool {
        self.unconfirmed.is_some_and(|left| left < packet)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Bucket;
    use super::super::testing::{PACKET, RTT, WINDOW, bucket};
    use super::*;

    #[test]
    fn ten_packets_leave_in_an_interval_and_twice_as_often_in_slow_start() {
        for (slow_start, interval) in [(true, 5), (false, 8)] {
            let demand = Demand::new(WINDOW, PACKET, Some(RTT), slow_start);
            let mut bucket = bucket(Bucket::S2n, WINDOW);
            let mut departures = Vec::new();
            let mut now = Instant::ZERO;
            while departures.len() < 30 {
                match bucket.wait(&demand, now) {
                    Some(due) => now = due,
                    None => {
                        bucket.sent(PACKET);
                        departures.push(now);
                    }
                }
            }
            let at = |of: usize| departures[of].nanos() / 1_000_000;
            assert_eq!((at(10), at(11), at(20)), (0, interval, interval));
            assert_eq!(at(21), 2 * interval);
        }
    }

    #[test]
    fn a_client_holds_its_tenth_packet_until_the_handshake_is_confirmed() {
        let mut bucket = bucket(Bucket::S2n, 10 * PACKET);
        bucket.end_handshake(PACKET);
        for _ in 0..9 {
            assert!(!bucket.holds(PACKET));
            bucket.sent(PACKET);
        }
        assert!(bucket.holds(PACKET));
        bucket.confirm();
        assert!(!bucket.holds(PACKET));
    }
}
