//! What scenarios of a batch share is worked out once: most differ in a field or two.

use super::files::Files;
use super::setting::{Setting, starts_with_xcp};
use crate::spec::{PathSpec, RequestError, Scenario, StackSpec};
use flowstart_control::catalog::Recipe;
use flowstart_control::params::SpecError;
use flowstart_control::{Convention, CustomStartups};
use std::cell::RefCell;
use std::sync::Arc;

/// The setting of the scenario before, for others with an equal path and stack.
#[derive(Default)]
pub(super) struct Settings {
    files: Files,
    latest: Option<(Key, Arc<Setting>)>,
}

/// All of a scenario that its setting depends on.
struct Key {
    path: PathSpec,
    stack: StackSpec,
    xcp: bool,
}

impl Key {
    fn of(scenario: &Scenario) -> Key {
        Key {
            path: scenario.path.clone(),
            stack: scenario.stack.clone(),
            xcp: starts_with_xcp(scenario),
        }
    }

    fn fits(&self, scenario: &Scenario) -> bool {
        self.path == scenario.path
            && self.stack == scenario.stack
            && self.xcp == starts_with_xcp(scenario)
    }
}

impl Settings {
    /// That of a scenario, every field of it checked.
    pub(super) fn of(&mut self, scenario: &Scenario) -> Result<Arc<Setting>, RequestError> {
        match &self.latest {
            Some((key, setting)) if key.fits(scenario) => Ok(setting.clone()),
            _ => {
                let setting = Arc::new(Setting::of(scenario, &mut self.files)?);
                self.latest = Some((Key::of(scenario), setting.clone()));
                Ok(setting)
            }
        }
    }
}

/// The algorithms of a flow, as the scenario names them and as a recipe.
#[derive(Clone)]
pub(super) struct Algorithms {
    pub(super) startup: Arc<str>,
    pub(super) cc: Arc<str>,
    pub(super) recipe: Arc<Recipe>,
}

/// How many recipes are kept: more than a comparison has startups.
const KEPT: usize = 64;

/// The recipes that have been read, the latest last.
pub(super) struct Recipes {
    custom: CustomStartups,
    read: RefCell<Vec<Algorithms>>,
}

impl Recipes {
    /// Startups may also be these.
    pub(super) fn among(custom: CustomStartups) -> Recipes {
        let read = RefCell::default();
        Recipes { custom, read }
    }

    /// The recipe of a startup and a congestion control.
    pub(super) fn get(
        &self,
        startup: &str,
        cc: &str,
        convention: Convention,
    ) -> Result<Algorithms, SpecError> {
        let mut read = self.read.borrow_mut();
        let known = read.iter().find(|known| {
            *known.startup == *startup
                && *known.cc == *cc
                && known.recipe.convention() == convention
        });
        if let Some(known) = known {
            return Ok(known.clone());
        }
        let recipe = Recipe::among(&self.custom, startup, cc, convention)?;
        let new = Algorithms {
            startup: startup.into(),
            cc: cc.into(),
            recipe: Arc::new(recipe),
        };
        if read.len() == KEPT {
            read.remove(0);
        }
        read.push(new.clone());
        Ok(new)
    }
}

#[cfg(test)]
mod tests {
    use crate::{Compiler, Scenario};
    use flowstart_control::CustomStartups;

    const FIRST: &str = r#"
        path = { rate = "5Mbps", rtt = "64ms", buffer = "60pkt" }
        flows = [{ startup = "jump-start", size = "64pkt" }]
    "#;

    /// What each scenario comes to, compiled after the others.
    fn outcomes(compiler: impl Fn() -> Compiler, texts: &[String]) -> Vec<String> {
        let mut shared = compiler();
        let run = |text: &String| {
            let scenario = Scenario::from_toml(text).unwrap();
            format!(
                "{:?}",
                shared.compile(&scenario).map(|prepared| prepared.run())
            )
        };
        texts.iter().map(run).collect()
    }

    #[test]
    fn what_comes_before_a_scenario_changes_nothing_of_it() {
        let changes = [
            ("5Mbps", "6Mbps"),
            ("60pkt", "61pkt"),
            ("jump-start", "xcp"),
            ("jump-start", "hystart"),
            ("jump-start", "nobody"),
            ("64pkt", "65pkt"),
            ("flows", "stack = { preset = \"ns2\" }\nflows"),
            ("flows", "stack = { preset = \"linux\" }\nflows"),
            ("flows", "seed = 2\nflows"),
            ("size", "cc = \"cubic\", size"),
        ];
        let mut texts = vec![FIRST.to_string()];
        for (old, new) in changes {
            texts.push(FIRST.replacen(old, new, 1));
            texts.push(FIRST.to_string());
        }
        let new = || Compiler::new(CustomStartups::none());
        let alone = texts
            .iter()
            .flat_map(|text| outcomes(new, std::slice::from_ref(text)));
        assert_eq!(outcomes(new, &texts), alone.collect::<Vec<_>>());
    }

    #[test]
    fn equal_paths_and_algorithms_are_worked_out_once() {
        let scenario = |text: &str| Scenario::from_toml(text).unwrap();
        let mut compiler = Compiler::new(CustomStartups::none());
        let a = compiler.compile(&scenario(FIRST)).unwrap();
        let b = compiler
            .compile(&scenario(&FIRST.replace("64pkt", "65pkt")))
            .unwrap();
        assert!(std::ptr::eq(a.chain(), b.chain()));
        let recipe = |prepared: &crate::Prepared| prepared.kinds[0].recipe.clone();
        assert!(std::sync::Arc::ptr_eq(&recipe(&a), &recipe(&b)));
    }
}
