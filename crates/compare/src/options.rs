//! Options of `flowstart compare` that change nothing, given what is compared.

use crate::command::option;
use crate::stack::caches;
use crate::startups::listed;
use flowstart_control::entry::Need;
use flowstart_sim::RequestError;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The startup of the catalog that requests a rate on its SYN.
const REQUESTS_RATE: &str = "quick-start";

/// Refuses an option that is given and changes nothing under these startups and this stack; null is
/// not given. `hooks` are the names of the hooks of those startups that are not in the catalog.
///
/// # Errors
///
/// There is such an option.
pub fn check_options(
    given: &Map<String, Value>,
    startups: &[String],
    stack: &Map<String, Value>,
    hooks: &BTreeMap<String, Vec<String>>,
) -> Result<(), RequestError> {
    let number = |name| given.get(name).and_then(Value::as_u64).unwrap_or(0).max(1);
    let some = |hook: &str, is_so: fn(&str) -> bool| {
        let has_hook = |startup| {
            let own: Option<&Vec<String>> = hooks.get(startup);
            own.is_some_and(|own| own.iter().any(|one| one == hook))
        };
        startups
            .iter()
            .any(|startup| is_so(startup) || has_hook(startup))
    };
    let (flows, requests) = (number("flows"), number("requests"));
    let options = [
        (
            "stagger",
            flows > 1,
            "one flow has no other to wait for; give `flows`",
        ),
        (
            "flows",
            requests == 1,
            "the requests have one connection; leave it out",
        ),
        (
            "idle",
            requests > 1,
            "a connection has one transfer; give `requests`",
        ),
        (
            "hosts",
            number("hosts") <= flows,
            "a flow uses one pair of hosts; give as many flows as hosts, or more",
        ),
        (
            "cached_cwnd",
            caches(stack) || some("on_known", uses_cache),
            "no startup here uses a memory; add one that does, such as careful-resume",
        ),
        (
            "quick_start",
            some("rate_request", requests_rate),
            "no startup here uses rate requests; add quick-start",
        ),
    ];
    for (name, applies, otherwise) in options {
        let value = given.get(name).filter(|value| !value.is_null());
        if let (Some(value), false) = (value, applies) {
            let problem = format!("`{}` changes nothing: {otherwise}", option(name, value));
            return Err(RequestError::new(name, problem));
        }
    }
    Ok(())
}

/// Whether a startup of the catalog uses cached state.
pub(crate) fn uses_cache(startup: &str) -> bool {
    listed(startup).is_some_and(|entry| entry.needs.contains(&Need::Cache))
}

/// Whether a startup of the catalog requests a rate on its SYN.
fn requests_rate(startup: &str) -> bool {
    listed(startup).is_some_and(|entry| entry.name == REQUESTS_RATE)
}
