//! When a transmitter is busy: what links need of it, whatever its rate does.

use crate::queue::Backlog;
use flowstart_control::Instant;

/// The clock of a transmitter, which serves in order.
pub(super) trait Clock {
    /// If it has nothing to do at `now`, what it does next begins at a whole nanosecond.
    fn rest(&mut self, now: Instant);

    /// Transmits a packet that has been there since `now`, after what there is to do
    /// already: when that begins, and when the last bit has left.
    fn transmit(&mut self, wire: u32, now: Instant) -> (Instant, Instant);

    /// When it will have transmitted these too.
    fn free_after(&self, packets: Backlog) -> Instant;
}
