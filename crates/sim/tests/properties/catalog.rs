//! Values that are listed, in the catalog or in the schema of a scenario: a new one is drawn without a change here.

use flowstart_control::entry::Entry;
use flowstart_transport::stack::all_presets;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::Value;
use std::sync::LazyLock;

static SCHEMA: LazyLock<Value> = LazyLock::new(flowstart_sim::schema);

/// A line that names one of these entries, which marks packets instead of dropping them if it can.
pub(super) fn names<T: ?Sized>(
    key: &'static str,
    entries: &'static [Entry<T>],
) -> BoxedStrategy<String> {
    let marking = |entry: &Entry<T>| {
        let ecn = entry.params.iter().any(|param| param.name == "ecn");
        ecn.then(|| format!("{}:ecn=true", entry.name))
    };
    let plain = entries.iter().map(|entry| entry.name.to_string());
    let names: Vec<String> = plain.chain(entries.iter().filter_map(marking)).collect();
    line(key, names.iter().map(|name| quoted(name)).collect())
}

/// The names of all presets.
pub(super) fn presets() -> Vec<&'static str> {
    all_presets().map(|preset| preset.name).collect()
}

/// A line that gives a field of this table one of its listed values.
pub(super) fn listed(table: &str, field: &str) -> BoxedStrategy<String> {
    line(field, values(&fields(table)[field]))
}

/// The fields of this table that have listed values, or are true or false.
pub(super) fn listed_fields(table: &str) -> Vec<&'static str> {
    let fields = fields(table).as_object().into_iter().flatten();
    fields
        .filter(|(_, schema)| !values(schema).is_empty())
        .map(|(field, _)| field.as_str())
        .collect()
}

fn fields(table: &str) -> &'static Value {
    &SCHEMA["$defs"][table]["properties"]
}

/// The values that a schema lists, in TOML.
fn values(schema: &Value) -> Vec<String> {
    if let Some(name) = schema["const"].as_str() {
        return vec![quoted(name)];
    }
    if let Some(definition) = schema["$ref"].as_str() {
        let name = definition.trim_start_matches("#/$defs/");
        return values(&SCHEMA["$defs"][name]);
    }
    let kinds = &schema["type"];
    if kinds == "boolean" || kinds[0] == "boolean" {
        return ["true", "false"].map(String::from).to_vec();
    }
    let choices = ["anyOf", "oneOf"].map(|key| schema[key].as_array());
    let choices = choices.into_iter().flatten().flatten();
    choices.flat_map(values).collect()
}

fn line(key: &str, values: Vec<String>) -> BoxedStrategy<String> {
    let key = key.to_string();
    select(values)
        .prop_map(move |value| format!("{key} = {value}"))
        .boxed()
}

fn quoted(name: &str) -> String {
    format!("\"{name}\"")
}

#[test]
fn all_values_of_a_listed_field_are_drawn() {
    let recoveries = values(&fields("StackSpec")["recovery"]);
    assert!(recoveries.contains(&"\"quic\"".to_string()));
    assert_eq!(values(&fields("StackSpec")["tso"]), ["true", "false"]);
    assert_eq!(values(&fields("StackSpec")["ecn"]).len(), 5);
    assert_eq!(values(&fields("StackSpec")["mss"]), [""; 0]);
    assert!(listed_fields("PathSpec").contains(&"buffer_accounting"));
}
