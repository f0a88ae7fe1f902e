//! Text under a table: what its columns and marks mean, and what the startups had to work with.

use crate::options::uses_cache;
use crate::startups::{listed, needs_help};
use crate::summary::{MANY, NEAR};
use crate::table::{HELPED, RECONSTRUCTED};
use crate::words;
use flowstart_control::Rate;
use flowstart_control::entry::{Certainty, Entry, Need};
use flowstart_control::startup::Maker;
use flowstart_sim::StackSpec;
use serde::Deserialize;
use serde_json::Value;

/// Startups that are slow start without cached state. Others that use a cache do without:
/// `quicly-jumpstart` has a preset in its place.
const IDLE: [&str; 3] = ["fast-start", "careful-resume", "stateful-tcp"];
/// Queue disciplines that draw: which packets they drop or mark, or which queue a flow is put into.
const DRAWING_QUEUES: [&str; 5] = ["red", "choke", "pie", "fq-codel", "dualpi2"];
/// Fields of web sessions that are distributions.
const WEB_LAWS: [&str; 6] = [
    "interval",
    "pages",
    "page_pause",
    "objects",
    "object_pause",
    "size",
];
const MARK: &str = "◀";

/// A table of changes, as far as its legend depends on it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Legend {
    /// How many startups it has.
    pub startups: usize,
    /// The startup that the others are measured against.
    pub baseline: String,
    /// Whether it has several sizes.
    pub sized: bool,
    /// Whether its times are means.
    pub averaged: bool,
    /// Whether a row is marked.
    pub marked: bool,
    /// Whether it has the times until the sender knew.
    pub acked: bool,
    /// The title of the intervals of changes, which then decide what is marked; empty without.
    pub repeats: String,
}

impl Legend {
    /// What columns and marks of the table mean.
    pub fn written(&self) -> String {
        let order = match (self.startups > MANY, self.sized) {
            (false, _) => "",
            (true, true) => "smallest average × ideal first; ",
            (true, false) => "fastest first; ",
        };
        let means = match (self.repeats.is_empty(), self.averaged) {
            (false, _) => " within every limit; of ties, the one with fewer losses".to_owned(),
            (true, true) => format!(", of means within {:.0}% by the slowest run", 100.0 * NEAR),
            (true, false) => String::new(),
        };
        let best = match self.marked {
            true => format!("{MARK}: fastest{means}; "),
            false => String::new(),
        };
        let range = match self.repeats.as_str() {
            "" => String::new(),
            title => format!(
                "{title}: of the change; slower >10 %: share of repeats that take over 10 % longer; "
            ),
        };
        let sender = match self.acked {
            true => "acked: until the sender knew; ",
            false => "",
        };
        let baseline = words::short(&self.baseline);
        format!(
            "{order}{best}change: against {baseline}; {range}{sender}exit cwnd: cwnd at the end of \
             startup, packets; queue: maximum at the bottleneck, packets."
        )
    }
}

/// What a scenario has and what changes nothing in it, in a sentence each.
///
/// A path by name may have such a field, so it is no reason to refuse the run.
pub fn without_effect(resolved: &Value) -> Vec<String> {
    let mut notes: Vec<String> = (idle_thinning(resolved).into_iter())
        .chain(idle_shaper(&resolved["path"]))
        .collect();
    for stack in stacks(resolved) {
        notes.extend(counted_flight(&stack).filter(|note| !notes.contains(note)));
    }
    notes
}

/// The scenario's stack, and those of flows with what they have of it.
fn stacks(resolved: &Value) -> impl Iterator<Item = Value> {
    let flows = resolved["flows"].as_array().map_or(&[][..], Vec::as_slice);
    let shared = &resolved["stack"];
    let own = flows.iter().filter_map(|flow| flow["stack"].as_object());
    let own = own.map(|own| {
        let mut stack = shared.as_object().cloned().unwrap_or_default();
        if own.contains_key("preset") {
            stack.clear();
        }
        stack.extend(own.clone());
        Value::Object(stack)
    });
    [shared.clone()].into_iter().chain(own)
}

