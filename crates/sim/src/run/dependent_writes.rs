//! Writes of conversations that wait for the delivery of others.

use crate::compile::Prepared;
use crate::flow_plan::FlowPlan;
use crate::record::write_log::WriteLog;
use flowstart_control::{Duration, Instant};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

/// A write that waits for another.
#[derive(Clone, Copy)]
pub(super) struct Wait {
    /// The place in the log of what it waits for, and its own.
    cause: usize,
    pub(super) place: usize,
    pub(super) flow: u32,
    pause: Duration,
}

/// All writes that wait, and those of them that will be due.
pub(super) struct DependentWrites {
    /// In the order of what they wait for.
    waits: Vec<Wait>,
    /// When each will be due of which that has been delivered, by its number.
    coming: BinaryHeap<Reverse<(Instant, usize)>>,
}

impl DependentWrites {
    /// The writes of these flows that wait for others.
    pub(super) fn new(prepared: &Prepared, plans: &[FlowPlan], log: &WriteLog) -> DependentWrites {
        let mut waits = Vec::new();
        let places = |flow: u32| log.places(flow, plans[flow as usize].kind);
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
        DependentWrites {
            waits,
            coming: BinaryHeap::new(),
        }
    }

    /// Whether nothing waits for anything.
    pub(super) fn is_empty(&self) -> bool {
        self.waits.is_empty()
    }

    /// The writes at these places have been delivered: when what waits for them will be due.
    pub(super) fn delivered(&mut self, places: Range<usize>, now: Instant) -> Vec<Instant> {
        let before = |place| self.waits.partition_point(|wait| wait.cause < place);
        let waiting = before(places.start)..before(places.end);
        let due = waiting.map(|number| (now + self.waits[number].pause, number));
        let due: Vec<(Instant, usize)> = due.collect();
        self.coming.extend(due.iter().copied().map(Reverse));
        due.into_iter().map(|(time, _)| time).collect()
    }

    /// The next that is due.
    pub(super) fn take_due(&mut self) -> Option<Wait> {
        let Reverse((_, number)) = self.coming.pop()?;
        Some(self.waits[number])
    }
}
