//! The ledger against a literal one: a list of all that was sent, and a mark for every byte.

use super::*;
use proptest::prelude::*;
use std::collections::BTreeSet;

/// One sending as the literal ledger has it.
#[derive(Clone, Copy, Debug)]
struct Entry {
    sending: Sending,
    start: u64,
    of_lost: bool,
    out: bool,
}

/// Sets and lists, walked through from end to end.
#[derive(Default)]
struct Literal {
    una: u64,
    high: u64,
    now: u64,
    arrived: BTreeSet<u64>,
    lost: BTreeSet<u64>,
    entries: Vec<Entry>,
    repeated: BTreeSet<u64>,
}

impl Literal {
    fn send(&mut self, start: u64, end: u64) {
        let again = start < self.high;
        let of_lost = (start..end).any(|b| self.lost.contains(&b));
        if again {
            self.repeated.extend(start..end);
            self.lost.retain(|b| !(start..end).contains(b));
        }
        self.high = self.high.max(end);
        let order = self.entries.iter().filter(|e| e.sending.again).count();
        let sending = Sending {
            sent: Time(self.now),
            end,
            again,
            order: if again { order as u64 } else { 0 },
        };
        self.entries.push(Entry {
            sending,
            start,
            of_lost: again && of_lost,
            out: true,
        });
    }

    fn first_sent(&self, position: u64) -> Time {
        let of = |e: &&Entry| !e.sending.again && (e.start..e.sending.end).contains(&position);
        self.entries.iter().find(of).unwrap().sending.sent
    }

    /// Bytes that the acknowledgement says have arrived and that had not: in pieces, those above
    /// `una` in the order of the blocks first.
    fn take(&mut self, una: u64, blocks: &[(u64, u64)]) -> NewlyAcked {
        let clear = self.arrived.is_empty() && self.lost.is_empty() && self.repeated.is_empty();
        let told = (!clear || !blocks.is_empty()) && una > self.una;
        let holds = |e: &&Entry| (e.start..e.sending.end).contains(&self.una);
        let again = self.entries.iter().filter(|e| e.sending.again && e.out);
        let again = again.filter(holds).map(|e| e.sending.sent).max();
        let oldest = told.then(|| (self.first_sent(self.una), again));
        let forward = self.arrived.last().map_or(self.una, |b| b + 1);
        let mut pieces: Vec<(u64, u64)> = Vec::new();
        let mut add = |arrived: &mut BTreeSet<u64>, start: u64, end: u64| {
            let mut grows = false;
            for b in start..end {
                let fresh = arrived.insert(b);
                match pieces.last_mut().filter(|_| grows) {
                    Some(last) if fresh => last.1 = b + 1,
                    _ if fresh => pieces.push((b, b + 1)),
                    _ => {}
                }
                grows = fresh;
            }
            pieces.len()
        };
        let mut above = 0;
        for (start, end) in blocks {
            above = add(&mut self.arrived, (*start).max(una), *end);
        }
        add(&mut self.arrived, self.una, una);
        let mut times = Arrivals::default();
        for (i, (start, end)) in pieces.iter().copied().enumerate() {
            let meets = |e: &&mut Entry| e.start < end && start < e.sending.end;
            let again = self.entries.iter_mut().filter(|e| e.sending.again && e.out);
            for e in again.filter(meets) {
                e.out = false;
                times.newest = times.newest.max(Some(e.sending));
            }
            self.lost.retain(|b| !(start..end).contains(b));
            if let Some(once) = (start..end).find(|b| !self.repeated.contains(b)) {
                let least = |before: Option<u64>| Some(before.map_or(once, |b| b.min(once)));
                times.once_from = least(times.once_from);
                if once < forward {
                    times.reordered = least(times.reordered);
                }
            }
            if !self.repeated.contains(&(end - 1)) {
                let sent = self.first_sent(end - 1);
                times.newest = times.newest.max(Some(Sending {
                    sent,
                    end,
                    again: false,
                    order: 0,
                }));
                if i < above {
                    times.sacked_once = times.sacked_once.max(Some(sent));
                }
            }
        }
        let acked = una - self.una;
        let twice = (self.una..una).any(|b| self.repeated.contains(&b));
        let sent = (acked > 0 && !twice).then(|| self.first_sent(una - 1));
        self.una = una;
        self.arrived.retain(|b| *b >= una);
        self.repeated.retain(|b| *b >= una);
        NewlyAcked {
            acked,
            delivered: bytes(&pieces),
            sacked: bytes(&pieces[..above]),
            sent,
            oldest,
            times,
        }
    }

    fn lose(&mut self, start: u64, end: u64) {
        let holes = (start..end).filter(|b| !self.arrived.contains(b));
        self.lost.extend(holes);
    }

