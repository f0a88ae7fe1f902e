//! Packets in order of arrival: what most disciplines keep.

use super::buffer::Backlog;
use super::discipline::{Contents, Queued};
use flowstart_control::Instant;
use flowstart_wire::Packet;
use std::collections::VecDeque;

/// A waiting line that counts what it holds.
#[derive(Clone, Debug, Default)]
pub struct Line {
    packets: VecDeque<Queued>,
    backlog: Backlog,
    marked: Backlog,
}

impl Line {
    /// A packet joins the line.
    pub fn push(&mut self, packet: Packet, now: Instant) {
        self.backlog.add(packet.wire);
        if packet.tags.startup_excess {
            self.marked.add(packet.wire);
        }
        let since = now;
        self.packets.push_back(Queued { packet, since });
    }

    /// Removes the first packet.
    pub fn pop(&mut self) -> Option<Queued> {
        let first = self.packets.pop_front()?;
        self.forget(&first.packet);
        Some(first)
    }

    /// The packet at a position leaves.
    pub fn remove(&mut self, position: usize) -> Option<Queued> {
        let queued = self.packets.remove(position)?;
        self.forget(&queued.packet);
        Some(queued)
    }

    fn forget(&mut self, packet: &Packet) {
        self.backlog.take(packet.wire);
        if packet.tags.startup_excess {
            self.marked.take(packet.wire);
        }
    }

    /// When the first packet came.
    pub fn oldest(&self) -> Option<Instant> {
        self.packets.front().map(|first| first.since)
    }

    /// What of it is marked as startup packets to be dropped first.
    pub fn marked(&self) -> Backlog {
        self.marked
    }

    /// Place of the newest of those.
    pub fn newest_marked(&self) -> Option<usize> {
        if self.marked.packets == 0 {
            return None;
        }
        let marked = |p: &Queued| p.packet.tags.startup_excess;
        self.packets.iter().rposition(marked)
    }

    /// Place of the n-th of them, counted from 0.
    pub fn marked_at(&self, n: u64) -> Option<usize> {
        let marked = |(at, p): (usize, &Queued)| p.packet.tags.startup_excess.then_some(at);
        let mut all = self.packets.iter().enumerate().filter_map(marked);
        all.nth(n as usize)
    }

    /// The packets, first to last.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Packet> {
        self.packets.iter().map(|p| &p.packet)
    }

    /// The packet at a position.
    pub fn get(&self, position: usize) -> Option<&Packet> {
        self.packets.get(position).map(|p| &p.packet)
    }
}

impl Contents for Line {
    fn backlog(&self) -> Backlog {
        self.backlog
    }

    fn last_wire(&self) -> u32 {
        self.packets.back().map_or(0, |p| p.packet.wire)
    }

    fn waiting(&self) -> Box<dyn Iterator<Item = &Packet> + '_> {
        Box::new(self.iter())
    }
}
