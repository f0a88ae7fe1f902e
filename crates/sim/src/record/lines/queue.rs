//! How many packets a queue holds, from what is heard of it: offers at once, departures late.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// Puts offers and departures of one queue into their order. It remembers the offers since the last
/// departure that is known: about as many as packets are on the link.
#[derive(Clone, Debug, Default)]
pub(super) struct QueueOrder {
    offers: VecDeque<Offer>,
    /// Evictions are heard of before departures at the same time.
    evicted: BinaryHeap<Reverse<u64>>,
    /// Packets accepted in all.
    accepted: u64,
    /// Those of them that had been at the last offer that is in order.
    accepted_in_order: u64,
    left: u64,
    /// The time of the last that is in order.
    now: u64,
}

#[derive(Clone, Copy, Debug)]
struct Offer {
    at: u64,
    held: u64,
    accepted: u64,
}

impl Offer {
    /// The queue has accepted what it holds and what has left it; so which packets left before an
    /// offer follows from their number, also where both happen at the same time.
    fn left_before(&self) -> u64 {
        self.accepted.saturating_sub(self.held)
    }
}

impl QueueOrder {
    /// The queue was offered a packet and holds so many then.
    pub(super) fn offer(&mut self, at: u64, held: u64, dropped: bool) {
        self.accepted += u64::from(!dropped);
        self.offers.push_back(Offer {
            at,
            held,
            accepted: self.accepted,
        });
    }

    /// A packet was evicted.
    pub(super) fn evict(&mut self, at: u64) {
        self.evicted.push(Reverse(at));
    }

    /// A packet has left to be transmitted. What is in order now goes to `tell` with its time: so
    /// many packets are held from then on.
    pub(super) fn depart(&mut self, at: u64, tell: &mut impl FnMut(u64, u64)) {
        while self.evicted.peek().is_some_and(|first| first.0 <= at) {
            self.leave_first_evicted(tell);
        }
        self.leave(at, tell);
    }

    /// Nothing more will be heard of.
    pub(super) fn finish(&mut self, tell: &mut impl FnMut(u64, u64)) {
        while !self.evicted.is_empty() {
            self.leave_first_evicted(tell);
        }
        self.put_in_order(u64::MAX, tell);
    }

    fn leave_first_evicted(&mut self, tell: &mut impl FnMut(u64, u64)) {
        if let Some(Reverse(at)) = self.evicted.pop() {
            self.leave(at, tell);
        }
    }

    fn leave(&mut self, at: u64, tell: &mut impl FnMut(u64, u64)) {
        self.left += 1;
        self.put_in_order(self.left, tell);
        self.now = self.now.max(at);
        // One that finds the queue empty leaves it as it comes.
        tell(self.now, self.accepted_in_order.saturating_sub(self.left));
    }

    /// The offers before the departure of this number are in order.
    fn put_in_order(&mut self, departure: u64, tell: &mut impl FnMut(u64, u64)) {
        while let Some(offer) = self.offers.front().filter(|o| o.left_before() < departure) {
            self.now = self.now.max(offer.at);
            self.accepted_in_order = offer.accepted;
            tell(self.now, offer.held);
            self.offers.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn departures_that_are_heard_of_late_come_into_their_places() {
        let mut order = QueueOrder::default();
        let mut steps = Vec::new();
        let mut tell = |at, held| steps.push((at, held));
        for (at, held) in [(0, 0), (1, 1), (2, 2), (13, 2)] {
            order.offer(at, held, false);
        }
        order.depart(0, &mut tell);
        order.depart(10, &mut tell);
        order.depart(20, &mut tell);
        order.finish(&mut tell);
        let expected = [(0, 0), (0, 0), (1, 1), (2, 2), (10, 1), (13, 2), (20, 1)];
        assert_eq!(steps, expected);
    }

    #[test]
    fn no_more_offers_are_kept_than_packets_are_on_the_link() {
        let mut order = QueueOrder::default();
        for at in 0..10_000 {
            order.offer(at, 5, false);
            if at >= 100 {
                order.depart(at - 100, &mut |_, _| ());
            }
            assert!(order.offers.len() <= 110);
        }
    }
}
