//! Packets that a link loses before its queue: at random, and on purpose.

use crate::network::random::Chance;
use crate::tcp::segment::Segment;

/// The `position`-th packet of `flow` that comes to a link is lost; the SYN is number 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ForcedDrop {
    /// Which flow.
    pub flow: u32,
    /// Which of its packets.
    pub position: u64,
}

/// What a link loses.
#[derive(Clone, Debug, Default)]
pub struct Losses {
    /// Each packet, with this chance.
    pub random: Option<Chance>,
    /// And these.
    pub forced: Vec<ForcedDrop>,
    /// Packets seen so far of the flow of each forced drop.
    seen: Vec<u64>,
}

impl Losses {
    /// Whether this packet is lost.
    pub(super) fn strike(&mut self, segment: &Segment) -> bool {
        let forced = !self.forced.is_empty() && self.forced(segment);
        forced || self.random.as_mut().is_some_and(Chance::strikes)
    }

    fn forced(&mut self, segment: &Segment) -> bool {
        self.seen.resize(self.forced.len(), 0);
        let mut lost = false;
        for (drop, seen) in self.forced.iter().zip(&mut self.seen) {
            if drop.flow == segment.flow && segment.is_forward() {
                lost |= *seen == drop.position;
                *seen += 1;
            }
        }
        lost
    }
}
