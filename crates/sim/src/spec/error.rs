//! Requests that cannot be carried out: one line that names the field, the value, and
//! what would be right. What the readers of JSON and TOML complain about is put into
//! these words too.

use flowstart_control::{hint, one_line};
use std::fmt;

/// A request that cannot be carried out: which field, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestError {
    /// The field, dotted, as in `path.rate`; empty for the whole.
    pub field: String,
    /// The value and what would be right.
    pub problem: String,
}

impl RequestError {
    /// An error about `field`.
    pub fn new(field: impl Into<String>, problem: impl Into<String>) -> RequestError {
        RequestError {
            field: field.into(),
            problem: problem.into(),
        }
    }

    /// A reader's error about the value at `path`, in our words.
    pub(crate) fn from_reader(path: &str, message: &str) -> RequestError {
        let path = if path == "." { "" } else { path };
        let quoted: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
        match quoted.as_slice() {
            [name, known @ ..] if message.starts_with("unknown field") => {
                unknown(path, name, known)
            }
            [name, known @ ..] if message.starts_with("unknown variant") => {
                unknown(path, name, known)
            }
            [name] if message.starts_with("missing field") => missing(path, name),
            _ => RequestError::new(path, wrong_type(message)),
        }
    }
}

impl fmt::Display for RequestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&one_line(&match self.field.is_empty() {
            true => self.problem.clone(),
            false => format!("{}: {}", self.field, self.problem),
        }))
    }
}

impl std::error::Error for RequestError {}

fn missing(path: &str, name: &str) -> RequestError {
    let example = match name {
        "path" => "{ rate = \"5Mbps\", rtt = \"64ms\" }",
        "flows" => "[{ size = \"100kB\" }]",
        "rate" => "\"5Mbps\"",
        "delay" | "at" => "\"30ms\"",
        "flow" => "0",
        "lasts" => "\"15s\"",
        _ => "\"100kB\"",
    };
    let dot = if path.is_empty() { "" } else { "." };
    let problem = format!("missing; needed, such as `{name} = {example}`");
    RequestError::new(format!("{path}{dot}{name}"), problem)
}

/// `invalid type: integer `5`, expected a sequence` as ``5` is not a list`.
fn wrong_type(message: &str) -> String {
    let kinds = ["invalid type: ", "invalid value: "];
    let rest = kinds.iter().find_map(|kind| message.strip_prefix(kind));
    let Some((found, expected)) = rest.and_then(|rest| rest.split_once(", expected ")) else {
        return message.into();
    };
    let value = match found.split_once(['`', '"']) {
        Some((_, value)) => value.trim_end_matches(['`', '"']),
        None => found,
    };
    let value = match value {
        "map" => "a table",
        "sequence" => "a list",
        value => &format!("`{value}`"),
    };
    let expected = match expected {
        "u32" | "u64" => "a whole number from 0 on",
        "f64" => "a number",
        "a boolean" => "`true` or `false`",
        "a string" => "text in quotes",
        "string or map" => "a name in quotes",
        "a sequence" => "a list, such as `[...]`",
        other if other.starts_with("struct") => "a table, such as `{ ... }`",
        other => other,
    };
    format!("{value} is not {expected}")
}

/// An error for a name that does not exist, with the nearest that does.
pub(crate) fn unknown(field: &str, name: &str, known: &[&str]) -> RequestError {
    let hint = hint(name, known);
    RequestError::new(field, format!("`{name}` is unknown; {hint}"))
}

/// An error for a value that cannot be.
pub(crate) fn out_of_range(field: &str, value: impl fmt::Display, right: &str) -> RequestError {
    let problem = format!("`{value}` is out of range; {right} is needed");
    RequestError::new(field, problem)
}
