//! How much of the window is used, as Linux keeps it: a window grows only where it was the limit,
//! and in slow start where at least half of it was out (`tcp_is_cwnd_limited`).

use super::super::super::connection::Connection;
use flowstart_control::Window;
use flowstart_control::session::limited::is_half_used;

/// The use of the window over about one round trip.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Usage {
    /// The window stopped sending (`is_cwnd_limited`).
    limited: bool,
    /// The maximum in flight, in bytes (`max_packets_out`).
    most: u64,
    /// Until this is acknowledged (`cwnd_usage_seq`).
    until: u64,
}

impl Usage {
    /// A segment has left, and `pipe` is in flight.
    pub(super) fn after_sent(&mut self, c: &Connection, pipe: u64) {
        let limited = !c.window().has_room(pipe);
        let over = c.una() >= self.until;
        if over || limited || !self.limited && c.outstanding() > self.most {
            self.set(c, limited);
        }
    }

    /// What is out, and whether the window is what `limited` it, count from now on.
    pub(super) fn set(&mut self, c: &Connection, limited: bool) {
        *self = Usage {
            limited,
            most: c.outstanding(),
            until: c.high(),
        };
    }

    /// Whether the window was the limit, so that it may grow.
    pub(super) fn limits(&self, window: &Window) -> bool {
        self.limited || is_half_used(window, self.most)
    }
}
