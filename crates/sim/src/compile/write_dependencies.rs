//! What writes wait for: whether there is such a write, whether it reaches the end that waits, and
//! whether it ever comes.

use crate::flow_plan::{Cause, FlowKind, When};
use crate::spec::{Direction, RequestError, out_of_range};
use crate::workload::FlowEntry;

/// Checks the causes of all writes, which name entries, and has them name flows instead. Each entry
/// has the kind at its place.
pub(super) fn check(entries: &[FlowEntry], kinds: &mut [FlowKind]) -> Result<(), RequestError> {
    let waits = |kind: &FlowKind| kind.writes.iter().any(|write| write.when.cause().is_some());
    if !kinds.iter().any(waits) {
        return Ok(());
    }
    for (entry, kind) in entries.iter().zip(&*kinds).enumerate() {
        let flows = Flows { entries, kinds };
        if waits(kind.1) {
            flows.check_one(entry, kind.0)?;
        }
    }
    refuse_circles(kinds)?;
    name_flows(entries, kinds);
    Ok(())
}

/// All flows, by their entries.
struct Flows<'a> {
    entries: &'a [FlowEntry],
    kinds: &'a [FlowKind],
}

impl Flows<'_> {
    /// Checks what the writes of an entry wait for.
    fn check_one(&self, number: usize, entry: &FlowEntry) -> Result<(), RequestError> {
        if entry.count != 1 {
            let problem = format!(
                "`{}` flows would wait for the same write; give 1",
                entry.count
            );
            return Err(RequestError::new(format!("flows[{number}].count"), problem));
        }
        for (i, write) in self.kinds[number].writes.iter().enumerate() {
            if let Some(cause) = write.when.cause() {
                let field = after(number, i);
                self.check_cause(cause, &field)?;
                self.check_ends(number, cause, &field)?;
            }
        }
        Ok(())
    }

    fn check_cause(&self, cause: Cause, field: &str) -> Result<(), RequestError> {
        let (flow, last) = (cause.flow, self.kinds.len() - 1);
        let Some(entry) = self.entries.get(flow as usize) else {
            let right = format!("flow 0 to {last}");
            return Err(out_of_range(&format!("{field}.flow"), flow, &right));
        };
        let writes = self.kinds[flow as usize].writes.len();
        let problem = match (entry.count, writes) {
            (1, 0) => format!("`{flow}` has no `writes`; give its data as one"),
            (1, _) if (cause.write as usize) < writes => return Ok(()),
            (1, _) => {
                let right = format!("write 0 to {}", writes - 1);
                return Err(out_of_range(&format!("{field}.write"), cause.write, &right));
            }
            (count, _) => format!("`{flow}` is {count} flows; give a single one"),
        };
        Err(RequestError::new(format!("{field}.flow"), problem))
    }

    /// What is waited for must arrive where the flow's data leaves.
    fn check_ends(&self, number: usize, cause: Cause, field: &str) -> Result<(), RequestError> {
        let end = |flow: usize, arrives: bool| {
            let kind = &self.kinds[flow];
            let forward = self.entries[flow].direction != Direction::Reverse;
            match forward == arrives {
                true => (true, kind.to_hop),
                false => (false, kind.from_hop),
            }
        };
        if end(number, false) == end(cause.flow as usize, true) {
            return Ok(());
        }
        let problem = format!(
            "the data of `{}` does not reach the end that sends this; give a flow of the other \
             direction over the same hops",
            cause.flow
        );
        Err(RequestError::new(format!("{field}.flow"), problem))
    }
}

fn after(flow: usize, write: usize) -> String {
    format!("flows[{flow}].writes[{write}].after")
}

/// Refuses writes that wait for each other: lets each flow write as far as it can, and
/// finds the flow that is left.
fn refuse_circles(kinds: &[FlowKind]) -> Result<(), RequestError> {
    let mut written = vec![0usize; kinds.len()];
    let waiting = waiting_for(kinds);
    let mut ready: Vec<usize> = (0..kinds.len()).collect();
    while let Some(flow) = ready.pop() {
        let before = written[flow];
        while can_write(kinds, &written, flow) {
            written[flow] += 1;
        }
        if written[flow] > before {
            ready.extend(&waiting[flow]);
        }
    }
    let stuck = (0..kinds.len()).find(|flow| written[*flow] < kinds[*flow].writes.len());
    stuck.map_or(Ok(()), |flow| Err(circle(kinds, &written, flow)))
}

/// The flows that wait for each flow.
fn waiting_for(kinds: &[FlowKind]) -> Vec<Vec<usize>> {
    let mut waiting = vec![Vec::new(); kinds.len()];
    for (flow, kind) in kinds.iter().enumerate() {
        let mut causes: Vec<usize> = (kind.writes.iter())
            .filter_map(|write| Some(write.when.cause()?.flow as usize))
            .collect();
        causes.sort_unstable();
        causes.dedup();
        for cause in causes {
            waiting[cause].push(flow);
        }
    }
    waiting
}

fn can_write(kinds: &[FlowKind], written: &[usize], flow: usize) -> bool {
    let next = kinds[flow].writes.get(written[flow]);
    next.is_some_and(|write| match write.when {
        When::At(_) => true,
        When::After(cause) => (cause.write as usize) < written[cause.flow as usize],
    })
}

/// The circle that a flow which cannot write waits for.
fn circle(kinds: &[FlowKind], written: &[usize], stuck: usize) -> RequestError {
    let next = |flow: usize| {
        let cause = kinds[flow].writes[written[flow]].when.cause();
        cause.map_or(flow, |cause| cause.flow as usize)
    };
    // After as many steps as there are flows one is on the circle.
    let on = (0..kinds.len()).fold(stuck, |flow, _| next(flow));
    let (other, problem) = (next(on), "waits for a write that waits for it");
    let field = after(on, written[on]);
    let by = format!("flows[{other}].writes[{}]", written[other]);
    RequestError::new(field, format!("{problem}, by way of {by}"))
}

/// Entries represent flows with separate numbers.
fn name_flows(entries: &[FlowEntry], kinds: &mut [FlowKind]) {
    let mut before = 0;
    let first: Vec<u32> = (entries.iter())
        .map(|entry| {
            let first = before;
            before += entry.count as u32;
            first
        })
        .collect();
    for write in kinds.iter_mut().flat_map(|kind| &mut kind.writes) {
        if let When::After(cause) = &mut write.when {
            cause.flow = first[cause.flow as usize];
        }
    }
}
