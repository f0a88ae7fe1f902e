//! Explicit Congestion Notification (RFC 3168, 9331, 9768): what a sender and a receiver remember.
//!
//! A sender whose stack speaks ECN sends new data as ECN-capable (ECT). A queue that would have
//! dropped such a packet early may mark it instead (CE).
//!
//! Of a classic flow (RFC 3168) the receiver echoes on every acknowledgement (ECE) that it has seen a
//! mark, until the sender reports a smaller window (CWR). The sender responds once per
//! window of data, whether by mark or by loss. What is not new data is not ECN-capable: SYNs,
//! acknowledgements (§6.1.4), and what is sent again (§6.1.5).
//!
//! A flow whose controller scales sends all data and acknowledgements as ECT(1) (RFC 9331), as Linux's
//! TCP Prague does. Its receiver counts the packets that arrive marked, and every acknowledgement
//! counts them (AccECN, RFC 9768; QUIC's ECN counts). An acknowledgement does not wait
//! where the first of several marked packets has come, nor where so many have come since the last.
//! The count is exact, and travels as an option: of AccECN's three bits that would do without one
//! nothing is made. ECT(1) on data has the receiver count.
//!
//! Both ends of a flow have the same stack, so that nothing is left to negotiate in the handshake.

use crate::narrow::saturated;
use flowstart_wire::Ecn;

/// What a sender remembers.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct EcnSender {
    /// How far had been sent when the window last came down, whatever for.
    reduced_at: Option<u64>,
    /// The next new segment carries it.
    to_say: bool,
    /// Its packets are ECT(1), and the peer counts marks.
    scalable: bool,
    /// Packets that the peer has reported as marked.
    counted: u64,
    /// Number of them that have not been reported to the controller.
    untold: u32,
}

impl EcnSender {
    /// Of a flow whose controller scales, or of a classic one.
    pub(crate) fn new(scalable: bool) -> EcnSender {
        EcnSender {
            scalable,
            ..EcnSender::default()
        }
    }

    /// Whether its packets are ECT(1), and the peer counts marks.
    pub(crate) fn is_scalable(&self) -> bool {
        self.scalable
    }

    /// Whether an echo on an acknowledgement up to `una` is of a window not yet answered for.
    /// The segment with the CWR left right above, so its own acknowledgement is the first that
    /// can be (RFC 3168 §6.1.2).
    pub(crate) fn is_news(&self, una: u64) -> bool {
        self.reduced_at.is_none_or(|at| una > at)
    }

    /// Whether what is lost at `una` left before the window last came down, by as much as a loss
    /// would have it.
    pub(crate) fn has_answered(&self, una: u64) -> bool {
        !self.scalable && self.reduced_at.is_some_and(|at| una < at)
    }

    /// The window has come down, with `high` sent so far.
    pub(crate) fn reduced(&mut self, high: u64) {
        self.reduced_at = Some(high);
        self.to_say = true;
    }

    /// It came down for nothing (`tcp_ecn_withdraw_cwr` of Linux): what is lost or marked of what is out
    /// has not been answered for.
    pub(crate) fn withdraw(&mut self) {
        self.reduced_at = None;
        self.to_say = false;
    }

    /// The bits of a segment, which may have been sent before.
    pub(crate) fn bits(&mut self, again: bool) -> Ecn {
        match (self.scalable, again) {
            (true, _) => Ecn::ECT1,
            (false, true) => Ecn::default(),
            (false, false) => {
                let mut bits = Ecn::ECT;
                if std::mem::take(&mut self.to_say) {
                    bits.set(Ecn::CWR);
                }
                bits
            }
        }
    }

    /// The peer has counted so many marked packets in total. Whether there are new ones: an
    /// acknowledgement may have been overtaken.
    pub(crate) fn count(&mut self, total: u64) -> bool {
        let new = total.saturating_sub(self.counted);
        self.counted += new;
        self.untold = self.untold.saturating_add(saturated(new));
        new > 0
    }

