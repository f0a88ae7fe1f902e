//! Flows that open when the startup of another has ended.

use crate::compile::Prepared;
use crate::flow_plan::{AfterFlow, FlowPlan};

/// A flow that waits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Follower {
    pub(super) flow: u32,
    pub(super) after: AfterFlow,
}

/// All flows that wait.
#[derive(Debug, Default)]
pub(super) struct Followers {
    /// In the order of the flows that they wait for.
    waiting: Vec<Follower>,
}

impl Followers {
    /// Those of a run.
    pub(super) fn new(prepared: &Prepared, plans: &[FlowPlan]) -> Followers {
        let followers = (0..).zip(plans).filter_map(|(flow, plan)| {
            let after = prepared.kinds[plan.kind as usize].start_after?;
            Some(Follower { flow, after })
        });
        let mut waiting: Vec<Follower> = followers.collect();
        waiting.sort_by_key(|follower| follower.after.flow);
        Followers { waiting }
    }

    /// Whether no flow waits.
    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Whether a flow waits for this one.
    pub(super) fn wait_for(&self, flow: u32) -> bool {
        let found = self.waiting.binary_search_by_key(&flow, |f| f.after.flow);
        found.is_ok()
    }

    /// Removes and returns those that wait for this flow.
    pub(super) fn release(&mut self, flow: u32) -> Vec<Follower> {
        let begin = self.waiting.partition_point(|f| f.after.flow < flow);
        let end = self.waiting.partition_point(|f| f.after.flow <= flow);
        self.waiting.drain(begin..end).collect()
    }
}
