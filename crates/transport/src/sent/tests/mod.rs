//! Single cases, and packets with numbers against a list of them. `differential` has positions.

mod differential;
mod literal;
mod literal_rate;

use super::*;
use literal_rate::{LiteralRate, Taken};
use proptest::prelude::*;
use std::collections::BTreeSet;

/// Packets with numbers, literally.
#[derive(Default)]
struct Numbered {
    una: u64,
    high: u64,
    arrived: BTreeSet<u64>,
    lost: BTreeSet<u64>,
    /// What each carries, when it left, and whether it is on its way.
    packets: Vec<(ByteRange, Instant, bool)>,
    epoch: u64,
    /// One past the largest number acknowledged.
    acknowledged: u64,
    rate: LiteralRate,
    /// What each took along.
    taken: Vec<Taken>,
}

impl Numbered {
    fn take(&mut self, ranges: &[(u64, u64)], now: Instant) -> NewlyAckedPackets {
        let mut newly = NewlyAckedPackets::default();
        let before = self.arrived.clone();
        let ends = ranges
            .iter()
            .filter(|(first, end)| first < end)
            .map(|r| r.1);
        self.acknowledged = self.acknowledged.max(ends.max().unwrap_or(0));
        for number in ranges.iter().flat_map(|(first, end)| *first..*end) {
            let (plan, sent, out) = &mut self.packets[number as usize];
            if !std::mem::take(out) {
                continue;
            }
            let fresh = (plan.start..plan.end).filter(|b| self.arrived.insert(*b));
            let delivered = fresh.count() as u64;
            self.lost.retain(|b| !(plan.start..plan.end).contains(b));
            newly.packets += 1;
            newly.delivered += delivered;
            if number >= self.epoch {
                newly.in_epoch += delivered;
                newly.packets_in_epoch += 1;
            }
            if number + 1 == ranges[0].1 {
                newly.largest = Some(*sent);
            }
        }
        self.una = (0..).find(|b| !self.arrived.contains(b)).unwrap();
        let fresh = self.arrived.difference(&before);
        let fresh: Vec<_> = fresh.map(|b| (*b, self.last_holding(*b))).collect();
        if newly.packets > 0 {
            self.rate.take(&fresh, now);
        }
        newly
    }

    /// What the byte at `position` last left with.
    fn last_holding(&self, position: u64) -> Taken {
        let holds =
            |(plan, ..): &(ByteRange, Instant, bool)| (plan.start..plan.end).contains(&position);
        self.taken[self.packets.iter().rposition(holds).unwrap()]
    }

    /// A packet that counted as lost has arrived. Whether SND.UNA moves.
    fn take_late(&mut self, plan: ByteRange) -> u64 {
        let before = self.arrived.len();
        self.arrived.extend(plan.start..plan.end);
        self.lost.retain(|b| !(plan.start..plan.end).contains(b));
        self.una = (0..).find(|b| !self.arrived.contains(b)).unwrap();
        (self.arrived.len() - before) as u64
    }

    /// The oldest on its way from number `first` on, below `end`.
    fn oldest_within(&self, first: u64, end: u64) -> Option<u64> {
        let is_out = |number: &u64| self.packets.get(*number as usize).is_some_and(|p| p.2);
        (first..end).find(is_out)
    }

    fn in_flight(&self) -> u64 {
        let out = self.packets.iter().filter(|packet| packet.2);
        out.map(|(plan, ..)| plan.end - plan.start).sum()
    }
}

