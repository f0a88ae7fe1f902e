//! The flows of a scenario, read and checked.

use super::checks::{LONGEST_RUN, within};
use super::followers;
use super::setting::{Ends, Setting};
use super::shared::{Algorithms, Recipes};
use super::write_dependencies;
use crate::flow_plan::{FlowKind, FlowPlan, When};
use crate::spec::{
    Delays, Direction, FlowSpec, Opener, RequestError, Scenario, StackSpec, out_of_range,
};
use crate::workload::FlowEntry;
use flowstart_control::catalog::Recipe;
use flowstart_control::signals::PathMemory;
use flowstart_control::{Amount, Bytes, Duration, Instant, Named, Rate};
use flowstart_network::chain::Chain;
use flowstart_transport::stack::{EcnMode, Stack};
use flowstart_transport::{Handshake, RttRule};
use flowstart_wire::Part;
use std::num::NonZeroU64;
use std::sync::Arc;

const MOST_FLOWS: u64 = 1_000_000;
pub(super) const LARGEST: u64 = 1 << 50;

/// The flows of a scenario, which have the setting's stack unless they name another and whose
/// algorithms are among the recipes. Their kinds become the first of `kinds`, one for each entry.
pub(super) fn entries(
    scenario: &Scenario,
    setting: &Setting,
    recipes: &Recipes,
    kinds: &mut Vec<FlowKind>,
) -> Result<Vec<FlowEntry>, RequestError> {
    if scenario.flows.is_empty() && scenario.web.is_empty() {
        let problem = "empty; at least one flow is needed";
        return Err(RequestError::new("flows", problem));
    }
    let (mut entries, mut before) = (Vec::with_capacity(scenario.flows.len()), 0);
    let first_kind = kinds.len();
    for (i, spec) in scenario.flows.iter().enumerate() {
        let field = format!("flows[{i}]");
        spec.check(&field)?;
        let ends = own_ends(scenario, spec, setting, &field)?;
        let ends = match spec.handshake() {
            true => ends,
            false => without_packets(&ends),
        };
        let ends = match spec.tick_phase {
            None => ends,
            Some(phase) => with_tick_phase(&ends, &field, phase)?,
        };
        refuse_what_does_nothing(spec, &field)?;
        let reader = FlowReader {
            spec,
            field,
            ends,
            chain: &setting.chain,
            recipes,
            draws: (scenario.seed, i as u64),
            lasts: scenario.duration,
        };
        let entry = reader.entry(before, kinds)?;
        before += entry.count;
        entries.push(entry);
    }
    write_dependencies::check(&entries, &mut kinds[first_kind..])?;
    followers::check(&entries, &mut kinds[first_kind..])?;
    let endless = |entry: &FlowEntry| entry.template.size.is_none();
    if scenario.duration.is_none() && entries.iter().any(endless) {
        let problem = match &scenario.end_after {
            None => "missing; a flow without `size` ends only with the run's `duration`",
            Some(_) => {
                "missing; a flow without `size` needs it with `end_after` too, for that event may \
                 never come"
            }
        };
        return Err(RequestError::new("duration", problem));
    }
    Ok(entries)
}

/// The ends of an entry's flows: the setting's, but for what is their own.
pub(super) fn own_ends(
    scenario: &Scenario,
    spec: &FlowSpec,
    setting: &Setting,
    field: &str,
) -> Result<Ends, RequestError> {
    let mss = spec.mss.map(|Bytes(mss)| mss as u32);
    let own = match (&spec.stack, mss) {
        (None, None) => return Ok(setting.ends.clone()),
        (None, mss) => {
            return Ok(Ends::new(scenario.stack.resolve(mss)?, setting.hosts));
        }
        (Some(own), _) => own,
    };
    let ends = || {
        let stack = own.of_flow(&scenario.stack)?.resolve(mss)?;
        let hosts = own.hosts(setting.hosts, stack.numbers_packets())?;
        refuse_hosts(own, setting)?;
        Ok(Ends::new(stack, hosts))
    };
    ends().map_err(|e: RequestError| RequestError::new(format!("{field}.{}", e.field), e.problem))
}

/// Refuses hosts of a flow that are also those of others.
fn refuse_hosts(own: &StackSpec, setting: &Setting) -> Result<(), RequestError> {
    let given = |field: &&str| own.given(field).is_some();
    let field = ["host", "receiver_host"].into_iter().find(given);
    let shared = setting.chain.hosts.shared.is_some();
    field.filter(|_| shared).map_or(Ok(()), |field| {
        let problem = "flows share their hosts (path.hosts); set it in the scenario's `stack`";
        Err(RequestError::new(format!("stack.{field}"), problem))
    })
}

/// The ends of flows that are open from the beginning.
fn without_packets(ends: &Ends) -> Ends {
    if ends.stack.messages.flight.is_none() {
        return ends.clone();
    }
    let mut stack = Stack::clone(&ends.stack);
    stack.messages.flight = None;
    Ends::new(stack, ends.hosts)
}

