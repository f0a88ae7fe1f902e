//! Startups by name: the catalog, its groups, and the usual ones.

use flowstart_control::catalog::{AVOIDANCES, STARTUPS};
use flowstart_control::entry::{ALIASES, Entry, Need};
use flowstart_control::startup::Maker;

/// Compared where none is named.
pub const USUAL: [&str; 5] = [
    "slow-start",
    "limited-slow-start",
    "hystart",
    "hystart-plus-plus",
    "jump-start",
];
/// The startup of a congestion control that is nothing without it; of others, slow start.
pub const STARTUP_OF: [(&str, &str); 1] = [("bbr", "bbr-startup")];
/// Every startup of the catalog, and those that need neither router, peer nor cache support.
const GROUPS: [&str; 2] = ["all", "unaided"];

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

/// The startups of a group of the catalog; none for other names.
pub(crate) fn catalog_names(group: &str) -> Option<Vec<&'static str>> {
    let at = GROUPS.iter().position(|known| *known == group)?;
    let is_in = |entry: &&Entry<Maker>| at == 0 || !needs_help(entry);
    let entries = STARTUPS.iter().filter(is_in);
    Some(entries.map(|entry| entry.name).collect())
}

/// `hystart++` as `hystart-plus-plus`, with the same parameters.
pub(crate) fn canonical(spec: &str) -> String {
    let (name, params) = spec.split_at(spec.find(':').unwrap_or(spec.len()));
    let alias = ALIASES.iter().find(|(alias, _)| *alias == name.trim());
    format!("{}{params}", alias.map_or(name, |(_, ours)| ours))
}

/// Whether a name, which may have parameters, is that of a congestion control.
pub(crate) fn is_control(spec: &str) -> bool {
    AVOIDANCES.iter().any(|entry| entry.name == base(spec))
}

/// The startup of a congestion control.
pub(crate) fn startup_of(cc: &str) -> &'static str {
    let own = STARTUP_OF.iter().find(|(known, _)| *known == base(cc));
    own.map_or("slow-start", |(_, startup)| startup)
}

fn base(spec: &str) -> &str {
    spec.split(':').next().unwrap_or_default().trim()
}
