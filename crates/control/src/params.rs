//! Parameters of algorithms as people write them: `name:key=value,key=value`.
//!
//! Each algorithm defines its parameters once, with [`params!`](crate::params!). Parsing, defaults,
//! error messages, the command line's help and the documentation all come from that
//! definition. Values are read once, with their specification: a flow gets a copy.

mod definition;
mod value;

#[doc(hidden)] // For `joined!`.
pub use definition::joined;
pub use definition::{Kind, Number, Param, Ratio};
pub use value::{ParamSpec, Unit, Value};

use std::fmt;

use crate::{nearest, one_line};
use value::quoted;

/// What an algorithm is for, in a word: a catalog elsewhere may have other kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(transparent)]
pub struct AlgorithmKind(pub &'static str);

impl AlgorithmKind {
    /// Kind of the startup algorithms.
    pub const STARTUP: AlgorithmKind = AlgorithmKind("startup");
    /// Kind of the congestion controls.
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

    /// The parameter has a value that the algorithm cannot work with.
    pub fn bad_value<K: Kind>(params: &Params, param: &Param<K>, expected: &str) -> SpecError {
        let (name, value) = (param.spec.name, params.value(&param.spec));
        let value = value.map_or_else(String::new, |v| v.to_string());
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
        let values = specs.iter().map(ParamSpec::value).collect();
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
        let unit = self.specs[index].unit;
        let read = Value::parse(unit, value).ok_or_else(|| {
            let expected = Value::expected(unit);
            SpecError::at(
                self,
                format!("parameter `{name}`: `{value}` is not {expected}"),
            )
        })?;
        self.values[index] = Some(read);
        self.given[index] = true;
        Ok(())
    }

    /// The same with this value of a parameter, in place of text.
    pub fn with<K: Kind>(mut self, param: &Param<K>, value: K::Given) -> Result<Params, SpecError> {
        let Some(index) = self.index(&param.spec) else {
            return Err(self.unknown(param.spec.name));
        };
        let value = K::value(value);
        let reread = Value::parse(param.spec.unit, &value.to_string());
        self.values[index] = Some(value);
        self.given[index] = true;
        match reread {
            Some(_) => self.get(param).map(|_| self),
            None => Err(SpecError::bad_value(
                &self,
                param,
                &Value::expected(param.spec.unit),
            )),
        }
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

    /// Not every startup has all of slow start's.
    fn index(&self, spec: &ParamSpec) -> Option<usize> {
        self.specs.iter().position(|s| s.name == spec.name)
    }

    fn value(&self, spec: &ParamSpec) -> Option<Value> {
        match self.index(spec) {
            Some(index) => self.values[index],
            None => spec.value(),
        }
    }

    /// What was given, or the default.
    pub fn get<K: Kind>(&self, param: &Param<K>) -> Result<K::Held, SpecError> {
        let Some(value) = self.value(&param.spec) else {
            return Ok(K::held(None));
        };
        match K::given(value).filter(|given| (param.holds)(*given)) {
            given @ Some(_) => Ok(K::held(given)),
            None => Err(SpecError::bad_value(self, param, &(param.expected)())),
        }
    }

    /// Refuses a parameter that was given another value than its default where it has no effect.
    pub fn effective<K: Kind>(
        &self,
        param: &Param<K>,
        effective: bool,
        needs: &str,
    ) -> Result<(), SpecError> {
        if effective {
            return Ok(());
        }
        let given = self.index(&param.spec).filter(|index| self.given[*index]);
        if given.is_none_or(|index| self.values[index] == param.spec.value()) {
            return Ok(());
        }
        let name = param.spec.name;
        let problem = format!("parameter `{name}` has no effect here; it needs {needs}");
        Err(SpecError::at(self, problem))
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

/// Lists of definitions, one after the other.
#[macro_export]
macro_rules! joined {
    ($($list:expr_2021),+ $(,)?) => {{
        const LISTS: &[&[$crate::params::ParamSpec]] = &[$($list),+];
        &$crate::params::joined::<{ 0 $(+ $list.len())+ }>(LISTS)
    }};
}

/// Definitions of parameters in the struct into which they are read. Before a field's name may
/// stand, in this order:
///
/// - comments: what it does, in help and pages;
/// - `#[name("...")]`: what it is called, where that is no identifier of Rust;
/// - `#[usual("...")]`: what holds where it is not given, in words, for an `Option`;
/// - `#[within(...)]`: the range of its values; or
/// - `#[check(..., "...")]`: what holds of its values, and what is expected of others.
///
/// Its default follows its type, as a user would write it; or `as` another such struct, which
/// has a parameter of the same name with all that belongs to it. The type is one of those of
/// [`Kind`], or an enum whose values have names, as `enum`s behind the struct have:
///
/// ```
/// use flowstart_control::params::{AlgorithmKind, Params, Ratio};
///
/// flowstart_control::params! {
///     struct Settings {
///         /// share of the window that a loss leaves
///         #[within(0.1..=0.9)]
///         beta: Ratio = "0.5",
///         /// what a loss reduces
///         #[usual("by stack: flight under rfc")]
///         base: Option<Base>,
///     }
///
///     enum Base { Flight = "flight", Window = "cwnd" }
/// }
///
/// let read = |text| Settings::read(&Params::parse(AlgorithmKind::AVOIDANCE, "mine", Settings::PARAMS, text)?);
/// assert_eq!(read("base=cwnd").unwrap().base, Some(Base::Window));
/// assert_eq!(
///     read("beta=1").unwrap_err().to_string(),
///     "cc `mine`: parameter `beta`: `1` is not a number from 0.1 to 0.9"
/// );
/// ```
#[macro_export]
macro_rules! params {
    (
        $(#[doc = $about:literal])*
        $vis:vis struct $settings:ident {$(
            $(#[doc = $doc:literal])*
            $(#[name($name:literal)])?
            $(#[usual($usual:literal)])?
            $(#[within($range:expr_2021)])?
            $(#[check($holds:expr_2021, $expected:literal)])?
            $field:ident: $kind:ty $(= $default:literal)? $(as $shared:ty)?
        ),* $(,)?}

        $($(#[doc = $enum_doc:literal])* $enum_vis:vis enum $enum:ident {
            $($(#[doc = $value_doc:literal])* $value:ident = $word:literal),+ $(,)?
        })*
    ) => {
        $(#[doc = $about])*
        #[doc = ""]
        #[doc = "Values of the algorithm's parameters; a constant of the same name defines each."]
        #[derive(Clone, Copy, Debug)]
        #[allow(unreachable_pub)] // public where its module is
        $vis struct $settings {
            $($(#[doc = $doc])* $(#[doc = concat!("that of `", stringify!($shared), "`")])? $vis $field: <$kind as $crate::params::Kind>::Held,)*
        }

        #[allow(non_upper_case_globals, unreachable_pub)]
        impl $settings {
            $(
                $(#[doc = $doc])*
                $(#[doc = concat!("that of `", stringify!($shared), "`")])?
                $vis const $field: $crate::params::Param<$kind> =
                    $crate::params::Param::<$kind>::new(stringify!($field), concat!($($doc),*))
                        $(.name($name))?
                        $(.usual($usual))?
                        $(.default($default))?
                        $(.check(
                            |value| ($range).contains(&value),
                            || $crate::params::Param::<$kind>::bounds($range),
                        ))?
                        $(.check($holds, || $expected.into()))?
                        $(.or(<$shared>::$field))?;
            )*

            /// Definitions of the parameters, in order.
            $vis const PARAMS: &'static [$crate::params::ParamSpec] = &[$(Self::$field.spec),*];

            /// Reads them, with their defaults where they are not given.
            $vis fn read(
                params: &$crate::params::Params,
            ) -> Result<$settings, $crate::params::SpecError> {
                Ok($settings { $($field: params.get(&Self::$field)?,)* })
            }
        }

        $(
            $(#[doc = $enum_doc])*
            #[derive(Clone, Copy, Debug, PartialEq, Eq)]
            #[allow(missing_docs, unreachable_pub)] // their names are the sources'
            $enum_vis enum $enum { $($(#[doc = $value_doc])* $value,)+ }

            impl $crate::Named for $enum {
                const VALUES: &'static [($enum, &'static str, &'static str)] =
                    &[$(($enum::$value, $word, "")),+];
                const NAMES: &'static [&'static str] = &[$($word),+];
            }
        )*
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Duration, Rate, Segments};

    params! {
        struct Settings {
            /// where growth turns linear
            max_ssthresh: Segments = "100",
            /// whose rule
            #[usual("by stack: rfc or ns2")]
            variant: Option<Variant>,
            /// clock
            tick: Duration = "1ms",
            /// policy
            #[usual("none")]
            cap: Option<Rate>,
            /// share
            ratio: Ratio = "0.5",
            /// arithmetic
            exact: bool = "true",
            /// samples of
            /// a round
            #[within(1..=20)]
            count: u32 = "8",
            /// what a reserved word names
            #[name("yield")]
            #[check(|share| share > 0.0, "above zero")]
            yield_to: Number = "1",
        }

        enum Variant { Rfc = "rfc", Ns2 = "ns2" }
    }

    params! {
        struct Others {
            exact: bool as Settings,
            count: u32 as Settings,
        }
    }

    fn parse(text: &str) -> Result<Params, SpecError> {
        Params::parse(
            AlgorithmKind::STARTUP,
            "limited-slow-start",
            Settings::PARAMS,
            text,
        )
    }

    fn read(text: &str) -> Result<Settings, SpecError> {
        Settings::read(&parse(text)?)
    }

    fn typed() -> Params {
        parse("").unwrap()
    }

    #[test]
    fn a_typed_value_is_that_of_its_text() {
        let params = typed().with(&Settings::variant, Variant::Ns2).unwrap();
        let params = params.with(&Settings::tick, Duration::from_millis(5));
        let params = params.unwrap().with(&Settings::count, 3).unwrap();
        let text = "limited-slow-start:variant=ns2,tick=5ms,count=3";
        assert_eq!(params.to_string(), text);
        assert_eq!(Settings::read(&params).unwrap().count, 3);
    }

    #[test]
    fn a_typed_value_is_checked_as_its_text_is() {
        let refused = [
            (typed().with(&Settings::count, 21).unwrap_err(), "count=21"),
            (
                typed().with(&Settings::ratio, 1.5).unwrap_err(),
                "ratio=1.5",
            ),
        ];
        for (error, text) in refused {
            assert_eq!(error.to_string(), complaint(text));
        }
    }

    fn complaint(text: &str) -> String {
        read(text).unwrap_err().to_string()
    }

    #[test]
    fn defaults_hold_where_nothing_is_given() {
        let settings = read("").unwrap();
        assert_eq!(settings.max_ssthresh, 100.0);
        assert_eq!(settings.variant, None);
        assert_eq!(settings.tick, Duration::from_millis(1));
        assert_eq!(settings.cap, None);
        assert_eq!((settings.ratio, settings.yield_to), (0.5, 1.0));
        assert!(settings.exact);
        assert_eq!(settings.count, 8);
        assert_eq!(parse("").unwrap().to_string(), "limited-slow-start");
    }

    #[test]
    fn given_values_are_read_and_written_back_in_declared_order() {
        let given = " exact=no , cap=500kbps,max_ssthresh=50pkt, variant=ns2 ";
        let settings = read(given).unwrap();
        assert_eq!(settings.max_ssthresh, 50.0);
        assert_eq!(settings.variant, Some(Variant::Ns2));
        assert_eq!(settings.cap, Some(Rate::from_bps(500_000)));
        let text = "limited-slow-start:max_ssthresh=50,variant=ns2,cap=500kbps,exact=false";
        assert_eq!(parse(given).unwrap().to_string(), text);
        assert_eq!(parse(split(text).1).unwrap().to_string(), text);
    }

    #[test]
    fn a_definition_has_its_text_in_one_line_and_its_default_in_words() {
        let [_, variant, .., count, share] = Settings::PARAMS else {
            unreachable!("there are eight")
        };
        assert_eq!(variant.default, "by stack: rfc or ns2");
        assert_eq!(variant.unit.to_string(), "rfc | ns2");
        assert_eq!(count.meaning, "samples of a round");
        assert_eq!(share.name, "yield");
    }

    #[test]
    fn a_parameter_of_another_struct_is_the_same_parameter() {
        let others: Vec<_> = Others::PARAMS.iter().map(|spec| spec.meaning).collect();
        assert_eq!(others, ["arithmetic", "samples of a round"]);
        let read = |text| Others::read(&parse(text)?);
        let others = read("count=3").unwrap();
        assert_eq!((others.exact, others.count), (true, 3));
        let right = "`21` is not a whole number from 1 to 20";
        assert!(read("count=21").unwrap_err().to_string().ends_with(right));
    }

    #[test]
    fn what_an_algorithm_does_not_have_is_at_its_default() {
        let params = Params::parse(AlgorithmKind::STARTUP, "plain", &[], "").unwrap();
        assert_eq!(Settings::read(&params).unwrap().count, 8);
    }

    #[test]
    fn an_unknown_parameter_is_named_with_the_nearest_known() {
        assert_eq!(
            complaint("max_sstresh=3"),
            "startup `limited-slow-start`: parameter `max_sstresh` is unknown; did you mean \
             `max_ssthresh`?"
        );
        assert!(complaint("wobble=3").ends_with(
            "parameter `wobble` is unknown; it has `max_ssthresh`, `variant`, `tick`, `cap`, \
             `ratio`, `exact`, `count`, `yield`"
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
            complaint("variant=bsd"),
            text("parameter `variant`: `bsd` is not one of `rfc`, `ns2`")
        );
        assert!(complaint("tick=5").contains("`5` is not a time with a unit"));
        assert!(complaint("cap=5MB").contains("`5MB` is not a rate with a unit"));
        assert!(complaint("ratio=1.5").contains("`1.5` is not a number from 0 to 1"));
        assert!(complaint("exact=maybe").contains("`maybe` is not `true` or `false`"));
        assert!(complaint("count=-1").contains("`-1` is not a plain number"));
        for wrong in ["0", "2.5", "1e12"] {
            let right = "is not a whole number from 1 to 20";
            assert!(
                complaint(&format!("count={wrong}")).ends_with(right),
                "{wrong}"
            );
        }
        assert!(complaint("yield=0").ends_with("parameter `yield`: `0` is not above zero"));
    }

    #[test]
    fn malformed_and_repeated_parameters_are_refused() {
        assert!(complaint("max_ssthresh").ends_with("of the form `name=value`"));
        assert!(complaint("tick=1ms,tick=2ms").ends_with("parameter `tick` is given twice"));
        assert!(complaint("tick=1ms,,").ends_with("empty at a comma; leave the comma out"));
    }
}
