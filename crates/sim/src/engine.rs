//! The clock: an event queue in total order.
//!
//! Events are ordered by [`Moment`], that is by when they happen and then by when they
//! were caused, and where that is the same too by their number. So simultaneous events
//! happen in the order in which a simulator that schedules each of them would have
//! scheduled them, on every machine. The queue holds one entry per link and per
//! armed flow timer, never one per packet in flight.

mod event;
mod timer_wheel;
mod tournament;

pub use event::{Due, EventId};

use flowstart_control::Instant;
use flowstart_network::moment::Moment;
use timer_wheel::TimerWheel;
use tournament::Tournament;

/// The queue of future events: the next delivery of every link; a heap with four children a node,
/// which touches half the cache lines of a binary one when it is large and costs the same when it
/// is small; and what is far off, which joins the heap when its time is near.
pub struct EventQueue {
    links: Tournament,
    heap: Vec<Due>,
    wheel: TimerWheel,
}

const CHILDREN: usize = 4;

impl EventQueue {
    /// A queue for that many links, whose events have the lowest numbers, and anything else.
    pub fn new(links: usize) -> EventQueue {
        EventQueue {
            links: Tournament::new(links),
            heap: Vec::new(),
            wheel: TimerWheel::default(),
        }
    }

    /// A link delivers next at `moment`, which is [`Moment::NEVER`] where nothing is on its way.
    #[inline(always)]
    pub fn set_link(&mut self, link: EventId, moment: Moment) {
        self.links.set(link, moment);
    }

    /// Schedules an event that is no link's and likely to be far off, such as a timer.
    pub fn push(&mut self, moment: Moment, event: EventId) {
        if let Err(near) = self.wheel.put(Due { moment, event }) {
            insert(&mut self.heap, near);
        }
    }

    /// The next event, left in place: follow with [`set_link`](Self::set_link) for a link's and
    /// with [`pop`](Self::pop) for any other. For an event that was far off, which is no link's,
    /// `matters` reports whether it is still needed when its time comes nearer.
    #[inline]
    pub fn peek(&mut self, matters: impl Fn(EventId) -> bool) -> Option<Due> {
        let mut first = self.nearest();
        if first.moment.time >= self.wheel.from() {
            self.look_further(matters);
            first = self.nearest();
        }
        (first.moment != Moment::NEVER).then_some(first)
    }

    /// The first of what is not far off.
    #[inline]
    fn nearest(&self) -> Due {
        let link = self.links.first();
        match self.heap.first() {
            Some(other) if *other < link => *other,
            _ => link,
        }
    }

    /// Where something of what is far off may come first, it joins the heap.
    #[cold]
    fn look_further(&mut self, matters: impl Fn(EventId) -> bool) {
        loop {
            let time = self.nearest().moment.time;
            let from = self.wheel.from();
            if time < from || from == Instant::MAX {
                return;
            }
            let heap = &mut self.heap;
            self.wheel.advance(&matters, |due| insert(heap, due));
        }
    }

    /// Removes the next event, which is no link's.
    pub fn pop(&mut self) {
        if let Some(last) = self.heap.pop()
            && !self.heap.is_empty()
        {
            sink(&mut self.heap, last);
        }
    }
}

/// Puts an event in the place of the first of a heap, and then where it belongs.
fn sink(heap: &mut [Due], entry: Due) {
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

/// Adds an event to a heap.
fn insert(heap: &mut Vec<Due>, due: Due) {
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
            time: Instant(time),
            cause: Instant(cause),
        }
    }

    /// What comes out of a queue whose first events are links', in the order in which it does.
    fn drain(queue: &mut EventQueue, links: EventId) -> Vec<Due> {
        let mut came = Vec::new();
        while let Some(due) = queue.peek(|_| true) {
            came.push(due);
            match due.event < links {
                true => queue.set_link(due.event, Moment::NEVER),
                false => queue.pop(),
            }
        }
        came
    }

    proptest! {
        #[test]
        fn events_come_out_by_time_then_cause_then_number(
            links in 0usize..5,
            scale in 0u32..30,
            moments in prop::collection::vec((0u64..20, 0u64..5), 5..200)
        ) {
            let mut queue = EventQueue::new(links);
            let mut expected = Vec::new();
            for (event, (time, cause)) in (0..).zip(moments) {
                let moment = moment((time << scale, cause));
                match (event as usize) < links {
                    true => queue.set_link(event, moment),
                    false => queue.push(moment, event),
                }
                expected.push(Due { moment, event });
            }
            expected.sort_unstable();
            prop_assert_eq!(drain(&mut queue, links as EventId), expected);
        }

        #[test]
        fn what_is_far_off_comes_in_its_turn(
            steps in prop::collection::vec((0u64..40, 0u64..1 << 20, any::<bool>()), 1..200)
        ) {
            let mut queue = EventQueue::new(0);
            let mut held = std::collections::BTreeSet::new();
            let mut now = 0;
            for (event, (scale, part, takes)) in (0..).zip(steps) {
                let moment = moment((now + (part << scale >> 10), now));
                queue.push(moment, event);
                held.insert(Due { moment, event });
                if takes {
                    let due = queue.peek(|_| true);
                    prop_assert_eq!(due, held.pop_first());
                    now = due.map_or(now, |due| due.moment.time.0);
                    queue.pop();
                }
            }
            prop_assert_eq!(drain(&mut queue, 0), held.into_iter().collect::<Vec<_>>());
        }

        #[test]
        fn what_is_far_off_and_nobody_needs_does_not_come_late(
            times in prop::collection::vec(1u64 << 22..1 << 32, 1..100)
        ) {
            let mut queue = EventQueue::new(0);
            for (i, time) in (0..).zip(&times) {
                queue.push(moment((*time, 0)), i);
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
    }
}
