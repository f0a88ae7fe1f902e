//! The bare loop: the events that one flow cannot do without, and nothing else.
//!
//! It is the measure of the workloads: what a simulator of packets could be on the machine it
//! runs on if all that TCP and a network do were free. So a ratio to it, measured in the same
//! sitting, tells more than packets per second, which differ from machine to machine.
//!
//! What it does for each packet of a flow over one link and back:
//! - an event at its departure: the next packet is sent if a fixed window has room for it;
//! - a ring of what is in flight, which it joins at its departure and leaves at its arrival;
//! - an event at its arrival; every other one sends an acknowledgement into a ring of its own;
//! - half an event at the sender for that acknowledgement, which makes room in the window.
//!
//! The events are in the standard library's binary heap, at most one of each kind, as one per link
//! is enough where packets keep their order. They come out by time and then in the order in which
//! they were scheduled, as in every simulator that does the same thing twice. (With ties broken by
//! the kind of the event, which only so small a loop can do, it is up to twice as fast.)
//!
//! What it does not do: no segments, no sequence numbers beyond a count, no SACK, no losses, no
//! retransmissions or timers, no congestion control, no rounding of times, no checks of a buffer,
//! no records, no second flow, no second hop, and no choice of any of these at run time.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// The flow and its path; one link there and one back, of the same delay.
#[derive(Clone, Copy, Debug)]
pub struct BareFlow {
    /// How many packets are sent.
    pub packets: u64,
    /// How many of them may be sent and not yet acknowledged.
    pub window: u64,
    /// The time a packet takes to be put on the link, in nanoseconds.
    pub serialization: u64,
    /// The propagation delay in each direction, in nanoseconds.
    pub delay: u64,
}

/// What the loop did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Packets that arrived.
    pub arrived: u64,
    /// Events handled.
    pub events: u64,
    /// When the last event happened, in nanoseconds.
    pub end: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    Departure,
    Arrival,
    Ack,
}

/// What is on a link.
struct InFlight {
    arrives: u64,
    /// How many packets the sender had sent with this one; in an acknowledgement, with the
    /// latest that it acknowledges.
    count: u64,
}

/// Runs the flow until everything is acknowledged.
pub fn run(flow: BareFlow) -> Counts {
    let mut bare = Loop::new(flow);
    bare.send(0);
    while let Some(Reverse((now, _, event))) = bare.events.pop() {
        bare.counts.events += 1;
        bare.counts.end = now;
        match event {
            Event::Departure => bare.depart(now),
            Event::Arrival => bare.arrive(now),
            Event::Ack => bare.acknowledge(now),
        }
    }
    bare.counts
}

struct Loop {
    flow: BareFlow,
    /// By time and number.
    events: BinaryHeap<Reverse<(u64, u64, Event)>>,
    scheduled: u64,
    forward: VecDeque<InFlight>,
    back: VecDeque<InFlight>,
    transmits: bool,
    sent: u64,
    acknowledged: u64,
    counts: Counts,
}

impl Loop {
    fn new(flow: BareFlow) -> Loop {
        Loop {
            flow,
            events: BinaryHeap::new(),
            scheduled: 0,
            forward: VecDeque::new(),
            back: VecDeque::new(),
            transmits: false,
            sent: 0,
            acknowledged: 0,
            counts: Counts::default(),
        }
    }

    fn schedule(&mut self, time: u64, event: Event) {
        self.events.push(Reverse((time, self.scheduled, event)));
        self.scheduled += 1;
    }

    /// Begins the transmission of the next packet, if there is one and the window has room.
    fn send(&mut self, now: u64) {
        let room = self.sent - self.acknowledged < self.flow.window;
        self.transmits = self.sent < self.flow.packets && room;
        if self.transmits {
            self.sent += 1;
            self.schedule(now + self.flow.serialization, Event::Departure);
        }
    }

    fn depart(&mut self, now: u64) {
        let arrives = now + self.flow.delay;
        if self.forward.is_empty() {
            self.schedule(arrives, Event::Arrival);
        }
        let count = self.sent;
        self.forward.push_back(InFlight { arrives, count });
        self.send(now);
    }

    fn arrive(&mut self, now: u64) {
        let packet = self.forward.pop_front().expect("a packet that arrives");
        if let Some(arrives) = self.forward.front().map(|next| next.arrives) {
            self.schedule(arrives, Event::Arrival);
        }
        self.counts.arrived += 1;
        if self.counts.arrived.is_multiple_of(2) || self.counts.arrived == self.flow.packets {
            self.return_ack(now, packet.count);
        }
    }

    fn return_ack(&mut self, now: u64, count: u64) {
        let arrives = now + self.flow.delay;
        if self.back.is_empty() {
            self.schedule(arrives, Event::Ack);
        }
        self.back.push_back(InFlight { arrives, count });
    }

    fn acknowledge(&mut self, now: u64) {
        let ack = self.back.pop_front().expect("an ACK that arrives");
        if let Some(arrives) = self.back.front().map(|next| next.arrives) {
            self.schedule(arrives, Event::Ack);
        }
        self.acknowledged = ack.count;
        if !self.transmits {
            self.send(now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FLOW: BareFlow = BareFlow {
        packets: 1001,
        window: 1000,
        serialization: 10,
        delay: 5000,
    };

    #[test]
    fn a_packet_is_two_and_a_half_events() {
        let counts = run(FLOW);
        assert_eq!(counts.arrived, 1001);
        assert_eq!(counts.events, 1001 * 2 + 501);
    }

    #[test]
    fn a_wide_window_keeps_the_link_busy() {
        // The first acknowledgement is sent as the second packet arrives, and finds the link busy.
        let wide = BareFlow {
            window: 1004,
            ..FLOW
        };
        assert_eq!(run(wide).end, 1001 * 10 + 2 * 5000);
    }

    #[test]
    fn a_narrow_window_waits_for_its_acknowledgements() {
        let narrow = BareFlow {
            packets: 6,
            window: 2,
            ..FLOW
        };
        assert_eq!(run(narrow).end, 3 * (2 * 10 + 2 * 5000));
    }
}
