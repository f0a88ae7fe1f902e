//! The state of a page: options of `flowstart compare`, from JSON of any kind to typed values.

use crate::fields::{LONGEST, cut, shown};
use crate::refusal::suggest;
use crate::settings::{Kind, Settings, StateOption};
use crate::{Refusal, words};
use serde::Serialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::fmt::Display;

const LARGEST: u64 = i64::MAX as u64;
/// At most so many startups are compared.
const MOST_STARTUPS: usize = 64;

/// A value of an option.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub(crate) enum Typed {
    Text(String),
    Number(u64),
    Switch(bool),
    List(Vec<String>),
}

impl Typed {
    fn value(&self) -> Value {
        match self {
            Typed::Text(text) => text.clone().into(),
            Typed::Number(number) => (*number).into(),
            Typed::Switch(truth) => (*truth).into(),
            Typed::List(texts) => texts.clone().into(),
        }
    }
}

/// What was given, by option with `_` for `-`.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(transparent)]
pub(crate) struct Given(BTreeMap<String, Typed>);

impl Given {
    /// Checks the types of all values, and that each is an option that may be given.
    pub(crate) fn read(given: &Value, settings: &Settings) -> Result<Given, Refusal> {
        if given.is_null() {
            return Err(Refusal::new(
                "given: missing; what is to be compared is needed",
            ));
        }
        let Value::Object(fields) = given else {
            let given = shown(given);
            return Err(Refusal::new(format!(
                "given: an object is needed, such as {{\"rate\": \"50Mbps\", \"rtt\": \"80ms\"}}, \
                 not `{given}`"
            )));
        };
        let found = Given(typed(fields, settings)?);
        check_startups(found.list("startup"), settings)?;
        match found.unnamed_file(settings) {
            None => Ok(found),
            Some((flag, file)) => Err(Refusal::new(format!(
                "--{flag}: `{file}` is a file; the explorer reads only what its command line names"
            ))),
        }
    }

    fn unnamed_file<'a>(&'a self, settings: &'a Settings) -> Option<(&'a str, &'a str)> {
        let files = settings.options.iter().filter(|option| option.names_file);
        let mut named =
            files.filter_map(|option| Some((option.flag.as_str(), self.text(&option.name())?)));
        named.find(|(_, file)| !settings.files.iter().any(|known| known == file))
    }

    /// An option's text.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        match self.0.get(name) {
            Some(Typed::Text(text)) => Some(text),
            _ => None,
        }
    }

    /// An option's number.
    pub(crate) fn number(&self, name: &str) -> Option<u64> {
        match self.0.get(name) {
            Some(Typed::Number(number)) => Some(*number),
            _ => None,
        }
    }

    /// An option's names.
    pub(crate) fn list(&self, name: &str) -> Option<&[String]> {
        match self.0.get(name) {
            Some(Typed::List(texts)) => Some(texts),
            _ => None,
        }
    }

    /// An option's value as a scenario has it.
    pub(crate) fn value(&self, name: &str) -> Option<Value> {
        self.0.get(name).map(Typed::value)
    }

    /// All values by option.
    pub(crate) fn object(&self) -> Map<String, Value> {
        let fields = self.0.iter();
        fields
            .map(|(name, typed)| (name.clone(), typed.value()))
            .collect()
    }
}

/// Checks that startups are not too many, and that those in Python are known to the command line.
fn check_startups(named: Option<&[String]>, settings: &Settings) -> Result<(), Refusal> {
    let named = named.unwrap_or_default();
    if named.len() > MOST_STARTUPS {
        let count = named.len();
        return Err(Refusal::new(format!(
            "--startup: {count} are too many; at most {MOST_STARTUPS} are"
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

fn typed(
    fields: &Map<String, Value>,
    settings: &Settings,
) -> Result<BTreeMap<String, Typed>, Refusal> {
    let mut seen: Vec<String> = Vec::new();
    let mut found = BTreeMap::new();
    for (flag, value) in fields {
        let name = flag.replace('-', "_");
        let Some(option) = settings.options.iter().find(|option| option.name() == name) else {
            let known: Vec<&str> = settings.options.iter().map(|o| o.flag.as_str()).collect();
            let near = suggest(flag, &known);
            return Err(Refusal::new(format!(
                "given: `{}` is unknown{near}",
                cut(flag)
            )));
        };
        if seen.contains(&name) {
            let problem = format!("given: `{flag}` is given twice, with `-` and with `_`");
            return Err(Refusal::new(problem));
        }
        let is_empty = value.is_null()
            || value.as_str() == Some("")
            || value.as_array().is_some_and(Vec::is_empty);
        seen.push(name.clone());
        if !is_empty {
            found.insert(name, one(option, value)?);
        }
    }
    Ok(found)
}

fn one(option: &StateOption, value: &Value) -> Result<Typed, Refusal> {
    Ok(match option.kind {
        Kind::Text => Typed::Text(text(option, value)?),
        Kind::Number => Typed::Number(number(option, value)?),
        Kind::Switch => Typed::Switch(switch(option, value)?),
        Kind::List => Typed::List(list(option, value)?),
    })
}

fn list(option: &StateOption, value: &Value) -> Result<Vec<String>, Refusal> {
    let texts: Vec<String> = match value {
        Value::String(_) => vec![text(option, value)?],
        Value::Array(texts) => texts
            .iter()
            .map(|one| text(option, one))
            .collect::<Result<_, Refusal>>()?,
        _ => return Err(wrong(option, value, "a list of names is needed")),
    };
    Ok(texts.iter().flat_map(|text| words::split(text)).collect())
}

fn text(option: &StateOption, value: &Value) -> Result<String, Refusal> {
    let Value::String(text) = value else {
        let right = "a text is needed, such as `50Mbps` or `80ms`";
        return Err(wrong(option, value, right));
    };
    let letters = text.chars().count();
    if letters > LONGEST {
        let begin: String = text.chars().take(20).collect();
        let right = format!("{letters} letters; at most {LONGEST} are");
        return Err(Refusal::of(&option.flag, format!("{begin}…"), right));
    }
    Ok(text.clone())
}

fn switch(option: &StateOption, value: &Value) -> Result<bool, Refusal> {
    match (value, value.as_str()) {
        (Value::Bool(truth), _) => Ok(*truth),
        (_, Some("true")) => Ok(true),
        (_, Some("false")) => Ok(false),
        _ => Err(wrong(option, value, "true or false is needed")),
    }
}

fn number(option: &StateOption, value: &Value) -> Result<u64, Refusal> {
    let digits = value
        .as_str()
        .filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()));
    let is_large = value
        .as_f64()
        .is_some_and(|number| number >= i64::MAX as f64)
        || digits.is_some_and(|digits| !digits.is_empty() && digits.parse::<u64>().is_err());
    let found = value
        .as_i64()
        .or_else(|| digits.and_then(|digits| digits.parse().ok()));
    let least = option.least.unwrap_or(0);
    match found {
        _ if is_large => {
            let right = format!("a whole number of at most {LARGEST} is needed");
            Err(wrong(option, value, right))
        }
        None => Err(wrong(option, value, "a whole number is needed")),
        Some(number) => u64::try_from(number)
            .ok()
            .filter(|_| number >= least)
            .ok_or_else(|| {
                let right = format!("a whole number from {least} on is needed");
                wrong(option, value, right)
            }),
    }
}

fn wrong(option: &StateOption, value: &Value, right: impl Display) -> Refusal {
    Refusal::of(&option.flag, shown(value), right)
}
