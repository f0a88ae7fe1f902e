//! Requests that cannot be carried out: one line that names the field, the value, and
//! what would be right. What the readers of JSON and TOML complain about is put into
//! these words too.

use flowstart_control::{nearest, Rate, Time};
use serde::de::{Deserializer, Error, Visitor};
use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;

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

    /// What a reader says about the value at `path`, in our words.
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
        if self.field.is_empty() {
            f.write_str(&self.problem)
        } else {
            write!(f, "{}: {}", self.field, self.problem)
        }
    }
}

impl std::error::Error for RequestError {}

fn missing(path: &str, name: &str) -> RequestError {
    let example = match name {
        "path" => "{ rate = \"5Mbps\", rtt = \"64ms\" }",
        "flows" => "[{ size = \"100kB\" }]",
        "rate" => "\"5Mbps\"",
        "delay" | "at" => "\"30ms\"",
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

/// `value`, or an error that names the field and what would be right.
pub(crate) fn within(
    field: &str,
    value: u64,
    least: u64,
    most: u64,
    right: &str,
) -> Result<u64, RequestError> {
    if (least..=most).contains(&value) {
        return Ok(value);
    }
    Err(out_of_range(field, value, right))
}

/// An error for a value that cannot be.
pub(crate) fn out_of_range(field: &str, value: impl fmt::Display, right: &str) -> RequestError {
    RequestError::new(
        field,
        format!("`{value}` is out of range; {right} is needed"),
    )
}

/// An error for a name that does not exist, with the nearest that does.
pub(crate) fn unknown(field: &str, name: &str, known: &[&str]) -> RequestError {
    let hint = match nearest(name, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("known are {}", known.join(", ")),
    };
    RequestError::new(field, format!("`{name}` is unknown; {hint}"))
}

/// Reads a quantity that may be absent. A bare number is not refused as such but read
/// like text, so that the complaint is about the unit that it lacks.
pub(crate) fn quantity<'de, D, T>(reader: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: FromStr<Err: fmt::Display>,
{
    reader.deserialize_any(Quantity(PhantomData))
}

/// Reads a quantity that must be there.
pub(crate) fn required<'de, D, T>(reader: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: FromStr<Err: fmt::Display>,
{
    quantity(reader)?.ok_or_else(|| D::Error::custom("null is not a quantity"))
}

struct Quantity<T>(PhantomData<T>);

impl<T: FromStr<Err: fmt::Display>> Visitor<'_> for Quantity<T> {
    type Value = Option<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // What the kind of quantity itself says that it should be.
        let complaint = "".parse::<T>().err().map(|e| e.to_string());
        let expected = complaint.as_deref().and_then(|c| c.split_once(" is not "));
        f.write_str(expected.map_or("a quantity", |(_, expected)| expected))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Option<T>, E> {
        text.parse().map(Some).map_err(E::custom)
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Option<T>, E> {
        self.visit_str(&number.to_string())
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Option<T>, E> {
        self.visit_str(&number.to_string())
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Option<T>, E> {
        self.visit_str(&number.to_string())
    }

    fn visit_unit<E: Error>(self) -> Result<Option<T>, E> {
        Ok(None)
    }
}
const SLOWEST: u64 = 1;
const FASTEST: u64 = 100_000_000_000_000;
const LONGEST: Time = Time::from_secs(600);

/// A rate that can be.
pub(crate) fn rate(field: &str, rate: Rate) -> Result<Rate, RequestError> {
    if (SLOWEST..=FASTEST).contains(&rate.0) {
        return Ok(rate);
    }
    Err(out_of_range(field, rate, "1bps to 100Tbps"))
}

/// A delay or a round trip that can be.
pub(crate) fn time(field: &str, time: Time) -> Result<Time, RequestError> {
    if time <= LONGEST {
        return Ok(time);
    }
    Err(out_of_range(field, time, &format!("0s to {LONGEST}")))
}
