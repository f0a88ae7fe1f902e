//! The bits of Explicit Congestion Notification (RFC 3168) in a packet's two headers.

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

    /// Whether none of them is set.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether this bit is set.
    pub fn has(self, bit: Ecn) -> bool {
        self.0 & bit.0 != 0
    }

    /// Sets a bit.
    pub fn set(&mut self, bit: Ecn) {
        self.0 |= bit.0;
    }
}
