//! What duplicate acknowledgements stand for where the peer does not report what has arrived
//! (Linux's `tcp_add_reno_sack` and `tcp_remove_reno_sacks`).
//!
//! Each represents a segment that has arrived above a hole; which one is unknown. So all of
//! recovery that goes by counts is as with SACK: what is in flight, limited transmit, PRR.

use super::super::super::connection::Connection;
use super::super::super::sent::NewlyAcked;
use super::reordering::Reordering;

/// The duplicate acknowledgements of one connection.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Duplicates {
    /// Bytes of the segments that they stand for (`sacked_out`).
    bytes: u64,
    /// The peer's window when the last acknowledgement came.
    window: u64,
}

impl Duplicates {
    /// The peer has reported its first window.
    pub(super) fn on_handshake(&mut self, c: &Connection) {
        self.window = c.peer_window();
    }

    /// Bytes of segments that have arrived above SND.UNA.
    #[inline]
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Nothing is known to have arrived.
    pub(super) fn clear(&mut self) {
        self.bytes = 0;
    }

    /// An acknowledgement has come; `over` where it ends what the duplicates were about. Returns
    /// how many segments have arrived that were not counted before.
    pub(super) fn on_ack(
        &mut self,
        c: &Connection,
        newly: &NewlyAcked,
        over: bool,
        reordering: &mut Reordering,
    ) -> u64 {
        let before = std::mem::replace(&mut self.window, c.peer_window());
        let counted = self.bytes / c.mss();
        if newly.acked == 0 {
            // RFC 5681 §2: an ACK with a larger window is no duplicate.
            if c.outstanding() == 0 || c.peer_window() > before {
                return 0;
            }
            let limited = self.limit(c, counted + 1, 0, reordering);
            return limited.saturating_sub(counted);
        }
        // One was missing, and the others are those that duplicates stood for.
        let acked = newly.acked.div_ceil(c.mss());
        self.limit(c, counted.saturating_sub(acked - 1), acked, reordering);
        if over {
            self.clear();
        }
        acked.saturating_sub(counted).max(1)
    }

    /// A segment is left that may be missing. Where more duplicates have come it was not, but late
    /// (`tcp_limit_reno_sacked`, `tcp_check_reno_reordering`). Returns how many of `segments`
    /// count.
    fn limit(
        &mut self,
        c: &Connection,
        segments: u64,
        acked: u64,
        reordering: &mut Reordering,
    ) -> u64 {
        let out = c.outstanding().div_ceil(c.mss());
        let (_, of_lost) = c.sent().retransmissions();
        let missing = c.sent().lost_bytes().div_ceil(c.mss()) + of_lost as u64;
        let most = out - missing.max(1).min(out);
        if segments > most {
            reordering.record_overtaken(out + acked);
        }
        let counted = segments.min(most);
        self.bytes = counted * c.mss();
        counted
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::connection;
    use super::*;
    use flowstart_control::Instant;

    fn take(duplicates: &mut Duplicates, c: &mut Connection, segments: u64) -> (u64, u64) {
        let una = c.una() + segments * c.mss();
        let newly = c.acknowledge(una, std::iter::empty(), Instant::ZERO);
        let mut reordering = Reordering::default();
        let arrived = duplicates.on_ack(c, &newly, false, &mut reordering);
        (arrived, reordering.degree())
    }

    #[test]
    fn each_duplicate_counts_as_a_segment_until_one_is_left_that_may_be_missing() {
        let mut c = connection(&[], 4);
        let mut duplicates = Duplicates::default();
        duplicates.on_handshake(&c);
        let arrived: Vec<_> = (0..5).map(|_| take(&mut duplicates, &mut c, 0)).collect();
        assert_eq!(arrived, [(1, 3), (1, 3), (1, 3), (0, 4), (0, 4)]);
        assert_eq!(duplicates.bytes() / c.mss(), 3);
    }

    #[test]
    fn what_duplicates_stood_for_is_not_counted_again() {
        let mut c = connection(&[], 10);
        let mut duplicates = Duplicates::default();
        duplicates.on_handshake(&c);
        (0..5).for_each(|_| _ = take(&mut duplicates, &mut c, 0));
        assert_eq!(take(&mut duplicates, &mut c, 3), (1, 3));
        assert_eq!(duplicates.bytes() / c.mss(), 3, "two of five lay below");
        assert_eq!(take(&mut duplicates, &mut c, 7), (4, 3));
        assert_eq!(duplicates.bytes() / c.mss(), 0);
    }
}
