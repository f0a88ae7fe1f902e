//! The clock: an event queue in total order.
//!
//! Events are ordered by `(time, stamp)`. A stamp is drawn when the cause of an event
//! occurs, so two events at the same nanosecond happen in the order in which they were
//! caused, on every machine. The queue holds one entry per busy link and per armed flow
//! timer, never one per packet in flight.

use flowstart_control::Time;

/// What an event is about; the run gives the number its meaning.
pub type EventId = u32;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entry {
    time: Time,
    stamp: u64,
    event: EventId,
}

impl Entry {
    fn before(&self, other: &Entry) -> bool {
        (self.time, self.stamp) < (other.time, other.stamp)
    }
}

/// A due event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Due {
    /// When.
    pub time: Time,
    /// Its place among the events of that moment.
    pub stamp: u64,
    /// What.
    pub event: EventId,
}

/// The queue of future events: a heap with four children a node, which touches half the
/// cache lines of a binary one when it is large and costs the same when it is small.
#[derive(Default)]
pub struct EventQueue {
    heap: Vec<Entry>,
    next_stamp: u64,
    handled: u64,
}

const CHILDREN: usize = 4;

impl EventQueue {
    /// An empty queue.
    pub fn new() -> EventQueue {
        EventQueue::default()
    }

    /// Draws the next stamp: call it when the cause of a future event occurs.
    pub fn stamp(&mut self) -> u64 {
        self.next_stamp += 1;
        self.next_stamp
    }

    /// Schedules an event whose cause was stamped earlier.
    pub fn push(&mut self, time: Time, stamp: u64, event: EventId) {
        self.heap.push(Entry { time, stamp, event });
        self.sift_up(self.heap.len() - 1);
    }

    /// The next event, left in place: follow with [`pop`](Self::pop) or
    /// [`reschedule`](Self::reschedule).
    pub fn peek(&self) -> Option<Due> {
        self.heap.first().map(|e| Due { time: e.time, stamp: e.stamp, event: e.event })
    }

    /// Removes the next event.
    pub fn pop(&mut self) {
        self.handled += 1;
        let last = self.heap.pop();
        if let (Some(last), Some(first)) = (last, self.heap.first_mut()) {
            *first = last;
            self.sift_down();
        }
    }

    /// Moves the next event to a later time: a busy link's delivery, mostly, which would
    /// otherwise cost a removal and an insertion.
    pub fn reschedule(&mut self, time: Time, stamp: u64) {
        self.handled += 1;
        let first = &mut self.heap[0];
        first.time = time;
        first.stamp = stamp;
        self.sift_down();
    }

    /// Events handled so far.
    pub fn handled(&self) -> u64 {
        self.handled
    }

    fn sift_up(&mut self, mut at: usize) {
        let entry = self.heap[at];
        while at > 0 {
            let parent = (at - 1) / CHILDREN;
            if !entry.before(&self.heap[parent]) {
                break;
            }
            self.heap[at] = self.heap[parent];
            at = parent;
        }
        self.heap[at] = entry;
    }

    fn sift_down(&mut self) {
        let entry = self.heap[0];
        let len = self.heap.len();
        let mut at = 0;
        loop {
            let first = at * CHILDREN + 1;
            if first >= len {
                break;
            }
            let mut least = first;
            for child in first + 1..(first + CHILDREN).min(len) {
                if self.heap[child].before(&self.heap[least]) {
                    least = child;
                }
            }
            if !self.heap[least].before(&entry) {
                break;
            }
            self.heap[at] = self.heap[least];
            at = least;
        }
        self.heap[at] = entry;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn events_come_out_by_time_and_then_by_cause(times in prop::collection::vec(0u64..50, 1..200)) {
            let mut queue = EventQueue::new();
            for (i, t) in times.iter().enumerate() {
                let stamp = queue.stamp();
                queue.push(Time(*t), stamp, i as EventId);
            }
            let mut expected: Vec<_> = times.iter().copied().enumerate().map(|(i, t)| (t, i)).collect();
            expected.sort_unstable();
            for (t, i) in expected {
                let due = queue.peek().unwrap();
                prop_assert_eq!((due.time.0, due.event as usize), (t, i));
                queue.pop();
            }
            prop_assert!(queue.peek().is_none());
        }

        #[test]
        fn rescheduling_equals_removing_and_inserting(times in prop::collection::vec((0u64..50, 1u64..50), 1..100)) {
            let (mut a, mut b) = (EventQueue::new(), EventQueue::new());
            for (i, (t, _)) in times.iter().enumerate() {
                let (sa, sb) = (a.stamp(), b.stamp());
                a.push(Time(*t), sa, i as EventId);
                b.push(Time(*t), sb, i as EventId);
            }
            for (_, later) in &times {
                let (da, db) = (a.peek().unwrap(), b.peek().unwrap());
                prop_assert_eq!(da, db);
                let (sa, sb) = (a.stamp(), b.stamp());
                a.reschedule(da.time + Time(*later), sa);
                b.pop();
                b.push(db.time + Time(*later), sb, db.event);
            }
        }
    }
}
