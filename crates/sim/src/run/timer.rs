//! The events of an endpoint's deadlines.

use crate::maybe_time::MaybeTime;
use flowstart_control::Instant;
use flowstart_network::host::Wake;

/// The one event of an endpoint's deadline. A deadline that moves later
/// leaves the event where it is, and it moves itself when it comes due; so a timer that
/// is restarted by every acknowledgement costs one event a timeout, not one an
/// acknowledgement.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Timer {
    armed: MaybeTime,
}

impl Timer {
    /// When an event is needed for this deadline, unless there is one that comes in time.
    #[inline(always)]
    pub(super) fn arm(&mut self, deadline: Option<Instant>, now: Instant) -> Option<Instant> {
        let deadline = deadline?.max(now);
        if self.armed.is_by(deadline) {
            return None;
        }
        self.armed = deadline.into();
        Some(deadline)
    }

    /// Whether an event is to come.
    pub(super) fn is_armed(&self) -> bool {
        self.armed.is_some()
    }

    /// The event comes at this time.
    pub(super) fn set(&mut self, at: Instant) {
        self.armed = at.into();
    }

    /// Its event has come; whether it still is the one that counts.
    pub(super) fn expire(&mut self, now: Instant) -> bool {
        let expires = self.armed == now.into();
        if expires {
            self.armed = MaybeTime::NONE;
        }
        expires
    }
}

/// A timer of a host whose wakes are late.
pub(super) struct LateTimer {
    /// The deadline for which the endpoint's event is.
    pub(super) due: Instant,
    wake: Wake,
}

impl LateTimer {
    /// A timer that is not set.
    pub(super) fn new(wake: Wake) -> LateTimer {
        let due = Instant::ZERO;
        LateTimer { due, wake }
    }

    /// As [`Timer::arm`]; the event comes when the host wakes. What is due now does not wait.
    #[cold]
    #[inline(never)]
    pub(super) fn arm(
        &mut self,
        timer: &mut Timer,
        deadline: Option<Instant>,
        now: Instant,
    ) -> Option<Instant> {
        let deadline = deadline?.max(now);
        if timer.is_armed() && self.due <= deadline {
            return None;
        }
        self.due = deadline;
        let wake = if deadline == now {
            now
        } else {
            self.wake.at(deadline)
        };
        timer.set(wake);
        Some(wake)
    }
}
