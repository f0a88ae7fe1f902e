//! Events.

use flowstart_network::moment::Moment;

/// What an event is about; the run gives the number its meaning.
pub type EventId = u32;

/// A due event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Due {
    /// When.
    pub moment: Moment,
    /// What.
    pub event: EventId,
}
