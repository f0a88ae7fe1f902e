//! Which packets are out, by number: what of the stream each carries, and when it left.
//!
//! Numbers are given in the order of sending, so what is out is a queue: a packet is looked up by
//! its distance from the first, and every packet enters and leaves once. What is below the
//! largest acknowledged is judged at once, so the queue begins no more than a few packets below
//! it, however many ranges an acknowledgement repeats.

use super::super::segment::ByteRange;
use crate::narrow::{index, length};
use flowstart_control::Instant;
use std::collections::VecDeque;

/// A packet on its way.
#[derive(Clone, Copy, Debug)]
pub struct Packet {
    /// The first byte of the stream that it carries.
    pub start: u64,
    /// When it left.
    pub sent: Instant,
    len: u32,
    acknowledged: bool,
}

impl Packet {
    /// Bytes of the stream that it carries.
    fn len(&self) -> u64 {
        u64::from(self.len)
    }

    /// What it carries.
    pub fn plan(&self) -> ByteRange {
        ByteRange {
            start: self.start,
            end: self.start + self.len(),
        }
    }
}

/// The packets of one connection.
#[derive(Clone, Debug, Default)]
pub(super) struct Packets {
    /// The number of the first in the queue, which has not been acknowledged.
    first: u64,
    queue: VecDeque<Packet>,
    in_flight: u64,
    /// Bytes of a packet besides its payload that count as in flight.
    pub(super) header: u64,
    /// One past the largest number acknowledged.
    pub(super) acknowledged: u64,
    /// The first number of the present epoch.
    pub(super) epoch: u64,
    /// Room for what an acknowledgement reports for the first time.
    pub(super) fresh: Vec<(u64, u64)>,
}

/// A packet that is acknowledged for the first time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arrival {
    pub(super) packet: Packet,
    pub(super) number: u64,
    pub(super) in_epoch: bool,
}

impl Packets {
    /// Bytes that packets take.
    pub(super) fn bytes_held(&self) -> usize {
        self.queue.len() * size_of::<Packet>()
    }

    /// The number of the next packet.
    pub(super) fn next(&self) -> u64 {
        self.first + self.queue.len() as u64
    }

    /// The oldest on its way, or the next where none is: all before it are done with.
    pub(super) fn first(&self) -> u64 {
        self.first
    }

    /// bytes_in_flight, as far as they are counted.
    pub(super) fn in_flight(&self) -> u64 {
        self.in_flight
    }

    /// The next packet leaves. Returns its number.
    pub(super) fn send(&mut self, plan: ByteRange, now: Instant) -> u64 {
        let number = self.next();
        let len = plan.end - plan.start;
        self.in_flight += len + self.header;
        self.queue.push_back(Packet {
            start: plan.start,
            sent: now,
            len: length(len),
            acknowledged: false,
        });
        number
    }

    /// The packets numbered `[first, end)` have arrived; calls `newly` for each of which that
    /// was not known.
    pub(super) fn acknowledge(&mut self, first: u64, end: u64, mut newly: impl FnMut(Arrival)) {
        self.acknowledged = self.acknowledged.max(end);
        let (epoch, header) = (self.epoch, self.header);
        let mut arrive = |number: u64, packet: Packet| {
            newly(Arrival {
                packet,
                number,
                in_epoch: number >= epoch,
            });
            packet.len() + header
        };
        if first > self.first {
            for number in first..end.min(self.next()) {
                let packet = &mut self.queue[index(number - self.first)];
                if !packet.acknowledged {
                    packet.acknowledged = true;
                    self.in_flight -= arrive(number, *packet);
                }
            }
            return;
        }
        // Mostly it is the oldest that have arrived.
        while self.first < end {
            let Some(packet) = self.queue.pop_front() else {
                return;
            };
            if !packet.acknowledged {
                self.in_flight -= arrive(self.first, packet);
            }
            self.first += 1;
        }
        self.trim();
    }

    fn trim(&mut self) {
        while self.queue.front().is_some_and(|packet| packet.acknowledged) {
            self.queue.pop_front();
            self.first += 1;
        }
    }

    /// The oldest packet on its way, with its number.
    pub(super) fn oldest(&self) -> Option<(u64, Packet)> {
        self.queue.front().map(|packet| (self.first, *packet))
    }

    /// The oldest of those numbered `[first, end)` that carries data.
    pub(super) fn oldest_within(&self, first: u64, end: u64) -> Option<(u64, Packet)> {
        let numbers = first.max(self.first)..end.min(self.next());
        let mut packets = numbers.map(|n| (n, self.queue[index(n - self.first)]));
        packets.find(|(_, packet)| !packet.acknowledged && packet.len > 0)
    }

    /// The oldest packet is not on its way any more: it counts as lost.
    pub(super) fn lose_oldest(&mut self) -> Option<Packet> {
        let packet = self.queue.pop_front()?;
        self.first += 1;
        self.in_flight -= packet.len() + self.header;
        self.trim();
        Some(packet)
    }
}
