//! The clock: an event queue in total order.
//!
//! Events are ordered by [`Moment`], that is by when they happen and then by when they
//! were caused, and where that is the same too by their number. So simultaneous events
//! happen in the order in which a simulator that schedules each of them would have
//! scheduled them, on every machine. The queue holds one entry per busy link and per
//! armed flow timer, never one per packet in flight.

mod event;
mod timer_wheel;

pub use event::{Due, EventId};

use flowstart_control::Time;
use flowstart_network::moment::Moment;
use timer_wheel::TimerWheel;

/// The queue of future events: a heap with four children a node, which touches half the
/// cache lines of a binary one when it is large and costs the same when it is small; and
/// beside it what is far off, which joins the heap when its time is near.
#[derive(Default)]
pub struct EventQueue {
    heap: Vec<Due>,
    wheel: TimerWheel,
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
        insert(&mut self.heap, moment, event);
    }

    /// Schedules an event that is likely to be far off, such as a timer.
    pub fn push_timer(&mut self, moment: Moment, event: EventId) {
        if let Err(near) = self.wheel.put(Due { moment, event }) {
            insert(&mut self.heap, near.moment, near.event);
        }
    }

    /// The next event, left in place: follow with [`pop`](Self::pop) or
    /// [`reschedule`](Self::reschedule). Of what was far off, `matters` is asked whether
    /// anybody still needs it when its time comes nearer.
    #[inline]
    pub fn peek(&mut self, matters: impl Fn(EventId) -> bool) -> Option<Due> {
        let near = self
            .heap
            .first()
            .is_some_and(|first| first.moment.time < self.wheel.from());
        if !near {
            self.look_further(matters);
        }
        self.heap.first().copied()
    }

    /// Where something of what is far off may come first, it joins the heap.
    #[cold]
    fn look_further(&mut self, matters: impl Fn(EventId) -> bool) {
        loop {
            let first = self.heap.first();
            let time = first.map_or(Time::MAX, |first| first.moment.time);
            let from = self.wheel.from();
            if time < from || from == Time::MAX {
                return;
            }
            let heap = &mut self.heap;
            self.wheel
                .advance(&matters, |due| insert(heap, due.moment, due.event));
        }
    }

    /// Removes the next event.
    pub fn pop(&mut self) {
        self.handled += 1;
        if let Some(last) = self.heap.pop() {
            if !self.heap.is_empty() {
                sink(&mut self.heap, last.moment, last.event);
            }
        }
    }

    /// Moves the next event to a later moment: a busy link's delivery, mostly, which
    /// would otherwise cost a removal and an insertion.
    #[inline]
    pub fn reschedule(&mut self, moment: Moment) {
        self.handled += 1;
        if let Some(first) = self.heap.first() {
            let event = first.event;
            sink(&mut self.heap, moment, event);
        }
    }

    /// Events handled so far.
    pub fn handled(&self) -> u64 {
        self.handled
    }
}

/// Puts an event in the place of the first of a heap, and then where it belongs. Its parts come in
/// registers: in one piece they would go through memory.
fn sink(heap: &mut [Due], moment: Moment, event: EventId) {
    let entry = Due { moment, event };
    let mut at = 0;
    loop {
        let first = at * CHILDREN + 1;
        let children = heap.len().min(first + CHILDREN);
        let Some(least) = (first..children).min_by_key(|child| heap[*child]) else {
            break;
        };
        if heap[least] >= entry {
            break;
        }
        heap[at] = heap[least];
        at = least;
    }
    heap[at] = entry;
}

/// Adds an event to a heap. Its parts come in registers, as for [`sink`].
fn insert(heap: &mut Vec<Due>, moment: Moment, event: EventId) {
    let due = Due { moment, event };
    let mut at = heap.len();
    heap.push(due);
    while at > 0 {
        let parent = (at - 1) / CHILDREN;
        if due >= heap[parent] {
            break;
        }
        heap[at] = heap[parent];
        at = parent;
    }
    heap[at] = due;
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
                prop_assert_eq!(queue.peek(|_| true), Some(due));
                queue.pop();
            }
            prop_assert_eq!(queue.peek(|_| true), None);
        }

        #[test]
        fn what_is_far_off_comes_in_its_turn(
            steps in prop::collection::vec((0u64..40, 0u64..1 << 20, any::<bool>()), 1..200)
        ) {
            let (mut a, mut b) = (EventQueue::new(), EventQueue::new());
            let mut now = 0;
            for (i, (scale, part, takes)) in (0..).zip(steps) {
                let m = moment((now + (part << scale >> 10), now));
                a.push_timer(m, i);
                b.push(m, i);
                if takes {
                    let due = a.peek(|_| true);
                    prop_assert_eq!(due, b.peek(|_| true));
                    now = due.map_or(now, |due| due.moment.time.0);
                    a.pop();
                    b.pop();
                }
            }
            while let Some(due) = b.peek(|_| true) {
                prop_assert_eq!(a.peek(|_| true), Some(due));
                a.pop();
                b.pop();
            }
            prop_assert_eq!(a.peek(|_| true), None);
        }

        #[test]
        fn what_is_far_off_and_nobody_needs_does_not_come_late(
            times in prop::collection::vec(1u64 << 22..1 << 32, 1..100)
        ) {
            let mut queue = EventQueue::new();
            for (i, time) in (0..).zip(&times) {
                queue.push_timer(moment((*time, 0)), i);
            }
            let mut came = Vec::new();
            while let Some(due) = queue.peek(|event| event % 2 == 0) {
                came.push(due.event);
                queue.pop();
            }
            came.sort_unstable();
            let needed: Vec<_> = (0..times.len() as EventId).filter(|i| i % 2 == 0).collect();
            prop_assert_eq!(came, needed);
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
                let due = a.peek(|_| true).unwrap();
                prop_assert_eq!(Some(due), b.peek(|_| true));
                let next = moment((due.moment.time.0 + later, cause));
                a.reschedule(next);
                b.pop();
                b.push(next, due.event);
            }
        }
    }
}
