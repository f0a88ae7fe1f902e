//! Every algorithm by name.
//!
//! To add an algorithm: write its file with a `const ENTRY`, and name it once in the `mod.rs`
//! of its folder. The command line, the Python package and the documentation read these lists.

use std::fmt;

use crate::avoidance;
use crate::custom::{CustomStartups, Factory};
use crate::entry::{Description, Entry, Need, Selected, defaults, describe_one, read};
use crate::params::{AlgorithmKind, Params, SpecError};
use crate::slow_start::SlowStart;
use crate::startup;
use crate::{Controller, Convention, LandingRule};

/// Entries of all startup algorithms.
pub const STARTUPS: &[Entry<startup::Maker>] = startup::ENTRIES;

/// Entries of all congestion controls.
pub const AVOIDANCES: &[Entry<avoidance::Maker>] = avoidance::ENTRIES;

/// The defaults of a startup's parameters. With [`Params::with`] they are changed by value instead of
/// text, and their text is a specification:
///
/// ```
/// use flowstart_control::{Convention, catalog, startup::hystart_plus_plus::Settings};
///
/// let startup = catalog::startup("hystart-plus-plus")?.with(&Settings::css_rounds, 3)?;
/// assert_eq!(startup.to_string(), "hystart-plus-plus:css_rounds=3");
/// catalog::controller(&startup.to_string(), "cubic", Convention::QUIC)?;
///
/// let refused = catalog::startup("hystart-plus-plus")?.with(&Settings::css_rounds, 0);
/// assert!(refused.unwrap_err().to_string().contains("`0` is not a whole number from 1"));
/// # Ok::<(), flowstart_control::params::SpecError>(())
/// ```
pub fn startup(name: &str) -> Result<Params, SpecError> {
    defaults(AlgorithmKind::STARTUP, STARTUPS, name)
}

/// The defaults of a congestion control's parameters, as [`startup`] has those of a startup.
pub fn avoidance(name: &str) -> Result<Params, SpecError> {
    defaults(AlgorithmKind::AVOIDANCE, AVOIDANCES, name)
}

/// Where a recipe's startup comes from.
#[derive(Clone)]
enum Source {
    Listed(Selected<startup::Maker>),
    Custom(String, Factory),
}

impl Source {
    fn read(
        custom: &CustomStartups,
        spec: &str,
        convention: Convention,
    ) -> Result<Source, SpecError> {
        if let Some((name, factory)) = custom.get(spec) {
            return Ok(Source::Custom(name.into(), factory.clone()));
        }
        match read(AlgorithmKind::STARTUP, STARTUPS, spec, convention) {
            Ok(selected) => Ok(Source::Listed(selected)),
            Err(_) if read(AlgorithmKind::AVOIDANCE, AVOIDANCES, spec, convention).is_ok() => {
                Err(SpecError::avoidance_as_startup(spec))
            }
            Err(error) => Err(error),
        }
    }

    fn slow_start(&self, convention: Convention) -> Result<SlowStart, SpecError> {
        match self {
            Source::Listed(selected) => SlowStart::read(&selected.params, convention),
            Source::Custom(..) => Ok(SlowStart::by_stack(convention)),
        }
    }
}

/// A startup and an avoidance with their parameters, read and found sound: what makes
/// one controller after another.
#[derive(Clone)]
pub struct Recipe {
    startup: Source,
    slow_start: SlowStart,
    avoidance: Selected<avoidance::Maker>,
    convention: Convention,
    landing: LandingRule,
}

impl Recipe {
    /// Reads two specifications such as `limited-slow-start:max_ssthresh=50` and `reno`.
    pub fn parse(
        startup: &str,
        avoidance: &str,
        convention: Convention,
    ) -> Result<Recipe, SpecError> {
        Recipe::among(&CustomStartups::none(), startup, avoidance, convention)
    }

    /// Reads two specifications, of which the startup may also be a custom one.
    pub fn among(
        custom: &CustomStartups,
        startup: &str,
        avoidance: &str,
        convention: Convention,
    ) -> Result<Recipe, SpecError> {
        let startup = Source::read(custom, startup, convention)?;
        Ok(Recipe {
            slow_start: startup.slow_start(convention)?,
            startup,
            avoidance: read(AlgorithmKind::AVOIDANCE, AVOIDANCES, avoidance, convention)?,
            convention,
            landing: LandingRule::default(),
        })
    }

