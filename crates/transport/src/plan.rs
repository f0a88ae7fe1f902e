//! What a recovery asks a sender to send next.

/// A segment that may be sent: `[start, end)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Its first byte.
    pub start: u64,
    /// One past its last byte.
    pub end: u64,
}
