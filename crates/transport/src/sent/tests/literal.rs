//! The sent, literally: a list of all sendings from the first on, and a mark for every byte.
//! Every query searches from end to end.

use super::super::*;
use super::literal_rate::{LiteralRate, Taken};
use std::collections::BTreeSet;

/// One segment, as it was sent once.
#[derive(Clone, Copy, Debug)]
pub(super) struct Segment {
    pub(super) start: u64,
    pub(super) end: u64,
    pub(super) sent: Instant,
    /// Which retransmission it is, from zero on; nothing where it is none.
    pub(super) again: Option<u64>,
    /// Some of it counted as lost when it left, and still would.
    of_lost: bool,
    /// A retransmission of which nothing has arrived, and that does not count as lost.
    pub(super) out: bool,
    taken: Taken,
}

impl Segment {
    fn holds(&self, position: u64) -> bool {
        (self.start..self.end).contains(&position)
    }

    fn sending(&self) -> Sending {
        Sending {
            sent: self.sent,
            end: self.end,
            again: self.again.is_some(),
            order: self.again.unwrap_or(0),
        }
    }
}

/// Sets and lists.
#[derive(Default)]
pub(super) struct Literal {
    pub(super) una: u64,
    pub(super) high: u64,
    pub(super) now: Instant,
    /// OutOfOrder `una`.
    pub(super) arrived: BTreeSet<u64>,
    pub(super) lost: BTreeSet<u64>,
    pub(super) segments: Vec<Segment>,
    pub(super) rate: LiteralRate,
    /// Only segments that are reported in full count as arrived.
    pub(super) of_packets: bool,
    /// When the newest that the last cumulative acknowledgement covered was first sent.
    pub(super) newest_first_sent: Instant,
}

impl Literal {
    /// A segment leaves, for the first time or again.
    pub(super) fn send(&mut self, plan: ByteRange) {
        let ByteRange { start, end } = plan;
        let idle = self.una == self.high;
        let taken = self.rate.send(plan, idle, self.in_flight(), self.now);
        let is_again = start < self.high;
        let of_lost = (start..end).any(|b| self.lost.contains(&b));
        self.lost.retain(|b| !(start..end).contains(b));
        self.high = self.high.max(end);
        let before = self.segments.iter().filter(|s| s.again.is_some()).count();
        self.segments.push(Segment {
            start,
            end,
            sent: self.now,
            again: is_again.then_some(before as u64),
            of_lost,
            out: is_again,
            taken,
        });
    }

    /// The segment with the byte at `position` as it first left.
    pub(super) fn first(&self, position: u64) -> &Segment {
        let of = |s: &&Segment| s.again.is_none() && s.holds(position);
        self.segments.iter().find(of).unwrap()
    }

    /// Whether the byte at `position` left more than once.
    pub(super) fn is_repeated(&self, position: u64) -> bool {
        self.segments.iter().filter(|s| s.holds(position)).count() > 1
    }

    /// Retransmissions that neither have arrived nor are lost.
    pub(super) fn out(&self) -> impl Iterator<Item = &Segment> {
        self.segments.iter().filter(|s| s.out)
    }

    /// How many are out, and how many of them repeat what counts as lost.
    pub(super) fn retransmissions(&self) -> (usize, usize) {
        let of_lost = self.out().filter(|s| s.of_lost).count();
        (self.out().count(), of_lost)
    }

    /// When a retransmission of the byte at `una` left that is out.
    fn head_left(&self) -> Option<Instant> {
        let holding = self.out().filter(|s| s.holds(self.una));
        holding.map(|s| s.sent).max()
    }

    /// When the oldest outstanding byte last left, as far as that is on its way.
    pub(super) fn oldest_left(&self) -> Instant {
        let head = self.head_left();
        head.unwrap_or_else(|| self.first(self.una).sent)
    }

    /// Whether all is in order: nothing is missing, and nothing was sent twice.
    fn is_clear(&self) -> bool {
        let repeated = (self.una..self.high).any(|b| self.is_repeated(b));
        self.arrived.is_empty() && self.lost.is_empty() && !repeated
    }

    /// The bytes of a block that count as arrived: of whole packets, where packets are kept.
    fn counted(&self, block: (u64, u64), una: u64) -> Vec<u64> {
        let told = block.0.max(una)..block.1;
        let all_of = |s: &Segment| (s.start.max(una)..s.end).all(|b| told.contains(&b));
        let counts = |b: &u64| !self.of_packets || all_of(self.first(*b));
        told.clone().filter(counts).collect()
    }

    /// What the acknowledgement reports for the first time: runs of bytes above `una` and then
    /// below it; and how many runs are above.
    fn news(&mut self, una: u64, blocks: &[(u64, u64)]) -> (Vec<(u64, u64)>, usize) {
        let mut runs = Vec::new();
        for block in blocks {
            let counted = self.counted(*block, una);
            let fresh = counted.into_iter().filter(|b| self.arrived.insert(*b));
            add_runs(&mut runs, fresh.collect());
        }
        runs.sort_unstable();
        let above = runs.len();
        let below: Vec<u64> = (self.una..una).collect();
        let fresh = below.into_iter().filter(|b| self.arrived.insert(*b));
        add_runs(&mut runs, fresh.collect());
        (runs, above)
    }

