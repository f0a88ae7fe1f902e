//! The path of a state: by name, as words of `tc`, and by single fields.

use crate::refusal::suggest;
use crate::settings::INTERFACE;
use crate::stack::fields_of;
use crate::{netem, words};
use flowstart_sim::RequestError;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Fields of which a path has one as the source of its rate.
const RATES: [&str; 3] = ["rate", "rate_trace", "rate_steps"];
/// A path: its fields in the order of their definitions.
#[derive(Clone, Debug)]
pub struct Path(Vec<(String, Value)>);

impl Path {
    /// The path that options give; none where they give nothing of one. `paths` are those that are
    /// known by name.
    ///
    /// # Errors
    ///
    /// No path has this name, or an option is not written as it should be.
    pub fn of(
        given: &Map<String, Value>,
        paths: &BTreeMap<String, Map<String, Value>>,
    ) -> Result<Option<Path>, RequestError> {
        let names = fields_of("PathSpec");
        let mut fields = Map::new();
        for (name, ..) in &names {
            if let Some(value) = given.get(*name) {
                fields.insert((*name).to_owned(), read(name, value)?);
            }
        }
        let name = given.get("path").and_then(Value::as_str);
        if fields.is_empty() && name.is_none() {
            return Ok(None);
        }
        let mut found = name.map_or_else(|| Ok(Map::new()), |name| named(name, paths))?;
        let given: Vec<&str> = fields.keys().map(String::as_str).collect();
        for name in superseded(&given) {
            found.remove(name);
        }
        found.extend(fields);
        let ordered = names
            .iter()
            .filter_map(|(name, ..)| found.remove_entry(*name));
        Ok(Some(Path(ordered.collect())))
    }

    /// The fields.
    pub fn fields(&self) -> &[(String, Value)] {
        &self.0
    }

    /// The fields as a JSON object.
    pub(crate) fn object(&self) -> Map<String, Value> {
        self.0.iter().cloned().collect()
    }
}

/// The rate of the interface that flows under test are given. A path without lines before the
/// bottleneck would otherwise give its rate, which senders do not have.
pub(crate) fn interface(path: &Map<String, Value>) -> Option<&'static str> {
    let has_own = ["nic_rate", "access_rate"]
        .iter()
        .any(|name| path.contains_key(*name));
    (!has_own).then_some(INTERFACE)
}

/// The value of an option as the scenario's field has it.
fn read(name: &str, value: &Value) -> Result<Value, RequestError> {
    match (name, value.as_str()) {
        ("quick_start", Some(text)) => {
            let fields = words::table("quick_start", "admission", text)?;
            let fields = fields.into_iter().map(|(name, value)| (name, value.into()));
            Ok(Value::Object(fields.collect()))
        }
        ("rate_steps", Some(text)) => rate_steps(text),
        _ => Ok(value.clone()),
    }
}

/// `50Mbps:10s,0bps:100ms` as steps of a rate.
fn rate_steps(text: &str) -> Result<Value, RequestError> {
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
fn named(
    name: &str,
    paths: &BTreeMap<String, Map<String, Value>>,
) -> Result<Map<String, Value>, RequestError> {
    if netem::is_netem(name) {
        return netem::netem_fields(name).map_err(|problem| RequestError::new("path", problem));
    }
    paths.get(name).cloned().ok_or_else(|| {
        let known: Vec<&str> = paths.keys().map(String::as_str).collect();
        let near = suggest(name, &known);
        RequestError::new("", format!("no path is called `{name}`{near}"))
    })
}

/// The fields of a path that these take the place of: a source of the rate replaces the others.
pub fn superseded(given: &[&str]) -> Vec<&'static str> {
    let is_given = |name: &&str| given.contains(name);
    let mut found = Vec::new();
    if RATES.iter().any(is_given) {
        found.extend(RATES.iter().filter(|name| !is_given(name)));
        found.extend((!given.contains(&"rate")).then_some("rate_variation"));
    }
    found.extend(
        given
            .contains(&"reverse_rate_trace")
            .then_some("reverse_rate"),
    );
    found.retain(|name| !is_given(name));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_of_the_rate_takes_the_place_of_the_others() {
        assert_eq!(superseded(&["rate", "rtt"]), ["rate_trace", "rate_steps"]);
        let of_steps = ["rate", "rate_trace", "rate_variation"];
        assert_eq!(superseded(&["rate_steps"]), of_steps);
        assert_eq!(superseded(&["reverse_rate_trace"]), ["reverse_rate"]);
        assert!(superseded(&["loss"]).is_empty());
    }
}
