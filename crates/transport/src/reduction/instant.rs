//! The window comes down at once, to the controller's value.

use flowstart_control::{Segments, Window};

/// Segments beyond the controller's window.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Instant {
    /// No window is smaller.
    pub(super) least: Segments,
    /// A recovery leaves no more window than avoids a burst (RFC 6582 §3.2 step 3).
    pub(super) avoids_burst: bool,
}

impl Instant {
    /// The controller has set the window.
    pub(super) fn bound(&self, window: &mut Window) {
        window.cwnd = window.cwnd.max(self.least);
    }

    /// The recovery is over, with so many bytes outstanding.
    pub(super) fn end(&self, window: Option<&mut Window>, outstanding: u64) {
        let Some(window) = window.filter(|_| self.avoids_burst) else {
            return;
        };
        let flight = window.segments(outstanding);
        window.cwnd = window.ssthresh.min(flight.max(1.0) + 1.0);
    }
}

/// A partial acknowledgement takes so many segments from the window (RFC 6582 §3.2 step 5).
pub(super) fn deflate(window: &mut Window, segments: u64) {
    window.cwnd = (window.cwnd - segments as f64).max(1.0);
}
