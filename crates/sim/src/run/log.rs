//! What is noted of a flow while it goes on: how far its writes have got.

use crate::flow_plan::FlowPlan;
use crate::record::flow::FlowLog;
use flowstart_control::Time;

/// A log for a flow that has not begun.
pub(super) fn new_log(plan: &FlowPlan) -> FlowLog {
    FlowLog {
        writes: vec![[None; 2]; plan.writes.len()],
        ..FlowLog::default()
    }
}

/// The first position beyond `position` at which a write or the whole transfer ends.
pub(super) fn next_due(plan: &FlowPlan, position: u64) -> u64 {
    let next = plan.writes.partition_point(|(_, end)| *end <= position);
    let write = plan.writes.get(next).map(|(_, end)| *end);
    let whole = plan.size.filter(|size| *size > position);
    write.or(whole).unwrap_or(u64::MAX)
}

/// Notes when each write has got as far as `position`; `stage` 0 is delivery, 1
/// acknowledgement.
pub(super) fn note_writes(
    plan: &FlowPlan,
    log: &mut FlowLog,
    stage: usize,
    position: u64,
    now: Time,
) {
    let next = &mut log.writes_done[stage];
    while plan
        .writes
        .get(*next)
        .is_some_and(|(_, end)| *end <= position)
    {
        log.writes[*next][stage] = Some(now);
        *next += 1;
    }
}