/// Refuses a field that changes nothing next to the others.
fn refuse_what_does_nothing(spec: &FlowSpec, field: &str) -> Result<(), RequestError> {
    let mut idle = FlowSpec::idle(spec).into_iter();
    let refused = idle.find_map(|(name, why)| Some((name, spec.given(name)?, why)));
    refused.map_or(Ok(()), |(name, value, why)| {
        let value = value.as_str().map_or(value.to_string(), String::from);
        let problem = format!("`{value}` changes nothing: {why}");
        Err(RequestError::new(format!("{field}.{name}"), problem))
    })
}

/// The ends with a separate clock.
fn with_tick_phase(ends: &Ends, field: &str, phase: f64) -> Result<Ends, RequestError> {
    let mut stack = Stack::clone(&ends.stack);
    let RttRule::Ticks { phase: present } = &mut stack.timer().rule else {
        let problem = format!("`{phase}` changes nothing: only the `ns2` stack counts in ticks");
        return Err(RequestError::new(format!("{field}.tick_phase"), problem));
    };
    *present = phase;
    Ok(Ends::new(stack, ends.hosts))
}

/// Reads one entry.
pub(super) struct FlowReader<'a> {
    pub(super) spec: &'a FlowSpec,
    pub(super) field: String,
    pub(super) ends: Ends,
    pub(super) chain: &'a Chain,
    pub(super) recipes: &'a Recipes,
    /// The run's seed, and the number of the entry: what its source draws follows from them.
    pub(super) draws: (u64, u64),
    /// How long the run lasts, if that is given.
    pub(super) lasts: Option<Duration>,
}

