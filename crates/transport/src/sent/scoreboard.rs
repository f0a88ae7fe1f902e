//! What a connection's ledger has only once something was lost, sent again or out of order.

use super::super::ranges::RangeSet;
use super::arrivals::{Arrivals, Departures, Sending};
use super::boundaries::Boundaries;
use super::first::Transmissions;
use super::hint::Hint;
use super::retransmissions::Retransmissions;
use flowstart_control::Instant;
use flowstart_wire::MAX_SACK_BLOCKS;

/// What a connection has only once something was lost, sent again or out of order.
#[derive(Clone, Debug, Default)]
pub(super) struct Scoreboard {
    /// What has arrived above SND.UNA.
    pub(super) arrived: RangeSet,
    /// The blocks that the last acknowledgement reported, which the next one mostly repeats.
    told: [(u64, u64); MAX_SACK_BLOCKS],
    pub(super) arrived_bytes: u64,
    /// What is lost and was not sent again since.
    pub(super) lost: RangeSet,
    pub(super) lost_bytes: u64,
    /// What was sent more than once.
    pub(super) repeated: RangeSet,
    /// With [`Tracking::Times`].
    pub(super) again: Retransmissions,
    hint: Hint,
    /// Room for what an acknowledgement reports for the first time.
    pub(super) fresh: Vec<(u64, u64)>,
}

impl Scoreboard {
    /// Whether all is in order again: nothing is missing, and nothing was sent twice.
    pub(super) fn is_clear(&self) -> bool {
        self.arrived.is_empty() && self.lost_bytes == 0 && self.repeated.is_empty()
    }

    /// Bytes that ranges and retransmissions take.
    pub(super) fn bytes_held(&self) -> usize {
        let ranges = [&self.arrived, &self.lost, &self.repeated].map(RangeSet::bytes_held);
        ranges.iter().sum::<usize>() + self.again.bytes_held()
    }

    /// Puts what is new in an acknowledgement of all below `una` and of `blocks` into `fresh`,
    /// what is above `una` first; returns how many pieces and bytes that is.
    pub(super) fn uncover(
        &mut self,
        (from, una): (u64, u64),
        blocks: impl Iterator<Item = (u64, u64)>,
        boundaries: Option<&mut Boundaries>,
        fresh: &mut Vec<(u64, u64)>,
    ) -> (usize, u64) {
        let mut told = [(0, 0); MAX_SACK_BLOCKS];
        for (block, place) in blocks.zip(&mut told) {
            *place = block;
            if !self.told.contains(&block) {
                let (start, end) = block;
                self.arrived
                    .insert(start.max(una), end, |a, b| fresh.push((a, b)));
            }
        }
        self.told = told;
        if let Some(boundaries) = boundaries
            && !fresh.iter().all(|piece| boundaries.divide(*piece))
        {
            self.leave_whole_packets(una, boundaries, fresh);
        }
        let sacked = bytes(fresh);
        self.arrived_bytes += sacked;
        let above = fresh.len();
        let mut next = from;
        let arrived_bytes = &mut self.arrived_bytes;
        self.arrived.remove_below(una, |start, end| {
            if next < start {
                fresh.push((next, start));
            }
            *arrived_bytes -= end - start;
            next = end;
        });
        if next < una {
            fresh.push((next, una));
        }
        (above, sacked)
    }

    /// Of the pieces in `fresh` some begin or end within a packet: only packets count all of which
    /// one block reports. One of which the part below `una` is acknowledged is what is left of it.
    #[cold]
    fn leave_whole_packets(
        &mut self,
        una: u64,
        boundaries: &Boundaries,
        fresh: &mut Vec<(u64, u64)>,
    ) {
        for (start, end) in fresh.drain(..) {
            self.arrived.remove(start, end, |_, _| {});
        }
        for (start, end) in std::mem::take(&mut self.told) {
            if end > una {
                let (first, last) = boundaries.whole(start.max(una), end);
                let first = if start <= una { una } else { first };
                self.arrived.insert(first, last, |a, b| fresh.push((a, b)));
            }
        }
    }

    /// `[start, end)` is not lost any more, or was not: it has arrived or was sent again.
    #[inline]
    pub(super) fn unmark_lost(&mut self, start: u64, end: u64) {
        let lost_bytes = &mut self.lost_bytes;
        self.lost.remove(start, end, |a, b| *lost_bytes -= b - a);
    }

    /// Which sendings may have brought `piece`, which has arrived above `forward` or below it; a
    /// retransmission only if it left no later than `until`. Returns when those of its segments
    /// left that were sent once.
    pub(super) fn time(
        &mut self,
        piece: (u64, u64),
        forward: u64,
        first: &Transmissions,
        until: Instant,
        arrivals: &mut Arrivals,
    ) -> Option<Departures> {
        let repeated = self.repeated.meets(piece.0, piece.1);
        let (mut once, mut last) = (Some(piece), None);
        if repeated {
            let (newest, highest) = self.again.arrived(piece, until);
            arrivals.newest = arrivals.newest.max(newest);
            last = highest;
            once = self.sent_once(piece);
        }
        let from = once.map(|(from, _)| from);
        arrivals.once_from = lower(arrivals.once_from, from);
        arrivals.reordered = lower(arrivals.reordered, from.filter(|from| *from < forward));
        let departures = once.map(|(from, end)| {
            let oldest = first.sent_at(from, &mut self.hint);
            let newest = first.sent_at(end - 1, &mut self.hint);
            let sending = Sending::first(newest, end);
            arrivals.newest = arrivals.newest.max(Some(sending));
            last = last.filter(|last| last.end >= end).or(Some(sending));
            Departures { oldest, newest }
        });
        arrivals.last = last.or(arrivals.last);
        departures
    }

    /// Where the lowest of `[start, end)` begins that was sent only once, and where the highest
    /// ends.
    fn sent_once(&self, (start, end): (u64, u64)) -> Option<(u64, u64)> {
        let mut once: Option<(u64, u64)> = None;
        self.repeated.holes_within(start, end, |from, to| {
            once = Some((once.map_or(from, |(lowest, _)| lowest), to));
        });
        once
    }

    /// Whether something below `una` was sent again; it is forgotten.
    pub(super) fn forget_repeated(&mut self, una: u64) -> bool {
        let repeated = self.repeated.first().is_some_and(|(start, _)| start < una);
        if repeated {
            self.repeated.remove_below(una, |_, _| {});
        }
        repeated
    }
}

fn lower(a: Option<u64>, b: Option<u64>) -> Option<u64> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}

/// Bytes in these pieces.
pub(super) fn bytes(pieces: &[(u64, u64)]) -> u64 {
    pieces.iter().map(|(start, end)| end - start).sum()
}
