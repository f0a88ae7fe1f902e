//! The scenario of a startup as the TOML file that `flowstart run` and `flowstart compare` read.

use serde_json::Value;
use std::fmt::Write as _;

/// The file's text with these fields of path, stack and flow.
pub(crate) fn written(seed: u64, parts: [(&str, &[(String, Value)]); 3]) -> String {
    let mut text = format!("seed = {seed}\ntrace = false\n");
    for (name, fields) in parts {
        let _ = writeln!(text, "\n{name}");
        for (name, value) in fields {
            let _ = writeln!(text, "{name} = {}", inline(value));
        }
    }
    text
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
