//! The scenario of a startup as the TOML file that `flowstart run` and `flowstart compare` read.

use crate::plan::Plan;
use serde_json::Value;
use std::fmt::Write as _;

/// The file's text with the first startup.
pub(crate) fn written(plan: &Plan) -> String {
    let mut text = format!("seed = {}\ntrace = false\n", plan.seed);
    let path = plan
        .path
        .fields()
        .iter()
        .map(|(name, value)| (*name, value));
    table(&mut text, "[path]", path);
    let stack = plan
        .stack
        .fields()
        .iter()
        .map(|(name, value)| (name.as_str(), value));
    table(&mut text, "[stack]", stack);
    if let Some(variant) = plan.variants.first() {
        let flow = plan.flow(variant);
        table(
            &mut text,
            "[[flows]]",
            flow.iter().map(|(name, value)| (*name, value)),
        );
    }
    text
}

fn table<'a>(text: &mut String, name: &str, fields: impl Iterator<Item = (&'a str, &'a Value)>) {
    let _ = writeln!(text, "\n{name}");
    for (name, value) in fields {
        let _ = writeln!(text, "{name} = {}", inline(value));
    }
}

/// A value in one line. JSON's texts, numbers and truth values are TOML's too, but for one letter.
fn inline(value: &Value) -> String {
    match value {
        Value::Object(fields) => {
            let parts = fields
                .iter()
                .map(|(name, value)| format!("{name} = {}", inline(value)));
            format!("{{{}}}", parts.collect::<Vec<_>>().join(", "))
        }
        Value::Array(parts) => {
            let parts: Vec<String> = parts.iter().map(inline).collect();
            format!("[{}]", parts.join(", "))
        }
        single => single.to_string().replace('\u{7f}', "\\u007f"),
    }
}