    /// An acknowledgement of all below `una` and of `blocks`.
    pub(super) fn take(
        &mut self,
        una: u64,
        blocks: &[(u64, u64)],
        reception: Reception,
    ) -> NewlyAcked {
        let una = una.max(self.una);
        let told = (!self.is_clear() || !blocks.is_empty()) && una > self.una;
        let oldest = told.then(|| (self.first(self.una).sent, self.head_left()));
        let forward = self.arrived.last().map_or(self.una, |b| b + 1);
        let (runs, above) = self.news(una, blocks);
        let mut times = Arrivals::default();
        for (i, run) in runs.iter().enumerate() {
            let until = match i < above {
                true => reception.repeats_until,
                false => reception.acked_repeats_until,
            };
            let once = self.time(*run, forward, until, &mut times);
            let all = match i < above {
                true => &mut times.sacked_once,
                false => &mut times.acked_once,
            };
            *all = once.map(|once| once.and(*all)).or(*all);
        }
        let bytes_of = |runs: &[(u64, u64)]| runs.iter().map(|(a, b)| b - a).sum::<u64>();
        let taken = runs.iter().flat_map(|(a, b)| *a..*b);
        let taken: Vec<_> = taken.map(|b| (b, self.last_holding(b))).collect();
        self.rate.take(&taken, self.now);
        let acked = una - self.una;
        let oldest_first_sent = (acked > 0).then(|| self.first(self.una).sent);
        let twice = (self.una..una).any(|b| self.is_repeated(b));
        if acked > 0 {
            self.newest_first_sent = self.first(una - 1).sent;
        }
        self.una = una;
        self.arrived.retain(|b| *b >= una);
        NewlyAcked {
            acked,
            delivered: bytes_of(&runs),
            sacked: bytes_of(&runs[..above]),
            sent: oldest_first_sent
                .filter(|_| !twice)
                .map(|oldest| Departures {
                    oldest,
                    newest: self.newest_first_sent,
                }),
            oldest,
            times,
        }
    }

    /// A run of bytes has arrived that had not; a retransmission counts if it left no later than
    /// `until`. Returns when those of its bytes left that left only once.
    fn time(
        &mut self,
        (start, end): (u64, u64),
        forward: u64,
        until: Instant,
        times: &mut Arrivals,
    ) -> Option<Departures> {
        let mut repeats = Vec::new();
        for segment in self.segments.iter_mut().filter(|s| s.out) {
            if segment.start < end && start < segment.end {
                segment.out = false;
                repeats.push(*segment);
            }
        }
        repeats.retain(|s| s.sent <= until);
        self.lost.retain(|b| !(start..end).contains(b));
        let once: Vec<u64> = (start..end).filter(|b| !self.is_repeated(*b)).collect();
        let departures: Vec<Instant> = once.iter().map(|b| self.first(*b).sent).collect();
        if let Some(once) = once.first() {
            let least = |before: Option<u64>| Some(before.map_or(*once, |b| b.min(*once)));
            times.once_from = least(times.once_from);
            if *once < forward {
                times.reordered = least(times.reordered);
            }
        }
        let highest_once = once
            .last()
            .map(|b| Sending::first(self.first(*b).sent, b + 1));
        let highest = repeats.iter().max_by_key(|s| (s.start, s.again));
        let highest = highest.map(Segment::sending);
        let newest = repeats.iter().map(Segment::sending).max();
        times.newest = times.newest.max(newest).max(highest_once);
        let last = [highest, highest_once].into_iter().flatten();
        times.last = last.max_by_key(|s| (s.end, s.again)).or(times.last);
        Some(Departures {
            oldest: *departures.iter().min()?,
            newest: *departures.iter().max()?,
        })
    }

    /// What the byte at `position` last left with.
    fn last_holding(&self, position: u64) -> Taken {
        let mut holding = self.segments.iter().filter(|s| s.holds(position));
        holding.next_back().unwrap().taken
    }

    /// What of `[start, end)` has not arrived is lost.
    pub(super) fn lose(&mut self, start: u64, end: u64) {
        let holes = (start..end).filter(|b| !self.arrived.contains(b));
        self.lost.extend(holes);
    }

    /// All that has not arrived is lost, and no retransmission is on its way.
    pub(super) fn lose_all(&mut self) {
        self.segments.iter_mut().for_each(|s| s.out = false);
        self.lose(self.una, self.high);
    }

    /// Nothing is lost.
    pub(super) fn find_all(&mut self) {
        self.lost.clear();
        self.segments.iter_mut().for_each(|s| s.of_lost = false);
    }

    /// The retransmission that left first of those that are out is lost.
    pub(super) fn lose_oldest_retransmission(&mut self) {
        let oldest = self.segments.iter_mut().find(|s| s.out);
        if let Some(segment) = oldest {
            segment.out = false;
            let (start, end) = (segment.start.max(self.una), segment.end);
            self.lose(start, end);
        }
    }

    /// The lowest run of lost bytes.
    pub(super) fn first_lost(&self) -> Option<(u64, u64)> {
        let first = *self.lost.first()?;
        let end = (first..).find(|b| !self.lost.contains(b))?;
        Some((first, end))
    }

    /// What neither has arrived nor is lost.
    pub(super) fn in_flight(&self) -> u64 {
        let out = (self.una..self.high).filter(|b| !self.arrived.contains(b));
        out.filter(|b| !self.lost.contains(b)).count() as u64
    }

    /// Whether anything that has not arrived was lost.
    pub(super) fn has_losses(&self) -> bool {
        !self.lost.is_empty() || self.out().any(|s| s.of_lost)
    }
}

/// Adds bytes in ascending order as runs.
fn add_runs(runs: &mut Vec<(u64, u64)>, bytes: Vec<u64>) {
    let from = runs.len();
    for byte in bytes {
        match runs[from..].last_mut().filter(|run| run.1 == byte) {
            Some(run) => run.1 += 1,
            None => runs.push((byte, byte + 1)),
        }
    }
}
