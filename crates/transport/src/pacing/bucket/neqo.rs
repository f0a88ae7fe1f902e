//! neqo's bucket, of two packets and two windows a round trip. A wait of less than a millisecond is not
//! kept but owed (neqo 0.30.1 at 80ca01e, `pace.rs`; `sender.rs`, `PACING_BURST_SIZE`).

use crate::pacing::token_bucket::{Demand, TokenBucket};
use crate::pacing::tokens::{Gain, Tokens};
use flowstart_control::{Duration, Instant};

const GAIN: Gain = (2, 1);
/// The capacity in packets.
const BURST: u64 = 2;
/// The wait that is not kept (`rtt.rs`, `GRANULARITY`).
const GRANULARITY: Duration = Duration::from_millis(1);

pub(super) struct Neqo {
    tokens: Tokens,
    /// What was sent without having been earned.
    debt: u64,
}

impl Neqo {
    pub(super) fn new(demand: &Demand, now: Instant) -> Neqo {
        Neqo {
            tokens: Tokens::full(BURST * demand.packet, demand.window, now),
            debt: 0,
        }
    }
}

impl TokenBucket for Neqo {
    /// A wait begins with the last packet, which is when what has been earned is counted.
    fn wait(&mut self, demand: &Demand, now: Instant) -> Option<Instant> {
        let tokens = &mut self.tokens;
        tokens.follow(demand, |demand| BURST * demand.packet);
        if tokens.left < demand.packet {
            let time = tokens.time_until(demand.packet + self.debt, GAIN, demand.srtt);
            let due = tokens.filled + time;
            if time >= GRANULARITY && due > now {
                return Some(due);
            }
        }
        let earned = tokens.earned(GAIN, demand.srtt, now);
        let owed = self.debt.saturating_sub(earned);
        let left = earned - (self.debt - owed);
        // What a full packet leaves of it is at most the capacity.
        tokens.left = tokens.left.saturating_add(left);
        tokens.left = tokens.left.min(tokens.capacity + demand.packet);
        tokens.filled = now;
        self.debt = owed;
        None
    }

    fn sent(&mut self, bytes: u64) {
        self.debt += bytes.saturating_sub(self.tokens.left);
        self.tokens.take(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::super::Bucket;
    use super::super::testing::{PACKET, WINDOW, bucket, burst, demand};
    use super::*;

    #[test]
    fn two_packets_leave_at_once_and_then_two_windows_a_round_trip() {
        let mut bucket = bucket(Bucket::Neqo, 10 * PACKET);
        let mut times = Vec::new();
        let mut now = Instant::ZERO;
        while times.len() < 5 {
            match bucket.wait(&demand(10 * PACKET), now) {
                None => {
                    bucket.sent(PACKET);
                    times.push(now.nanos() / 1_000_000);
                }
                Some(due) => now = due,
            }
        }
        assert_eq!(times, [0, 0, 5, 10, 15]);
    }

    #[test]
    fn waits_of_less_than_a_millisecond_are_owed() {
        // A packet takes half a millisecond.
        let mut bucket = bucket(Bucket::Neqo, WINDOW);
        let (sent, due) = burst(&mut *bucket, Instant::ZERO);
        assert_eq!((sent, due), (3, Instant::from_millis(1)));
        assert_eq!(burst(&mut *bucket, due), (2, Instant::from_millis(2)));
    }
}
