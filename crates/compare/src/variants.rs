//! What is compared: a name, and what a sending host does under it.

use crate::refusal::suggest;
use crate::startups::{USUAL, canonical, catalog_names, is_control, startup_of};
use crate::{Refusal, stack, words};
use flowstart_sim::RequestError;
use serde::Deserialize;
use serde_json::{Map, Value};

/// What others are measured against where no baseline is named.
const BASELINE: &str = "slow-start";

/// The setting of a sending host, under a name.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Variant {
    /// Its name.
    pub name: String,
    /// Its startup; the one of its congestion control where none is given.
    pub startup: Option<String>,
    /// Its congestion control; the comparison's where none is given.
    pub cc: Option<String>,
    /// Fields of the stack in place of the comparison's.
    #[serde(default)]
    pub stack: Vec<(String, Value)>,
    /// Further fields of its flows.
    #[serde(default)]
    pub flow: Vec<(String, Value)>,
}

impl Variant {
    /// A startup, or a congestion control, which bears its name.
    fn of(name: &str) -> Variant {
        let own = Some(name.to_owned());
        let (startup, cc) = if is_control(name) {
            (None, own)
        } else {
            (own, None)
        };
        Variant {
            name: name.to_owned(),
            startup,
            cc,
            ..Variant::default()
        }
    }

    /// Its startup, also where none is given.
    pub fn begins(&self) -> &str {
        let of_cc = || startup_of(self.cc.as_deref().unwrap_or_default());
        self.startup.as_deref().unwrap_or_else(of_cc)
    }

    /// The fields of its flows.
    pub fn fields(&self) -> Vec<(&str, Value)> {
        let stack: Map<String, Value> = self.stack.iter().cloned().collect();
        let own = [
            ("startup", Some(self.begins().into())),
            ("cc", self.cc.clone().map(Value::from)),
            ("stack", (!stack.is_empty()).then(|| stack.into())),
        ];
        let own = own
            .into_iter()
            .filter_map(|(name, value)| Some((name, value?)));
        let flow = self.flow.iter();
        own.chain(flow.map(|(name, value)| (name.as_str(), value.clone())))
            .collect()
    }

    /// Whether it is a startup that bears its name.
    pub fn is_startup(&self) -> bool {
        self.startup.as_deref() == Some(&self.name)
    }

    /// The text that `--variant` reads.
    pub fn written(&self) -> String {
        let named = [("cc", &self.cc), ("startup", &self.startup)];
        let named = named
            .into_iter()
            .filter_map(|(name, value)| Some((name, value.clone()?)));
        let flow = self.flow.iter();
        let flow = flow.map(|(name, value)| (name.as_str(), words::text(value)));
        let mut found: Vec<String> = named
            .chain(flow)
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        match self.stack.iter().any(|(name, _)| name == "preset") {
            true => found.push(format!("stack={}", stack::word(&self.stack))),
            false => found.extend(words::pairs(&self.stack)),
        }
        format!("{}: {}", self.name, found.join(" "))
    }
}

/// The variants of these startups and congestion controls, or of the usual startups without any.
///
/// `all` and `unaided` are groups of the catalog but for those in `without`; `-NAME` takes one away.
///
/// # Errors
///
/// None is left, one is given twice, or one that is taken away is not there.
pub fn variants(given: Option<&[String]>, without: &[String]) -> Result<Vec<Variant>, Refusal> {
    let Some(given) = given else {
        return Ok(USUAL.map(Variant::of).into());
    };
    let names = names(given, without)?;
    if names.is_empty() {
        return Err(Refusal::new("no startup is given"));
    }
    let mut numbered = names.iter().enumerate();
    match numbered.find(|(at, name)| names[..*at].contains(name)) {
        Some((_, name)) => Err(Refusal::new(format!("startup `{name}` is given twice"))),
        None => Ok(names.iter().map(|name| Variant::of(name)).collect()),
    }
}

