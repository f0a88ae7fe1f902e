//! A token-bucket policer: it delays no packet and drops what exceeds.
//!
//! Tokens for so many bits a second fill a bucket of a burst's size, full at the beginning; a
//! packet passes if the bucket has tokens for all of it, and takes them. So in any time no
//! more passes than a burst and what the rate gives.

use super::bucket::Bucket;
use super::common::{Common, LinkImpl, Verdict};
use super::kind::StagePlan;
use crate::moment::Moment;
use crate::queue::Backlog;
use flowstart_control::Rate;
use flowstart_wire::Packet;

/// A policer that lets a rate pass in the long run, and so many bytes at once.
pub fn policer(rate: Rate, burst: u64) -> StagePlan {
    StagePlan::new("policer", "policer", move |_| {
        Policer(Bucket::new(rate, burst))
    })
}

/// Token-bucket policer of one link.
struct Policer(Bucket);

impl LinkImpl for Policer {
    fn send(&mut self, packet: &Packet, now: Moment, link: &mut Common) -> Verdict {
        if !self.0.take(packet.wire.into(), now.time) {
            link.counters.refused += 1;
            return Verdict::Dropped;
        }
        link.counters.accept(packet.wire, Backlog::default());
        let arrival = Moment {
            time: now.time,
            cause: now.time,
        };
        link.depart(arrival, packet)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{is_within_bucket, pass, stage};
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_burst_passes_at_once_and_then_what_the_rate_gives() {
        // A packet of 1500 bytes takes the tokens of a millisecond.
        let packets: Vec<u64> = [0; 10]
            .into_iter()
            .chain([1000, 1500, 1999, 2000])
            .collect();
        let passed = pass(stage(&policer(Rate(12_000_000), 4500)), &packets);
        assert_eq!(passed, [0, 0, 0, 1000, 2000]);
    }

    #[test]
    fn a_bucket_holds_no_more_than_a_burst() {
        let packets: Vec<u64> = [0; 5].into_iter().chain([1_000_000; 5]).collect();
        let passed = pass(stage(&policer(Rate(12_000_000), 3000)), &packets);
        assert_eq!(passed, [0, 0, 1_000_000, 1_000_000]);
    }

    #[test]
    fn a_packet_larger_than_the_burst_never_passes() {
        assert!(pass(stage(&policer(Rate(12_000_000), 1499)), &[0, 9_000_000]).is_empty());
    }

    proptest! {
        #[test]
        fn in_no_time_passes_more_than_a_burst_and_what_the_rate_gives(
            rate in 100_000u64..1_000_000_000,
            burst in 1500u64..100_000,
            gaps in prop::collection::vec(0u64..2_000, 1..300),
        ) {
            let mut now = 0;
            let packets: Vec<u64> = gaps.iter().map(|gap| { now += gap; now }).collect();
            let passed = pass(stage(&policer(Rate(rate), burst)), &packets);
            prop_assert!(!passed.is_empty() && passed.is_sorted());
            prop_assert!(is_within_bucket(&passed, 1_000_000, rate, burst));
        }
    }
}
