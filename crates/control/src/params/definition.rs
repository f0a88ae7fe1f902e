//! Kinds of parameters, and the definition of one: its name, kind, default, check and text.

use super::value::{ParamSpec, Unit, Value};
use crate::{Duration, InitialWindow, Named, Rate};
use std::ops::RangeInclusive;

/// Kind of a parameter: how it is written, and what an algorithm gets.
pub trait Kind {
    /// How a value is written.
    const UNIT: Unit;
    /// Name of a value within bounds, in messages.
    const NOUN: &'static str = "a number";
    /// Whether it may have no value.
    const OPTIONAL: bool = false;
    /// Type of a value that was given.
    type Given: Copy;
    /// Type of the field in the struct.
    type Held: Copy;

    /// The value, where it is one of this kind.
    fn given(value: Value) -> Option<Self::Given>;

    /// The value of what was given.
    fn value(given: Self::Given) -> Value;

    /// The content of the field.
    fn held(given: Option<Self::Given>) -> Self::Held;
}

/// Kind of a plain number from 0 to 1e12.
#[derive(Debug)]
pub struct Number;

/// Kind of a number from 0 to 1.
#[derive(Debug)]
pub struct Ratio;

/// Kinds that always have a value.
macro_rules! kinds {
    ($($({$($generic:tt)+})? $kind:ty, $given:ty: $noun:literal, $unit:expr_2021, $read:pat => $value:expr_2021, $write:expr_2021;)*) => {$(
        impl$(<$($generic)+>)? Kind for $kind {
            const UNIT: Unit = $unit;
            const NOUN: &'static str = $noun;
            type Given = $given;
            type Held = $given;

            fn given(value: Value) -> Option<$given> {
                match value {
                    $read => $value,
                    _ => None,
                }
            }

            fn value(given: $given) -> Value {
                $write(given)
            }

            fn held(given: Option<$given>) -> $given {
                given.expect("the default of a parameter that is not optional is a value")
            }
        }
    )*};
}

kinds! {
    f64, f64: "a number", Unit::Segments, Value::Real(x) => Some(x), Value::Real;
    Number, f64: "a number", Unit::Number, Value::Real(x) => Some(x), Value::Real;
    Ratio, f64: "a number", Unit::Ratio, Value::Real(x) => Some(x), Value::Real;
    u32, u32: "a whole number", Unit::Number,
        Value::Real(x) => (x.fract() == 0.0 && x <= f64::from(u32::MAX)).then_some(x as u32),
        |x| Value::Real(f64::from(x));
    Duration, Duration: "a time", Unit::Time, Value::Time(t) => Some(t), Value::Time;
    Rate, Rate: "a rate", Unit::Rate, Value::Rate(r) => Some(r), Value::Rate;
    bool, bool: "a truth", Unit::Bool, Value::Bool(b) => Some(b), Value::Bool;
    InitialWindow, InitialWindow: "a window", Unit::InitialWindow, Value::InitialWindow(iw) => Some(iw),
        Value::InitialWindow;
    {T: Named} T, T: "a name", Unit::Choice(T::NAMES), Value::Choice(word) => T::named(word),
        |named: T| Value::Choice(named.name());
}

impl<K: Kind> Kind for Option<K> {
    const UNIT: Unit = K::UNIT;
    const NOUN: &'static str = K::NOUN;
    const OPTIONAL: bool = true;
    type Given = K::Given;
    type Held = Option<K::Given>;

    fn given(value: Value) -> Option<K::Given> {
        K::given(value)
    }

    fn value(given: K::Given) -> Value {
        K::value(given)
    }

    fn held(given: Option<K::Given>) -> Option<K::Given> {
        given
    }
}

/// Definition of a parameter, and its name in checks that concern others too.
#[derive(Debug)]
pub struct Param<K: Kind> {
    /// What of it is described.
    pub spec: ParamSpec,
    pub(super) holds: fn(K::Given) -> bool,
    pub(super) expected: fn() -> String,
}

#[doc(hidden)] // For `params!`.
impl<K: Kind> Param<K> {
    pub const fn new(name: &'static str, meaning: &'static str) -> Param<K> {
        Param {
            spec: ParamSpec {
                name,
                unit: K::UNIT,
                default: "",
                meaning: meaning.trim_ascii_start(),
            },
            holds: |_| true,
            expected: || K::NOUN.into(),
        }
    }

    pub const fn name(mut self, name: &'static str) -> Param<K> {
        self.spec.name = name;
        self
    }

    pub const fn default(mut self, value: &'static str) -> Param<K> {
        self.spec.default = value;
        self
    }

    pub const fn usual(self, words: &'static str) -> Param<K> {
        assert!(
            K::OPTIONAL,
            "a parameter without a value as its default is optional"
        );
        self.default(words)
    }

    pub const fn check(
        mut self,
        holds: fn(K::Given) -> bool,
        expected: fn() -> String,
    ) -> Param<K> {
        self.holds = holds;
        self.expected = expected;
        self
    }

    pub const fn or(self, shared: Param<K>) -> Param<K> {
        shared
    }

    pub fn bounds<T: std::fmt::Display>(range: RangeInclusive<T>) -> String {
        format!("{} from {} to {}", K::NOUN, range.start(), range.end())
    }
}

/// The lists, one after the other.
pub const fn joined<const N: usize>(lists: &[&[ParamSpec]]) -> [ParamSpec; N] {
    let mut all = [Param::<Number>::new("", "").spec; N];
    let (mut list, mut index, mut place) = (0, 0, 0);
    while place < N {
        if index < lists[list].len() {
            all[place] = lists[list][index];
            (index, place) = (index + 1, place + 1);
        } else {
            (index, list) = (0, list + 1);
        }
    }
    all
}