    /// The same, whose flows land by this rule.
    pub fn landing(self, landing: LandingRule) -> Recipe {
        Recipe { landing, ..self }
    }

    /// Makes the controller of a flow: copies of values that were read once.
    pub fn build(&self) -> Controller {
        let make = match &self.startup {
            Source::Listed(selected) => &selected.built,
            Source::Custom(_, factory) => factory,
        };
        Controller::new(make(), self.slow_start, (self.avoidance.built)()).landing(self.landing)
    }

    /// What the startup needs beyond an ordinary sender; a custom one may make use of anything.
    pub fn needs(&self) -> &'static [Need] {
        match &self.startup {
            Source::Listed(selected) => selected.entry.needs,
            Source::Custom(..) => &[
                Need::Pacing,
                Need::Peer,
                Need::Routers,
                Need::Cache,
                Need::Interface,
            ],
        }
    }

    /// Whether the avoidance needs a peer that counts marks, and queues that mark for it.
    pub fn needs_l4s(&self) -> bool {
        self.avoidance.entry.needs.contains(&Need::L4s)
    }

    /// The startup's name, without parameters.
    pub fn startup_name(&self) -> &str {
        match &self.startup {
            Source::Listed(selected) => selected.entry.name,
            Source::Custom(name, _) => name,
        }
    }

    /// The avoidance's name, without parameters.
    pub fn avoidance_name(&self) -> &'static str {
        self.avoidance.entry.name
    }

    /// The startup's specification: its name and the parameters that were given.
    pub fn startup_spec(&self) -> String {
        match &self.startup {
            Source::Listed(selected) => selected.params.to_string(),
            Source::Custom(name, _) => name.clone(),
        }
    }

    /// The avoidance's specification: its name and the parameters that were given.
    pub fn avoidance_spec(&self) -> String {
        self.avoidance.params.to_string()
    }

    /// Convention that fills in what was not given.
    pub fn convention(&self) -> Convention {
        self.convention
    }
}

impl fmt::Debug for Recipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} + {}", self.startup_spec(), self.avoidance_spec())
    }
}

/// Makes one controller from two specifications.
pub fn controller(
    startup: &str,
    avoidance: &str,
    convention: Convention,
) -> Result<Controller, SpecError> {
    Recipe::parse(startup, avoidance, convention).map(|recipe| recipe.build())
}

