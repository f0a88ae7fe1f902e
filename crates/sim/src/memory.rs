//! What connections leave behind for later ones between the same hosts (RFC 9040).
//!
//! A connection that closes leaves its window, threshold and round-trip time (temporal
//! sharing, §6). Where connections are open side by side a new one takes its share of their
//! windows, and theirs shrink to match (ensemble sharing, §7), so that together they send no
//! faster than before.
//!
//! What a round trip carried is kept apart from the rest: a connection that was too short to
//! find out does not make what an earlier one found out forgotten (RFC 9959, which leaves out
//! what is less than four initial windows).

use crate::flow_plan::{FlowKind, FlowPlan};
use flowstart_control::signals::PathMemory;
use flowstart_control::{Instant, Rate};
use flowstart_transport::Delivered;
use flowstart_transport::sender::Sender;
use flowstart_transport::stack::{Sharing, Stack};
use std::collections::HashMap;

/// A flow and its kind.
type Flow<'a> = (&'a FlowPlan, &'a FlowKind);

/// Which connections know the same path: those between the same hosts, one way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct PathKey {
    hosts: u32,
    reverse: bool,
    hops: (u32, u32),
}

impl PathKey {
    fn of((plan, kind): Flow) -> PathKey {
        PathKey {
            hosts: plan.hosts,
            reverse: plan.reverse,
            hops: (kind.from_hop, kind.to_hop),
        }
    }
}

#[derive(Default)]
struct Path {
    left: Option<(PathMemory, Instant)>,
    carried: Option<(Delivered, Instant)>,
    open: Vec<u32>,
    /// Those of them that were notified of it.
    told: Vec<u32>,
}

/// The memories of all hosts.
#[derive(Default)]
pub(crate) struct Memories {
    paths: HashMap<PathKey, Path>,
}

impl Memories {
    /// What flow number `number` may know when it opens. `sender_of` finds the sender of an open
    /// flow.
    pub(crate) fn open<'a>(
        &mut self,
        number: u32,
        flow: Flow,
        now: Instant,
        sender_of: impl Fn(u32) -> Option<&'a Sender>,
    ) -> Opened {
        let path = self.paths.entry(PathKey::of(flow)).or_default();
        let stack = &flow.1.stack;
        let others = path.open.clone();
        path.open.push(number);
        let mut memory = match stack.sharing.kind {
            Sharing::Ensemble if !others.is_empty() => share(&others, sender_of),
            _ => path.recall(stack, now),
        };
        if let Some(memory) = &mut memory {
            memory.in_use = !path.told.is_empty();
            path.told.push(number);
        }
        let shares = stack.sharing.kind == Sharing::Ensemble;
        Opened {
            memory,
            others: if shares { others } else { Vec::new() },
        }
    }

    /// Flow number `number` has closed with `memory`.
    pub(crate) fn close(
        &mut self,
        number: u32,
        flow: Flow,
        memory: Option<PathMemory>,
        now: Instant,
    ) {
        let path = self.paths.entry(PathKey::of(flow)).or_default();
        path.open.retain(|open| *open != number);
        path.told.retain(|told| *told != number);
        if let Some(memory) = memory {
            path.left = Some((memory, now));
            path.learn(&flow.1.stack, &memory, now);
        }
    }
}

impl Path {
    fn recall(&self, stack: &Stack, now: Instant) -> Option<PathMemory> {
        let (memory, _) = self.left.filter(|(_, at)| fresh(stack, *at, now))?;
        let carried = self.carried.filter(|(_, at)| fresh(stack, *at, now));
        let carried = carried.map_or(Delivered::default(), |carried| carried.0);
        Some(PathMemory {
            delivered: carried.bytes,
            rate: carried.rate,
            ..memory
        })
    }

    fn learn(&mut self, stack: &Stack, memory: &PathMemory, now: Instant) {
        const WORTH_KEEPING: f64 = 4.0;
        let least = WORTH_KEEPING * stack.initial_window() * f64::from(stack.framing.mss);
        let known = self.carried.is_some_and(|(_, at)| fresh(stack, at, now));
        if !known || memory.delivered as f64 >= least {
            let delivered = Delivered {
                bytes: memory.delivered,
                rate: memory.rate,
            };
            self.carried = Some((delivered, now));
        }
    }
}

/// What a new connection finds.
pub(crate) struct Opened {
    /// What it may know of the path.
    pub memory: Option<PathMemory>,
    /// The open connections that make room for it.
    pub others: Vec<u32>,
}

fn fresh(stack: &Stack, at: Instant, now: Instant) -> bool {
    now.since(at) <= stack.sharing.lifetime
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
    // The least that RFC 5681 allows of either, as a sender that gives up a part has it.
    Some(PathMemory {
        cwnd: (whole(|m| m.cwnd) / (n + 1.0)).max(1.0),
        ssthresh: (whole(|m| m.ssthresh) / (n + 1.0)).max(2.0),
        delivered: known.iter().map(|m| m.delivered).sum::<u64>() / (known.len() as u64 + 1),
        rate: Rate(known.iter().map(|m| m.rate.bps()).sum::<u64>() / (known.len() as u64 + 1)),
        ..*last
    })
}
