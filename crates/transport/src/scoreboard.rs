//! The sender's knowledge of what has arrived: RFC 6675's scoreboard, kept so that every
//! question is answered in constant time whatever the window.
//!
//! RFC 6675 describes `SetPipe` and `IsLost` as walks over everything outstanding. Two
//! facts make the walks unnecessary. `IsLost` is monotone: if a byte is lost, so is
//! every unSACKed byte below it, so one position, the *lost edge*, says it all.
//! Retransmission goes upwards, so one position, `HighRxt`, separates what has been
//! retransmitted from what has not. `pipe` is then a sum of four counters.

use super::ranges::RangeSet;

/// DupThresh (RFC 6675 §2).
pub const DUP_THRESH: usize = 3;

/// RFC 6675's scoreboard over the bytes `[una, …)`.
#[derive(Clone, Debug, Default)]
pub struct Scoreboard {
    sacked: RangeSet,
    una: u64,
    /// Everything unSACKed below this is lost.
    lost_edge: u64,
    high_rxt: u64,
    sacked_bytes: u64,
    lost_bytes: u64,
    retransmitted_bytes: u64,
}

/// Bytes of `[start, end)` below `edge`.
fn below(start: u64, end: u64, edge: u64) -> u64 {
    end.min(edge).saturating_sub(start)
}

impl Scoreboard {
    /// Bytes selectively acknowledged.
    pub fn sacked_bytes(&self) -> u64 {
        self.sacked_bytes
    }

    /// Whether anything of `[start, end)` is selectively acknowledged.
    pub fn has_arrived(&self, start: u64, end: u64) -> bool {
        self.sacked.meets(start, end)
    }

    /// HighRxt: one past the highest byte retransmitted in this recovery.
    pub fn high_rxt(&self) -> u64 {
        self.high_rxt
    }

    /// Records the SACK blocks of an ACK; returns the bytes they report for the first time.
    pub fn update(&mut self, blocks: impl Iterator<Item = (u64, u64)>, mss: u64) -> u64 {
        let Scoreboard {
            sacked,
            una,
            lost_edge,
            high_rxt,
            sacked_bytes,
            lost_bytes,
            retransmitted_bytes,
        } = self;
        let before = *sacked_bytes;
        for (start, end) in blocks {
            sacked.insert(start.max(*una), end, |from, to| {
                *sacked_bytes += to - from;
                *lost_bytes -= below(from, to, *lost_edge);
                *retransmitted_bytes -= below(from, to, *high_rxt);
            });
        }
        let fresh = *sacked_bytes - before;
        if fresh > 0 {
            self.raise_lost_edge(mss);
        }
        fresh
    }

    /// Moves the cumulative acknowledgement to `una`; returns how many of the bytes
    /// passed had not been reported before.
    pub fn advance(&mut self, una: u64) -> u64 {
        let passed = una - self.una;
        let mut known = 0;
        let mut known_lost = 0;
        let mut known_retransmitted = 0;
        let (lost_edge, high_rxt) = (self.lost_edge, self.high_rxt);
        self.sacked.remove_below(una, |from, to| {
            known += to - from;
            known_lost += below(from, to, lost_edge);
            known_retransmitted += below(from, to, high_rxt);
        });
        self.sacked_bytes -= known;
        self.lost_bytes -= below(self.una, una, lost_edge) - known_lost;
        self.retransmitted_bytes -= below(self.una, una, high_rxt) - known_retransmitted;
        self.una = una;
        self.high_rxt = self.high_rxt.max(una);
        self.lost_edge = self.lost_edge.max(una);
        passed - known
    }

    /// IsLost (RFC 6675 §4): three separate SACKed ranges, or more than two segments'
    /// worth of SACKed bytes, lie above.
    pub fn is_lost(&self, position: u64) -> bool {
        position < self.lost_edge
    }

    /// SetPipe (RFC 6675 §4) for data sent up to `nxt`.
    pub fn pipe(&self, nxt: u64) -> u64 {
        nxt - self.una - self.sacked_bytes - self.lost_bytes + self.retransmitted_bytes
    }

    /// A recovery begins: nothing has been retransmitted in it yet.
    pub fn begin_recovery(&mut self) {
        self.high_rxt = self.una;
        self.retransmitted_bytes = 0;
    }

    /// The timer expired: all that is outstanding and not SACKed counts as lost.
    pub fn lose_everything(&mut self, nxt: u64) {
        self.begin_recovery();
        self.lost_edge = nxt;
        self.lost_bytes = nxt - self.una - self.sacked_bytes;
    }

    /// NextSeg rules 1 and 3 (RFC 6675 §4): the lowest hole above HighRxt and below the
    /// highest SACKed byte; `lost_only` asks for rule 1. After a timeout holes up to the
    /// lost edge count too.
    pub fn next_hole(&self, lost_only: bool) -> Option<(u64, u64)> {
        let from = self.high_rxt.max(self.una);
        let hole = match self.sacked.hole_at_or_after(from) {
            Some(hole) => hole,
            None => {
                let from = from.max(self.sacked.end().unwrap_or(0));
                (from < self.lost_edge).then_some((from, self.lost_edge))?
            }
        };
        (!lost_only || self.is_lost(hole.0)).then_some(hole)
    }

    /// `[start, end)` was retransmitted by rule 1 or 3.
    pub fn retransmitted(&mut self, start: u64, end: u64) {
        debug_assert!(start >= self.high_rxt);
        self.high_rxt = end;
        self.retransmitted_bytes += end - start;
    }

