//! Packets in the order of their time.
//!
//! Captures with several interfaces or receive queues are out of order by a few packets: a short
//! waiting room sets that right. More disorder than the room can hold is reported to the caller,
//! which then reads the file in pieces.

use std::collections::VecDeque;

/// Packets that wait for an earlier one. Enough for the queues of a network card, little enough for a processor's cache.
const ROOM: usize = 1024;

pub(crate) trait Timed {
    fn time(&self) -> u64;

    /// Whether both are of one direction of a connection, which a card captures in order.
    fn same_way(&self, _: &Self) -> bool {
        false
    }
}

/// The waiting room.
pub(crate) struct Order<T> {
    waiting: VecDeque<T>,
    left: u64,
    /// The furthest that a packet was before one of the same way that came earlier. ns
    set_back: u64,
}

/// The packet is earlier than one that has already left the room; it is handed back.
pub(crate) struct Late<T>(pub T);

impl<T: Timed> Order<T> {
    pub(crate) fn new() -> Self {
        Order {
            waiting: VecDeque::with_capacity(ROOM + 1),
            left: 0,
            set_back: 0,
        }
    }

    /// Takes a packet in and, when the room is full, lets the earliest out. Equal times keep their order.
    pub(crate) fn push(&mut self, item: T) -> Result<Option<T>, Late<T>> {
        let time = item.time();
        if time < self.left {
            return Err(Late(item));
        }
        match self.waiting.back() {
            Some(last) if last.time() > time => {
                let place = self.waiting.partition_point(|other| other.time() <= time);
                let mut later = self.waiting.range(place..).rev();
                let same = later.find(|other| other.same_way(&item));
                let step = same.map_or(0, |other| other.time() - time);
                self.set_back = self.set_back.max(step);
                self.waiting.insert(place, item);
            }
            _ => self.waiting.push_back(item),
        }
        Ok(if self.waiting.len() > ROOM {
            self.pop()
        } else {
            None
        })
    }

    /// The earliest packet waiting.
    pub(crate) fn pop(&mut self) -> Option<T> {
        let first = self.waiting.pop_front()?;
        self.left = first.time();
        Some(first)
    }

    /// The furthest that time went back within one direction of a connection. ns
    pub(crate) fn set_back(&self) -> u64 {
        self.set_back
    }

    /// Forgets everything, for a new start.
    pub(crate) fn clear(&mut self) {
        self.waiting.clear();
        self.left = 0;
    }
}

impl Timed for u64 {
    fn time(&self) -> u64 {
        *self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sorted(times: &[u64]) -> Option<Vec<u64>> {
        let mut order = Order::new();
        let mut out = Vec::new();
        for &time in times {
            out.extend(order.push(time).ok()?);
        }
        out.extend(std::iter::from_fn(|| order.pop()));
        Some(out)
    }

    proptest! {
        #[test]
        fn small_disorder_is_set_right(steps in prop::collection::vec((0u64..50, 0u64..1000), 0..5000)) {
            let mut now = 10_000;
            let times: Vec<u64> = steps.iter().map(|(step, back)| { now += step; now - back }).collect();
            if let Some(out) = sorted(&times) {
                let mut expected = times.clone();
                expected.sort_unstable();
                prop_assert_eq!(out, expected);
            }
        }
    }

    /// A time, and the direction of a connection.
    #[derive(Clone, Copy)]
    struct Way(u64, u8);

    impl Timed for Way {
        fn time(&self) -> u64 {
            self.0
        }

        fn same_way(&self, other: &Self) -> bool {
            self.1 == other.1
        }
    }

    #[test]
    fn a_step_of_the_clock_shows_within_a_direction_only() {
        let step = |ways: &[Way]| {
            let mut order = Order::new();
            ways.iter().for_each(|&way| drop(order.push(way)));
            order.set_back()
        };
        assert_eq!(step(&[Way(50, 1), Way(40, 2), Way(60, 2)]), 0);
        assert_eq!(step(&[Way(50, 1), Way(58, 1), Way(51, 2), Way(45, 1)]), 13);
    }

    #[test]
    fn large_disorder_is_reported() {
        let mut times: Vec<u64> = (5000..10_000).collect();
        times.push(1);
        assert!(sorted(&times).is_none());
    }
}
