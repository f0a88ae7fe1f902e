//! What a loss detector has a sender send next.

/// Bytes of the stream: `[start, end)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ByteRange {
    /// The first byte.
    pub start: u64,
    /// One past the last byte.
    pub end: u64,
}

/// Why a segment may be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// It is new data.
    New,
    /// It repeats what counts as lost, or as a hole.
    Lost,
    /// It makes the peer answer, whatever the window.
    Probe,
    /// It repeats the highest hole, once a recovery (RFC 6675 §4 rule 4).
    Rescue,
}

/// A segment that may be sent, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SegmentRange {
    /// What it carries.
    pub range: ByteRange,
    /// Why it may be sent.
    pub why: Why,
}

impl ByteRange {
    /// The segment of this range that is sent for a reason.
    pub fn because(self, why: Why) -> SegmentRange {
        SegmentRange { range: self, why }
    }

    /// The segment of this range, which is new where all below `high` has been sent.
    pub fn by_position(self, high: u64) -> SegmentRange {
        match self.start < high {
            true => self.because(Why::Lost),
            false => self.because(Why::New),
        }
    }

    /// How many bytes it has.
    pub fn bytes(self) -> u64 {
        self.end - self.start
    }
}
