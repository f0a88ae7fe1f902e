//! Parameters of algorithms as people write them: `name:key=value,key=value`.
//!
//! Each algorithm declares its parameters once, as [`ParamSpec`]s. Parsing, defaults,
//! error messages, the command line's help and the documentation all come from that
//! declaration. Values are read and checked once, when a specification is parsed, so
//! that making a controller for each of many flows costs no parsing.

use std::fmt;
use std::ops::RangeInclusive;

use crate::{nearest, one_line, InitialWindow, Rate, Segments, Time};

/// What kind of value a parameter takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// A number of segments: `100`, `100pkt` or `unlimited`.
    Segments,
    /// A time with its unit.
    Time,
    /// A rate with its unit.
    Rate,
    /// `true` or `false`.
    Bool,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// A plain number.
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
    /// What it does.
    pub meaning: &'static str,
}

/// A value that has been read and checked.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Value {
    Real(f64),
    Time(Time),
    Rate(Rate),
    Bool(bool),
    Choice(&'static str),
    InitialWindow(InitialWindow),
}

impl Value {
    fn parse(unit: Unit, text: &str) -> Result<Value, String> {
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

fn quoted<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    let words: Vec<String> = words.into_iter().map(|word| format!("`{word}`")).collect();
    words.join(", ")
}

/// What an algorithm is for, in a word: a catalog elsewhere may have kinds of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(transparent)]
pub struct AlgorithmKind(pub &'static str);

impl AlgorithmKind {
    /// It starts flows.
    pub const STARTUP: AlgorithmKind = AlgorithmKind("startup");
    /// It runs them afterwards.
    pub const AVOIDANCE: AlgorithmKind = AlgorithmKind("cc");
}

impl fmt::Display for AlgorithmKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// Why a specification was refused; displayed as one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpecError {
    kind: AlgorithmKind,
    algorithm: String,
    problem: String,
}

impl SpecError {
    pub(crate) fn unknown_algorithm<'a>(
        kind: AlgorithmKind,
        name: &str,
        meant: Option<String>,
        known: impl Iterator<Item = &'a str> + Clone,
    ) -> SpecError {
        let problem = match meant.or_else(|| nearest(name, known.clone()).map(str::to_owned)) {
            Some(meant) => format!("unknown; did you mean `{meant}`?"),
            None => format!("unknown; known are {}", quoted(known)),
        };
        SpecError {
            kind,
            algorithm: name.into(),
            problem,
        }
    }

    pub(crate) fn avoidance_as_startup(name: &str) -> SpecError {
        SpecError {
            kind: AlgorithmKind::STARTUP,
            algorithm: name.into(),
            problem: "this is a congestion control; give it as `cc`".into(),
        }
    }

    fn at(params: &Params, problem: String) -> SpecError {
        SpecError {
            kind: params.kind,
            algorithm: params.algorithm.into(),
            problem,
        }
    }

    /// Parameter `name` has a value that the algorithm cannot work with.
    pub fn bad_value(params: &Params, name: &str, expected: &str) -> SpecError {
        let value = params
            .value(name)
            .map_or_else(String::new, |v| v.to_string());
        SpecError::at(
            params,
            format!("parameter `{name}`: `{value}` is not {expected}"),
        )
    }
}

impl fmt::Display for SpecError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SpecError {
            kind,
            algorithm,
            problem,
        } = self;
        f.write_str(&one_line(&format!("{kind} `{algorithm}`: {problem}")))
    }
}

impl std::error::Error for SpecError {}

/// Splits `name:parameters` at the first colon.
pub fn split(spec: &str) -> (&str, &str) {
    let (name, rest) = spec.split_once(':').unwrap_or((spec, ""));
    (name.trim(), rest.trim())
}

/// The parameters of one algorithm: those given, and the defaults of the others.
#[derive(Clone, Debug)]
pub struct Params {
    kind: AlgorithmKind,
    algorithm: &'static str,
    specs: &'static [ParamSpec],
    values: Box<[Option<Value>]>,
    given: Box<[bool]>,
}

impl Params {
    /// Reads `key=value,key=value` against the declared parameters.
    pub fn parse(
        kind: AlgorithmKind,
        algorithm: &'static str,
        specs: &'static [ParamSpec],
        text: &str,
    ) -> Result<Params, SpecError> {
        let values = specs
            .iter()
            .map(|s| Value::parse(s.unit, s.default).ok())
            .collect();
        let given = vec![false; specs.len()].into();
        let mut params = Params {
            kind,
            algorithm,
            specs,
            values,
            given,
        };
        if !text.trim().is_empty() {
            for item in text.split(',').map(str::trim) {
                params.set(item)?;
            }
        }
        Ok(params)
    }

