//! The path of a state: by name, as words of `tc`, and by single fields.

use crate::given::Given;
use crate::refusal::suggest;
use crate::settings::{Settings, INTERFACE};
use crate::stack::fields_of;
use crate::{netem, words, Refusal};
use flowstart_sim::RequestError;
use serde_json::{json, Map, Value};

/// Fields of which a path has one as the source of its rate.
const RATES: [&str; 3] = ["rate", "rate_trace", "rate_steps"];
/// A path: its fields in the order of their definitions.
#[derive(Clone, Debug)]
pub(crate) struct Path(Vec<(String, Value)>);

impl Path {
    /// The path that was given.
    pub(crate) fn of(given: &Given, settings: &Settings) -> Result<Path, Refusal> {
        let names = fields_of("PathSpec");
        let mut fields = Map::new();
        for (name, ..) in &names {
            if let Some(value) = given.value(name) {
                fields.insert((*name).to_owned(), read(name, value)?);
            }
        }
        if fields.is_empty() && given.text("path").is_none() {
            let right = "a rate and an rtt are needed, or a path's name";
            return Err(Refusal::new(format!("no path is given: {right}")));
        }
        let named = match given.text("path") {
            Some(name) => named(name, settings)?,
            None => Map::new(),
        };
        let mut found = replaced(named, fields);
        let ordered = names
            .iter()
            .filter_map(|(name, ..)| found.remove_entry(*name));
        Ok(Path(ordered.collect()))
    }

    /// The fields.
    pub(crate) fn fields(&self) -> &[(String, Value)] {
        &self.0
    }

    /// The fields as a JSON object.
    pub(crate) fn object(&self) -> Map<String, Value> {
        self.0.iter().cloned().collect()
    }
}

/// The rate of the interface that flows under test are given. A path without lines before the
/// bottleneck would otherwise give its rate, which no sender knows.
pub(crate) fn interface(path: &Map<String, Value>) -> Option<&'static str> {
    let has_own = ["nic_rate", "access_rate"]
        .iter()
        .any(|name| path.contains_key(*name));
    (!has_own).then_some(INTERFACE)
}

/// The value of an option as the scenario's field has it.
fn read(name: &str, value: Value) -> Result<Value, Refusal> {
    match (name, value.as_str()) {
        ("quick_start", Some(text)) => {
            let fields = words::table("quick_start", "admission", text)?;
            let fields = fields.into_iter().map(|(name, value)| (name, value.into()));
            Ok(Value::Object(fields.collect()))
        }
        ("rate_steps", Some(text)) => Ok(rate_steps(text)?),
        _ => Ok(value),
    }
}

/// `50Mbps:10s,0bps:100ms` as steps of a rate.
///
/// # Errors
///
/// It is not written so.
pub fn rate_steps(text: &str) -> Result<Value, RequestError> {
    let refused = |problem: &str| RequestError::new("rate_steps", format!("`{text}`: {problem}"));
    if text.trim_matches([' ', ',']).is_empty() {
        return Err(refused("empty; a step such as 50Mbps:10s is needed"));
    }
    let step = |piece: &str| {
        let (rate, lasts) = piece.split_once(':').unwrap_or((piece, ""));
        let (rate, lasts) = (rate.trim(), lasts.trim());
        if rate.is_empty() || lasts.is_empty() {
            let right = "should be written RATE:TIME, such as 50Mbps:10s";
            return Err(refused(&format!("`{piece}` {right}")));
        }
        Ok(json!({"rate": rate, "lasts": lasts}))
    };
    words::pieces("rate_steps", text, text)?
        .into_iter()
        .map(step)
        .collect()
}

/// A path known by name, or as words of `tc`.
fn named(name: &str, settings: &Settings) -> Result<Map<String, Value>, Refusal> {
    if netem::is_netem(name) {
        return netem::fields(name);
    }
    settings.paths.get(name).cloned().ok_or_else(|| {
        let known: Vec<&str> = settings.paths.keys().map(String::as_str).collect();
        Refusal::new(format!(
            "no path is called `{name}`{}",
            suggest(name, &known)
        ))
    })
}

/// Fields of a path with some replaced. A source of the rate replaces the others.
fn replaced(mut fields: Map<String, Value>, given: Map<String, Value>) -> Map<String, Value> {
    if RATES.iter().any(|name| given.contains_key(*name)) {
        RATES.iter().for_each(|name| _ = fields.remove(*name));
        if !given.contains_key("rate") {
            fields.remove("rate_variation");
        }
    }
    if given.contains_key("reverse_rate_trace") {
        fields.remove("reverse_rate");
    }
    fields.extend(given);
    fields
}
