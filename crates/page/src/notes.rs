//! Text under the table: what its columns and marks mean, and what the startups had to work
//! with. `flowstart/render/footnotes.py` has the notes of other tables.

use crate::plan::{uses_cache, Plan};
use crate::startups::{listed, needs_help};
use crate::summary::{Summary, MANY, NEAR};
use crate::table::{HELPED, RECONSTRUCTED};
use crate::words;
use flowstart_control::entry::{Certainty, Entry, Need};
use flowstart_control::startup::Maker;
use serde_json::Value;

/// Startups that are slow start without cached state.
const IDLE: [&str; 3] = ["fast-start", "careful-resume", "stateful-tcp"];
/// Queue disciplines that draw: which packets they drop or mark, or which queue a flow is put into.
const DRAWING_QUEUES: [&str; 5] = ["red", "choke", "pie", "fq-codel", "dualpi2"];
const MARK: &str = "◀";

/// What columns and marks of the table mean, and the notes on its rows.
pub(crate) fn legend(plan: &Plan, found: &[Summary], notes: &[String], acked: bool) -> String {
    let order = if plan.variants.len() > MANY {
        "fastest first; "
    } else {
        ""
    };
    let means = match found.iter().any(|one| one.flows > 1) {
        true => format!(", of means within {:.0}% by the slowest run", 100.0 * NEAR),
        false => String::new(),
    };
    let best = match found.iter().any(|one| one.best) {
        true => format!("{MARK}: fastest{means}; "),
        false => String::new(),
    };
    let sender = if acked {
        "acked: until the sender knew; "
    } else {
        ""
    };
    let baseline = words::short(&plan.baseline);
    let columns = format!(
        "{order}{best}change: against {baseline}; {sender}exit cwnd: cwnd at the end of startup, \
         packets; queue: maximum at the bottleneck, packets."
    );
    [&[columns], notes].concat().join("\n")
}

/// Footnotes of the table. `resolved` has the scenario of each startup with every default.
pub(crate) fn notes(
    plan: &Plan,
    resolved: &[Value],
    failed: Option<(usize, usize)>,
) -> Vec<String> {
    let mut lines = Vec::new();
    lines.extend(failed.map(|(finished, all)| missing(finished, all)));
    lines.extend(marks(plan));
    lines.extend(cached(plan));
    lines.extend(interface(plan));
    lines.extend(queues(plan, resolved));
    lines.extend(resolved.first().and_then(drawn));
    lines
}

fn missing(finished: usize, all: usize) -> String {
    format!(
        "some runs failed, {finished} of {all} runs are finished: rows with fewer seeds than \
         requested show their number; changes count seeds that both startups have, and sizes with \
         missing runs have no mark."
    )
}

fn entries(plan: &Plan) -> Vec<&'static Entry<Maker>> {
    plan.variants
        .iter()
        .filter_map(|variant| listed(&variant.startup))
        .collect()
}

/// What the marks after the names mean.
fn marks(plan: &Plan) -> Vec<String> {
    let entries = entries(plan);
    let mut helped: Vec<String> = Vec::new();
    for entry in entries.iter().filter(|entry| needs_help(entry)) {
        let needs = serde_json::to_value(entry.needs).unwrap_or_default();
        let needs: Vec<&str> = needs
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        helped.push(format!("{} ({})", entry.name, needs.join(", ")));
    }
    let helped = unique(helped);
    let mut lines = Vec::new();
    if !helped.is_empty() {
        let names = helped.join(", ");
        lines.push(format!("{HELPED} needs more than its sender has: {names}."));
    }
    if entries
        .iter()
        .any(|entry| entry.certainty == Certainty::Reconstructed)
    {
        lines.push(format!(
            "{RECONSTRUCTED} in parts a reconstruction, where the available text leaves a rule open."
        ));
    }
    lines
}

