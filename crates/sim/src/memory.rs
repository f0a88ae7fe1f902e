//! What connections leave behind for later ones between the same hosts (RFC 9040).
//!
//! A connection that closes leaves its window, threshold and round-trip time (temporal
//! sharing, §6). Where connections are open side by side a new one takes its share of their
//! windows, and theirs shrink to match (ensemble sharing, §7), so that together they send no
//! faster than before.

use crate::tcp::sender::Sender;
use crate::tcp::stack::{Sharing, Stack};
use crate::workload::FlowPlan;
use flowstart_control::signals::PathMemory;
use flowstart_control::Time;
use std::collections::HashMap;

/// Which connections know the same path: those between the same hosts, one way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct PathKey {
    hosts: u32,
    reverse: bool,
    hops: (u32, u32),
}

impl PathKey {
    fn of(plan: &FlowPlan) -> PathKey {
        PathKey {
            hosts: plan.hosts,
            reverse: plan.reverse,
            hops: (plan.from_hop, plan.to_hop),
        }
    }
}

#[derive(Default)]
struct Path {
    left: Option<(PathMemory, Time)>,
    open: Vec<u32>,
}

/// The memories of all hosts.
#[derive(Default)]
pub struct Memories {
    paths: HashMap<PathKey, Path>,
}

impl Memories {
    /// What `flow` may know when it opens. `sender_of` finds the sender of an open flow.
    pub fn open<'a>(
        &mut self,
        flow: u32,
        plan: &FlowPlan,
        now: Time,
        sender_of: impl Fn(u32) -> Option<&'a Sender>,
    ) -> Opened {
        let path = self.paths.entry(PathKey::of(plan)).or_default();
        let others = path.open.clone();
        path.open.push(flow);
        let memory = match plan.stack.sharing {
            Sharing::Ensemble if !others.is_empty() => share(&others, sender_of),
            _ => path
                .left
                .filter(|(_, at)| fresh(&plan.stack, *at, now))
                .map(|left| left.0),
        };
        let shares = plan.stack.sharing == Sharing::Ensemble;
        Opened {
            memory,
            others: if shares { others } else { Vec::new() },
        }
    }

    /// `flow` has closed with `memory`.
    pub fn close(&mut self, flow: u32, plan: &FlowPlan, memory: Option<PathMemory>, now: Time) {
        let path = self.paths.entry(PathKey::of(plan)).or_default();
        path.open.retain(|open| *open != flow);
        if let Some(memory) = memory {
            path.left = Some((memory, now));
        }
    }
}

/// What a new connection finds.
pub struct Opened {
    /// What it may know of the path.
    pub memory: Option<PathMemory>,
    /// The open connections that make room for it.
    pub others: Vec<u32>,
}

fn fresh(stack: &Stack, at: Time, now: Time) -> bool {
    now.since(at) <= stack.sharing_lifetime
}

/// An equal part of what the open connections have, and the round trip that the newest of them
/// measured.
fn share<'a>(others: &[u32], sender_of: impl Fn(u32) -> Option<&'a Sender>) -> Option<PathMemory> {
    let known: Vec<_> = others
        .iter()
        .filter_map(|flow| sender_of(*flow)?.memory())
        .collect();
    let last = known.last()?;
    let n = known.len() as f64;
    let whole = |part: fn(&PathMemory) -> f64| known.iter().map(part).sum::<f64>();
    Some(PathMemory {
        cwnd: whole(|m| m.cwnd) / (n + 1.0),
        ssthresh: whole(|m| m.ssthresh) / (n + 1.0),
        ..*last
    })
}
