//! What flows there are and when their data arrives.
//!
//! A scenario's flow entries are expanded into plans, one for each flow, and into one
//! list of arrivals in order of time, so that flows that have not started cost nothing.
//! Web sessions add flows while the run goes on.

pub mod web;

use crate::flow_plan::{FlowKind, FlowPlan, Opening, Writes};
use crate::request::{out_of_range, rate, time, within, RequestError};
use crate::scenario::{segment_size, Direction, FlowSpec, Scenario};
use flowstart_control::catalog::Recipe;
use flowstart_control::signals::PathMemory;
use flowstart_control::{Amount, Guests, Rate, Time};
use flowstart_network::chain::Chain;
use flowstart_network::random::{below, stream};
use flowstart_transport::stack::Stack;
use std::sync::Arc;

/// Data arrives at a flow; its first arrival opens it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// When.
    pub at: Time,
    /// At which flow.
    pub flow: u32,
    /// How many bytes.
    pub bytes: u64,
}

/// More data than any flow sends.
const WITHOUT_LIMIT: u64 = 1 << 62;
/// A run without a `duration` is stopped after this long: nothing that is worth
/// watching takes longer, but a path that loses everything would never end.
pub const LONGEST_RUN: Time = Time::from_secs(30 * 24 * 3600);
const MOST_FLOWS: u64 = 1_000_000;
const LARGEST: u64 = 1 << 50;

/// Expands a scenario's flows, which have `stack` unless they say otherwise and whose
/// start-ups may be `guests`.
pub fn expand(
    scenario: &Scenario,
    stack: &Arc<Stack>,
    chain: &Chain,
    guests: &Guests,
) -> Result<Vec<FlowPlan>, RequestError> {
    if scenario.flows.is_empty() && scenario.web.is_empty() {
        return Err(RequestError::new(
            "flows",
            "empty; at least one flow is needed",
        ));
    }
    let mut plans = Vec::new();
    for (i, spec) in scenario.flows.iter().enumerate() {
        let field = format!("flows[{i}]");
        let stack = match spec.mss {
            None => stack.clone(),
            Some(mss) => {
                let mss = segment_size(&format!("{field}.mss"), mss)?;
                Arc::new(scenario.stack.resolve(Some(mss))?)
            }
        };
        let entry = Entry {
            spec,
            field,
            stack,
            chain,
            guests,
        };
        entry.expand(scenario.seed, &mut plans)?;
    }
    let endless = plans.iter().any(|p: &FlowPlan| p.size.is_none());
    if endless && scenario.duration.is_none() {
        let problem = "missing; a flow without `size` ends only with the run's `duration`";
        return Err(RequestError::new("duration", problem));
    }
    Ok(plans)
}

/// All arrivals of all flows, in order of time.
pub fn arrivals(plans: &[FlowPlan]) -> Vec<Arrival> {
    let mut arrivals = Vec::with_capacity(plans.len());
    for (flow, plan) in plans.iter().enumerate() {
        let flow = flow as u32;
        if plan.writes.is_empty() {
            let bytes = plan.size.unwrap_or(WITHOUT_LIMIT);
            arrivals.push(Arrival {
                at: plan.start,
                flow,
                bytes,
            });
        }
        let mut before = 0;
        for (at, end) in &plan.writes {
            arrivals.push(Arrival {
                at: plan.start + *at,
                flow,
                bytes: end - before,
            });
            before = *end;
        }
    }
    arrivals.sort_by_key(|a| a.at);
    arrivals
}

struct Entry<'a> {
    spec: &'a FlowSpec,
    field: String,
    stack: Arc<Stack>,
    chain: &'a Chain,
    guests: &'a Guests,
}