/// A flight that takes round trips, which are counted, and of which no packet crosses the path.
fn counted_flight(stack: &Value) -> Option<String> {
    let flight = stack["server_flight"]
        .as_str()
        .filter(|_| stack["flight"].is_null())?;
    let stack: StackSpec = serde_json::from_value(stack.clone()).ok()?;
    stack.counts_round_trip_of_flight().then(|| {
        format!(
            "stack.server_flight `{flight}` does not fit into one window and is counted as one \
             more round trip, whatever its size; stack.flight sends it as packets"
        )
    })
}

/// A shaper that never has fewer tokens than the line takes.
fn idle_shaper(path: &Value) -> Option<String> {
    let varies = ["rate_variation", "rate_steps", "rate_trace"];
    let is_steady = varies.iter().all(|name| match &path[name] {
        Value::Array(steps) => steps.is_empty(),
        value => value.is_null(),
    });
    let text = |name: &str| path[name].as_str().filter(|_| is_steady);
    let (shaper, line) = (text("shaper_rate")?, text("rate")?);
    let rates: (Rate, Rate) = (shaper.parse().ok()?, line.parse().ok()?);
    (rates.0 >= rates.1).then(|| {
        format!("path.shaper_rate `{shaper}` changes nothing here: the line's rate is `{line}`")
    })
}

fn idle_thinning(resolved: &Value) -> Option<String> {
    let flows = resolved["flows"].as_array().map_or(&[][..], Vec::as_slice);
    let stacks = flows.iter().map(|flow| {
        let own = &flow["stack"]["recovery"];
        match own.is_null() {
            true => &resolved["stack"]["recovery"],
            false => own,
        }
    });
    let is_quic = !flows.is_empty() && stacks.into_iter().all(|recovery| recovery == "quic");
    let thins = is_quic && resolved["path"]["ack_thinning"] == true;
    let note = "path.ack_thinning changes nothing here: modems thin out TCP's acknowledgements, and \
                QUIC's are encrypted";
    thins.then(|| note.to_owned())
}

/// What the rows of a table have in common, as far as its notes depend on it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Setting {
    /// The startups, with parameters.
    pub startups: Vec<String>,
    /// The windows that flows with a cache have from an earlier connection.
    pub cached_cwnd: Vec<Option<String>>,
    /// What gives them one.
    pub cache_option: String,
    /// The rates that flows take for their interface's, none where the path has a line.
    pub interfaces: Vec<Option<String>>,
    /// The disciplines of the queues under each variant.
    pub queues: Vec<(String, String)>,
    /// What is drawn at random.
    pub drawn: Vec<String>,
    /// How many seeds were run.
    pub seeds: usize,
    /// What runs more.
    pub seed_option: String,
    /// How many more seeds were requested, which could not differ.
    pub spared: usize,
    /// Why runs are missing and how many, where any are.
    pub missing: String,
}

impl Setting {
    /// Footnotes of the table.
    pub fn notes(&self) -> Vec<String> {
        let mut lines = Vec::new();
        lines.extend(self.missing());
        lines.extend(self.marks());
        lines.extend(self.cached());
        lines.extend(self.interface());
        lines.extend(self.queues());
        lines.extend(self.seeds());
        lines
    }

    /// The notes that a short summary has too: missing runs, and what depends on the seed.
    ///
    /// `repeated` is whether intervals from perturbed repeats show what another seed may give.
    pub fn cautions(&self, repeated: bool) -> Vec<String> {
        let seeds = self.seeds().filter(|_| !repeated || self.spared > 0);
        self.missing().into_iter().chain(seeds).collect()
    }

    fn missing(&self) -> Option<String> {
        (!self.missing.is_empty()).then(|| {
            format!(
                "{}: rows with fewer seeds than requested show their number; changes count seeds \
                 that both startups have, and sizes with missing runs have no mark.",
                self.missing
            )
        })
    }

    fn entries(&self) -> impl Iterator<Item = &'static Entry<Maker>> + '_ {
        self.startups.iter().filter_map(|startup| listed(startup))
    }

