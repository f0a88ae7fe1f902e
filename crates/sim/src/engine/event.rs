//! Events.

use flowstart_network::moment::Moment;
use std::cmp::Ordering;

/// What an event is about; the run gives the number its meaning.
pub type EventId = u32;

/// A due event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Due {
    /// When.
    pub moment: Moment,
    /// What.
    pub event: EventId,
}

impl Ord for Due {
    #[inline]
    fn cmp(&self, other: &Due) -> Ordering {
        let by_time = self.moment.cmp(&other.moment);
        by_time.then(self.event.cmp(&other.event))
    }
}

impl PartialOrd for Due {
    #[inline]
    fn partial_cmp(&self, other: &Due) -> Option<Ordering> {
        Some(self.cmp(other))
    }

    /// Compares numbers only of simultaneous events, which are rare.
    #[inline]
    fn lt(&self, other: &Due) -> bool {
        self.moment < other.moment || self.moment == other.moment && self.event < other.event
    }
}
