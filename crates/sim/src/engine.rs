//! The clock: an event queue in total order.
//!
//! Events are ordered by [`Moment`], that is by when they happen and then by when they
//! were caused, and where that is the same too by their number. So simultaneous events
//! happen in the order in which a simulator that schedules each of them would have
//! scheduled them, on every machine. The queue holds one entry per busy link and per
//! armed flow timer, never one per packet in flight.

use flowstart_control::Time;

/// What an event is about; the run gives the number its meaning.
pub type EventId = u32;

/// When an event happens, and when it was caused: a delivery by the beginning of its
/// transmission, a timer by its arming.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment {
    /// When it happens.
    pub time: Time,
    /// When it was caused.
    pub cause: Time,
}

/// A due event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Due {
    /// When.
    pub moment: Moment,
    /// What.
    pub event: EventId,
}

/// The queue of future events: a heap with four children a node, which touches half the
/// cache lines of a binary one when it is large and costs the same when it is small.
#[derive(Default)]
pub struct EventQueue {
    heap: Vec<Due>,
    handled: u64,
}

const CHILDREN: usize = 4;

impl EventQueue {
    /// An empty queue.
    pub fn new() -> EventQueue {
        EventQueue::default()
    }

    /// Schedules an event.
    pub fn push(&mut self, moment: Moment, event: EventId) {
        self.heap.push(Due { moment, event });
        self.sift_up(self.heap.len() - 1);
    }

    /// The next event, left in place: follow with [`pop`](Self::pop) or
    /// [`reschedule`](Self::reschedule).
    pub fn peek(&self) -> Option<Due> {
        self.heap.first().copied()
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

    /// Moves the next event to a later moment: a busy link's delivery, mostly, which
    /// would otherwise cost a removal and an insertion.
    pub fn reschedule(&mut self, moment: Moment) {
        self.handled += 1;
        self.heap[0].moment = moment;
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
            if entry >= self.heap[parent] {
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
                if self.heap[child] < self.heap[least] {
                    least = child;
                }
            }
            if self.heap[least] >= entry {
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

    fn moment((time, cause): (u64, u64)) -> Moment {
        Moment {
            time: Time(time),
            cause: Time(cause),
        }
    }

    proptest! {
        #[test]
        fn events_come_out_by_time_then_cause_then_number(
            moments in prop::collection::vec((0u64..20, 0u64..5), 1..200)
        ) {
            let mut queue = EventQueue::new();
            let mut expected = Vec::new();
            for (i, m) in moments.into_iter().enumerate() {
                queue.push(moment(m), i as EventId);
                expected.push(Due { moment: moment(m), event: i as EventId });
            }
            expected.sort_unstable();
            for due in expected {
                prop_assert_eq!(queue.peek(), Some(due));
                queue.pop();
            }
            prop_assert_eq!(queue.peek(), None);
        }

        #[test]
        fn rescheduling_equals_removing_and_inserting(
            moments in prop::collection::vec((0u64..20, 0u64..5), 1..100)
        ) {
            let (mut a, mut b) = (EventQueue::new(), EventQueue::new());
            for (i, m) in moments.iter().enumerate() {
                a.push(moment(*m), i as EventId);
                b.push(moment(*m), i as EventId);
            }
            for (later, cause) in moments {
                let due = a.peek().unwrap();
                prop_assert_eq!(Some(due), b.peek());
                let next = moment((due.moment.time.0 + later, cause));
                a.reschedule(next);
                b.pop();
                b.push(next, due.event);
            }
        }
    }
}
