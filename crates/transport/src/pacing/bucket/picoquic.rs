//! picoquic's bucket, which is empty at first, so that the first window is paced as well. It earns 1.25
//! windows a round trip in slow start and one afterwards, and a wait lasts until there is a packet
//! (picoquic 1.1.52 at d199d45, `pacing.c`).

use crate::pacing::token_bucket::{Demand, TokenBucket};
use crate::pacing::tokens::{Gain, Tokens};
use flowstart_control::{Duration, Instant};

/// Windows below so many packets are not paced (`picoquic_update_pacing_window`).
const UNPACED: u64 = 8;
/// Bounds of the capacity in packets.
const BURST: (u64, u64) = (2, 16);
/// Its minimum in bytes in slow start on round trips above four times [`INTERVAL`].
const LONG_BURST: u64 = 0x8000;
/// The time for which the capacity lasts there (`PICOQUIC_MAX_BANDWIDTH_TIME_INTERVAL_MAX`).
const INTERVAL: Duration = Duration::from_millis(15);

pub(super) struct Picoquic(Tokens);

impl Picoquic {
    pub(super) fn new(demand: &Demand, now: Instant) -> Picoquic {
        let mut tokens = Tokens::full(capacity(demand), demand.window, now);
        tokens.left = 0;
        Picoquic(tokens)
    }
}

fn capacity(demand: &Demand) -> u64 {
    let (least, most) = BURST;
    let quarter = demand.window / 4;
    if quarter < least * demand.packet {
        return least * demand.packet;
    }
    match demand.slow_start && demand.srtt > INTERVAL.times(4) {
        true if quarter < LONG_BURST => LONG_BURST,
        true => quarter.max(demand.bytes_in(INTERVAL)),
        false => quarter.min(most * demand.packet),
    }
}

impl TokenBucket for Picoquic {
    fn wait(&mut self, demand: &Demand, now: Instant) -> Option<Instant> {
        let tokens = &mut self.0;
        tokens.resize(capacity(demand), demand.window);
        if tokens.suffices(demand) || demand.window < UNPACED * demand.packet {
            return None;
        }
        let gain: Gain = if demand.slow_start { (5, 4) } else { (1, 1) };
        tokens.fill(tokens.earned(gain, demand.srtt, now), now);
        tokens.due(demand, now, |t| {
            t.full_time_until(demand.packet, gain, demand.srtt)
        })
    }

    fn sent(&mut self, bytes: u64) {
        self.0.take(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::super::Bucket;
    use super::super::testing::{PACKET, RTT, WINDOW, bucket};
    use super::*;

    /// How many packets leave at once after an idle round trip.
    fn burst(window: u64, srtt: Duration, slow_start: bool) -> u64 {
        let demand = Demand::new(window, PACKET, Some(srtt), slow_start);
        let mut bucket = bucket(Bucket::Picoquic, window);
        let now = Instant::ZERO + srtt;
        for sent in 0.. {
            if bucket.wait(&demand, now).is_some() || sent == 1000 {
                return sent;
            }
            bucket.sent(PACKET);
        }
        unreachable!("it ends after a thousand")
    }

    /// As `picoquic_update_pacing_window` computes `quantum`.
    #[test]
    fn a_quarter_of_the_window_leaves_together_within_bounds() {
        let ms = Duration::from_millis;
        assert_eq!(burst(20 * PACKET, ms(50), true), 5);
        assert_eq!(burst(100 * PACKET, ms(50), true), 16);
        assert_eq!(burst(20 * PACKET, ms(100), true), 22);
        assert_eq!(burst(20 * PACKET, ms(100), false), 5);
        assert_eq!(burst(200 * PACKET, ms(600), true), 50);
        assert_eq!(burst(7 * PACKET, ms(100), true), 1000);
    }

    #[test]
    fn the_first_packet_is_paced() {
        let demand = Demand::new(WINDOW, PACKET, Some(RTT), true);
        let due = bucket(Bucket::Picoquic, WINDOW).wait(&demand, Instant::ZERO);
        assert_eq!(due, Some(Instant::from_micros(800)));
    }

    /// At 1.25 windows a round trip a wait is no whole number of nanoseconds.
    #[test]
    fn a_wait_ends_with_a_packet() {
        let demand = Demand::new(1_000_000_007, PACKET, Some(RTT), true);
        let mut bucket = bucket(Bucket::Picoquic, demand.window);
        let mut now = Instant::ZERO;
        for sent in 0..1000 {
            if let Some(due) = bucket.wait(&demand, now) {
                now = due;
                assert_eq!(bucket.wait(&demand, now), None, "{sent}");
            }
            bucket.sent(PACKET);
        }
    }
}
