//! The clock of a run: the present moment, and the events to come.

use crate::engine::{EventId, EventQueue};
use flowstart_control::Instant;
use flowstart_network::graph::LinkId;
use flowstart_network::moment::Moment;

/// An event of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Event {
    /// A link delivers its next packet.
    Delivery(LinkId),
    /// The timer of a flow's sender or receiver is due.
    Timer { flow: u32, receiver: bool },
    /// A write that has waited for another is due.
    DependentWrite,
    /// The next arrival of data is due.
    Arrival,
    /// The next wake of a web session is due.
    Web,
}

// Events are numbered: first the links, then the timers of flows, of which there may come more,
// then these.
const DEPENDENT_WRITE: EventId = EventId::MAX - 2;
const ARRIVAL: EventId = EventId::MAX - 1;
const WEB: EventId = EventId::MAX;

/// The present moment of a run and its future events.
pub(super) struct Clock {
    pub(super) now: Instant,
    /// When the event that is being handled was caused.
    cause: Instant,
    queue: EventQueue,
    links: EventId,
    /// Events handled so far.
    pub(super) events: u64,
    /// When the run is stopped.
    end: Instant,
}

impl Clock {
    /// The clock of a run with that many links.
    pub(super) fn new(links: usize, end: Instant) -> Clock {
        Clock {
            now: Instant::ZERO,
            cause: Instant::ZERO,
            queue: EventQueue::new(links),
            links: links as EventId,
            events: 0,
            end,
        }
    }

    /// The present moment.
    #[inline]
    pub(super) fn moment(&self) -> Moment {
        Moment {
            time: self.now,
            cause: self.cause,
        }
    }

    /// Advances to the next event, or to the end where that comes first. Timers of flows that are
    /// over are dropped when they come near.
    #[inline(always)]
    pub(super) fn advance(&mut self, is_over: impl Fn(u32) -> bool) -> Option<Event> {
        let links = self.links;
        let due = self
            .queue
            .peek(|event| event >= DEPENDENT_WRITE || !is_over((event - links) / 2))?;
        if due.moment.time > self.end {
            (self.now, self.cause) = (self.end, self.end);
            return None;
        }
        Moment {
            time: self.now,
            cause: self.cause,
        } = due.moment;
        self.events += 1;
        if due.event < links {
            return Some(Event::Delivery(due.event));
        }
        self.queue.pop();
        Some(match due.event {
            DEPENDENT_WRITE => Event::DependentWrite,
            ARRIVAL => Event::Arrival,
            WEB => Event::Web,
            timer => Event::Timer {
                flow: (timer - links) / 2,
                receiver: (timer - links) % 2 == 1,
            },
        })
    }

    /// A link delivers next at this moment.
    #[inline(always)]
    pub(super) fn set_delivery(&mut self, link: LinkId, next: Option<Moment>) {
        self.queue.set_link(link, next.unwrap_or(Moment::NEVER));
    }

    /// Schedules an event at `time` that the present one causes.
    pub(super) fn schedule(&mut self, event: Event, time: Instant) {
        let cause = self.now;
        self.schedule_at(event, Moment { time, cause });
    }

    /// Schedules an event.
    pub(super) fn schedule_at(&mut self, event: Event, moment: Moment) {
        let number = match event {
            Event::Delivery(link) => return self.set_delivery(link, Some(moment)),
            Event::Timer { flow, receiver } => self.links + 2 * flow + EventId::from(receiver),
            Event::DependentWrite => DEPENDENT_WRITE,
            Event::Arrival => ARRIVAL,
            Event::Web => WEB,
        };
        self.queue.push(moment, number);
    }

    /// The run is stopped at `time` at the latest.
    pub(super) fn end_by(&mut self, time: Instant) {
        self.end = self.end.min(time);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_come_back_as_they_were_scheduled_up_to_the_end() {
        let mut clock = Clock::new(2, Instant(9));
        let timer = |flow, receiver| Event::Timer { flow, receiver };
        let events = [
            Event::Web,
            timer(0, false),
            Event::Delivery(1),
            timer(7, true),
            Event::Arrival,
            Event::DependentWrite,
        ];
        for (event, time) in events.into_iter().zip(1..) {
            clock.schedule(event, Instant(time));
        }
        clock.schedule(timer(1, false), Instant(10));
        for (event, time) in events.into_iter().zip(1..) {
            assert_eq!(clock.advance(|_| false), Some(event));
            assert_eq!(clock.now, Instant(time));
            if event == Event::Delivery(1) {
                clock.set_delivery(1, None);
            }
        }
        assert_eq!(clock.advance(|_| false), None);
        assert_eq!((clock.now, clock.events), (Instant(9), 6));
    }

    #[test]
    fn far_off_timers_of_flows_that_are_over_are_dropped() {
        let mut clock = Clock::new(1, Instant::from_secs(9));
        for flow in 0..2 {
            let receiver = false;
            clock.schedule(Event::Timer { flow, receiver }, Instant::from_secs(1));
        }
        let (flow, receiver) = (1, false);
        let due = Some(Event::Timer { flow, receiver });
        assert_eq!(clock.advance(|flow| flow == 0), due);
        assert_eq!(clock.advance(|flow| flow == 0), None);
    }
}
