//! A time that may be absent, in eight bytes: half of what an `Option<Time>` takes.

use flowstart_control::Time;

/// A time or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MaybeTime(Time);

impl MaybeTime {
    /// None, for which the time stands that is later than anything that happens.
    pub const NONE: MaybeTime = MaybeTime(Time::MAX);

    /// The time, if there is one.
    pub fn get(self) -> Option<Time> {
        (self != MaybeTime::NONE).then_some(self.0)
    }

    /// Whether there is one.
    pub fn is_some(self) -> bool {
        self != MaybeTime::NONE
    }

    /// Whether there is one, and it is no later than `time`.
    pub fn is_by(self, time: Time) -> bool {
        self.is_some() && self.0 <= time
    }
}

impl Default for MaybeTime {
    fn default() -> MaybeTime {
        MaybeTime::NONE
    }
}

impl From<Time> for MaybeTime {
    fn from(time: Time) -> MaybeTime {
        MaybeTime(time)
    }
}

impl From<Option<Time>> for MaybeTime {
    fn from(time: Option<Time>) -> MaybeTime {
        time.map_or(MaybeTime::NONE, MaybeTime)
    }
}