    fn oldest(&self) -> Option<&Entry> {
        self.entries.iter().find(|e| e.sending.again && e.out)
    }

    fn first_lost(&self) -> Option<(u64, u64)> {
        let first = *self.lost.first()?;
        let end = (first..).find(|b| !self.lost.contains(b))?;
        Some((first, end))
    }

    fn in_flight(&self) -> u64 {
        (self.high - self.una) - (self.arrived.len() + self.lost.len()) as u64
    }

    fn has_losses(&self) -> bool {
        let again = |e: &Entry| e.sending.again && e.out && e.of_lost;
        !self.lost.is_empty() || self.entries.iter().any(again)
    }
}

fn same(newly: &NewlyAcked, other: &NewlyAcked) -> bool {
    format!("{newly:?}") == format!("{other:?}")
}

/// Where SND.UNA goes when all below `from` has arrived.
fn contiguous(literal: &Literal, from: u64) -> u64 {
    (from..)
        .find(|b| !literal.arrived.contains(b))
        .unwrap_or(from)
}

proptest! {
    #[test]
    fn it_agrees_with_the_literal_ledger(
        steps in prop::collection::vec((0u8..12, 0u64..40, 1u64..6, 0u64..2), 1..150)
    ) {
        let mut sent = Ledger::new(Detail::Times, true);
        let mut literal = Literal::default();
        for (what, at, len, later) in steps {
            literal.now += later;
            let now = Time(literal.now);
            match what {
                0..=3 => {
                    let plan = Plan { start: literal.high, end: literal.high + len };
                    sent.send(plan, 1000, now);
                    literal.send(plan.start, plan.end);
                }
                4..=6 => {
                    // Some blocks above, perhaps below what was told before.
                    let start = literal.una + 1 + at % 20;
                    let end = (start + len).min(literal.high);
                    let second = (end + 1 + at % 3, (end + 1 + at % 3 + later).min(literal.high));
                    let blocks: Vec<_> = [(start, end), second].into_iter().filter(|b| b.0 < b.1).collect();
                    let una = contiguous(&literal, literal.una);
                    let expected = literal.take(una, &blocks);
                    let newly = sent.acknowledge(una, blocks.into_iter(), now);
                    prop_assert!(same(&newly, &expected), "{:?} {:?}", newly, expected);
                }
                7 => {
                    let una = contiguous(&literal, (literal.una + len).min(literal.high));
                    let expected = literal.take(una, &[]);
                    let newly = sent.acknowledge(una, std::iter::empty(), now);
                    prop_assert!(same(&newly, &expected), "{:?} {:?}", newly, expected);
                }
                8 => {
                    let end = (literal.una + at).min(literal.high);
                    let start = end.saturating_sub(2 * len).max(literal.una);
                    literal.lose(start, end);
                    sent.mark_lost(start, end);
                }
                9 => if let Some(oldest) = literal.oldest().copied() {
                    sent.mark_oldest_retransmission_lost();
                    literal.lose(oldest.start.max(literal.una), oldest.sending.end);
                    literal.entries.iter_mut().filter(|e| e.sending == oldest.sending).for_each(|e| e.out = false);
                },
                10 => if let Some((start, end)) = literal.first_lost() {
                    let plan = Plan { start, end: end.min(start + len) };
                    sent.repair(plan, now);
                    sent.send(plan, 1000, now);
                    literal.send(plan.start, plan.end);
                },
                _ => if literal.high > literal.una && literal.arrived.is_empty() {
                    // A probe.
                    let plan = Plan { start: literal.high.saturating_sub(len).max(literal.una), end: literal.high };
                    sent.repair(plan, now);
                    sent.send(plan, 1000, now);
                    literal.send(plan.start, plan.end);
                },
            }
            prop_assert_eq!(sent.in_flight(), literal.in_flight());
            prop_assert_eq!(sent.arrived_bytes(), literal.arrived.len() as u64);
            prop_assert_eq!(sent.first_lost(), literal.first_lost());
            prop_assert_eq!(sent.has_losses(), literal.has_losses());
            let oldest = sent.oldest_retransmission().map(|again| (again.start, again.end, again.sent));
            prop_assert_eq!(oldest, literal.oldest().map(|e| (e.start, e.sending.end, e.sending.sent)));
            for position in literal.una..literal.high {
                let burst = sent.first_sent(position, &mut Hint::default());
                prop_assert_eq!(burst.map(|b| b.0), Some(literal.first_sent(position)));
                prop_assert_eq!(sent.has_arrived(position, position + 1), literal.arrived.contains(&position));
            }
        }
    }
}

