//! When a loss was none.
//!
//! A timestamp that comes back may be older than the first retransmission (Eifel, RFC 3522);
//! duplicates may be reported for all that was sent again (DSACK, RFC 3708); and after a timeout
//! data may arrive that was sent before it and only then (F-RTO, RFC 5682). [`UndoState`] has
//! the first two as Linux keeps them, [`Frto`] the third. What is restored is the session's.

use super::connection::Connection;
use super::sent::NewlyAcked;
use super::timestamps::tsval;
use flowstart_control::Instant;

/// State of Linux for a recovery or a timeout, which shows whether it was for
/// nothing.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct UndoState {
    /// What was acknowledged when it began (`undo_marker`); `None` where nothing is to be undone.
    marker: Option<u64>,
    /// Segments sent again and not reported as duplicates (`undo_retrans`); `None` before the
    /// first.
    unanswered: Option<u64>,
    /// When the first of them left (`retrans_stamp`).
    first: Option<Instant>,
}

impl UndoState {
    /// It begins with all below `una` acknowledged, while `out` segments are on their way a second
    /// time (`tcp_init_undo`).
    pub(crate) fn begin(&mut self, una: u64, out: u64) {
        self.marker = Some(una);
        self.unanswered = Some(out).filter(|out| *out > 0);
    }

    /// Nothing is left to undo.
    pub(crate) fn end(&mut self) {
        self.marker = None;
    }

    /// Nothing that was sent again is out.
    pub(crate) fn forget_retransmissions(&mut self) {
        self.first = None;
    }

    /// A segment is sent again.
    pub(crate) fn retransmitted(&mut self, now: Instant) {
        self.first.get_or_insert(now);
        self.unanswered = Some(self.unanswered.unwrap_or(0) + 1);
    }

    /// So many segments up to `end` have come twice.
    pub(crate) fn duplicated(&mut self, segments: u64, end: u64) {
        if self.marker.is_some_and(|marker| end > marker) {
            self.unanswered = self.unanswered.map(|n| n.saturating_sub(segments));
        }
    }

    /// All that was sent again had arrived (`tcp_try_undo_dsack`).
    pub(crate) fn was_answered(&self) -> bool {
        self.marker.is_some() && self.unanswered == Some(0)
    }

    /// The acknowledgement that echoes what left at `echo` is of a first sending, and
    /// that was late (`tcp_packet_delayed`).
    pub(crate) fn is_delayed(&self, echo: Option<Instant>) -> bool {
        self.marker.is_some()
            && self
                .first
                .is_none_or(|first| echo.is_some_and(|echo| tsval(echo) < tsval(first)))
    }

    /// `tcp_may_undo`.
    pub(crate) fn may_undo(&self, echo: Option<Instant>) -> bool {
        self.was_answered() || self.is_delayed(echo)
    }
}

/// Whether a timeout was for nothing (RFC 5682 §3.1, with SACK).
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Frto {
    /// It is not decided.
    open: bool,
}

/// What an acknowledgement shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Nothing yet.
    Open,
    /// The timeout was for nothing.
    Spurious,
    /// New data is to be sent before anything is repaired (§3.1 step 2b).
    NewDataFirst,
}

impl Frto {
    /// The timer has expired; `open` where it may have been for nothing.
    pub(crate) fn begin(&mut self, open: bool) {
        self.open = open;
    }

    /// Nothing is left to decide.
    pub(crate) fn end(&mut self) {
        self.open = false;
    }

    /// What an acknowledgement shows of a timeout at which `high_seq` was the highest byte sent;
    /// then it is that at the first acknowledgement.
    pub(crate) fn examine(
        &mut self,
        c: &Connection,
        newly: &NewlyAcked,
        high_seq: &mut u64,
    ) -> Verdict {
        if !self.open {
            return Verdict::Open;
        }
        let advanced = newly.acked > 0;
        // What was sent before the timeout, and only then, has arrived.
        if newly.times.once_from.is_some_and(|from| from < *high_seq) {
            self.open = false;
            return Verdict::Spurious;
        }
        if c.high() > *high_seq {
            self.open = newly.sacked == 0 && advanced;
        } else if advanced && c.una() < *high_seq {
            *high_seq = c.high();
            self.open = c.next_segment().is_some();
            if self.open {
                return Verdict::NewDataFirst;
            }
        }
        Verdict::Open
    }
}
