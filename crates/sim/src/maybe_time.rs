//! A time that may be absent, in eight bytes: half of what an `Option<Instant>` takes.

use flowstart_control::Instant;

/// A time or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MaybeTime(Instant);

impl MaybeTime {
    /// None, represented by the latest time.
    pub const NONE: MaybeTime = MaybeTime(Instant::MAX);

    /// The time, if there is one.
    pub fn get(self) -> Option<Instant> {
        (self != MaybeTime::NONE).then_some(self.0)
    }

    /// Whether there is one.
    pub fn is_some(self) -> bool {
        self != MaybeTime::NONE
    }

    /// Whether there is one, and it is no later than `time`.
    pub fn is_by(self, time: Instant) -> bool {
        self.is_some() && self.0 <= time
    }
}

impl Default for MaybeTime {
    fn default() -> MaybeTime {
        MaybeTime::NONE
    }
}

impl From<Instant> for MaybeTime {
    fn from(time: Instant) -> MaybeTime {
        MaybeTime(time)
    }
}

impl From<Option<Instant>> for MaybeTime {
    fn from(time: Option<Instant>) -> MaybeTime {
        time.map_or(MaybeTime::NONE, MaybeTime)
    }
}