    fn set(&mut self, item: &str) -> Result<(), SpecError> {
        if item.is_empty() {
            let problem = "empty at a comma; leave the comma out";
            return Err(SpecError::at(self, problem.into()));
        }
        let Some((name, value)) = item.split_once('=') else {
            let problem = format!("`{item}` is not a parameter of the form `name=value`");
            return Err(SpecError::at(self, problem));
        };
        let (name, value) = (name.trim(), value.trim());
        let Some(index) = self.specs.iter().position(|s| s.name == name) else {
            return Err(self.unknown(name));
        };
        if self.given[index] {
            return Err(SpecError::at(
                self,
                format!("parameter `{name}` is given twice"),
            ));
        }
        let read = Value::parse(self.specs[index].unit, value).map_err(|expected| {
            SpecError::at(
                self,
                format!("parameter `{name}`: `{value}` is not {expected}"),
            )
        })?;
        self.values[index] = Some(read);
        self.given[index] = true;
        Ok(())
    }

    fn unknown(&self, name: &str) -> SpecError {
        let known = self.specs.iter().map(|s| s.name);
        let hint = match nearest(name, known.clone()) {
            Some(meant) => format!("; did you mean `{meant}`?"),
            None if self.specs.is_empty() => "; it has no parameters".into(),
            None => format!("; it has {}", quoted(known)),
        };
        SpecError::at(self, format!("parameter `{name}` is unknown{hint}"))
    }

    /// Whether the algorithm has a parameter of this name.
    pub fn declares(&self, name: &str) -> bool {
        self.specs.iter().any(|s| s.name == name)
    }

    /// Every algorithm reads only what it declares; a name that it does not is a slip in
    /// its file, found by the first test that builds it.
    fn value(&self, name: &str) -> Option<Value> {
        let index = self.specs.iter().position(|s| s.name == name);
        self.values[index.unwrap_or_else(|| panic!("{} declares no `{name}`", self.algorithm))]
    }
}

impl fmt::Display for Params {
    /// The specification with only the parameters that were given, in declared order.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.algorithm)?;
        let mut separator = ':';
        for (index, spec) in self.specs.iter().enumerate() {
            if let (true, Some(value)) = (self.given[index], self.values[index]) {
                write!(f, "{separator}{}={value}", spec.name)?;
                separator = ',';
            }
        }
        Ok(())
    }
}

impl Params {
    /// A whole number within these bounds.
    pub fn whole(&self, name: &str, range: RangeInclusive<u32>) -> Result<u32, SpecError> {
        let (value, least, most) = (self.number(name), *range.start(), *range.end());
        if value.fract() != 0.0 || !(f64::from(least)..=f64::from(most)).contains(&value) {
            let expected = format!("a whole number from {least} to {most}");
            return Err(SpecError::bad_value(self, name, &expected));
        }
        Ok(value as u32)
    }

    /// Refuses a parameter that was given another value than its default where it has no effect.
    pub fn effective(&self, name: &str, effective: bool, needs: &str) -> Result<(), SpecError> {
        let index = self.specs.iter().position(|s| s.name == name);
        let spec = index.map(|index| &self.specs[index]);
        let default = spec.and_then(|spec| Value::parse(spec.unit, spec.default).ok());
        let given = index.is_some_and(|index| self.given[index]);
        if effective || !given || self.value(name) == default {
            return Ok(());
        }
        let problem = format!("parameter `{name}` has no effect here; it needs {needs}");
        Err(SpecError::at(self, problem))
    }

    /// A number within these bounds.
    pub fn within(&self, name: &str, range: RangeInclusive<f64>) -> Result<f64, SpecError> {
        let value = self.number(name);
        if !range.contains(&value) {
            let expected = format!("a number from {} to {}", range.start(), range.end());
            return Err(SpecError::bad_value(self, name, &expected));
        }
        Ok(value)
    }
}

