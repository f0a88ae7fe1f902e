//! SACK-based recovery with a conservative pipe: RFC 6675.
//!
//! Outside recovery the pipe is what is outstanding less what is SACKed, so limited
//! transmit (RFC 3042, RFC 6675 §5 step 3.3) needs no separate rule. After a timeout
//! all that is not SACKed counts as lost and is repaired in slow start by the same
//! NextSeg, instead of going back over data that has arrived.
//!
//! The RFC describes SetPipe and IsLost as walks over everything outstanding. Two facts make the
//! walks unnecessary. IsLost is monotone: if a byte is lost, so is every byte below it that has
//! not arrived, so one position, the *lost edge*, is enough. Retransmission goes upwards, so one
//! position, HighRxt, separates what has been retransmitted from what has not. Between the two
//! is what the ledger has as lost and not sent again, and the pipe is what it has in flight.
//!
//! The first acknowledgement that moves SND.UNA in a recovery echoes the timestamp of what moved
//! it: where that left before the first retransmission, nothing was lost (RFC 3522 §3.2). Then what
//! the recovery did is taken back (RFC 4015), and DupThresh rises to what the path has shown to
//! reorder by, or every further segment that is as late would begin another.

use super::super::connection::Connection;
use super::super::segment::{ByteRange, SegmentRange, Why};
use super::super::sent::{NewlyAcked, SentPackets};
use super::super::stack::Undo;
use super::detector::LossDetector;
use super::outcome::{AckOutcome, AckRole, CongestionEvent, Events};
use crate::narrow::saturated;
use crate::ranges::RangeSet;
use flowstart_control::Instant;
use flowstart_control::signals::Ack as Signal;
use flowstart_wire::ByteAck;
use std::num::NonZeroU64;

#[cfg(test)]
mod tests;

/// DupThresh (§2), while the path is not known to reorder by more.
const DUP_THRESH: u32 = 3;
/// What it may become (Linux's `tcp_max_reordering`).
const MAX_DUP_THRESH: u32 = 300;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Phase {
    #[default]
    Open,
    /// Fast recovery, until RecoveryPoint is acknowledged.
    Recovery,
    /// After a timeout, until RecoveryPoint is acknowledged: no new fast recovery
    /// (RFC 6675 §5.1).
    AfterTimeout,
}

/// RFC 6675's sender.
pub(crate) struct Rfc6675 {
    phase: Phase,
    dup_thresh: u32,
    /// No acknowledgement of this recovery has moved SND.UNA.
    first_acceptable: bool,
    /// What has not arrived below this is lost.
    lost_edge: u64,
    /// HighRxt: one past the highest byte retransmitted in this recovery.
    high_rxt: u64,
    /// RecoveryPoint (§5 step 4.1).
    recovery_point: u64,
    /// RescueRxt (§4 NextSeg rule 4): `None` where no rescue may be sent.
    rescue_rxt: Option<NonZeroU64>,
    dup_acks: u32,
    /// Bytes that limited transmit added to the flight.
    limited_bytes: u64,
    /// The first retransmission of a recovery, which no pipe holds back.
    forced: Option<ByteRange>,
}

impl Default for Rfc6675 {
    fn default() -> Rfc6675 {
        Rfc6675 {
            phase: Phase::Open,
            dup_thresh: DUP_THRESH,
            first_acceptable: false,
            lost_edge: 0,
            high_rxt: 0,
            recovery_point: 0,
            rescue_rxt: None,
            dup_acks: 0,
            limited_bytes: 0,
            forced: None,
        }
    }
}

impl LossDetector for Rfc6675 {
    fn on_overtaken_ack(&mut self, c: &Connection) -> bool {
        c.stack().recovery.sack
    }

