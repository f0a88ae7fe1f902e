//! For how long a connection was busy, and of that limited by the peer's window (Linux's
//! `tcp_chrono_start`, `tcp_chrono_stop`).

use flowstart_control::{Duration, Instant};

/// What a connection does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Activity {
    /// All that was written is acknowledged.
    #[default]
    Idle,
    /// Something is not.
    Busy,
    /// And the peer's window has no room for the next segment.
    RwndLimited,
}

/// How long each activity has lasted.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Chronograph {
    activity: Activity,
    since: Instant,
    busy: Duration,
    limited: Duration,
}

impl Chronograph {
    /// From now on the connection does this.
    pub(crate) fn set(&mut self, activity: Activity, now: Instant) {
        let lasted = now.since(self.since);
        if self.activity != Activity::Idle {
            self.busy += lasted;
        }
        if self.activity == Activity::RwndLimited {
            self.limited += lasted;
        }
        (self.activity, self.since) = (activity, now);
    }

    /// `tcpi_busy_time` and `tcpi_rwnd_limited` until now.
    pub(crate) fn times(mut self, now: Instant) -> [Duration; 2] {
        self.set(self.activity, now);
        [self.busy, self.limited]
    }
}
