//! The bits of Explicit Congestion Notification (RFC 3168, 9331) in a packet's two headers.

/// The ECN bits of a packet's IP and TCP headers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ecn(u8);

impl Ecn {
    /// The sender understands marks.
    pub const ECT: Ecn = Ecn(1);
    /// Congestion experienced: a queue has marked it.
    pub const CE: Ecn = Ecn(2);
    /// ECN-Echo: the receiver has seen a mark.
    pub const ECE: Ecn = Ecn(4);
    /// Congestion window reduced.
    pub const CWR: Ecn = Ecn(8);
    /// The sender understands marks, and its answer is in proportion to their number: ECT(1)
    /// (RFC 9331 §4.1). Its bit is next to [`Ecn::ECT`]'s, so that a router that marks ECT marks
    /// it.
    pub const ECT1: Ecn = Ecn(1 | 16);

    /// Whether none of them is set.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether this bit is set.
    pub fn has(self, bit: Ecn) -> bool {
        self.0 & bit.0 == bit.0
    }

    /// Sets a bit.
    pub fn set(&mut self, bit: Ecn) {
        self.0 |= bit.0;
    }

    /// Whether a queue takes it for low-latency traffic: ECT(1), and CE, of which it is unknown
    /// what it was (RFC 9331 §5.1).
    pub fn is_l4s(self) -> bool {
        self.has(Ecn::ECT1) || self.has(Ecn::CE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ect1_and_ce_are_low_latency_traffic_and_ect0_is_not() {
        let marked = |mut bits: Ecn| {
            bits.set(Ecn::CE);
            bits
        };
        assert!(Ecn::ECT1.is_l4s() && marked(Ecn::ECT1).is_l4s() && marked(Ecn::ECT).is_l4s());
        assert!(!Ecn::ECT.is_l4s() && !Ecn::default().is_l4s());
    }

    #[test]
    fn who_marks_ect_marks_ect1() {
        assert!(Ecn::ECT1.has(Ecn::ECT) && !Ecn::ECT.has(Ecn::ECT1));
    }
}