    /// An acknowledgement has come that reports this for the first time; `repetition` where it
    /// echoes the timestamp of a retransmission.
    fn on_ack(
        &mut self,
        c: &mut Connection,
        newly: &NewlyAcked,
        ack: &ByteAck,
        signal: &mut Signal,
    ) -> Option<AckOutcome> {
        let repetition = ack.answers_repetition();
        let NewlyAcked {
            acked, delivered, ..
        } = *newly;
        if acked == 0 && delivered == 0 {
            return None;
        }
        if newly.sacked > 0 {
            self.raise_lost_edge(c);
        }
        signal.delivered = delivered;
        if acked > 0 {
            signal.rtt = c.take_sample(newly.sent, signal.now);
            c.rearm(signal.now);
        }
        debug_assert!(c.una() < c.high() || self.pipe(c) == 0, "the pipe leaks");
        if self.forced.is_some() {
            self.look_again(c);
        }
        signal.flight = self.pipe(c);
        let mut events = None;
        // A report of several arrivals does not identify the one that caused it.
        let spurious = self.is_spurious(c, acked, repetition || delivered > c.mss());
        let role = match self.phase {
            Phase::Recovery if spurious => {
                self.take_back(c, c.una() - acked);
                events = Some(Events {
                    undone: true,
                    ..Events::default()
                });
                AckRole::OwnerGrowth
            }
            Phase::Recovery if c.una() >= self.recovery_point => {
                self.phase = Phase::Open;
                self.dup_acks = 0;
                self.limited_bytes = 0;
                events = Some(Events::end());
                AckRole::OwnerGrowth
            }
            Phase::Recovery => AckRole::Recovery,
            Phase::AfterTimeout | Phase::Open if acked > 0 => {
                self.on_new_ack(c);
                AckRole::Growth
            }
            Phase::AfterTimeout => AckRole::OwnerRecovery,
            Phase::Open => {
                events = self.on_duplicate_ack(c).map(Events::begin);
                AckRole::OwnerRecovery
            }
        };
        Some(AckOutcome {
            role: Some(role),
            events,
        })
    }

    /// Whether nothing is being repaired, and nothing out was sent again without being lost.
    #[inline]
    fn is_steady(&self, c: &Connection) -> bool {
        self.phase == Phase::Open
            && self.forced.is_none()
            && self.high_rxt <= self.lost_edge.max(c.una())
    }

    /// An ACK of new data in the steady state.
    #[inline]
    fn on_plain_ack(&mut self, c: &mut Connection, _sent: Instant, signal: &mut Signal) {
        c.rearm(signal.now);
        self.first_acceptable = false;
        self.dup_acks = 0;
        self.limited_bytes = 0;
    }

    /// The timer expired.
    fn on_timeout(&mut self, c: &mut Connection, _again: bool) {
        self.phase = Phase::AfterTimeout;
        self.recovery_point = c.high();
        self.dup_acks = 0;
        self.limited_bytes = 0;
        self.forced = None;
        self.lost_edge = c.high();
        self.begin_retransmission(c);
    }

    /// §5 step C with NextSeg.
    #[inline(always)]
    fn plan(&self, c: &Connection) -> Option<SegmentRange> {
        if self.phase != Phase::Open {
            return self.plan_in_recovery(c);
        }
        debug_assert_eq!(self.forced, None);
        let held = self.dup_acks > 0 && !c.stack().recovery.limited_transmit;
        let new = c.next_segment().filter(|_| !held)?;
        c.within_window(new.because(Why::New), self.pipe(c))
    }

    /// Accounts for a segment that leaves.
    #[inline]
    fn on_sent(&mut self, c: &mut Connection, segment: SegmentRange, now: Instant) {
        if self.phase != Phase::Open || segment.range.start < c.high() {
            return self.on_sent_in_recovery(c, segment, now);
        }
        if self.dup_acks > 0 {
            self.limited_bytes += segment.range.bytes();
        }
    }

    /// SetPipe (§4): what is retransmitted without being lost is in the network twice.
    #[inline]
    fn pipe(&self, c: &Connection) -> u64 {
        let in_flight = c.sent().in_flight();
        if self.high_rxt <= self.lost_edge {
            return in_flight;
        }
        in_flight + self.twice(c)
    }
}

impl Rfc6675 {
    /// Whether this acknowledgement shows that the recovery was for nothing. One that a pacer has
    /// kept from sending anything again shows nothing.
    fn is_spurious(&mut self, c: &Connection, acked: u64, repetition: bool) -> bool {
        let first = acked > 0 && std::mem::take(&mut self.first_acceptable);
        first && !repetition && c.stack().recovery.undo != Undo::None && self.forced.is_none()
    }

