//! The startups of a state: by name, and in groups.

use crate::refusal::suggest;
use crate::settings::Settings;
use crate::{words, Refusal};
use flowstart_control::catalog::{AVOIDANCES, STARTUPS};
use flowstart_control::entry::{Entry, Need, ALIASES};
use flowstart_control::startup::Maker;

/// Compared where none is named.
const USUAL: [&str; 5] = [
    "slow-start",
    "limited-slow-start",
    "hystart",
    "hystart-plus-plus",
    "jump-start",
];
/// What others are measured against where nothing else is said.
const BASELINE: &str = "slow-start";
/// The startup of a congestion control that is nothing without it; of others, slow start.
const STARTUP_OF: [(&str, &str); 1] = [("bbr", "bbr-startup")];
const MOST: usize = 64;

/// What is compared: a startup, or a congestion control with its usual startup.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Variant {
    /// What it was called.
    pub(crate) name: String,
    /// Its startup.
    pub(crate) startup: String,
    /// Its congestion control, where it is named by that.
    pub(crate) cc: Option<String>,
}

/// The entry of a startup in the catalog, which may have parameters.
pub(crate) fn listed(spec: &str) -> Option<&'static Entry<Maker>> {
    let name = base(spec);
    STARTUPS.iter().find(|entry| entry.name == name)
}

/// Whether a startup needs router, peer or cache support.
pub(crate) fn needs_help(entry: &Entry<Maker>) -> bool {
    let own = [Need::Pacing, Need::Interface];
    entry.needs.iter().any(|need| !own.contains(need))
}

/// Checks that startups are not too many, and that those in Python are known to the command line.
pub(crate) fn check(named: Option<&[String]>, settings: &Settings) -> Result<(), Refusal> {
    let named = named.unwrap_or_default();
    if named.len() > MOST {
        let count = named.len();
        return Err(Refusal::new(format!(
            "--startup: {count} are too many; at most {MOST} are"
        )));
    }
    let is_foreign = |name: &&String| words::is_python(name) && !settings.custom.contains(name);
    match named.iter().find(is_foreign) {
        None => Ok(()),
        Some(name) => Err(Refusal::new(format!(
            "--startup: `{name}` is Python code; the explorer runs only what its command line \
             names, as in `flowstart explore --startup FILE.py:CLASS`"
        ))),
    }
}

/// What is compared, in the order in which it was named.
pub(crate) fn variants(given: Option<&[String]>) -> Result<Vec<Variant>, Refusal> {
    let Some(given) = given else {
        return Ok(USUAL.map(variant).into());
    };
    let names = names(given)?;
    if names.is_empty() {
        return Err(Refusal::new("no startup is given"));
    }
    let twice = names
        .iter()
        .enumerate()
        .find(|(at, name)| names[..*at].contains(name));
    match twice {
        Some((_, name)) => Err(Refusal::new(format!("startup `{name}` is given twice"))),
        None => Ok(names.iter().map(|name| variant(name)).collect()),
    }
}

/// The name that the others are measured against.
pub(crate) fn baseline(asked: Option<&str>, variants: &[Variant]) -> Result<String, Refusal> {
    let names: Vec<&str> = variants
        .iter()
        .map(|variant| variant.name.as_str())
        .collect();
    match asked {
        None => Ok(usual_baseline(variants).to_owned()),
        Some(name) if names.contains(&name) => Ok(name.to_owned()),
        Some(name) => {
            let right = format!("is not among the variants{}", suggest(name, &names));
            Err(Refusal::new(format!("--baseline: `{name}` {right}")))
        }
    }
}

/// The baseline where none is named.
pub(crate) fn usual_baseline(variants: &[Variant]) -> &str {
    let named = variants.iter().find(|variant| variant.name == BASELINE);
    named
        .or(variants.first())
        .map_or(BASELINE, |variant| &variant.name)
}

/// The names meant: `all` and `unaided` are groups of the catalog, `-NAME` takes one away.
fn names(specs: &[String]) -> Result<Vec<String>, Refusal> {
    let mut found: Vec<String> = Vec::new();
    let mut by_group: Vec<String> = Vec::new();
    for spec in specs.iter().map(|spec| canonical(spec)) {
        if let Some(group) = group(&spec) {
            let added: Vec<String> = group
                .into_iter()
                .filter(|name| !found.contains(name))
                .collect();
            by_group.extend(added.iter().cloned());
            found.extend(added);
        } else if let Some(name) = spec.strip_prefix('-') {
            let Some(at) = found.iter().position(|known| known == name) else {
                let problem = format!(
                    "`{name}` is not among those before it, so it cannot be left out; write `all,-NAME`"
                );
                return Err(Refusal::new(format!("startup `{spec}`: {problem}")));
            };
            found.remove(at);
        } else if !by_group.contains(&spec) {
            found.push(spec);
        }
    }
    Ok(found)
}

fn group(spec: &str) -> Option<Vec<String>> {
    let is_in: fn(&Entry<Maker>) -> bool = match spec {
        "all" => |_| true,
        "unaided" => |entry| !needs_help(entry),
        _ => return None,
    };
    let entries = STARTUPS.iter().filter(|entry| is_in(entry));
    Some(entries.map(|entry| entry.name.to_owned()).collect())
}

/// `hystart++` as `hystart-plus-plus`, with the same parameters.
fn canonical(spec: &str) -> String {
    let (name, params) = spec.split_at(spec.find(':').unwrap_or(spec.len()));
    let alias = ALIASES.iter().find(|(alias, _)| *alias == name.trim());
    format!("{}{params}", alias.map_or(name, |(_, ours)| ours))
}

fn variant(name: &str) -> Variant {
    let is_cc = AVOIDANCES.iter().any(|entry| entry.name == base(name));
    let of_cc = STARTUP_OF.iter().find(|(cc, _)| *cc == base(name));
    let usual = of_cc.map_or("slow-start", |(_, startup)| startup);
    Variant {
        name: name.to_owned(),
        startup: if is_cc { usual } else { name }.to_owned(),
        cc: is_cc.then(|| name.to_owned()),
    }
}

fn base(spec: &str) -> &str {
    spec.split(':').next().unwrap_or_default().trim()
}