impl Entry<'_> {
    fn field(&self, name: &str) -> String {
        format!("{}.{name}", self.field)
    }

    fn expand(&self, seed: u64, plans: &mut Vec<FlowPlan>) -> Result<(), RequestError> {
        let spec = self.spec;
        let count = self.count(plans.len() as u64)?;
        let template = self.template()?;
        let interval = spec.interval.unwrap_or(Time::ZERO);
        let jitter = spec.jitter.unwrap_or(Time::ZERO);
        let last = template.writes.last().map_or(Time::ZERO, |w| w.0);
        self.in_time(template.start + last + interval.times(count - 1) + jitter)?;
        let mut rng = stream(seed, "arrivals", plans.len() as u64);
        for i in 0..count {
            let mut plan = template.clone();
            plan.hosts = self.chain.pair_of(plans.len() as u32).unwrap_or(0);
            let moved = if jitter > Time::ZERO {
                below(&mut rng, jitter.0)
            } else {
                0
            };
            plan.start += interval.times(i) + Time(moved);
            plan.reverse = match spec.direction.unwrap_or_default() {
                Direction::Forward => false,
                Direction::Reverse => true,
                Direction::Alternate => i % 2 == 1,
            };
            plans.push(plan);
        }
        Ok(())
    }

    /// How many flows the entry stands for, after `before` others.
    fn count(&self, before: u64) -> Result<u64, RequestError> {
        let field = self.field("count");
        let count = u64::from(self.spec.count.unwrap_or(1));
        within(&field, count, 1, MOST_FLOWS, "1 to 1 000 000 flows")?;
        let right = "at most 1 000 000 flows in all";
        within(&field, before + count, 1, MOST_FLOWS, right)?;
        Ok(count)
    }

    fn in_time(&self, last: Time) -> Result<(), RequestError> {
        if last <= LONGEST_RUN {
            return Ok(());
        }
        let problem =
            format!("the last of these begins at {last}; nothing runs longer than {LONGEST_RUN}");
        Err(RequestError::new(self.field.clone(), problem))
    }

    fn template(&self) -> Result<FlowPlan, RequestError> {
        let spec = self.spec;
        let startup = spec.startup.as_deref().unwrap_or("slow-start");
        let avoidance = spec.avoidance.as_deref().unwrap_or(self.stack.avoidance);
        let recipe = Recipe::among(self.guests, startup, avoidance, self.stack.convention)
            .map_err(|e| RequestError::new(self.field.clone(), e.to_string()))?;
        let (from_hop, to_hop) = self.hops()?;
        let path_rtt = self.chain.rtt(from_hop, to_hop);
        let rtt = spec
            .rtt
            .map(|rtt| time(&self.field("rtt"), rtt))
            .transpose()?;
        let rtt = rtt.unwrap_or(path_rtt);
        if rtt < path_rtt {
            let problem = format!("`{rtt}` is below the path's own {path_rtt}");
            return Err(RequestError::new(self.field("rtt"), problem));
        }
        let start = spec.start.unwrap_or(Time::ZERO);
        let (size, mut writes) = self.data(start, from_hop, to_hop)?;
        // The first write opens the connection.
        let start = writes.first().map_or(start, |first| first.0);
        writes
            .iter_mut()
            .for_each(|write| write.0 = write.0.since(start));
        let kind = FlowKind {
            stack: self.stack.clone(),
            receiver: Arc::new(self.stack.receiver()),
            startup: startup.into(),
            avoidance: avoidance.into(),
            recipe,
            rtt,
            extra_delay: rtt.since(path_rtt).over(2),
            from_hop,
            to_hop,
            memory: self.remembered(rtt, from_hop, to_hop)?,
            interface_rate: self.interface_rate()?,
            forced_drops: spec.forced_drops.clone(),
            writes,
        };
        Ok(FlowPlan {
            kind: Arc::new(kind),
            size,
            start,
            opening: match spec.handshake {
                Some(false) => Opening::Established(rtt),
                _ => Opening::Handshake,
            },
            hosts: 0,
            reverse: false,
        })
    }

    /// What an earlier connection is said to have left: a window that it had kept for long and
    /// used, and a round trip with some variation.
    fn remembered(
        &self,
        rtt: Time,
        from: u32,
        to: u32,
    ) -> Result<Option<PathMemory>, RequestError> {
        let Some(window) = self.spec.remembered else {
            return Ok(None);
        };
        let bytes = self.bytes("remembered", window, from, to)?;
        let cwnd = (bytes as f64 / f64::from(self.stack.mss)).max(1.0);
        Ok(Some(PathMemory {
            cwnd,
            ssthresh: cwnd,
            srtt: rtt,
            rttvar: rtt.over(4),
            min_rtt: rtt,
            delivered: bytes,
            rate: Rate::of(bytes, rtt),
            in_use: false,
        }))
    }

    fn interface_rate(&self) -> Result<Option<Rate>, RequestError> {
        let given = self.spec.interface_rate;
        let checked = given.map(|told| rate(&self.field("interface_rate"), told));
        checked.transpose()
    }

    fn hops(&self) -> Result<(u32, u32), RequestError> {
        let last = self.chain.hops() - 1;
        let from = self.spec.from_hop.unwrap_or(0);
        let to = self.spec.to_hop.unwrap_or(last);
        if from > to || to > last {
            let (name, hop) = if to > last {
                ("to_hop", to)
            } else {
                ("from_hop", from)
            };
            let right = format!("hop 0 to {}", if to > last { last } else { to });
            return Err(out_of_range(&self.field(name), hop, &right));
        }
        Ok((from, to))
    }

    /// The size, and the writes that make it up where they are given.
    fn data(&self, start: Time, from: u32, to: u32) -> Result<(Option<u64>, Writes), RequestError> {
        let spec = self.spec;
        if spec.writes.is_empty() {
            let size = spec.size.map(|s| self.bytes("size", s, from, to));
            return Ok((size.transpose()?, Writes::new()));
        }
        if spec.size.is_some() {
            let problem = "contradicts `writes`; give one of the two";
            return Err(RequestError::new(self.field("size"), problem));
        }
        let writes = self.writes(start, from, to)?;
        Ok((writes.last().map(|w| w.1), writes))
    }

    fn writes(&self, start: Time, from: u32, to: u32) -> Result<Writes, RequestError> {
        let mss = u64::from(self.stack.mss);
        let mut writes = Writes::with_capacity(self.spec.writes.len());
        let mut end = 0;
        for (i, write) in self.spec.writes.iter().enumerate() {
            let at = start + write.at;
            if writes.last().is_some_and(|before| at < before.0) {
                let problem = format!("`{}` is before the write that precedes it", write.at);
                let field = self.field(&format!("writes[{i}].at"));
                return Err(RequestError::new(field, problem));
            }
            let bytes = self.bytes(&format!("writes[{i}].size"), write.size, from, to)?;
            // Where segments leave whole, so do writes.
            end += match self.stack.whole_segments {
                true => bytes.next_multiple_of(mss),
                false => bytes,
            };
            within(&self.field("writes"), end, 1, LARGEST, "1 PB in all")?;
            writes.push((at, end));
        }
        Ok(writes)
    }

    fn bytes(&self, name: &str, amount: Amount, from: u32, to: u32) -> Result<u64, RequestError> {
        let mss = u64::from(self.stack.mss);
        let bytes = match amount {
            Amount::Bytes(n) => n,
            Amount::Packets(n) => n.saturating_mul(mss),
            Amount::Bdp(x) => {
                let reverse = self.spec.direction == Some(Direction::Reverse);
                let rate = self.chain.bottleneck_rate(from, to, reverse);
                let packets = self.chain.bdp_packets(rate, self.chain.rtt(from, to));
                ((packets as f64 * x) as u64).max(1) * mss
            }
        };
        if (1..=LARGEST).contains(&bytes) {
            return Ok(bytes);
        }
        Err(out_of_range(&self.field(name), amount, "1 B to 1 PB"))
    }
}
