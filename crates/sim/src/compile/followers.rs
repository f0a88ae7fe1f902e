//! What waits for a flow: flows that open when its startup has ended, and the end of the run.

use crate::flow_plan::{AfterFlow, FlowKind};
use crate::spec::{RequestError, Scenario, out_of_range};
use crate::workload::FlowEntry;

/// Checks the flows that others open after, which are named by their entries, and has them named by
/// their numbers instead. Each entry has the kind at its place.
pub(super) fn check(entries: &[FlowEntry], kinds: &mut [FlowKind]) -> Result<(), RequestError> {
    for (number, kind) in kinds.iter().enumerate() {
        let Some(after) = kind.start_after else {
            continue;
        };
        let field = format!("flows[{number}]");
        let count = entries[number].count;
        if count != 1 {
            let problem = format!("`{count}` flows would open at once; give 1 with `start_after`");
            return Err(RequestError::new(format!("{field}.count"), problem));
        }
        check_flow(&format!("{field}.start_after.flow"), after.flow, entries)?;
    }
    refuse_circles(kinds)?;
    for kind in kinds {
        if let Some(after) = &mut kind.start_after {
            after.flow = number_of(after.flow, entries);
        }
    }
    Ok(())
}

/// After which flow the run ends, and how long.
pub(super) fn end_after(
    scenario: &Scenario,
    entries: &[FlowEntry],
) -> Result<Option<AfterFlow>, RequestError> {
    let Some(after) = &scenario.end_after else {
        return Ok(None);
    };
    after.check("end_after")?;
    check_flow("end_after.flow", after.flow, entries)?;
    if entries[after.flow as usize].template.size.is_none() {
        let problem = format!("`{}` has no end; give it a `size`", after.flow);
        return Err(RequestError::new("end_after.flow", problem));
    }
    Ok(Some(AfterFlow {
        flow: number_of(after.flow, entries),
        pause: after.pause(),
    }))
}

/// There must be such an entry, and it must stand for one flow.
fn check_flow(field: &str, flow: u32, entries: &[FlowEntry]) -> Result<(), RequestError> {
    match (entries.get(flow as usize), entries.len()) {
        (Some(entry), _) if entry.count == 1 => Ok(()),
        (Some(entry), _) => {
            let count = entry.count;
            let problem = format!("`{flow}` is {count} flows; give a single one");
            Err(RequestError::new(field, problem))
        }
        (None, 0) => {
            let problem = format!("`{flow}` is unknown; `flows` is empty");
            Err(RequestError::new(field, problem))
        }
        (None, count) => {
            let right = format!("flow 0 to {}", count - 1);
            Err(out_of_range(field, flow, &right))
        }
    }
}

/// Refuses flows that wait for each other's startups.
fn refuse_circles(kinds: &[FlowKind]) -> Result<(), RequestError> {
    // From which flow each was first come to.
    let mut from = vec![None; kinds.len()];
    for first in 0..kinds.len() {
        let mut next = Some(first);
        while let Some(flow) = next.filter(|flow| from[*flow].is_none()) {
            from[flow] = Some(first);
            next = follows(kinds, flow);
        }
        match next {
            Some(flow) if from[flow] == Some(first) => return Err(circle(kinds, flow)),
            _ => {}
        }
    }
    Ok(())
}

/// The flow whose startup this one waits for.
fn follows(kinds: &[FlowKind], flow: usize) -> Option<usize> {
    Some(kinds[flow].start_after?.flow as usize)
}

fn circle(kinds: &[FlowKind], flow: usize) -> RequestError {
    let problem = match follows(kinds, flow) {
        Some(by) if by != flow => {
            format!("waits for a flow that waits for it, by way of flows[{by}]")
        }
        _ => format!("`{flow}` is the flow itself; give another"),
    };
    RequestError::new(format!("flows[{flow}].start_after.flow"), problem)
}

/// The number of the first flow of an entry.
fn number_of(entry: u32, entries: &[FlowEntry]) -> u32 {
    let before = entries.iter().take(entry as usize);
    before.map(|entry| entry.count as u32).sum()
}
