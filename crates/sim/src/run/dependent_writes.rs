//! Writes that have waited for others reach their connections.

use super::simulation::{Simulation, DEPENDENT_WRITE};
use crate::workload::Arrival;
use flowstart_network::moment::Moment;
use std::ops::Range;

impl Simulation<'_> {
    /// The writes at these places have been delivered.
    #[cold]
    pub(super) fn on_dependency_delivered(&mut self, places: Range<usize>) {
        let cause = self.now;
        for time in self.dependencies.delivered(places, cause) {
            self.queue.push(Moment { time, cause }, DEPENDENT_WRITE);
        }
    }

    /// The next write that has waited is due.
    pub(super) fn on_dependent_write(&mut self) {
        let Some(wait) = self.dependencies.take_due() else {
            return;
        };
        self.recorders.writes.records[wait.place].is_due = true;
        self.hand_over(wait.flow);
    }

    /// An application that has written at a separate time continues with what has waited and is
    /// due.
    pub(super) fn note_available(&mut self, flow: u32) {
        if let Some(place) = self.next_write(flow) {
            self.recorders.writes.records[place].available = self.now.into();
            self.hand_over(flow);
        }
    }

    /// The place of the first write of a flow that has not been handed over.
    fn next_write(&self, flow: u32) -> Option<usize> {
        let (plan, kind) = self.flow(flow);
        let places = self
            .recorders
            .writes
            .places(flow, plan.kind, kind.writes.len());
        let records = &self.recorders.writes.records[places.clone()];
        let next = records.partition_point(|noted| noted.available.is_some());
        places.clone().nth(next)
    }

    /// Hands over what is due of a flow, in order.
    fn hand_over(&mut self, flow: u32) {
        while let Some(place) = self.next_write(flow) {
            if !self.recorders.writes.records[place].is_due {
                return;
            }
            let (plan, kind) = self.flow(flow);
            let number = place
                - self
                    .recorders
                    .writes
                    .places(flow, plan.kind, kind.writes.len())
                    .start;
            let bytes = kind.bytes_of(number);
            self.recorders.writes.records[place].available = self.now.into();
            let start = &mut self.records[flow as usize].plan.start;
            if !start.is_some() {
                *start = self.now.into();
            }
            let at = self.now;
            self.take_in(Arrival { at, flow, bytes });
        }
    }
}