macro_rules! getters {
    ($($(#[$doc:meta])* $name:ident $optional:ident $variant:ident $kind:ty;)*) => {
        impl Params {$(
            $(#[$doc])*
            ///
            /// For parameters whose declared default is a value.
            pub fn $name(&self, name: &str) -> $kind {
                self.$optional(name).unwrap_or_else(|| {
                    panic!("`{name}` of {} has no {}", self.algorithm, stringify!($name))
                })
            }

            /// The same where the default is no single value: `None` if not given.
            pub fn $optional(&self, name: &str) -> Option<$kind> {
                match self.value(name) {
                    Some(Value::$variant(value)) => Some(value),
                    _ => None,
                }
            }
        )*}
    };
}

getters! {
    /// A number of segments, infinite for `unlimited`.
    segments segments_given Real Segments;
    /// A plain number.
    number number_given Real f64;
    /// A number from 0 to 1.
    ratio ratio_given Real f64;
    /// A time.
    time time_given Time Time;
    /// A rate.
    rate rate_given Rate Rate;
    /// Yes or no.
    bool bool_given Bool bool;
    /// One of the declared words.
    choice choice_given Choice &'static str;
    /// An initial-window rule.
    initial_window initial_window_given InitialWindow InitialWindow;
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPECS: &[ParamSpec] = &[
        ParamSpec {
            name: "max_ssthresh",
            unit: Unit::Segments,
            default: "100",
            meaning: "where growth turns linear",
        },
        ParamSpec {
            name: "reading",
            unit: Unit::Choice(&["rfc", "ns2"]),
            default: "by stack: rfc or ns2",
            meaning: "whose rule",
        },
        ParamSpec {
            name: "tick",
            unit: Unit::Time,
            default: "1ms",
            meaning: "clock",
        },
        ParamSpec {
            name: "cap",
            unit: Unit::Rate,
            default: "none",
            meaning: "policy",
        },
        ParamSpec {
            name: "ratio",
            unit: Unit::Ratio,
            default: "0.5",
            meaning: "share",
        },
        ParamSpec {
            name: "exact",
            unit: Unit::Bool,
            default: "true",
            meaning: "arithmetic",
        },
        ParamSpec {
            name: "count",
            unit: Unit::Number,
            default: "8",
            meaning: "samples",
        },
    ];

    fn parse(text: &str) -> Result<Params, SpecError> {
        Params::parse(AlgorithmKind::STARTUP, "limited-slow-start", SPECS, text)
    }

    fn complaint(text: &str) -> String {
        parse(text).unwrap_err().to_string()
    }

    #[test]
    fn defaults_hold_where_nothing_is_given() {
        let params = parse("").unwrap();
        assert_eq!(params.segments("max_ssthresh"), 100.0);
        assert_eq!(params.choice_given("reading"), None);
        assert_eq!(params.time("tick"), Time::from_millis(1));
        assert_eq!(params.rate_given("cap"), None);
        assert_eq!(params.ratio("ratio"), 0.5);
        assert!(params.bool("exact"));
        assert_eq!(params.number("count"), 8.0);
        assert_eq!(params.to_string(), "limited-slow-start");
    }

    #[test]
    fn given_values_are_read_and_written_back_in_declared_order() {
        let params = parse(" exact=no , cap=500kbps,max_ssthresh=50pkt, reading=ns2 ").unwrap();
        assert_eq!(params.segments("max_ssthresh"), 50.0);
        assert_eq!(params.rate("cap"), Rate::from_bps(500_000));
        let text = "limited-slow-start:max_ssthresh=50,reading=ns2,cap=500kbps,exact=false";
        assert_eq!(params.to_string(), text);
        assert_eq!(parse(split(text).1).unwrap().to_string(), text);
    }

    #[test]
    fn an_unknown_parameter_is_named_with_the_nearest_known() {
        assert_eq!(
            complaint("max_sstresh=3"),
            "startup `limited-slow-start`: parameter `max_sstresh` is unknown; did you mean \
             `max_ssthresh`?"
        );
        assert!(complaint("wobble=3").ends_with(
            "parameter `wobble` is unknown; it has `max_ssthresh`, `reading`, `tick`, `cap`, \
             `ratio`, `exact`, `count`"
        ));
    }

    #[test]
    fn a_bad_value_says_what_would_be_right() {
        let text = |problem: &str| format!("startup `limited-slow-start`: {problem}");
        for wrong in ["-5", "NaN", "inf", "1e30", "many", "5ms", ""] {
            assert_eq!(
                complaint(&format!("max_ssthresh={wrong}")),
                text(&format!(
                    "parameter `max_ssthresh`: `{wrong}` is not a number of segments, such as \
                     `100` or `100pkt`"
                ))
            );
        }
        assert_eq!(
            complaint("reading=bsd"),
            text("parameter `reading`: `bsd` is not one of `rfc`, `ns2`")
        );
        assert!(complaint("tick=5").contains("`5` is not a time with a unit"));
        assert!(complaint("cap=5MB").contains("`5MB` is not a rate with a unit"));
        assert!(complaint("ratio=1.5").contains("`1.5` is not a number from 0 to 1"));
        assert!(complaint("exact=maybe").contains("`maybe` is not `true` or `false`"));
        assert!(complaint("count=-1").contains("`-1` is not a plain number"));
    }

    #[test]
    fn malformed_and_repeated_parameters_are_refused() {
        assert!(complaint("max_ssthresh").ends_with("of the form `name=value`"));
        assert!(complaint("tick=1ms,tick=2ms").ends_with("parameter `tick` is given twice"));
        assert!(complaint("tick=1ms,,").ends_with("empty at a comma; leave the comma out"));
    }
}