    /// The highest outstanding byte range not SACKed, at most `mss` long: the rescue
    /// retransmission of NextSeg rule 4.
    pub fn highest_hole(&self, nxt: u64, mss: u64) -> Option<(u64, u64)> {
        let (low, end) = match self.sacked.from_top(0) {
            Some((low, high)) if high == nxt => (
                self.sacked.from_top(1).map_or(self.una, |below| below.1),
                low,
            ),
            Some((_, high)) => (high, nxt),
            None => (self.una, nxt),
        };
        (low < end).then(|| (low.max(end.saturating_sub(mss)), end))
    }

    fn raise_lost_edge(&mut self, mss: u64) {
        let mut above = 0;
        let mut edge = None;
        for i in 0..DUP_THRESH {
            let Some((start, end)) = self.sacked.from_top(i) else {
                break;
            };
            above += end - start;
            if i + 1 == DUP_THRESH || above > (DUP_THRESH as u64 - 1) * mss {
                edge = Some(start);
                break;
            }
        }
        let Some(edge) = edge.filter(|e| *e > self.lost_edge) else {
            return;
        };
        let from = self.lost_edge.max(self.una);
        self.lost_bytes += edge - from - self.sacked.bytes_within(from, edge);
        self.lost_edge = edge;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const MSS: u64 = 10;

    /// RFC 6675's definitions taken literally, segment by segment.
    struct Literal {
        una: u64,
        nxt: u64,
        sacked: Vec<bool>,
        high_rxt: u64,
    }

    impl Literal {
        fn is_lost(&self, segment: u64) -> bool {
            let above = &self.sacked[segment as usize + 1..self.nxt as usize];
            let count = above.iter().filter(|s| **s).count();
            let mut ranges = 0;
            let mut inside = false;
            for s in above {
                ranges += usize::from(*s && !inside);
                inside = *s;
            }
            ranges >= DUP_THRESH || count as u64 * MSS > 2 * MSS
        }
        fn pipe(&self) -> u64 {
            (self.una..self.nxt)
                .filter(|s| !self.sacked[*s as usize])
                .map(|s| MSS * (u64::from(!self.is_lost(s)) + u64::from(s < self.high_rxt)))
                .sum()
        }
        fn next_hole(&self, lost_only: bool) -> Option<u64> {
            let highest = (self.una..self.nxt)
                .rev()
                .find(|s| self.sacked[*s as usize])?;
            (self.high_rxt.max(self.una)..highest)
                .find(|s| !self.sacked[*s as usize])
                .filter(|s| !lost_only || self.is_lost(*s))
        }
    }

    proptest! {
        #[test]
        fn counters_agree_with_the_literal_walk(
            steps in prop::collection::vec((0u8..10, 0u64..40, 1u64..4), 1..120)
        ) {
            let mut board = Scoreboard::default();
            let mut literal = Literal { una: 0, nxt: 40, sacked: vec![false; 80], high_rxt: 0 };
            for (what, at, len) in steps {
                match what {
                    0..=5 => {
                        let start = literal.una + at % (literal.nxt - literal.una).max(1);
                        let end = (start + len).min(literal.nxt);
                        if start > literal.una && start < end {
                            (start..end).for_each(|s| literal.sacked[s as usize] = true);
                            board.update(std::iter::once((start * MSS, end * MSS)), MSS);
                        }
                    }
                    6 => {
                        let mut una = (literal.una + len.min(2)).min(literal.nxt);
                        while una < literal.nxt && literal.sacked[una as usize] { una += 1; }
                        literal.una = una;
                        literal.high_rxt = literal.high_rxt.max(una);
                        board.advance(una * MSS);
                    }
                    7 => { literal.high_rxt = literal.una; board.begin_recovery(); }
                    _ => if let Some(s) = literal.next_hole(what == 8) {
                        literal.high_rxt = s + 1;
                        prop_assert_eq!(board.next_hole(what == 8).map(|h| h.0), Some(s * MSS));
                        board.retransmitted(s * MSS, (s + 1) * MSS);
                    },
                }
                prop_assert_eq!(board.pipe(literal.nxt * MSS), literal.pipe());
                prop_assert_eq!(board.next_hole(false).map(|h| h.0), literal.next_hole(false).map(|s| s * MSS));
                prop_assert_eq!(board.next_hole(true).map(|h| h.0), literal.next_hole(true).map(|s| s * MSS));
            }
        }
    }

    #[test]
    fn the_pipe_of_the_worked_example() {
        // Ten segments out, 2, 3 and 4 SACKed: segment 1 is lost, pipe is 5 to 10.
        let mut board = Scoreboard::default();
        board.update(std::iter::once((10, 40)), MSS);
        assert!(board.is_lost(0));
        assert_eq!(board.pipe(100), 60);
        board.retransmitted(0, 10);
        assert_eq!(board.pipe(100), 70);
    }

    #[test]
    fn a_timeout_makes_all_that_is_not_sacked_eligible_again() {
        let mut board = Scoreboard::default();
        board.update(std::iter::once((10, 20)), MSS);
        board.lose_everything(50);
        assert_eq!(board.pipe(50), 0);
        assert_eq!(board.next_hole(true), Some((0, 10)));
        board.retransmitted(0, 10);
        assert_eq!(board.next_hole(true), Some((20, 50)));
        board.retransmitted(20, 30);
        assert_eq!(board.pipe(50), 20);
    }
}
