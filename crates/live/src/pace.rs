//! Pacing by a timer that may be late.

use flowstart_control::{Duration, Instant, Rate, Window};
use flowstart_transport::{ONE_BY_ONE, Pacer, Release};

/// The pacer of a path, and by how much its timer was late.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Pace {
    pacer: Pacer,
    /// By how much a datagram may be late without those behind it being late too.
    pub tolerance: Duration,
    /// When the pacer would have let the next datagram leave that it has held back.
    overdue: Option<Instant>,
}

impl Pace {
    /// Whether a datagram may leave now.
    pub(crate) fn admits(&mut self, window: &Window, now: Instant) -> bool {
        self.pacer.admits(window.pacing, window.pacing_from, now)
    }

    /// A datagram of so many bytes on the wire leaves.
    pub(crate) fn on_sent(&mut self, rate: Rate, quantum: u32, wire: u32, now: Instant) {
        let release = Release {
            burst: quantum.max(1),
            ..ONE_BY_ONE
        };
        self.pacer.sent(rate, release, wire, self.scheduled(now));
        let next = self.pacer.due();
        self.overdue = self.overdue.and(Some(next)).filter(|next| *next <= now);
    }

    /// When a datagram that leaves now should have left, as far as timers explain it.
    fn scheduled(&self, now: Instant) -> Instant {
        let earliest = now.saturating_sub(self.tolerance);
        self.overdue
            .map_or(now, |due| due.clamp(earliest.min(now), now))
    }

    /// A timer is to wake the stack for the datagram that waits.
    pub(crate) fn hold(&mut self) {
        self.overdue = self.pacer.deadline();
    }

    /// When the datagram that waits may leave.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        self.pacer.deadline()
    }

    /// Nothing waits.
    pub(crate) fn nothing_to_send(&mut self) {
        self.pacer.nothing_to_send();
    }

    /// When what follows may leave.
    #[cfg(test)]
    pub(crate) fn due(&self) -> Instant {
        self.pacer.due()
    }
}

/// Datagrams that a stack assembles before it reports them as sent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Batch {
    /// Times that the stack has read the window for them.
    pub reads: u32,
    /// Their bytes.
    pub bytes: u64,
    /// The pacer as they leave it.
    pub pace: Pace,
}
