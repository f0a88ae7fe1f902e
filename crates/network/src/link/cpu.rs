//! The processor of a host: one server, first come, first served, which its stages share.

use super::common::{Common, Verdict};
use crate::moment::Moment;
use flowstart_control::{Duration, Instant};
use flowstart_wire::Packet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A processor. Stages of one run share it, in one thread.
#[derive(Clone, Debug, Default)]
pub struct Cpu {
    free: Arc<AtomicU64>,
}

impl Cpu {
    /// When it has done all its work.
    pub(super) fn free(&self) -> Instant {
        Instant(self.free.load(Ordering::Relaxed))
    }

    /// Work comes; when it begins, and when it is done.
    fn take(&self, work: Duration, now: Instant) -> (Instant, Instant) {
        let begin = self.free().max(now);
        let end = begin + work;
        self.free.store(end.0, Ordering::Relaxed);
        (begin, end)
    }
}

/// Packets on which a processor works together: all are done when the last is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Batch {
    /// When the processor begins.
    pub(super) begin: Instant,
    /// When it is done.
    pub(super) end: Instant,
    /// How many packets.
    pub(super) packets: u32,
}

impl Batch {
    /// The first packet of a batch comes.
    pub(super) fn begin(cpu: &Cpu, work: Duration, now: Instant) -> Batch {
        let (begin, end) = cpu.take(work, now);
        Batch {
            begin,
            end,
            packets: 1,
        }
    }

    /// Whether another packet may join, as nothing else has come to the processor since.
    pub(super) fn is_open(&self, cpu: &Cpu) -> bool {
        self.end == cpu.free()
    }

    /// Another packet joins. Those before it, the last of the link's, are done as late. Whether that
    /// moves the link's next delivery.
    pub(super) fn join(
        &mut self,
        cpu: &Cpu,
        work: Duration,
        now: Instant,
        link: &mut Common,
    ) -> bool {
        (_, self.end) = cpu.take(work, self.end);
        let arrival = self.arrival(now);
        // Some have been handed over, where the work takes no time.
        let before = link.ring.len().min(self.packets as usize);
        for packet in link.ring.iter_mut().rev().take(before) {
            packet.arrival = arrival;
        }
        self.packets += 1;
        before > 0 && before == link.ring.len()
    }
    /// A packet of the batch leaves when all of it is done.
    pub(super) fn depart(&self, packet: &Packet, now: Instant, link: &mut Common) -> Verdict {
        link.depart(self.arrival(now), packet)
    }

    fn arrival(&self, now: Instant) -> Moment {
        Moment {
            time: self.end,
            cause: now,
        }
    }
}