    /// What counted as lost from `late` on is on its way.
    fn take_back(&mut self, c: &mut Connection, late: u64) {
        let highest = c.sent().arrived().and_then(RangeSet::end);
        let reordered = highest.unwrap_or(c.una()).saturating_sub(late);
        let extent = saturated(reordered.div_ceil(c.mss())).min(MAX_DUP_THRESH) + 1;
        self.dup_thresh = self.dup_thresh.max(extent.min(MAX_DUP_THRESH));
        self.phase = Phase::Open;
        self.dup_acks = 0;
        self.limited_bytes = 0;
        c.sent_mut().unmark_all_lost();
        (self.lost_edge, self.high_rxt) = (c.una(), c.una());
    }

    fn on_new_ack(&mut self, c: &Connection) {
        self.dup_acks = 0;
        self.limited_bytes = 0;
        if self.phase == Phase::AfterTimeout && c.una() >= self.recovery_point {
            self.phase = Phase::Open;
        }
    }

    /// §5 steps 1 to 4.
    fn on_duplicate_ack(&mut self, c: &mut Connection) -> Option<CongestionEvent> {
        self.dup_acks += 1;
        if self.dup_acks < self.dup_thresh && c.una() >= self.lost_edge {
            return None;
        }
        self.phase = Phase::Recovery;
        self.first_acceptable = true;
        self.recovery_point = c.high();
        self.begin_retransmission(c);
        // What is SACKed right above may be closer than a full segment.
        let hole = self.next_hole(c).unwrap_or((c.una(), c.high()));
        let first = self.clip(c, hole);
        self.rescue_rxt = NonZeroU64::new(first.end);
        self.forced = Some(first);
        Some(CongestionEvent::Reduction {
            added: self.limited_bytes,
            timed: true,
        })
    }

    /// A pacer has held back the first retransmission, and more is known now.
    fn look_again(&mut self, c: &Connection) {
        let over = c.una() >= self.recovery_point;
        let hole = self.next_hole(c).filter(|_| !over);
        self.forced = hole.map(|hole| self.clip(c, hole));
    }

    /// Accounts for a segment that leaves in a recovery, or again.
    #[inline(never)]
    fn on_sent_in_recovery(&mut self, c: &mut Connection, segment: SegmentRange, now: Instant) {
        let range = segment.range;
        if self.forced.take().is_some() {
            self.retransmit(c, range, now);
        } else if range.start < c.high() {
            match segment.why {
                Why::Rescue => self.rescue_rxt = None,
                _ => self.retransmit(c, range, now),
            }
        }
    }

    /// The first retransmission, or what follows if the window has room for it.
    #[inline(never)]
    fn plan_in_recovery(&self, c: &Connection) -> Option<SegmentRange> {
        if let Some(first) = self.forced {
            return Some(first.because(Why::Lost));
        }
        let next = self.next_seg(c)?;
        c.within_window(next, self.pipe(c))
    }

    /// NextSeg (§4) in a recovery and after a timeout.
    fn next_seg(&self, c: &Connection) -> Option<SegmentRange> {
        if let Some(hole) = self.first_lost(c) {
            return Some(self.clip(c, hole).because(Why::Lost));
        }
        if let Some(new) = c.next_segment() {
            return Some(new.because(Why::New));
        }
        if self.phase != Phase::Recovery {
            return None;
        }
        if c.stack().recovery.next_seg_rule_3
            && let Some(hole) = self.next_hole(c)
        {
            return Some(self.clip(c, hole).because(Why::Lost));
        }
        self.rescue(c).map(|range| range.because(Why::Rescue))
    }

    /// Rule 4: once a recovery, when the acknowledgement has passed RescueRxt.
    fn rescue(&self, c: &Connection) -> Option<ByteRange> {
        let due = c.stack().recovery.next_seg_rule_4
            && self.rescue_rxt.is_some_and(|r| c.una() > r.get());
        due.then(|| highest_hole(c.sent(), c.mss())).flatten()
    }