impl FlowReader<'_> {
    pub(super) fn field(&self, name: &str) -> String {
        format!("{}.{name}", self.field)
    }

    /// The entry, which comes after `before` flows.
    fn entry(&self, before: u64, kinds: &mut Vec<FlowKind>) -> Result<FlowEntry, RequestError> {
        let spec = self.spec;
        let count = self.count(before)?;
        let (template, kind) = self.template(kinds.len() as u32)?;
        let stagger = spec.stagger();
        let jitter = spec.jitter();
        if let Some(start) = template.start.get() {
            let times = kind.writes.iter().map_while(|write| match write.when {
                When::At(at) => Some(at),
                When::After(_) => None,
            });
            let last = times.last().unwrap_or(Duration::ZERO);
            self.in_time(start + last + stagger.times(count - 1) + jitter)?;
        }
        kinds.push(kind);
        Ok(FlowEntry {
            template,
            count,
            stagger,
            jitter,
            direction: spec.direction(),
        })
    }

    /// How many flows the entry has, after `before` others.
    fn count(&self, before: u64) -> Result<u64, RequestError> {
        let count = u64::from(self.spec.count());
        let right = "at most 1 000 000 flows in all";
        within(&self.field("count"), before + count, 1, MOST_FLOWS, right)?;
        Ok(count)
    }

    fn in_time(&self, last: Instant) -> Result<(), RequestError> {
        if last <= Instant::ZERO + LONGEST_RUN {
            return Ok(());
        }
        let problem =
            format!("the last of these begins at {last}; nothing runs longer than {LONGEST_RUN}");
        Err(RequestError::new(self.field.clone(), problem))
    }

    /// The first flow of the entry, and what all have in common: the kind with this number.
    pub(super) fn template(&self, number: u32) -> Result<(FlowPlan, FlowKind), RequestError> {
        let spec = self.spec;
        let algorithms = self.algorithms()?;
        let (from_hop, to_hop) = self.hops()?;
        let path_rtt = self.chain.rtt(from_hop, to_hop);
        let rtt = spec.rtt.unwrap_or(path_rtt);
        if rtt < path_rtt {
            let problem = format!("`{rtt}` is below the path's own {path_rtt}");
            return Err(RequestError::new(self.field("rtt"), problem));
        }
        let data = self.data(from_hop, to_hop)?;
        let plan = FlowPlan {
            kind: number,
            hosts: 0,
            size: data.size.and_then(NonZeroU64::new),
            start: data.start,
            handshake: spec.handshake(),
            reverse: false,
        };
        let kind = FlowKind {
            stack: self.ends.stack.clone(),
            receiver: self.ends.receiver.clone(),
            hosts: self.ends.hosts,
            startup: algorithms.startup,
            cc: algorithms.cc,
            recipe: algorithms.recipe,
            rtt,
            extra_delay: rtt.saturating_sub(path_rtt).over(2),
            from_hop,
            to_hop,
            notes_deliveries: false,
            memory: self.cached_state(rtt, from_hop, to_hop)?,
            interface_rate: spec.interface_rate,
            available_rate: spec.available_rate,
            start_after: data.start_after,
            forced_drops: spec.forced_drops.clone(),
            handshake_drops: self.handshake_drops()?,
            delays: spec.delays.iter().flat_map(Delays::iter).collect(),
            by_receiver: self.by_receiver()?,
            source: data.source,
            flight: (self.ends.stack.dialogue()).map_or(0, |dialogue| dialogue.response_from()),
            writes: data.writes,
        };
        Ok((plan, kind))
    }

    fn algorithms(&self) -> Result<Algorithms, RequestError> {
        let stack = &self.ends.stack;
        let cc = self.spec.cc.as_deref().unwrap_or(stack.cc);
        let found = self.recipes.get(&self.spec.startup(), cc, stack.convention);
        let mut found = found.map_err(|e| RequestError::new(self.field.clone(), e.to_string()))?;
        if let Some(rule) = self.spec.landing {
            found.recipe = Arc::new(Recipe::clone(&found.recipe).landing(rule));
        }
        if found.recipe.needs_l4s() && stack.ecn != EcnMode::L4s {
            let name = found.recipe.avoidance_name();
            let problem = format!(
                "`{name}` needs marks that are counted; give `stack.ecn = \"l4s\"`, which is \
                 `{}` here",
                stack.ecn.name()
            );
            return Err(RequestError::new(self.field("cc"), problem));
        }
        Ok(found)
    }

    /// Whether the data's receiver opens the connection.
    fn by_receiver(&self) -> Result<bool, RequestError> {
        let stack = &self.ends.stack;
        if let Some(flight) = stack.messages.flight {
            return match self.spec.opener {
                Some(Opener::Sender) => {
                    let problem = format!(
                        "`sender` contradicts stack.flight, `{}`, whose client receives the data; \
                         give one of the two",
                        flight.name()
                    );
                    Err(RequestError::new(self.field("opener"), problem))
                }
                _ => Ok(true),
            };
        }
        let problem = match self.spec.opener() {
            Opener::Sender => return Ok(false),
            Opener::Receiver if !self.spec.handshake() => {
                "`receiver` contradicts `handshake = false`; give one of the two"
            }
            Opener::Receiver if stack.numbers_packets() || stack.handshake != Handshake::OneRtt => {
                "`receiver` opens TCP's connections only, with `stack.handshake = \"1-rtt\"`"
            }
            Opener::Receiver if stack.exchanges() > 1 => {
                "`receiver` contradicts a `stack.server_flight` that takes another round trip; \
                 give one of the two"
            }
            Opener::Receiver => return Ok(true),
        };
        Err(RequestError::new(self.field("opener"), problem))
    }

    /// Packets of a handshake to lose, by kind, from number 0.
    fn handshake_drops(&self) -> Result<Vec<(Part, u64)>, RequestError> {
        let refused = |i: usize, problem: String| {
            RequestError::new(self.field(&format!("handshake_drops[{i}]")), problem)
        };
        let drop = |(i, text): (usize, &String)| {
            let (name, number) = text.split_once(':').unwrap_or((text, "1"));
            let part = Part::named(name).ok_or_else(|| {
                let problem = format!("`{name}` is not one of {}", Part::NAMES.join(", "));
                refused(i, problem)
            })?;
            let number = number.parse().ok().filter(|number| *number > 0);
            let number: u64 = number.ok_or_else(|| {
                refused(
                    i,
                    format!("`{text}` has no number from 1, such as `{name}:2`"),
                )
            })?;
            if self.ends.stack.messages.flight.is_none() {
                let problem = format!(
                    "`{text}` changes nothing: the handshake is counted in round trips; give \
                     `stack.flight`"
                );
                return Err(refused(i, problem));
            }
            Ok((part, number - 1))
        };
        self.spec
            .handshake_drops
            .iter()
            .enumerate()
            .map(drop)
            .collect()
    }

    /// The given state of an earlier connection: a window that it had kept for long and
    /// used, and a round trip with some variation.
    fn cached_state(
        &self,
        rtt: Duration,
        from: u32,
        to: u32,
    ) -> Result<Option<PathMemory>, RequestError> {
        let Some(window) = self.spec.cached_cwnd else {
            return Ok(None);
        };
        let bytes = self.bytes("cached_cwnd", window, from, to)?;
        let rtt = self.spec.cached_rtt.unwrap_or(rtt);
        let cwnd = (bytes as f64 / f64::from(self.ends.stack.framing.mss)).max(1.0);
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

    fn hops(&self) -> Result<(u32, u32), RequestError> {
        let last = self.chain.hops() - 1;
        let from = self.spec.from_hop();
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

    /// The bytes of an amount, which is the field `name`, over these hops.
    pub(super) fn bytes(
        &self,
        name: &str,
        amount: Amount,
        from: u32,
        to: u32,
    ) -> Result<u64, RequestError> {
        let mss = u64::from(self.ends.stack.framing.mss);
        let bytes = match amount {
            Amount::Bytes(n) => n,
            Amount::Packets(n) => n.saturating_mul(mss),
            Amount::Bdp(x) => {
                let reverse = self.spec.direction() == Direction::Reverse;
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