/// The cached state that startups had which use one.
fn cached(plan: &Plan) -> Option<String> {
    let mut users = plan
        .variants
        .iter()
        .filter(|variant| uses_cache(&variant.startup));
    users.next()?;
    let flow = plan
        .variants
        .first()
        .map(|variant| plan.flow(variant))
        .unwrap_or_default();
    let window = flow.iter().find(|(name, _)| *name == "cached_cwnd");
    let window = window
        .and_then(|(_, value)| value.as_str())
        .filter(|text| !text.is_empty());
    if let Some(window) = window {
        return Some(format!(
            "cached state of an earlier connection: a cwnd of {window}."
        ));
    }
    let idle = entries(plan).into_iter().map(|entry| entry.name.to_owned());
    let idle = unique(idle.filter(|name| IDLE.contains(&name.as_str())).collect());
    let so = match idle.is_empty() {
        true => String::new(),
        false => format!("; slow start without it: {}", idle.join(", ")),
    };
    Some(format!(
        "no cached state of an earlier connection (`cached_cwnd`){so}."
    ))
}

/// The rate that startups took for their interface's which begin at that.
fn interface(plan: &Plan) -> Option<String> {
    let rate = plan.path.interface()?;
    let is_open = |startup: &str| !startup.replace(' ', "").contains("interface_rate=");
    let startups = plan.variants.iter().map(|variant| variant.startup.as_str());
    let entries = startups
        .filter(|startup| is_open(startup))
        .filter_map(listed);
    let users = entries.filter(|entry| entry.needs.contains(&Need::Interface));
    let users = unique(users.map(|entry| entry.name.to_owned()).collect());
    let names = users.join(", ");
    (!users.is_empty()).then(|| {
        format!("interface of the sender, as {names} needs: {rate} (`nic_rate` makes it a link).")
    })
}

/// What the queues did, unless all were the same under all startups.
fn queues(plan: &Plan, resolved: &[Value]) -> Option<String> {
    let mut under: Vec<(&str, Vec<&str>)> = Vec::new();
    for (variant, resolved) in plan.variants.iter().zip(resolved) {
        let queue = resolved["path"]["queue"].as_str().unwrap_or_default();
        if variant.name == "xcp" && !queue.contains("xcp") {
            return Some(format!(
                "queues: {queue}; no router answers xcp, which is slow start so."
            ));
        }
        let name = words::short(&variant.name);
        match under.iter_mut().find(|(known, _)| *known == queue) {
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

/// What is drawn at random.
fn drawn(resolved: &Value) -> Option<String> {
    let path = &resolved["path"];
    let text = |value: &'static str| path[value].as_str();
    let is_law = |name| text(name).is_some_and(varies);
    let mut found = Vec::new();
    let is_chance = |name| text(name).is_some_and(|share| !["0", "1", "100%"].contains(&share));
    found.extend(
        ["loss", "reverse_loss"]
            .into_iter()
            .any(is_chance)
            .then(|| "loss".to_owned()),
    );
    for queue in ["queue", "reverse_queue"].into_iter().filter_map(text) {
        let name = queue.split(':').next().unwrap_or_default().trim();
        found.extend(
            DRAWING_QUEUES
                .contains(&name)
                .then(|| format!("the {name} queue")),
        );
    }
    found.extend(text("rate_variation").map(|_| "rate".to_owned()));
    found.extend(is_law("aggregation").then(|| "aggregation".to_owned()));
    found.extend((is_law("jitter") || is_law("reverse_jitter")).then(|| "jitter".to_owned()));
    let stack = &resolved["stack"];
    found.extend(
        (stack["interrupt_min"] != stack["interrupt_max"]).then(|| "interrupts".to_owned()),
    );
    let openings = resolved["flows"][0]["jitter"]
        .as_str()
        .is_some_and(|jitter| jitter != "0s");
    found.extend(openings.then(|| "openings".to_owned()));
    let what = unique(found).join(", ");
    (!what.is_empty()).then(|| {
        format!("drawn at random: {what}. Another seed may give another answer: --repeat 20 runs twenty.")
    })
}

/// Whether a distribution has more than one value; a bare value is a constant.
fn varies(law: &str) -> bool {
    law.split_once(':')
        .is_some_and(|(name, _)| name.trim() != "constant")
}

fn unique(names: Vec<String>) -> Vec<String> {
    let mut found = Vec::new();
    for name in names {
        if !found.contains(&name) {
            found.push(name);
        }
    }
    found
}