/// The names meant, groups of the catalog in full.
fn names(given: &[String], without: &[String]) -> Result<Vec<String>, Refusal> {
    let mut found: Vec<String> = Vec::new();
    let mut by_group: Vec<String> = Vec::new();
    for spec in given.iter().map(|spec| canonical(spec)) {
        if let Some(group) = catalog_names(&spec) {
            let is_new = |name: &&str| {
                let is = |known: &String| known == name;
                !found.iter().any(is) && !without.iter().any(is)
            };
            let added: Vec<String> = group
                .into_iter()
                .filter(is_new)
                .map(str::to_owned)
                .collect();
            by_group.extend(added.iter().cloned());
            found.extend(added);
        } else if let Some(name) = spec.strip_prefix('-') {
            match found.iter().position(|known| known == name) {
                Some(at) => _ = found.remove(at),
                None if without.iter().any(|known| known == name) => {}
                None => {
                    return Err(Refusal::new(format!(
                        "startup `{spec}`: `{name}` is not among those before it, so it cannot be \
                         left out; write `all,-NAME`"
                    )));
                }
            }
        } else if !by_group.contains(&spec) {
            found.push(spec);
        }
    }
    Ok(found)
}

/// The name that the others are measured against: slow start, or the first, unless one is given.
///
/// # Errors
///
/// The given one is not among the names.
pub fn baseline(given: Option<&str>, names: &[&str]) -> Result<String, RequestError> {
    let first = names.first().copied().unwrap_or(BASELINE);
    match given {
        None if names.contains(&BASELINE) => Ok(BASELINE.to_owned()),
        None => Ok(first.to_owned()),
        Some(name) if names.contains(&name) => Ok(name.to_owned()),
        Some(name) => {
            let right = format!("is not among the variants{}", suggest(name, names));
            Err(RequestError::new("baseline", format!("`{name}` {right}")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(given: &[&str], without: &[&str]) -> Result<Vec<String>, String> {
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let (given, without): (Vec<String>, Vec<String>) = (owned(given), owned(without));
        let found = variants(Some(&given), &without).map_err(|refusal| refusal.to_string())?;
        Ok(found.into_iter().map(|variant| variant.name).collect())
    }

    #[test]
    fn a_group_mixes_with_names_and_lacks_what_is_taken_away() {
        let all = named(&["all"], &[]).unwrap();
        let unaided = named(&["unaided"], &[]).unwrap();
        assert!(all.contains(&"xcp".to_owned()) && !unaided.contains(&"xcp".to_owned()));
        let rest: Vec<&String> = all.iter().filter(|name| *name != "hystart").collect();
        let found = named(&["all", "-hystart"], &[]).unwrap();
        assert_eq!(found.iter().collect::<Vec<_>>(), rest);
        let mixed = named(&["hystart", "all", "slow-start:iw=30", "slow-start"], &[]).unwrap();
        assert_eq!(mixed.len(), all.len() + 1);
        assert_eq!(mixed.first().unwrap(), "hystart");
        assert_eq!(mixed.last().unwrap(), "slow-start:iw=30");
    }

    #[test]
    fn a_group_lacks_those_that_are_in_other_hands() {
        let found = named(&["all", "-hystart"], &["hystart"]).unwrap();
        assert!(!found.contains(&"hystart".to_owned()));
    }

    #[test]
    fn what_is_given_twice_or_is_not_there_is_refused() {
        let twice = named(&["a", "b", "a"], &[]).unwrap_err();
        assert_eq!(twice, "startup `a` is given twice");
        let absent = named(&["all", "-nobody"], &[]).unwrap_err();
        assert!(absent.contains("`nobody` is not among those before it"));
        assert_eq!(named(&[], &[]).unwrap_err(), "no startup is given");
    }

    #[test]
    fn a_congestion_control_stands_for_itself_with_its_startup() {
        let found = variants(Some(&["bbr".into(), "reno".into()]), &[]).unwrap();
        assert_eq!(found[0].begins(), "bbr-startup");
        assert_eq!(found[0].written(), "bbr: cc=bbr");
        assert_eq!(found[1].begins(), "slow-start");
    }

    #[test]
    fn the_baseline_is_slow_start_or_the_first() {
        assert_eq!(baseline(None, &["a", "slow-start"]).unwrap(), "slow-start");
        assert_eq!(baseline(None, &["a", "b"]).unwrap(), "a");
        assert!(baseline(Some("c"), &["a", "b"]).is_err());
    }
}