/// Describes every algorithm, startups first.
pub fn describe() -> Vec<Description> {
    let startups = STARTUPS
        .iter()
        .map(|entry| describe_one(AlgorithmKind::STARTUP, entry));
    let avoidances = AVOIDANCES
        .iter()
        .map(|entry| describe_one(AlgorithmKind::AVOIDANCE, entry));
    startups.chain(avoidances).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::Params;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};

    const CONVENTIONS: [Convention; 4] = [
        Convention::RFC,
        Convention::NS2,
        Convention::LINUX,
        Convention::QUIC,
    ];

    fn complaint(startup: &str, avoidance: &str) -> String {
        Recipe::parse(startup, avoidance, Convention::RFC)
            .unwrap_err()
            .to_string()
    }

    /// The meaning of stored scenarios does not change.
    #[test]
    fn published_names_stay() {
        for name in [
            "slow-start",
            "limited-slow-start",
            "jump-start",
            "quick-start",
            "qs-app",
            "swift-start",
            "modified-swift-start",
            "fast-start",
            "hystart",
            "hystart-plus-plus",
            "vegas-slow-start",
            "packet-pair-start",
            "adaptive-start",
            "delay-based-slow-start",
            "smooth-start",
            "xcp",
            "search",
            "rapid-start",
            "suss",
            "paced-gradual",
            "bbr-startup",
            "careful-resume",
            "paced-initial-window",
            "quicly-jumpstart",
            "stateful-tcp",
            "circuit-start",
            "halfback",
            "paced-chirping",
            "copa-slow-start",
            "pcc-start",
            "c4-initial",
            "paced-start",
            "gauge",
        ] {
            assert!(STARTUPS.iter().any(|e| e.name == name), "{name}");
        }
        for name in [
            "reno",
            "cubic",
            "none",
            "vegas",
            "westwood",
            "high-speed",
            "bic",
            "bbr",
            "prague",
        ] {
            assert!(AVOIDANCES.iter().any(|e| e.name == name), "{name}");
        }
    }

    #[test]
    fn no_name_is_taken_twice() {
        let mut names: Vec<_> = describe().iter().map(|d| (d.kind, d.name)).collect();
        let all = names.len();
        names.sort_by_key(|(kind, name)| (format!("{kind:?}"), *name));
        names.dedup();
        assert_eq!(names.len(), all);
    }

    #[test]
    fn every_algorithm_works_with_every_other_by_default() {
        for convention in CONVENTIONS {
            for startup in STARTUPS {
                for avoidance in AVOIDANCES {
                    let recipe = Recipe::parse(startup.name, avoidance.name, convention).unwrap();
                    assert_eq!(recipe.startup_name(), startup.name);
                    assert_eq!(recipe.avoidance_name(), avoidance.name);
                    recipe.build();
                }
            }
        }
    }

    /// A default is a value of its parameter's kind, or words that name what settles it;
    /// and what is no value must not be reached by a getter that needs one.
    #[test]
    fn every_default_is_a_value_or_an_explanation() {
        for algorithm in describe() {
            for param in &algorithm.params {
                let spec = format!("{}:{}={}", algorithm.name, param.name, param.default);
                let given = match algorithm.kind {
                    AlgorithmKind::STARTUP => Recipe::parse(&spec, "reno", Convention::RFC),
                    AlgorithmKind::AVOIDANCE => Recipe::parse("slow-start", &spec, Convention::RFC),
                    other => unreachable!("{other} is not an algorithm of an endpoint"),
                };
                let explained = param.default.starts_with("by ") || param.default == "none";
                assert_ne!(given.is_ok(), explained, "{spec}");
                assert!(
                    !param.meaning.is_empty() && !param.unit.is_empty(),
                    "{spec}"
                );
            }
        }
    }

    #[test]
    fn a_recipe_writes_only_what_was_given() {
        let recipe = Recipe::parse(
            " limited-slow-start : iw=10, max_ssthresh=50pkt",
            "reno:growth=per-ack",
            Convention::NS2,
        )
        .unwrap();
        assert_eq!(
            recipe.startup_spec(),
            "limited-slow-start:max_ssthresh=50,iw=10pkt"
        );
        assert_eq!(recipe.avoidance_spec(), "reno:growth=per-ack");
        assert_eq!(recipe.convention(), Convention::NS2);
        let again = Recipe::parse(
            &recipe.startup_spec(),
            &recipe.avoidance_spec(),
            Convention::NS2,
        );
        assert_eq!(again.unwrap().startup_spec(), recipe.startup_spec());
        let plain = Recipe::parse("hystart", "cubic", Convention::LINUX).unwrap();
        assert_eq!(
            (plain.startup_spec(), plain.avoidance_spec()),
            ("hystart".into(), "cubic".into())
        );
    }

    #[test]
    fn a_custom_startup_is_taken_by_its_whole_name_and_made_anew_for_every_flow() {
        let made = Arc::new(AtomicU32::new(0));
        let counter = made.clone();
        let custom = CustomStartups::none().with("./mine.py:Mine:x=1", move || {
            counter.fetch_add(1, Ordering::Relaxed);
            let entry = &STARTUPS[0];
            let params =
                Params::parse(AlgorithmKind::STARTUP, entry.name, entry.params, "").unwrap();
            (entry.build)(&params, Convention::RFC).unwrap()()
        });
        let read = |spec| Recipe::among(&custom, spec, "reno", Convention::RFC);
        let recipe = read("./mine.py:Mine:x=1").unwrap();
        assert_eq!(recipe.startup_name(), "./mine.py:Mine:x=1");
        assert_eq!(made.load(Ordering::Relaxed), 0);
        recipe.build();
        recipe.build();
        assert_eq!(made.load(Ordering::Relaxed), 2);
        assert_eq!(read("jump-start").unwrap().startup_name(), "jump-start");
        assert!(read("./mine.py:Mine").is_err());
    }

    #[test]
    fn a_parameter_in_the_place_of_a_startup_is_met_with_the_startup_that_has_it() {
        let meant = |given, right| format!("startup `{given}`: unknown; did you mean `{right}`?");
        for given in ["iw30", "IW30", "iw=30", "iw-30"] {
            assert_eq!(complaint(given, "reno"), meant(given, "slow-start:iw=30"));
        }
        assert_eq!(
            complaint("max_ssthresh=100", "reno"),
            meant("max_ssthresh=100", "limited-slow-start:max_ssthresh=100")
        );
    }

    #[test]
    fn an_unknown_algorithm_is_met_with_the_nearest_or_the_list() {
        assert_eq!(
            complaint("slowstart", "reno"),
            "startup `slowstart`: unknown; did you mean `slow-start`?"
        );
        assert!(complaint("12345", "reno").starts_with(
            "startup `12345`: unknown; known are `slow-start`, `limited-slow-start`, `jump-start`"
        ));
        assert_eq!(
            complaint("hystart", "cubik"),
            "cc `cubik`: unknown; did you mean `cubic`?"
        );
        assert!(complaint("", "reno").starts_with("startup ``: unknown; known are"));
        assert_eq!(
            complaint("cubic", "reno"),
            "startup `cubic`: this is a congestion control; give it as `cc`"
        );
        assert_eq!(
            complaint("slow-start", "none:growth=abc"),
            "cc `none`: parameter `growth` is unknown; it has `base`, `precise`"
        );
    }

    #[test]
    fn a_name_from_elsewhere_is_taken_for_ours() {
        let recipe = Recipe::parse("hystart++:css_rounds=3", "newreno", Convention::RFC).unwrap();
        assert_eq!(recipe.startup_name(), "hystart-plus-plus");
        assert_eq!(recipe.avoidance_name(), "reno");
    }

    #[test]
    fn a_parameter_without_effect_is_refused() {
        assert_eq!(
            complaint("slow-start:growth=bytes,limit=5", "reno"),
            "startup `slow-start`: parameter `limit` has no effect here; it needs `growth=abc`"
        );
        let ns2 = Recipe::parse("slow-start:limit=5", "reno", Convention::NS2);
        assert!(ns2.is_err());
        assert!(Recipe::parse("slow-start:limit=2", "reno", Convention::NS2).is_ok());
        assert!(Recipe::parse("slow-start:growth=abc,limit=5", "reno", Convention::NS2).is_ok());
        for (spec, needs) in [
            (
                "limited-slow-start:variant=ns2,arithmetic=exact",
                "`variant=rfc`",
            ),
            ("hystart:paced=true", "`variant=linux-5.6`"),
            ("hystart-plus-plus:l=4,paced=true", "`l` not to be given"),
            ("packet-pair-start:variant=ns2,acks=4", "`variant=robust`"),
            ("quick-start:sizing=fixed,qs_rtt=1s", "`sizing=data`"),
            (
                "fast-start:fast_reset_timer=no,ack_delay=1s",
                "`fast_reset_timer=true`",
            ),
            (
                "stateful-tcp:response=standard,beta=0.7",
                "`response=safe-retreat`",
            ),
        ] {
            assert!(complaint(spec, "reno").ends_with(needs), "{spec}");
        }
        for (spec, needs) in [
            ("reno:precise=false", "`base=window`"),
            ("none:precise=false", "`base=window`"),
            ("westwood:variant=plus,filter=fixed", "`variant=westwood`"),
            (
                "westwood:filter=fixed,tau=2s",
                "`variant=westwood,filter=tustin`",
            ),
            ("high-speed:high_p=0.1", "`variant=ns2`"),
        ] {
            assert!(complaint("slow-start", spec).ends_with(needs), "{spec}");
        }
    }

    #[test]
    fn descriptions_are_complete() {
        let all = describe();
        assert_eq!(all.len(), STARTUPS.len() + AVOIDANCES.len());
        for a in &all {
            assert!(!a.title.is_empty() && !a.source.is_empty() && a.summary.ends_with('.'));
            assert!((1980..2100).contains(&a.year), "{}", a.name);
        }
        let json = serde_json::to_value(&all[2]).unwrap();
        assert_eq!(json["name"], "jump-start");
        assert_eq!(json["kind"], "startup");
        assert_eq!(json["needs"][0], "pacing");
        assert_eq!(json["certainty"], "text");
        assert_eq!(json["params"][0]["name"], "max_d");
        assert_eq!(json["params"][0]["default"], "10000");
    }
}
