//! What a queue discipline is asked, for disciplines that decide at departure or throw
//! out what they have accepted. Drop-tail decides on acceptance and needs none of this.

use super::{Backlog, DropTail};
use crate::tcp::segment::Segment;
use flowstart_control::{Rate, Time};
use rand_pcg::Pcg64Mcg;
use std::collections::VecDeque;

/// What a discipline may know of its link from the beginning.
#[derive(Clone, Debug)]
pub struct Port {
    /// The rate of the line; `None` transmits in no time.
    pub rate: Option<Rate>,
    /// Its propagation.
    pub delay: Time,
    /// Bytes of a full-size packet.
    pub packet: u32,
    /// A random stream of this queue's own.
    pub random: Pcg64Mcg,
}

/// A packet that waits.
#[derive(Clone, Copy, Debug)]
pub struct Queued {
    /// The packet.
    pub segment: Segment,
    /// When it came.
    pub since: Time,
}

/// A packet that was accepted and thrown out later.
#[derive(Clone, Copy, Debug)]
pub struct ThrownOut {
    /// The packet.
    pub segment: Segment,
    /// When.
    pub at: Time,
}

/// A discipline's view of its link at one moment.
pub struct Visit<'a> {
    /// The moment: of the arrival, or of the departure.
    pub now: Time,
    /// Since when there has been nothing to transmit; `None` while there is.
    pub idle_since: Option<Time>,
    /// What is being transmitted.
    pub in_service: Backlog,
    /// The size of the buffer.
    pub buffer: DropTail,
    /// Where packets go that are thrown out.
    pub thrown_out: &'a mut VecDeque<ThrownOut>,
}

impl Visit<'_> {
    /// Whether a packet of `wire` bytes fits beside what waits.
    pub fn has_room(&self, waiting: Backlog, wire: u32) -> bool {
        self.buffer
            .admits(waiting, self.in_service, u64::from(wire))
    }

    /// Throws out a packet that had been accepted.
    pub fn throw_out(&mut self, segment: Segment) {
        self.thrown_out.push_back(ThrownOut {
            segment,
            at: self.now,
        });
    }
}

/// A queue discipline. It holds the packets that wait.
///
/// Both calls come in order of time, but a departure is worked out only when someone
/// next looks at the link. So `now` is what counts, and a discipline with a clock of its
/// own (PIE's `T_UPDATE`) catches up in both calls.
pub trait Discipline: Send {
    /// A packet comes: accepts it, or says `false`. It may throw out others.
    fn enqueue(&mut self, segment: Segment, visit: &mut Visit<'_>) -> bool;

    /// The transmitter is free: the packet that leaves now, which may be altered, or
    /// nothing where there is none left.
    fn dequeue(&mut self, visit: &mut Visit<'_>) -> Option<Queued>;

    /// What it holds: mostly its one [`Line`](super::Line).
    fn contents(&self) -> &dyn Contents;
}

/// The packets that wait in a discipline.
pub trait Contents {
    /// How much they are.
    fn backlog(&self) -> Backlog;

    /// Bytes of the packet that would leave last.
    fn last_wire(&self) -> u32;

    /// All of them, in any order.
    fn waiting(&self) -> Box<dyn Iterator<Item = &Segment> + '_>;
}
