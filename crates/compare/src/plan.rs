//! What a state compares: the same traffic under one startup after another.

use crate::given::Given;
use crate::page::limits;
use crate::path::Path;
use crate::settings::Settings;
use crate::stack::{caches, Stack};
use crate::startups::{baseline, listed, variants, Variant};
use crate::{words, Refusal, Run};
use flowstart_control::entry::Need;
use flowstart_control::CustomStartups;
use flowstart_sim::{Compiler, RequestError, Scenario};
use serde_json::{json, Map, Value};
use std::collections::BTreeMap;

/// What is transferred where no size is given.
const USUAL_SIZE: &str = "1MB";
/// What an earlier connection left behind where nothing else is said: the right window.
const CACHED: &str = "1bdp";
/// The startup of the catalog that requests a rate on its SYN.
const REQUESTS_RATE: &str = "quick-start";

/// Startups that are not in the catalog.
#[derive(Clone, Default)]
pub struct Custom {
    /// What makes them.
    pub startups: CustomStartups,
    /// The names of the hooks that each has.
    pub hooks: BTreeMap<String, Vec<String>>,
}

/// What is compared.
pub(crate) struct Plan {
    pub(crate) given: Given,
    pub(crate) path: Path,
    pub(crate) stack: Stack,
    pub(crate) variants: Vec<Variant>,
    pub(crate) baseline: String,
    pub(crate) size: String,
    pub(crate) flows: u64,
    pub(crate) seed: u64,
}

impl Plan {
    /// The plan of a state. What needs the simulator is checked by [`Plan::runs`].
    pub(crate) fn of(given: Given, settings: &Settings) -> Result<Plan, Refusal> {
        let path = Path::of(&given, settings)?;
        let size = given.text("size").unwrap_or(USUAL_SIZE);
        let sizes = words::split(size);
        let [size] = sizes.as_slice() else {
            let count = sizes.len();
            let problem =
                format!("--size: `{size}` is {count} sizes; the explorer shows one, such as 1MB");
            return Err(Refusal::new(problem));
        };
        let stack = Stack::of(&given)?;
        check_path(&path)?;
        let variants = variants(given.list("startup"))?;
        Ok(Plan {
            baseline: baseline(given.text("baseline"), &variants)?,
            flows: given.number("flows").unwrap_or(1).max(1),
            seed: given.number("seed").unwrap_or(1),
            size: size.clone(),
            path,
            stack,
            variants,
            given,
        })
    }

    /// The runs, one for each startup. Refuses a scenario that is wrong, an option that changes
    /// nothing, and what would take long.
    pub(crate) fn runs(&self, custom: &Custom) -> Result<Vec<Run>, Refusal> {
        self.runs_of(&self.variants, custom)
    }

    /// The run of each of some startups.
    pub(crate) fn runs_of(&self, some: &[Variant], custom: &Custom) -> Result<Vec<Run>, Refusal> {
        self.refuse_what_changes_nothing(custom)?;
        let mut compiler = Compiler::new(custom.startups.clone());
        let mut run = |variant: &Variant| {
            let scenario = Scenario::from_value(self.document(variant))?;
            let prepared = compiler.compile(&scenario)?;
            Ok(Run { scenario, prepared })
        };
        let runs: Vec<Run> = some.iter().map(&mut run).collect::<Result<_, Refusal>>()?;
        limits::check(&self.size, self.flows, self.variants.len(), &runs)?;
        Ok(runs)
    }

    /// The flow under test, in the order in which a scenario's file has its fields.
    pub(crate) fn flow(&self, variant: &Variant) -> Vec<(&'static str, Value)> {
        let given = |name| self.given.value(name);
        let cc = variant.cc.clone().map(Value::from).or_else(|| given("cc"));
        let cached = given("cached_cwnd").unwrap_or_else(|| CACHED.into());
        let fields = [
            ("cc", cc),
            ("count", given("flows")),
            ("stagger", given("stagger")),
            ("landing", given("landing")),
            ("available_rate", given("available_rate")),
            ("cached_cwnd", Some(cached)),
            ("interface_rate", self.path.interface().map(Value::from)),
            ("startup", Some(variant.startup.clone().into())),
            ("size", Some(self.size.clone().into())),
        ];
        fields
            .into_iter()
            .filter_map(|(name, value)| Some((name, value?)))
            .collect()
    }

    /// The scenario of a startup.
    fn document(&self, variant: &Variant) -> Value {
        let flow: Map<String, Value> = self
            .flow(variant)
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value))
            .collect();
        json!({
            "path": self.path.object(),
            "stack": self.stack.object(),
            "flows": [flow],
            "seed": self.seed,
        })
    }

    fn refuse_what_changes_nothing(&self, custom: &Custom) -> Result<(), RequestError> {
        let startups = self.variants.iter().map(|variant| variant.startup.clone());
        let startups: Vec<String> = startups.collect();
        let (given, stack) = (self.given.object(), self.stack.object());
        check_options(&given, &startups, &stack, &custom.hooks)
    }
}

/// Refuses an option that is given and changes nothing under these startups and this stack. `hooks`
/// are the names of the hooks of those startups that are not in the catalog.
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
        if let (Some(value), false) = (given.get(name), applies) {
            let value = value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned);
            let problem = format!("`{value}` changes nothing: {otherwise}");
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

/// Refuses a path that is wrong whatever runs on it.
fn check_path(path: &Path) -> Result<(), Refusal> {
    let document = json!({"path": path.object(), "flows": [{"size": "1kB"}]});
    let scenario = Scenario::from_value(document)?;
    Compiler::new(CustomStartups::none()).compile(&scenario)?;
    Ok(())
}