    fn clip(&self, c: &Connection, hole: (u64, u64)) -> ByteRange {
        ByteRange {
            start: hole.0,
            end: hole.1.min(c.segment_end(hole.0)),
        }
    }

    /// By rule 1 or 3.
    fn retransmit(&mut self, c: &mut Connection, plan: ByteRange, now: Instant) {
        self.high_rxt = plan.end;
        c.sent_mut().repair(plan, now);
    }

    #[inline(never)]
    fn twice(&self, c: &Connection) -> u64 {
        let from = self.lost_edge.max(c.una());
        if self.high_rxt <= from {
            return 0;
        }
        let arrived = c.sent().arrived();
        let known = arrived.map_or(0, |arrived| arrived.bytes_within(from, self.high_rxt));
        self.high_rxt - from - known
    }

    /// IsLost (§4): three separate SACKed ranges, or more than two segments' worth of SACKed
    /// bytes, lie above.
    fn raise_lost_edge(&mut self, c: &mut Connection) {
        let edge = lost_edge(c.sent(), c.mss(), self.dup_thresh as usize);
        let Some(edge) = edge.filter(|edge| *edge > self.lost_edge) else {
            return;
        };
        let from = self.lost_edge.max(self.high_rxt).max(c.una());
        if from < edge {
            c.sent_mut().mark_lost(from, edge);
        }
        self.lost_edge = edge;
    }

    /// Nothing has been retransmitted: all below the lost edge is to be sent again.
    fn begin_retransmission(&mut self, c: &mut Connection) {
        self.high_rxt = c.una();
        if self.high_rxt < self.lost_edge {
            c.sent_mut().mark_lost(self.high_rxt, self.lost_edge);
        }
    }

    /// NextSeg rule 1 (§4): the lowest hole above HighRxt that is lost.
    fn first_lost(&self, c: &Connection) -> Option<(u64, u64)> {
        let (start, end) = c.sent().first_lost()?;
        // The edge need not be where a segment ends.
        let crosses = end == self.lost_edge;
        Some((
            start,
            if crosses {
                hole_end(c.sent(), start, end)
            } else {
                end
            },
        ))
    }

    /// NextSeg rule 3 (§4): the lowest hole above HighRxt and below the highest SACKed byte.
    /// After a timeout holes up to the lost edge count too.
    fn next_hole(&self, c: &Connection) -> Option<(u64, u64)> {
        let from = self.high_rxt.max(c.una());
        let arrived = c.sent().arrived();
        let hole = arrived.and_then(|arrived| arrived.hole_at_or_after(from));
        hole.or_else(|| {
            let end = arrived.and_then(RangeSet::end).unwrap_or(0);
            let from = from.max(end);
            (from < self.lost_edge).then_some((from, self.lost_edge))
        })
    }
}

/// Below which position all that has not arrived is lost, as what has arrived shows.
fn lost_edge(sent: &SentPackets, mss: u64, dup_thresh: usize) -> Option<u64> {
    let arrived = sent.arrived()?;
    let mut above = 0;
    for i in 0..dup_thresh {
        let (start, end) = arrived.nth_from_top(i)?;
        above += end - start;
        if i + 1 == dup_thresh || above > (dup_thresh as u64 - 1) * mss {
            return Some(start);
        }
    }
    None
}

/// Where the hole ends that begins at `start`; `end` where nothing has arrived above.
fn hole_end(sent: &SentPackets, start: u64, end: u64) -> u64 {
    let hole = sent.arrived().and_then(|a| a.hole_at_or_after(start));
    hole.map_or(end, |hole| hole.1)
}

/// The highest range that has not arrived, at most `mss` long: the rescue retransmission of
/// NextSeg rule 4.
fn highest_hole(sent: &SentPackets, mss: u64) -> Option<ByteRange> {
    let (una, high) = (sent.una(), sent.high());
    let range = |i| sent.arrived().and_then(|arrived| arrived.nth_from_top(i));
    let (low, end) = match range(0) {
        Some((low, top)) if top == high => (range(1).map_or(una, |below| below.1), low),
        Some((_, top)) => (top, high),
        None => (una, high),
    };
    (low < end).then(|| ByteRange {
        start: low.max(end.saturating_sub(mss)),
        end,
    })
}
