//! A value of a parameter, and how it is written.

use std::fmt;

use crate::{Duration, InitialWindow, Rate, Segments};

/// What kind of value a parameter takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// A number of segments: `100`, `100pkt` or `unlimited`.
    Segments,
    /// A time with its unit.
    Time,
    /// A rate with its unit.
    Rate,
    /// A truth value, `true` or `false`.
    Bool,
    /// A choice of one of these words.
    Choice(&'static [&'static str]),
    /// A plain number from 0 to 1e12.
    Number,
    /// A number from 0 to 1.
    Ratio,
    /// An initial-window rule or a number of segments.
    InitialWindow,
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Unit::Segments => "segments",
            Unit::Time => "time",
            Unit::Rate => "rate",
            Unit::Bool => "true or false",
            Unit::Choice(words) => return f.write_str(&words.join(" | ")),
            Unit::Number => "number",
            Unit::Ratio => "ratio from 0 to 1",
            Unit::InitialWindow => "initial window",
        })
    }
}

/// The declaration of one parameter.
#[derive(Clone, Copy, Debug)]
pub struct ParamSpec {
    /// Its name, the source's own where it has one.
    pub name: &'static str,
    /// What kind of value it takes.
    pub unit: Unit,
    /// The value it has when not given, written as a user would; or, where that is no
    /// single value, words that say what happens (`by stack: ...`, `none: ...`).
    pub default: &'static str,
    /// Effect of the parameter, in help and pages.
    pub meaning: &'static str,
}

impl ParamSpec {
    /// Its default, where that is a value.
    pub(super) fn value(&self) -> Option<Value> {
        Value::parse(self.unit, self.default).ok()
    }
}

/// A value that has been read: its text is one of its unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// A number, or a number of segments.
    Real(f64),
    /// Value of a time parameter.
    Time(Duration),
    /// Value of a rate parameter.
    Rate(Rate),
    /// Value of a parameter that is true or false.
    Bool(bool),
    /// One of the declared words.
    Choice(&'static str),
    /// Initial-window rule or number of segments.
    InitialWindow(InitialWindow),
}

impl Value {
    pub(super) fn parse(unit: Unit, text: &str) -> Result<Value, String> {
        match unit {
            Unit::Segments => segments(text)
                .map(Value::Real)
                .ok_or_else(|| "a number of segments, such as `100` or `100pkt`".into()),
            Unit::Number => real(text, 1e12)
                .map(Value::Real)
                .ok_or_else(|| "a plain number from 0 to 1e12".into()),
            Unit::Ratio => real(text, 1.0)
                .map(Value::Real)
                .ok_or_else(|| "a number from 0 to 1".into()),
            Unit::Bool => match text {
                "true" | "yes" | "on" => Ok(Value::Bool(true)),
                "false" | "no" | "off" => Ok(Value::Bool(false)),
                _ => Err("`true` or `false`".into()),
            },
            Unit::Choice(words) => words
                .iter()
                .find(|word| **word == text)
                .map(|word| Value::Choice(word))
                .ok_or_else(|| format!("one of {}", quoted(words.iter().copied()))),
            Unit::Time => text.parse().map(Value::Time).map_err(|e| e.expected.into()),
            Unit::Rate => text.parse().map(Value::Rate).map_err(|e| e.expected.into()),
            Unit::InitialWindow => text
                .parse()
                .map(Value::InitialWindow)
                .map_err(|e| e.expected.into()),
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Real(x) if x.is_infinite() => f.write_str("unlimited"),
            Value::Real(x) => write!(f, "{x}"),
            Value::Time(t) => t.fmt(f),
            Value::Rate(r) => r.fmt(f),
            Value::Bool(b) => b.fmt(f),
            Value::Choice(word) => f.write_str(word),
            Value::InitialWindow(iw) => iw.fmt(f),
        }
    }
}

/// A finite number from 0 to `most`.
fn real(text: &str, most: f64) -> Option<f64> {
    text.parse::<f64>()
        .ok()
        .filter(|x| (0.0..=most).contains(x))
}

/// Segments, at most a thousand million; more than that is a slip of the pen.
fn segments(text: &str) -> Option<Segments> {
    if text == "unlimited" {
        return Some(f64::INFINITY);
    }
    let number = text
        .strip_suffix("pkts")
        .or_else(|| text.strip_suffix("pkt"))
        .unwrap_or(text);
    real(number.trim_end(), 1e9)
}

/// Words in backquotes.
pub(super) fn quoted<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    let words: Vec<String> = words.into_iter().map(|word| format!("`{word}`")).collect();
    words.join(", ")
}