    /// What the marks after the names mean.
    fn marks(&self) -> Vec<String> {
        let helped = self
            .entries()
            .filter(|entry| needs_help(entry))
            .map(|entry| {
                let needs = serde_json::to_value(entry.needs).unwrap_or_default();
                let needs = needs.as_array().into_iter().flatten();
                let needs: Vec<&str> = needs.filter_map(Value::as_str).collect();
                format!("{} ({})", entry.name, needs.join(", "))
            });
        let helped = unique(helped);
        let mut lines = Vec::new();
        if !helped.is_empty() {
            let names = helped.join(", ");
            lines.push(format!("{HELPED} needs more than its sender has: {names}."));
        }
        if self
            .entries()
            .any(|entry| entry.certainty == Certainty::Reconstructed)
        {
            lines.push(format!(
                "{RECONSTRUCTED} in parts a reconstruction, where the available text leaves a rule \
                 open."
            ));
        }
        lines
    }

    /// The cached state that startups had which use one.
    fn cached(&self) -> Option<String> {
        let users = self.startups.iter().filter(|startup| uses_cache(startup));
        let users: Vec<&String> = users.collect();
        if users.is_empty() || self.cached_cwnd.is_empty() {
            return None;
        }
        let windows = unique(self.cached_cwnd.iter().flatten().cloned());
        if !windows.is_empty() {
            let others = match self.cached_cwnd.contains(&None) {
                true => ", by some flows nothing",
                false => "",
            };
            let windows = windows.join(", ");
            return Some(format!(
                "cached state of an earlier connection: a cwnd of {windows}{others}."
            ));
        }
        let names = users.into_iter().filter_map(|startup| listed(startup));
        let idle = names
            .map(|entry| entry.name)
            .filter(|name| IDLE.contains(name));
        let idle = unique(idle.map(str::to_owned));
        let so = match idle.is_empty() {
            true => String::new(),
            false => format!("; slow start without it: {}", idle.join(", ")),
        };
        let option = &self.cache_option;
        Some(format!(
            "no cached state of an earlier connection ({option}){so}."
        ))
    }

    /// The rate that startups took for their interface's which begin at that.
    fn interface(&self) -> Option<String> {
        let rates = unique(self.interfaces.iter().flatten().cloned());
        let is_open = |startup: &&String| !startup.replace(' ', "").contains("interface_rate=");
        let entries = self.startups.iter().filter(is_open);
        let entries = entries.filter_map(|startup| listed(startup));
        let users = entries.filter(|entry| entry.needs.contains(&Need::Interface));
        let users = unique(users.map(|entry| entry.name.to_owned()));
        let (names, rates) = (users.join(", "), rates.join(", "));
        (!names.is_empty() && !rates.is_empty()).then(|| {
            format!(
                "interface of the sender, as {names} needs: {rates} (`nic_rate` makes it a link)."
            )
        })
    }

    /// What the queues did, unless all were the same under all startups.
    fn queues(&self) -> Option<String> {
        let mut under: Vec<(&str, Vec<&str>)> = Vec::new();
        for (variant, queue) in &self.queues {
            if variant == "xcp" && !queue.contains("xcp") {
                return Some(format!(
                    "queues: {queue}; no router answers xcp, which is slow start so."
                ));
            }
            let name = words::short(variant);
            match under.iter_mut().find(|(known, _)| known == queue) {
                Some((_, names)) => names.push(name),
                None => under.push((queue, vec![name])),
            }
        }
        under.sort_by_key(|(_, names)| std::cmp::Reverse(names.len()));
        let (usual, others) = under
            .split_first()
            .filter(|(_, others)| !others.is_empty())?;
        let others: Vec<String> = others
            .iter()
            .map(|(queue, names)| format!("{queue} under {}", names.join(", ")))
            .collect();
        Some(format!("queues: {}; {}.", usual.0, others.join("; ")))
    }

    /// Whether another seed may give another result.
    fn seeds(&self) -> Option<String> {
        if self.spared > 0 {
            return Some(format!(
                "nothing here is drawn at random, so every seed gives the same: it was run once, \
                 not {} times.",
                self.seeds + self.spared
            ));
        }
        let (what, more) = (self.drawn.join(", "), &self.seed_option);
        (!what.is_empty() && self.seeds < 2).then(|| {
            format!("drawn at random: {what}. Another seed may give another answer: {more}.")
        })
    }
}

