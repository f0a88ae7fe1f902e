//! What the tests of buckets share.

use super::Bucket;
use crate::pacing::token_bucket::{Demand, TokenBucket};
use flowstart_control::{Duration, Instant};

pub(super) const PACKET: u64 = 1472;
pub(super) const WINDOW: u64 = 100 * PACKET;
pub(super) const RTT: Duration = Duration::from_millis(100);

/// A bucket that begins at time zero.
pub(super) fn bucket(kind: Bucket, window: u64) -> Box<dyn TokenBucket> {
    kind.of(window, PACKET, Instant::ZERO)
}

/// A demand on the path of the tests, after slow start.
pub(super) fn demand(window: u64) -> Demand {
    Demand::new(window, PACKET, Some(RTT), false)
}

/// How many packets leave at once, and when the next may leave.
pub(super) fn burst(bucket: &mut dyn TokenBucket, now: Instant) -> (u64, Instant) {
    for sent in 0.. {
        if let Some(due) = bucket.wait(&demand(WINDOW), now) {
            return (sent, due);
        }
        bucket.sent(PACKET);
    }
    unreachable!("the bucket is finite")
}