proptest! {
    #[test]
    fn packets_with_numbers_agree_with_a_list_of_them(
        steps in prop::collection::vec((0u8..13, 0u64..20, 1u64..5), 1..120)
    ) {
        let mut sent = SentPackets::new(Tracking::Numbers, true);
        let mut literal = Numbered::default();
        for (i, (what, at, len)) in steps.into_iter().enumerate() {
            let now = Instant(i as u64);
            match what {
                0..=3 => {
                    // New data, what is lost, or something from the middle.
                    let lost = literal.lost.first().copied().filter(|_| at < 12);
                    let middle = (literal.una + at).min(literal.high);
                    let start = lost.unwrap_or(if at < 16 { literal.high } else { middle });
                    let end = if start < literal.high { literal.high } else { start + len };
                    let plan = ByteRange { start, end: end.min(start + len) };
                    if lost.is_some() {
                        sent.repair(plan, now);
                        literal.lost.retain(|b| *b >= plan.end);
                    }
                    let pipe = literal.in_flight();
                    let number = sent.send(plan, pipe, now);
                    prop_assert_eq!(number, Some(literal.packets.len() as u64));
                    let idle = literal.una == literal.high;
                    let taken = literal.rate.send(plan, idle, pipe, now);
                    literal.taken.push(taken);
                    literal.packets.push((plan, now, true));
                    literal.high = literal.high.max(plan.end);
                }
                4..=6 => {
                    let count = literal.packets.len() as u64;
                    let end = count.saturating_sub(at % 5);
                    let first = end.saturating_sub(len);
                    let below = first.saturating_sub(1 + at % 2);
                    let ranges = [(first, end), (below.saturating_sub(len), below)];
                    let pipe = literal.in_flight();
                    sent.delivery().unwrap().record_pipe(pipe);
                    literal.rate.record_pipe(pipe);
                    let newly = sent.acknowledge_packets(ranges.into_iter(), now);
                    let expected = literal.take(&ranges, now);
                    prop_assert_eq!(format!("{newly:?}"), format!("{expected:?}"));
                    let pipe = literal.in_flight();
                    let told = sent.delivery().unwrap().conclude(pipe, false, None);
                    prop_assert_eq!(told, literal.rate.conclude(pipe, None));
                }
                7 | 8 => if let Some((number, packet)) = sent.oldest_packet() {
                    sent.mark_oldest_packet_lost();
                    let entry = &mut literal.packets[number as usize];
                    prop_assert!(entry.2 && entry.0 == packet.plan());
                    entry.2 = false;
                    let missing = (packet.plan().start..packet.plan().end).filter(|b| !literal.arrived.contains(b));
                    literal.lost.extend(missing);
                },
                9 => {
                    sent.begin_epoch();
                    literal.epoch = literal.packets.len() as u64;
                }
                10 => {
                    sent.end_epoch();
                    literal.epoch = 0;
                }
                _ => {
                    // Late, unless it is still on its way.
                    let gone = literal.packets.iter().filter(|packet| !packet.2);
                    if let Some((plan, ..)) = gone.copied().nth(at as usize) {
                        prop_assert_eq!(sent.acknowledge_late(plan), literal.take_late(plan));
                    }
                }
            }
            prop_assert_eq!((sent.una(), sent.high()), (literal.una, literal.high));
            prop_assert_eq!(sent.in_flight(), literal.in_flight());
            prop_assert_eq!(sent.lost_bytes(), literal.lost.len() as u64);
            let first = sent.first_lost().map(|range| range.0);
            prop_assert_eq!(first, literal.lost.first().copied());
            let above = literal.arrived.iter().filter(|b| **b >= literal.una).count();
            prop_assert_eq!(sent.arrived_bytes(), above as u64);
            let oldest = sent.oldest_packet().map(|(number, _)| number as usize);
            prop_assert_eq!(oldest, literal.packets.iter().position(|packet| packet.2));
            let within = sent.oldest_packet_within(at, at + len).map(|(number, _)| number);
            prop_assert_eq!(within, literal.oldest_within(at, at + len));
            prop_assert_eq!(sent.next_number(), literal.packets.len() as u64);
            // Below the oldest on its way there is nothing that it could find lost.
            let least = sent.oldest_packet().map_or(sent.next_number(), |(number, _)| number);
            let acknowledged = sent.acknowledged().max(least);
            prop_assert_eq!(acknowledged, literal.acknowledged.max(least));
            prop_assert_eq!(sent.is_in_epoch(at), at >= literal.epoch);
        }
    }
}

/// Segments of ten bytes, one every instant, and what was sent again.
fn sent(segments: u64, again: (u64, u64)) -> SentPackets {
    let mut sent = SentPackets::default();
    for n in 1..=segments {
        let plan = ByteRange {
            start: 10 * (n - 1),
            end: 10 * n,
        };
        sent.send(plan, 0, Instant(n));
    }
    let (start, end) = again;
    sent.send(ByteRange { start, end }, 0, Instant(segments + 1));
    sent
}

#[test]
fn an_acknowledgement_of_something_sent_twice_gives_no_sample() {
    let mut sent = sent(2, (0, 10));
    let newly = sent.acknowledge(20, std::iter::empty(), Instant(9));
    assert_eq!((newly.acked, newly.sent), (20, None));
}

#[test]
fn the_first_sending_of_the_newest_segment_is_known_all_the_same() {
    let mut sent = sent(2, (0, 20));
    sent.acknowledge(20, std::iter::empty(), Instant(9));
    assert_eq!(sent.newest_first_sent(), Instant(2));
}

#[test]
fn all_that_is_touched_counts_as_sent_twice() {
    let ambiguous = |again: (u64, u64)| {
        let mut sent = sent(4, again);
        let mut sample = |n: u64| {
            sent.acknowledge(10 * n, std::iter::empty(), Instant(9))
                .sent
        };
        (1..=4).map(|n| sample(n).is_none()).collect::<Vec<_>>()
    };
    assert_eq!(ambiguous((10, 20)), [false, true, false, false]);
    assert_eq!(ambiguous((15, 25)), [false, true, true, false]);
    assert_eq!(ambiguous((35, 40)), [false, false, false, true]);
}

/// RFC 2018 §3 keeps blocks apart. Of a peer that has them overlap, what one block reports counts.
#[test]
fn a_packet_within_one_of_two_overlapping_blocks_has_arrived() {
    let mut sent = SentPackets::new(Tracking::Times, false).of_packets(10);
    for n in 0..4 {
        let plan = ByteRange {
            start: 10 * n,
            end: 10 * n + 10,
        };
        sent.send(plan, 0, Instant(1));
    }
    let newly = sent.acknowledge(0, [(10, 25), (20, 40)].into_iter(), Instant(9));
    assert_eq!((newly.sacked, sent.arrived_bytes()), (30, 30));
}
