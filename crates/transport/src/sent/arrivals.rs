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

/// When the segments left that a round trip is measured with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Departures {
    /// The first of them.
    pub oldest: Instant,
    /// The last.
    pub newest: Instant,
}

impl Departures {
    /// Of segments that left together.
    pub fn at(sent: Instant) -> Departures {
        Departures {
            oldest: sent,
            newest: sent,
        }
    }

    /// Of these and of others, if there are any.
    pub(super) fn and(self, others: Option<Departures>) -> Departures {
        others.map_or(self, |others| Departures {
            oldest: self.oldest.min(others.oldest),
            newest: self.newest.max(others.newest),
        })
    }
}

/// When an acknowledgement has come, and which retransmissions it may answer.
#[derive(Clone, Copy, Debug)]
pub struct Reception {
    /// When it has come.
    pub now: Instant,
    /// A retransmission that left later has not arrived yet: what arrived is an earlier sending.
    pub repeats_until: Instant,
    /// Likewise of what is acknowledged cumulatively.
    pub acked_repeats_until: Instant,
}

impl From<Instant> for Reception {
    /// One that may answer every retransmission.
    fn from(now: Instant) -> Reception {
        Reception {
            now,
            repeats_until: Instant::MAX,
            acked_repeats_until: Instant::MAX,
        }
    }
}

/// The transmissions that an acknowledgement reports as arrived.
#[derive(Clone, Copy, Debug, Default)]
pub struct Arrivals {
    /// The sending that left last of those that could be meant.
    pub newest: Option<Sending>,
    /// That of the highest segment which is acknowledged cumulatively, else of the highest that is
    /// SACKed: the one that Linux handles last.
    pub last: Option<Sending>,
    /// When the SACKed segments had left that were sent only once.
    pub sacked_once: Option<Departures>,
    /// And those that are acknowledged cumulatively.
    pub acked_once: Option<Departures>,
    /// Where the lowest data begins that arrived below what had arrived before, and was never sent
    /// again.
    pub reordered: Option<u64>,
    /// Where the lowest data begins that arrived and was sent only once.
    pub once_from: Option<u64>,
}