    /// Takes the number of marked packets to report to the controller.
    pub(crate) fn take_untold(&mut self) -> u32 {
        std::mem::take(&mut self.untold)
    }
}

/// An acknowledgement is due when so many marked packets have come since the last (RFC 9768
/// §3.2.2.5.1 recommends two).
const MARKS_PER_ACK: u32 = 2;

/// Counts of a receiver whose sender scales.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct MarkCounter {
    /// Packets that arrived marked (`r.cep`).
    total: u64,
    /// Since the last acknowledgement.
    unreported: u32,
    /// The packet that came last was marked.
    last_marked: bool,
}

impl MarkCounter {
    /// A packet has come; whether its acknowledgement must not wait. With numbered packets, none of a
    /// marked one may (RFC 9000 §13.2.1).
    pub(crate) fn on_data(&mut self, marked: bool, numbered: bool) -> bool {
        let first = marked && !self.last_marked;
        self.last_marked = marked;
        self.total += u64::from(marked);
        self.unreported += u32::from(marked);
        first || self.unreported >= MARKS_PER_ACK || marked && numbered
    }

    /// An acknowledgement leaves: the count that it carries.
    pub(crate) fn report(&mut self) -> u64 {
        self.unreported = 0;
        self.total
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_is_answered_for_once() {
        let mut ecn = EcnSender::default();
        assert!(ecn.is_news(0) && !ecn.has_answered(0));
        ecn.reduced(100);
        assert!(!ecn.is_news(100) && ecn.is_news(101));
        assert!(ecn.has_answered(99) && !ecn.has_answered(100));
    }

    #[test]
    fn a_reduction_that_is_withdrawn_answers_for_nothing() {
        let mut ecn = EcnSender::default();
        ecn.reduced(100);
        ecn.withdraw();
        assert!(ecn.is_news(50) && !ecn.has_answered(50));
        assert_eq!(ecn.bits(false), Ecn::ECT);
    }

    #[test]
    fn a_mark_that_is_answered_in_proportion_does_not_answer_for_a_loss() {
        let mut ecn = EcnSender::new(true);
        ecn.reduced(100);
        assert!(!ecn.is_news(100) && !ecn.has_answered(99));
    }

    #[test]
    fn the_first_new_segment_after_a_reduction_says_so() {
        let mut ecn = EcnSender::default();
        assert_eq!(ecn.bits(false), Ecn::ECT);
        ecn.reduced(100);
        assert_eq!(ecn.bits(true), Ecn::default());
        assert!(ecn.bits(false).has(Ecn::CWR));
        assert_eq!(ecn.bits(false), Ecn::ECT);
    }

    #[test]
    fn who_scales_sends_everything_as_ect1_and_says_of_no_reduction() {
        let mut ecn = EcnSender::new(true);
        ecn.reduced(100);
        assert_eq!([false, true].map(|again| ecn.bits(again)), [Ecn::ECT1; 2]);
    }

    #[test]
    fn a_count_that_was_overtaken_reports_nothing_new() {
        let mut ecn = EcnSender::new(true);
        assert!(ecn.count(3) && !ecn.count(2) && ecn.count(5));
        assert_eq!((ecn.take_untold(), ecn.take_untold()), (5, 0));
    }

    #[test]
    fn the_first_marked_packet_and_every_second_do_not_wait() {
        let mut counter = MarkCounter::default();
        let urgent = [false, true, true, true, false, true, true].map(|marked| {
            let urgent = counter.on_data(marked, false);
            if urgent {
                counter.report();
            }
            urgent
        });
        assert_eq!(urgent, [false, true, false, true, false, true, false]);
        assert_eq!(counter.report(), 5);
    }

    #[test]
    fn with_numbered_packets_no_marked_one_waits() {
        let mut counter = MarkCounter::default();
        let urgent = [true, true, false, true].map(|marked| counter.on_data(marked, true));
        assert_eq!(urgent[..2], [true, true]);
    }
}
