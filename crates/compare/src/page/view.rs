//! What a state of the page compares: one size with one seed on a path.

use crate::command::Command;
use crate::given::Given;
use crate::options::check_options;
use crate::page::limits;
use crate::path::Path;
use crate::plan::{Plan, flows};
use crate::settings::Settings;
use crate::stack::Stack;
use crate::variants::variants;
use crate::{Custom, Refusal, Run, words};
use flowstart_control::CustomStartups;
use flowstart_sim::{Compiler, RequestError, Scenario};
use serde_json::{Map, Value, json};

/// What is transferred where no size is given.
const USUAL_SIZE: &str = "1MB";

/// A comparison that a page shows.
pub(crate) struct View {
    pub(crate) given: Given,
    pub(crate) path: Path,
    pub(crate) stack: Stack,
    pub(crate) plan: Plan,
    pub(crate) size: String,
    pub(crate) flows: u64,
    pub(crate) seed: u64,
}

impl View {
    /// The view of a state. What needs the simulator is checked by [`View::runs`].
    pub(crate) fn of(given: Given, settings: &Settings) -> Result<View, Refusal> {
        let options = given.object();
        let Some(path) = Path::of(&options, &settings.paths)? else {
            let right = "a rate and an rtt are needed, or a path's name";
            return Err(Refusal::new(format!("no path is given: {right}")));
        };
        let size = given.text("size").unwrap_or(USUAL_SIZE);
        let sizes = words::split(size);
        let [size] = sizes.as_slice() else {
            let count = sizes.len();
            let problem =
                format!("--size: `{size}` is {count} sizes; the explorer shows one, such as 1MB");
            return Err(Refusal::new(problem));
        };
        let stack = Stack::of(&options)?;
        check_path(&path)?;
        let variants = variants(given.list("startup"), &[])?;
        let baseline = given.text("baseline");
        let flow = flows(&options).into_iter().map(object).collect();
        let base = [
            ("path".to_owned(), path.object().into()),
            ("stack".to_owned(), stack.object().into()),
            ("flows".to_owned(), Value::Array(flow)),
        ];
        let base = base.into_iter().collect();
        Ok(View {
            plan: Plan::of(base, variants, baseline, Some(std::slice::from_ref(size)))?,
            flows: given.number("flows").unwrap_or(1).max(1),
            seed: given.number("seed").unwrap_or(1),
            size: size.clone(),
            path,
            stack,
            given,
        })
    }

    /// The runs, one for each startup. Refuses a scenario that is wrong, an option that changes
    /// nothing, and what would take long.
    pub(crate) fn runs(&self, custom: &Custom) -> Result<Vec<Run>, Refusal> {
        self.runs_of(0..self.plan.variants.len(), custom)
    }

    /// The runs of some of the startups.
    pub(crate) fn runs_of(
        &self,
        some: std::ops::Range<usize>,
        custom: &Custom,
    ) -> Result<Vec<Run>, Refusal> {
        self.refuse_what_changes_nothing(custom)?;
        let mut compiler = Compiler::new(custom.startups.clone());
        let cases = self.plan.first_cases(self.seed);
        let refused = |error| Refusal::in_options(&error, |name| self.given.value(name).is_some());
        let mut run = |case| {
            let scenario = Scenario::from_value(self.plan.scenario(case)).map_err(refused)?;
            let mut prepared = compiler.compile(&scenario).map_err(refused)?;
            prepared.record_limits();
            Ok(Run { scenario, prepared })
        };
        let cases = cases.skip(some.start).take(some.len());
        let runs: Vec<Run> = cases.map(&mut run).collect::<Result<_, Refusal>>()?;
        limits::check(&self.size, self.flows, self.plan.variants.len(), &runs)?;
        Ok(runs)
    }

    /// The flow under test, in the order in which a scenario's file has its fields.
    pub(crate) fn flow(&self) -> Vec<(String, Value)> {
        let scenario = self.plan.first_cases(self.seed).next();
        let mut scenario = scenario
            .map(|case| self.plan.scenario(case))
            .unwrap_or_default();
        let own = flows(&self.given.object()).pop().unwrap_or_default();
        let own = own.into_iter().map(|(name, _)| name);
        let names = own.chain(["interface_rate", "startup", "size"]);
        let field =
            |name: &str| Some((name.to_owned(), scenario["flows"][0].get_mut(name)?.take()));
        names.filter_map(field).collect()
    }

    /// The command line that prints the same table.
    pub(crate) fn command(&self) -> String {
        let options = [
            "flows",
            "stagger",
            "cc",
            "cached_cwnd",
            "landing",
            "available_rate",
        ];
        let option = |name: &str| Some((name.to_owned(), self.given.value(name)?));
        let stack = self
            .stack
            .word()
            .map(|word| ("stack".to_owned(), word.into()));
        let options = options.into_iter().filter_map(option);
        let options: Vec<(String, Value)> = stack.into_iter().chain(options).collect();
        Command {
            words: vec!["flowstart".into(), "compare".into()],
            path: self.path.fields(),
            options: &options,
            variants: &self.plan.variants,
            without: &[],
            baseline: &self.plan.baseline,
            sizes: vec![&self.size],
            seed: self.seed,
            repeat: None,
        }
        .written()
    }

    fn refuse_what_changes_nothing(&self, custom: &Custom) -> Result<(), RequestError> {
        let startups = self.plan.variants.iter();
        let startups: Vec<String> = startups.map(|one| one.begins().to_owned()).collect();
        let (given, stack) = (self.given.object(), self.stack.object());
        check_options(&given, &startups, &stack, &custom.hooks)
    }
}

fn object(fields: Vec<(&'static str, Value)>) -> Value {
    let fields = fields.into_iter();
    let fields: Map<String, Value> = fields
        .map(|(name, value)| (name.to_owned(), value))
        .collect();
    fields.into()
}

/// Refuses a path that is wrong whatever runs on it.
fn check_path(path: &Path) -> Result<(), Refusal> {
    let document = json!({"path": path.object(), "flows": [{"size": "1kB"}]});
    let scenario = Scenario::from_value(document)?;
    Compiler::new(CustomStartups::none()).compile(&scenario)?;
    Ok(())
}
