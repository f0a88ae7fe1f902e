//! A value of a parameter, and how it is written.

use std::borrow::Cow;
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
    /// single value, words for what happens (`by stack: ...`, `none: ...`).
    pub default: &'static str,
    /// Effect of the parameter, in help and pages.
    pub meaning: &'static str,
}

impl ParamSpec {
    /// Its default, where that is a value.
    pub(super) fn value(&self) -> Option<Value> {
        Value::parse(self.unit, self.default)
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
    /// The value that a text has in a unit, if it is one.
    pub(super) fn parse(unit: Unit, text: &str) -> Option<Value> {
        match unit {
            Unit::Segments => segments(text).map(Value::Real),
            Unit::Number => real(text, 1e12).map(Value::Real),
            Unit::Ratio => real(text, 1.0).map(Value::Real),
            Unit::Bool => match text {
                "true" | "yes" | "on" => Some(Value::Bool(true)),
                "false" | "no" | "off" => Some(Value::Bool(false)),
                _ => None,
            },
            Unit::Choice(words) => {
                let word = words.iter().find(|word| **word == text)?;
                Some(Value::Choice(word))
            }
            Unit::Time => Duration::parse(text).map(Value::Time),
            Unit::Rate => Rate::parse(text).map(Value::Rate),
            Unit::InitialWindow => InitialWindow::parse(text).map(Value::InitialWindow),
        }
    }

    /// What a valid text is in a unit.
    pub(super) fn expected(unit: Unit) -> Cow<'static, str> {
        match unit {
            Unit::Segments => "a number of segments, such as `100` or `100pkt`".into(),
            Unit::Number => "a plain number from 0 to 1e12".into(),
            Unit::Ratio => "a number from 0 to 1".into(),
            Unit::Bool => "`true` or `false`".into(),
            Unit::Choice(words) => format!("one of {}", quoted(words.iter().copied())).into(),
            Unit::Time => Duration::EXPECTED.into(),
            Unit::Rate => Rate::EXPECTED.into(),
            Unit::InitialWindow => InitialWindow::EXPECTED.into(),
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
