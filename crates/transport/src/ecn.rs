//! Explicit Congestion Notification (RFC 3168): what a sender remembers.
//!
//! A sender whose stack speaks ECN sends new data as ECN-capable (ECT). A queue that would
//! have dropped such a packet early may mark it instead (CE). The receiver echoes on every
//! acknowledgement (ECE) that it has seen a mark, until the sender says that its window has come
//! down (CWR). The sender answers once per window of data, whether by mark or by loss.
//!
//! What is not new data is not ECN-capable: SYNs, acknowledgements (§6.1.4), and what is sent
//! again (§6.1.5). Both ends of a flow have the same stack, so that nothing is left to
//! negotiate in the handshake.

use flowstart_wire::Ecn;

/// What a sender remembers.
#[derive(Clone, Copy, Debug, Default)]
pub struct EcnSender {
    /// How far had been sent when the window last came down, whatever for.
    reduced_at: Option<u64>,
    /// The next new segment is to say so.
    to_say: bool,
}

impl EcnSender {
    /// Whether an echo on an acknowledgement up to `una` is of a window not yet answered for.
    /// The segment that said so left right above, so its own acknowledgement is the first that
    /// can be (RFC 3168 §6.1.2).
    pub fn is_news(&self, una: u64) -> bool {
        self.reduced_at.is_none_or(|at| una > at)
    }

    /// Whether what is lost at `una` left before the window last came down.
    pub fn has_answered(&self, una: u64) -> bool {
        self.reduced_at.is_some_and(|at| una < at)
    }

    /// The window has come down, with `high` sent so far.
    pub fn reduced(&mut self, high: u64) {
        *self = EcnSender {
            reduced_at: Some(high),
            to_say: true,
        };
    }

    /// The bits of a new segment.
    pub fn bits(&mut self) -> Ecn {
        let mut bits = Ecn::ECT;
        if std::mem::take(&mut self.to_say) {
            bits.set(Ecn::CWR);
        }
        bits
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
    fn the_first_new_segment_after_a_reduction_says_so() {
        let mut ecn = EcnSender::default();
        assert_eq!(ecn.bits(), Ecn::ECT);
        ecn.reduced(100);
        assert!(ecn.bits().has(Ecn::CWR));
        assert_eq!(ecn.bits(), Ecn::ECT);
    }
}
