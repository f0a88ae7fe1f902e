//! How far the data of flows has got: what is due to be noted next, and when writes were done.

use crate::compile::Prepared;
use crate::flow_plan::{FlowKind, FlowPlan};
use crate::maybe_time::MaybeTime;
use crate::record::flow::TransferRow;
use crate::record::flow_record::FlowRecord;
use flowstart_control::Time;

/// The first position beyond `position` at which a write or the whole transfer ends.
pub(super) fn next_due(plan: &FlowPlan, kind: &FlowKind, position: u64) -> u64 {
    let next = kind.writes.partition_point(|(_, end)| *end <= position);
    let write = kind.writes.get(next).map(|(_, end)| *end);
    let whole = plan.size().filter(|size| *size > position);
    write.or(whole).unwrap_or(u64::MAX)
}

/// Notes when each write has got as far as `position`; `stage` 0 is delivery, 1
/// acknowledgement.
pub(super) fn note_writes(
    writes: &[(Time, u64)],
    times: &mut [[MaybeTime; 2]],
    stage: usize,
    position: u64,
    now: Time,
) {
    let next = times.partition_point(|times| times[stage].is_some());
    let done = writes.partition_point(|(_, end)| *end <= position);
    for times in times.iter_mut().take(done).skip(next) {
        times[stage] = now.into();
    }
}

/// When the writes of flows that have several were delivered, and when acknowledged. These are
/// flows of entries, so those of a kind have numbers in a row.
pub(super) struct WriteLog {
    times: Vec<[MaybeTime; 2]>,
    /// For each kind: its first flow, and where the times of that begin.
    begins: Vec<(u32, usize)>,
}

impl WriteLog {
    pub(super) fn new(prepared: &Prepared) -> WriteLog {
        let (mut flows, mut writes) = (0, 0);
        let mut begins = Vec::with_capacity(prepared.flows.len());
        for entry in &prepared.flows {
            begins.push((flows, writes));
            let kind = &prepared.kinds[entry.template.kind as usize];
            flows += entry.count as u32;
            writes += entry.count as usize * kind.writes.len();
        }
        WriteLog {
            times: vec![[MaybeTime::NONE; 2]; writes],
            begins,
        }
    }

    /// The times of a flow with so many writes, whose kind has this number.
    pub(super) fn of(&mut self, flow: u32, kind: u32, writes: usize) -> &mut [[MaybeTime; 2]] {
        let (first, begin) = self.begins[kind as usize];
        let begin = begin + (flow - first) as usize * writes;
        &mut self.times[begin..begin + writes]
    }

    /// One row for each of them.
    pub(super) fn rows(&self, records: &[FlowRecord], kinds: &[FlowKind]) -> Vec<TransferRow> {
        let mut rows = Vec::with_capacity(self.times.len());
        let mut times = self.times.iter();
        if times.len() == 0 {
            return rows;
        }
        for (flow, record) in (0..).zip(records) {
            let mut before = 0;
            let writes = &kinds[record.plan.kind as usize].writes;
            for ((number, (at, end)), [delivered, acked]) in (0..).zip(writes).zip(&mut times) {
                rows.push(TransferRow {
                    flow,
                    transfer: number,
                    available_s: (record.plan.start + *at).secs(),
                    bytes: end - before,
                    delivered_s: delivered.get().map(Time::secs),
                    acked_s: acked.get().map(Time::secs),
                });
                before = *end;
            }
        }
        rows
    }
}
