//! Sendings, and which of them have arrived.

use flowstart_control::Instant;

/// One of the times that a segment was sent. The later sending is the greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Sending {
    /// When it left.
    pub sent: Instant,
    /// Where the segment ends: of those that left together, the later.
    pub end: u64,
    /// Whether the segment had been sent before.
    pub again: bool,
    /// Which retransmission it was, in the order of their sending.
    pub(super) order: u64,
}

impl Sending {
    /// The first sending of a segment that ends at `end`.
    pub fn first(sent: Instant, end: u64) -> Sending {
        Sending {
            sent,
            end,
            again: false,
            order: 0,
        }
    }
}

/// The transmissions that an acknowledgement reports as arrived.
#[derive(Clone, Copy, Debug, Default)]
pub struct Arrivals {
    /// The sending that left last of those that could be meant.
    pub newest: Option<Sending>,
    /// When the newest segment that was SACKed and sent only once had left.
    pub sacked_once: Option<Instant>,
    /// Where the lowest data begins that arrived below what had arrived before, and was never sent
    /// again.
    pub reordered: Option<u64>,
    /// Where the lowest data begins that arrived and was sent only once.
    pub once_from: Option<u64>,
}