/// What is drawn at random, in words, in a scenario with every default filled in.
pub fn drawn(resolved: &Value) -> Vec<String> {
    let path = &resolved["path"];
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let hops = Some(list(&path["hops"])).filter(|hops| !hops.is_empty());
    let hops = hops.unwrap_or_else(|| vec![path.clone()]);
    let mut found = Vec::new();
    let mut add = |is_drawn: bool, what: &str| found.extend(is_drawn.then(|| what.to_owned()));
    let mut chances = hops
        .iter()
        .flat_map(|hop| [&hop["loss"], &hop["reverse_loss"]]);
    add(chances.any(is_chance), "loss");
    for queue in hops
        .iter()
        .flat_map(|hop| [&hop["queue"], &hop["reverse_queue"]])
    {
        let name = queue.as_str().unwrap_or_default().split(':').next();
        let name = name.unwrap_or_default().trim();
        add(DRAWING_QUEUES.contains(&name), &format!("the {name} queue"));
    }
    add(path["rate_variation"].is_string(), "rate");
    add(varies(&path["aggregation"]), "aggregation");
    add(
        varies(&path["jitter"]) || varies(&path["reverse_jitter"]),
        "jitter",
    );
    add(
        is_chance(&path["delay_skip"]),
        "packets that skip the delay",
    );
    let stack = &resolved["stack"];
    add(
        stack["interrupt_min"] != stack["interrupt_max"],
        "interrupts",
    );
    let is_late = |flow: &Value| flow["jitter"].as_str().is_some_and(|jitter| jitter != "0s");
    add(list(&resolved["flows"]).iter().any(is_late), "openings");
    let pauses =
        |flow: &Value| (list(&flow["writes"]).iter()).any(|w| varies(&w["after"]["pause"]));
    add(list(&resolved["flows"]).iter().any(pauses), "pauses");
    let writes = |flow: &Value| flow["source"].as_str().is_some_and(is_drawn_source);
    add(list(&resolved["flows"]).iter().any(writes), "writes");
    let is_web = |web: &Value| {
        let several = ["clients", "servers"].map(|hosts| web[hosts].as_u64() > Some(1));
        several.contains(&true) || WEB_LAWS.iter().any(|law| varies(&web[*law]))
    };
    add(list(&resolved["web"]).iter().any(is_web), "web sessions");
    unique(found.into_iter())
}

/// Whether a probability is neither never nor always.
fn is_chance(probability: &Value) -> bool {
    match probability {
        Value::Null => false,
        Value::String(share) => !["0", "1", "100%"].contains(&share.as_str()),
        other => !["0", "1"].contains(&other.to_string().as_str()),
    }
}

/// Whether a source of writes has jitter or a distribution.
fn is_drawn_source(text: &str) -> bool {
    let drawn = |(name, value): (&str, &str)| name.trim() == "jitter" || varies(&value.into());
    let mut given = text.split(',').filter_map(|item| item.split_once('='));
    given.any(drawn)
}

/// Whether a distribution has more than one value; a bare value is a constant.
fn varies(law: &Value) -> bool {
    let law = law.as_str().and_then(|law| law.split_once(':'));
    law.is_some_and(|(name, _)| name.trim() != "constant")
}

fn unique(names: impl Iterator<Item = String>) -> Vec<String> {
    let mut found = Vec::new();
    for name in names {
        if !found.contains(&name) {
            found.push(name);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn pauses_and_writes_may_be_drawn() {
        let drawn_by = |flow: Value| drawn(&json!({"flows": [flow]}));
        let writes = |pause: &str| json!({"writes": [{"after": {"flow": 0, "pause": pause}}]});
        assert_eq!(drawn_by(writes("exponential:mean=1s")), ["pauses"]);
        assert!(drawn_by(writes("1s")).is_empty());
        for (source, is_drawn) in [
            ("every=33ms,size=50kB", false),
            ("on-off:rate=8Mbps,on=2s,off=4s", false),
            ("every=33ms,size=50kB,jitter=5ms", true),
            ("on-off:rate=8Mbps,on=2s,off=exponential:mean=4s", true),
            ("random:size=lognormal:mean=40000;sigma=1,every=20ms", true),
        ] {
            let count = drawn_by(json!({"source": source})).len();
            assert_eq!(count, usize::from(is_drawn), "{source}");
        }
    }
}
