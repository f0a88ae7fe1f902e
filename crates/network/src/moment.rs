//! When something happens.

use flowstart_control::Time;

/// When an event happens, and when it was caused: a delivery by the beginning of its
/// transmission, a timer by its arming.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment {
    /// When it happens.
    pub time: Time,
    /// When it was caused.
    pub cause: Time,
}

impl Moment {
    /// After all others.
    pub const NEVER: Moment = Moment {
        time: Time::MAX,
        cause: Time::MAX,
    };
}