/// Packets with numbers, literally.
#[derive(Default)]
struct Numbered {
    una: u64,
    high: u64,
    arrived: BTreeSet<u64>,
    lost: BTreeSet<u64>,
    /// What each carries, when it left, and whether it is on its way.
    packets: Vec<(Plan, Time, bool)>,
    epoch: u64,
}

impl Numbered {
    fn take(&mut self, ranges: &[(u64, u64)]) -> NewlyAckedPackets {
        let mut newly = NewlyAckedPackets::default();
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
                newly.any_in_epoch = true;
            }
            if number + 1 == ranges[0].1 {
                newly.largest = Some(*sent);
            }
        }
        self.una = (0..).find(|b| !self.arrived.contains(b)).unwrap();
        newly
    }

    fn in_flight(&self) -> u64 {
        let out = self.packets.iter().filter(|packet| packet.2);
        out.map(|(plan, ..)| plan.end - plan.start).sum()
    }
}

proptest! {
    #[test]
    fn packets_with_numbers_agree_with_a_list_of_them(
        steps in prop::collection::vec((0u8..10, 0u64..20, 1u64..5), 1..120)
    ) {
        let mut sent = Ledger::new(Detail::Numbers, true);
        let mut literal = Numbered::default();
        for (i, (what, at, len)) in steps.into_iter().enumerate() {
            let now = Time(i as u64);
            match what {
                0..=3 => {
                    // New data, what is lost, or something from the middle.
                    let lost = literal.lost.first().copied().filter(|_| at < 12);
                    let middle = (literal.una + at).min(literal.high);
                    let start = lost.unwrap_or(if at < 16 { literal.high } else { middle });
                    let end = if start < literal.high { literal.high } else { start + len };
                    let plan = Plan { start, end: end.min(start + len) };
                    if lost.is_some() {
                        sent.repair(plan, now);
                        literal.lost.retain(|b| *b >= plan.end);
                    }
                    let number = sent.send(plan, 1000, now);
                    prop_assert_eq!(number, Some(literal.packets.len() as u64));
                    literal.packets.push((plan, now, true));
                    literal.high = literal.high.max(plan.end);
                }
                4..=6 => {
                    let count = literal.packets.len() as u64;
                    let end = count.saturating_sub(at % 5);
                    let first = end.saturating_sub(len);
                    let below = first.saturating_sub(1 + at % 2);
                    let ranges = [(first, end), (below.saturating_sub(len), below)];
                    let newly = sent.acknowledge_packets(ranges.into_iter(), now);
                    let expected = literal.take(&ranges);
                    prop_assert_eq!(format!("{newly:?}"), format!("{expected:?}"));
                }
                7 | 8 => if let Some((number, packet)) = sent.oldest_packet() {
                    sent.mark_oldest_packet_lost();
                    let entry = &mut literal.packets[number as usize];
                    prop_assert!(entry.2 && entry.0 == packet.plan());
                    entry.2 = false;
                    let missing = (packet.plan().start..packet.plan().end).filter(|b| !literal.arrived.contains(b));
                    literal.lost.extend(missing);
                },
                _ => {
                    sent.begin_epoch();
                    literal.epoch = literal.packets.len() as u64;
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
        }
    }
}

/// Segments of ten bytes, one every instant, and what was sent again.
fn sent(segments: u64, again: (u64, u64)) -> Ledger {
    let mut sent = Ledger::default();
    for n in 1..=segments {
        let plan = Plan {
            start: 10 * (n - 1),
            end: 10 * n,
        };
        sent.send(plan, 0, Time(n));
    }
    let (start, end) = again;
    sent.send(Plan { start, end }, 0, Time(segments + 1));
    sent
}

#[test]
fn an_acknowledgement_of_something_sent_twice_gives_no_sample() {
    let mut sent = sent(2, (0, 10));
    let newly = sent.acknowledge(20, std::iter::empty(), Time(9));
    assert_eq!((newly.acked, newly.sent), (20, None));
}

#[test]
fn the_first_sending_of_the_newest_segment_is_known_all_the_same() {
    let mut sent = sent(2, (0, 20));
    sent.acknowledge(20, std::iter::empty(), Time(9));
    assert_eq!(sent.newest_first_sent(), Time(2));
}

#[test]
fn all_that_is_touched_counts_as_sent_twice() {
    let ambiguous = |again: (u64, u64)| {
        let mut sent = sent(4, again);
        let mut sample = |n: u64| sent.acknowledge(10 * n, std::iter::empty(), Time(9)).sent;
        (1..=4).map(|n| sample(n).is_none()).collect::<Vec<_>>()
    };
    assert_eq!(ambiguous((10, 20)), [false, true, false, false]);
    assert_eq!(ambiguous((15, 25)), [false, true, true, false]);
    assert_eq!(ambiguous((35, 40)), [false, false, false, true]);
}
