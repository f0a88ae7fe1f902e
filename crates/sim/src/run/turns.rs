//! Turns of conversations: writes that wait until others have been delivered.

use super::log::WriteLog;
use super::simulation::{Simulation, TURN};
use crate::compile::Prepared;
use crate::flow_plan::FlowPlan;
use crate::workload::Arrival;
use flowstart_control::Time;
use flowstart_network::moment::Moment;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

/// A write that waits for another.
struct Wait {
    /// The place in the log of what it waits for, and its own.
    cause: usize,
    place: usize,
    flow: u32,
    pause: Time,
}

/// All writes that wait, and those of them that will be due.
#[derive(Default)]
pub(super) struct Turns {
    /// In the order of what they wait for.
    waits: Vec<Wait>,
    /// When each will be due of which that has been delivered, by its number.
    coming: BinaryHeap<Reverse<(Time, usize)>>,
}

impl Turns {
    pub(super) fn new(prepared: &Prepared, plans: &[FlowPlan], log: &WriteLog) -> Turns {
        let mut waits = Vec::new();
        let places = |flow: u32| {
            let kind = plans[flow as usize].kind;
            log.places(flow, kind, prepared.kinds[kind as usize].writes.len())
        };
        for (flow, plan) in (0..).zip(plans) {
            let writes = &prepared.kinds[plan.kind as usize].writes;
            for (number, write) in writes.iter().enumerate() {
                if let Some(cause) = write.when.cause() {
                    waits.push(Wait {
                        cause: places(cause.flow).start + cause.write as usize,
                        place: places(flow).start + number,
                        flow,
                        pause: cause.pause,
                    });
                }
            }
        }
        waits.sort_by_key(|wait| wait.cause);
        Turns {
            waits,
            coming: BinaryHeap::new(),
        }
    }

    /// Whether nothing waits for anything.
    pub(super) fn is_empty(&self) -> bool {
        self.waits.is_empty()
    }

    /// The numbers of those that wait for the writes at these places.
    fn waiting_for(&self, places: Range<usize>) -> Range<usize> {
        let before = |place| self.waits.partition_point(|wait| wait.cause < place);
        before(places.start)..before(places.end)
    }
}

impl Simulation<'_> {
    /// The writes at these places have been delivered.
    #[cold]
    pub(super) fn on_turn_delivered(&mut self, places: Range<usize>) {
        for number in self.turns.waiting_for(places) {
            let time = self.now + self.turns.waits[number].pause;
            self.turns.coming.push(Reverse((time, number)));
            let cause = self.now;
            self.queue.push(Moment { time, cause }, TURN);
        }
    }

    /// The next write that has waited is due.
    pub(super) fn on_turn(&mut self) {
        let Some(Reverse((_, number))) = self.turns.coming.pop() else {
            return;
        };
        let wait = &self.turns.waits[number];
        self.writes.records[wait.place].is_due = true;
        self.hand_over(wait.flow);
    }

    /// An application that has written at a time of its own goes on with what has waited and is due.
    pub(super) fn note_available(&mut self, flow: u32) {
        if let Some(place) = self.next_write(flow) {
            self.writes.records[place].available = self.now.into();
            self.hand_over(flow);
        }
    }

    /// The place of the first write of a flow that has not been handed over.
    fn next_write(&self, flow: u32) -> Option<usize> {
        let (plan, kind) = self.flow(flow);
        let places = self.writes.places(flow, plan.kind, kind.writes.len());
        let records = &self.writes.records[places.clone()];
        let next = records.partition_point(|noted| noted.available.is_some());
        places.clone().nth(next)
    }

    /// Hands over what is due of a flow, in order.
    fn hand_over(&mut self, flow: u32) {
        while let Some(place) = self.next_write(flow) {
            if !self.writes.records[place].is_due {
                return;
            }
            let (plan, kind) = self.flow(flow);
            let number = place - self.writes.places(flow, plan.kind, kind.writes.len()).start;
            let bytes = kind.bytes_of(number);
            self.writes.records[place].available = self.now.into();
            let start = &mut self.records[flow as usize].plan.start;
            if !start.is_some() {
                *start = self.now.into();
            }
            let at = self.now;
            self.take_in(Arrival { at, flow, bytes });
        }
    }
}
