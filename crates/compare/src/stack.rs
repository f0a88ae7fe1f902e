//! The endpoints as people write them: `ns2:recovery=newreno,iw=3`, a preset and fields.

use crate::refusal::suggest;
use crate::words;
use flowstart_sim::{RequestError, parts};
use flowstart_transport::stack::{DEFAULT, PRESETS};
use serde_json::{Map, Value};

const PRESET: &str = "preset";
/// Presets of QUIC stacks that startups of the catalog control.
const ADAPTERS: [&str; 3] = ["quinn-adapter", "noq-adapter", "s2n-adapter"];
/// Fields of a stack, and their values with which it uses cached state.
const CACHING: [(&str, &[&str]); 3] = [
    ("sharing", &["temporal", "ensemble"]),
    ("handshake", &["0-rtt", "tcp+0-rtt", "tcp+tfo+0-rtt"]),
    ("flight", &["resumed"]),
];

/// A stack: its preset first, then fields in place of the preset's.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Stack(Vec<(String, Value)>);

impl Stack {
    /// The stack that options give, with the usual preset where they name none.
    pub(crate) fn of(given: &Map<String, Value>) -> Result<Stack, RequestError> {
        let fields = given_stack(given)?;
        if fields.iter().any(|(name, _)| name == PRESET) {
            return Ok(Stack(fields));
        }
        let mut usual = Stack::usual();
        usual.0.extend(fields);
        Ok(usual)
    }

    fn usual() -> Stack {
        Stack(vec![(PRESET.into(), DEFAULT.into())])
    }

    /// The fields as a scenario has them.
    pub(crate) fn fields(&self) -> &[(String, Value)] {
        &self.0
    }

    /// The fields as a JSON object.
    pub(crate) fn object(&self) -> Map<String, Value> {
        self.0.iter().cloned().collect()
    }

    /// The stack as one word of a command line; none for the usual one.
    pub(crate) fn word(&self) -> Option<String> {
        (*self != Stack::usual()).then(|| word(&self.0))
    }
}

/// The fields of a stack that options give, those for single fields among them.
///
/// # Errors
///
/// The stack is not written as it should be, or a field is given twice.
pub fn given_stack(given: &Map<String, Value>) -> Result<Vec<(String, Value)>, RequestError> {
    let named = given.get("stack").and_then(Value::as_str);
    let mut stack = named.map_or_else(|| Ok(Vec::new()), stack_fields)?;
    for name in own_options() {
        let Some(value) = given.get(name) else {
            continue;
        };
        if let (Some(named), true) = (named, stack.iter().any(|(known, _)| known == name)) {
            let problem = format!("--{name} and --stack {named}: both set {name}; leave one out");
            return Err(RequestError::new("", problem));
        }
        stack.push((name.to_owned(), value.clone()));
    }
    Ok(stack)
}

/// A stack as one word, the opposite of [`stack_fields`].
pub fn word(fields: &[(String, Value)]) -> String {
    let preset = fields.iter().find(|(name, _)| name == PRESET);
    let preset = preset.map_or_else(|| DEFAULT.to_owned(), |(_, preset)| words::text(preset));
    let rest = fields.iter().filter(|(name, _)| name != PRESET);
    words::word(&preset, &rest.cloned().collect::<Vec<_>>())
}

/// Whether a stack with these fields uses cached state of earlier connections itself.
pub(crate) fn caches(stack: &Map<String, Value>) -> bool {
    let value = |name: &str| stack.get(name).and_then(Value::as_str);
    CACHING
        .iter()
        .any(|(name, values)| value(name).is_some_and(|value| values.contains(&value)))
}

/// `ns2:recovery=newreno,iw=3` as fields, the preset ahead.
///
/// # Errors
///
/// The preset is unknown, or a field is not written so.
pub fn stack_fields(text: &str) -> Result<Vec<(String, Value)>, RequestError> {
    let fields = words::table("stack", PRESET, text)?;
    let (preset, presets) = (fields[0].1.as_str(), presets());
    if !presets.contains(&preset) && !ADAPTERS.contains(&preset) {
        let near = suggest(preset, &presets);
        let problem = format!("`{preset}` is unknown{near} (all: flowstart stacks)");
        return Err(RequestError::new("stack.preset", problem));
    }
    let fields = fields.into_iter().map(|(name, value)| {
        let value = typed(&name, value);
        (name, value)
    });
    Ok(fields.collect())
}

/// Fields of a stack with separate options.
fn own_options() -> Vec<&'static str> {
    let fields = fields_of("StackSpec").into_iter();
    fields
        .filter(|(_, _, has_flag)| *has_flag)
        .map(|(name, ..)| name)
        .collect()
}

/// The fields of a part of a scenario: name, type, and whether it has an option.
pub(crate) fn fields_of(part: &str) -> Vec<(&'static str, &'static str, bool)> {
    let parts = parts()
        .into_iter()
        .filter(|described| described.name == part);
    let fields = parts.flat_map(|described| described.fields);
    fields
        .map(|field| (field.name, field.kind, field.flag.is_some()))
        .collect()
}

/// The value of a stack's field as a number or a truth value where it has one; else unchanged.
pub fn typed(name: &str, value: String) -> Value {
    let kind = fields_of("StackSpec")
        .into_iter()
        .find(|(field, ..)| *field == name);
    let word = |kind: &str| {
        let mut words = kind.split(|c: char| !c.is_ascii_alphanumeric());
        words.rfind(|word| !word.is_empty()).map(str::to_owned)
    };
    let is_plain = kind
        .and_then(|(_, kind, _)| word(kind))
        .is_some_and(|word| ["bool", "f64", "u32"].contains(&word.as_str()));
    let parsed = is_plain
        .then(|| serde_json::from_str(&value).ok())
        .flatten();
    // The simulator's message is about what was written.
    parsed.unwrap_or_else(|| value.into())
}

fn presets() -> Vec<&'static str> {
    PRESETS.iter().map(|preset| preset.name).collect()
}
