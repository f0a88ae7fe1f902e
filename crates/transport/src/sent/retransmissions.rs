//! Retransmissions on their way, in the order of their sending: what a detector by time needs
//! (RFC 8985), and nothing else keeps.
//!
//! An index by position finds those that an arrival answers, so that neither the queue nor the
//! arrivals are walked through.

use super::arrivals::Sending;
use crate::narrow::index;
use flowstart_control::Instant;
use std::collections::VecDeque;

/// A retransmission.
#[derive(Clone, Copy, Debug)]
pub struct Retransmission {
    /// Its first byte.
    pub start: u64,
    /// One past its last byte.
    pub end: u64,
    /// When it left.
    pub sent: Instant,
    order: u64,
    /// It repeats what counts as lost; a probe may repeat what does not.
    of_lost: bool,
    /// Neither has it arrived nor is it lost.
    out: bool,
}

impl Retransmission {
    /// Whether it is known to have left before a sending that has arrived. Where both left
    /// together, positions do not show: new data may have left before what it is ahead of,
    /// at the sight of an earlier one of several acknowledgements that came at once.
    pub fn left_before(&self, newest: &Sending) -> bool {
        let together = self.sent == newest.sent;
        self.sent < newest.sent || together && newest.again && self.order < newest.order
    }
}

/// The retransmissions of one connection.
#[derive(Clone, Debug, Default)]
pub(super) struct Retransmissions {
    /// The first of it is out.
    queue: VecDeque<Retransmission>,
    /// The order of the first in the queue.
    first: u64,
    /// Start and order of those that are out, sorted.
    by_start: VecDeque<(u64, u64)>,
    /// No retransmission was longer.
    longest: u64,
    /// How many that are out repeat what counts as lost.
    of_lost: usize,
}

impl Retransmissions {
    /// Bytes that they take.
    pub(super) fn bytes_held(&self) -> usize {
        self.queue.len() * size_of::<Retransmission>()
            + self.by_start.len() * size_of::<(u64, u64)>()
    }

    /// `[start, end)` is sent again.
    pub(super) fn push(&mut self, start: u64, end: u64, sent: Instant, of_lost: bool) {
        let order = self.first + self.queue.len() as u64;
        let at = self.by_start.partition_point(|(s, _)| *s <= start);
        self.by_start.insert(at, (start, order));
        self.longest = self.longest.max(end - start);
        self.of_lost += usize::from(of_lost);
        self.queue.push_back(Retransmission {
            start,
            end,
            sent,
            order,
            of_lost,
            out: true,
        });
    }

    /// The one that left first of those that are out.
    pub(super) fn oldest(&self) -> Option<&Retransmission> {
        self.queue.front()
    }

    /// It is not on its way any more.
    pub(super) fn remove_oldest(&mut self) -> Option<Retransmission> {
        let oldest = self.oldest().copied()?;
        let key = (oldest.start, oldest.order);
        let at = self.by_start.partition_point(|other| *other < key);
        self.remove(at);
        Some(oldest)
    }

    /// Something of `[start, end)` has arrived: what repeated any of it is not on its way any
    /// more. Returns, of those that left no later than `until`, the last and the highest.
    pub(super) fn arrived(
        &mut self,
        (start, end): (u64, u64),
        until: Instant,
    ) -> (Option<Sending>, Option<Sending>) {
        let (mut newest, mut highest) = (None, None);
        let mut at = self.by_start.partition_point(|(s, _)| *s < end);
        while let Some((from, order)) = at.checked_sub(1).map(|below| self.by_start[below]) {
            if from + self.longest <= start {
                break;
            }
            at -= 1;
            let again = self.queue[index(order - self.first)];
            if again.end > start {
                let sending = Sending {
                    sent: again.sent,
                    end: again.end,
                    again: true,
                    order,
                };
                if again.sent <= until {
                    newest = newest.max(Some(sending));
                    highest = highest.or(Some(sending));
                }
                self.remove(at);
            }
        }
        (newest, highest)
    }

    /// Takes away the one at this place of the index.
    fn remove(&mut self, at: usize) {
        let Some((_, order)) = self.by_start.remove(at) else {
            return;
        };
        let again = &mut self.queue[index(order - self.first)];
        again.out = false;
        self.of_lost -= usize::from(again.of_lost);
        while self.queue.front().is_some_and(|again| !again.out) {
            self.queue.pop_front();
            self.first += 1;
        }
    }

    /// When the last that holds the byte at `una`, below which none is out, left, if one is out.
    pub(super) fn head_left(&self, una: u64) -> Option<Instant> {
        let first = self.by_start.iter().take_while(|(start, _)| *start <= una);
        let holding = first.map(|(_, order)| self.queue[index(order - self.first)]);
        let holding = holding.filter(|again| again.end > una);
        holding.map(|again| again.sent).max()
    }

    /// What counted as lost does not any more.
    pub(super) fn repeat_no_losses(&mut self) {
        self.queue
            .iter_mut()
            .for_each(|again| again.of_lost = false);
        self.of_lost = 0;
    }

    /// Whether one that is out repeats what counts as lost.
    pub(super) fn repeat_losses(&self) -> bool {
        self.of_lost > 0
    }

    /// How many are out, and how many of them repeat what counts as lost.
    pub(super) fn count(&self) -> (usize, usize) {
        (self.by_start.len(), self.of_lost)
    }

    /// None is on its way any more.
    pub(super) fn clear(&mut self) {
        self.first += self.queue.len() as u64;
        self.queue.clear();
        self.by_start.clear();
        self.of_lost = 0;
    }
}
