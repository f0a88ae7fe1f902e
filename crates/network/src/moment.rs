//! When something happens.

use flowstart_control::Instant;
use std::cmp::Ordering;

/// When an event happens, and when it was caused: a delivery by the beginning of its
/// transmission, a timer by its arming.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moment {
    /// Time at which the event happens.
    pub time: Instant,
    /// Time at which the event was caused.
    pub cause: Instant,
}

impl Moment {
    /// A moment after all others.
    pub const NEVER: Moment = Moment {
        time: Instant::MAX,
        cause: Instant::MAX,
    };
}

impl Moment {
    /// Both as one number, which a processor compares without a branch.
    #[inline]
    fn key(self) -> u128 {
        u128::from(self.time.0) << 64 | u128::from(self.cause.0)
    }
}

impl Ord for Moment {
    #[inline]
    fn cmp(&self, other: &Moment) -> Ordering {
        self.key().cmp(&other.key())
    }
}

impl PartialOrd for Moment {
    #[inline]
    fn partial_cmp(&self, other: &Moment) -> Option<Ordering> {
        Some(self.cmp(other))
    }

    #[inline]
    fn lt(&self, other: &Moment) -> bool {
        self.key() < other.key()
    }

    #[inline]
    fn le(&self, other: &Moment) -> bool {
        self.key() <= other.key()
    }
}
