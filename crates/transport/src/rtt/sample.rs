//! What an acknowledgement measures of the round trip.

use super::super::sent::Departures;
use flowstart_control::Instant;

/// What an acknowledgement measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RttSample {
    /// When the segments that it acknowledges had left.
    pub sent: Departures,
    /// SND.UNA after it.
    pub una: u64,
    /// SND.NXT.
    pub high: u64,
}

impl RttSample {
    /// Of one segment that left at `sent`, before any data.
    pub fn of_handshake(sent: Instant) -> RttSample {
        RttSample {
            sent: Departures::at(sent),
            una: 0,
            high: 0,
        }
    }
}
