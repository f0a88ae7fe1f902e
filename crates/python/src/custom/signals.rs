//! A transport's signals and its window as Python objects: fields and texts are those of
//! `flowstart_control::signals`, times in nanoseconds, rates in bits per second.

use flowstart_control::{signals, Named, Pair, Rate, RateCodes, Segments, Time};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// A value as Python has it.
trait Plain {
    type As;
    fn plain(self) -> Self::As;
    /// What Python's annotations call it.
    fn annotation() -> String;
}

macro_rules! plain {
    ($($from:ty => $to:ty, $annotation:literal, $value:ident => $expr:expr;)*) => {$(
        impl Plain for $from {
            type As = $to;
            fn plain(self) -> $to {
                let $value = self;
                $expr
            }
            fn annotation() -> String {
                $annotation.into()
            }
        }
    )*};
}

plain! {
    Time => u64, "int", t => t.nanos();
    Rate => u64, "int", r => r.bps();
    f64 => f64, "float", x => x;
    u64 => u64, "int", n => n;
    u32 => u32, "int", n => n;
    bool => bool, "bool", b => b;
    RateCodes => &'static str, "str", c => c.name();
}

impl<T: Plain> Plain for Option<T> {
    type As = Option<T::As>;
    fn plain(self) -> Option<T::As> {
        self.map(Plain::plain)
    }
    fn annotation() -> String {
        format!("{} | None", T::annotation())
    }
}

/// A value as Python writes it.
trait Shown {
    fn shown(&self) -> String;
}

macro_rules! shown {
    ($($kind:ty, $value:ident => $expr:expr;)*) => {$(
        impl Shown for $kind {
            fn shown(&self) -> String {
                let $value = self;
                $expr
            }
        }
    )*};
}

shown! {
    u32, n => n.to_string();
    u64, n => n.to_string();
    f64, x => x.to_string();
    bool, b => if *b { "True".into() } else { "False".into() };
    &str, s => format!("'{s}'");
}

impl<T: Shown> Shown for Option<T> {
    fn shown(&self) -> String {
        self.as_ref().map_or("None".into(), Shown::shown)
    }
}

/// A signal or an event, described: its name, what it is, and its fields.
pub type Described = (&'static str, String, Vec<(&'static str, String, String)>);

/// The signals as frozen Python classes.
macro_rules! classes {
    ($(
        $(#[doc = $doc:literal])*
        #[derive($($derived:ident),*)]
        pub struct $name:ident {
            $($(#[doc = $field_doc:literal])* pub $field:ident: $kind:ty,)*
        }
    )*) => {
        $(
            $(#[doc = $doc])*
            #[pyclass(frozen, get_all, module = "flowstart")]
            #[derive(Clone, Debug)]
            pub struct $name {
                $($(#[doc = $field_doc])* $field: <$kind as Plain>::As,)*
            }

            impl From<&signals::$name> for $name {
                fn from(signal: &signals::$name) -> $name {
                    $name { $($field: signal.$field.plain()),* }
                }
            }

            /// A signal within a signal.
            impl Plain for $name {
                type As = $name;
                fn plain(self) -> $name {
                    self
                }
                fn annotation() -> String {
                    stringify!($name).into()
                }
            }

            impl Plain for signals::$name {
                type As = $name;
                fn plain(self) -> $name {
                    $name::from(&self)
                }
                fn annotation() -> String {
                    stringify!($name).into()
                }
            }

            impl Shown for $name {
                fn shown(&self) -> String {
                    self.__repr__()
                }
            }

            #[pymethods]
            impl $name {
                fn __repr__(&self) -> String {
                    let fields = [$(format!("{}={}", stringify!($field), self.$field.shown())),*];
                    format!("{}({})", stringify!($name), fields.join(", "))
                }
            }
        )*

        /// Adds the classes to a module.
        pub fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
            $(module.add_class::<$name>()?;)*
            Ok(())
        }

        /// All signals.
        pub fn described() -> Vec<Described> {
            vec![$((
                stringify!($name),
                joined(&[$($doc),*]),
                vec![$((
                    stringify!($field),
                    <$kind as Plain>::annotation(),
                    joined(&[$($field_doc),*]),
                )),*],
            )),*]
        }
    };
}

flowstart_control::signals!(classes);

/// The lines of a comment as one text.
pub fn joined(lines: &[&str]) -> String {
    let lines: Vec<&str> = lines.iter().map(|line| line.trim()).collect();
    lines.join(" ")
}

/// The window that a start-up edits.
#[pyclass(module = "flowstart")]
#[derive(Debug)]
pub struct Window(pub flowstart_control::Window);

/// More segments than any path holds, and few enough to reckon with exactly.
const LARGEST: f64 = 1e9;

#[pymethods]
impl Window {
    #[new]
    fn new(mss: u32) -> Window {
        Window(flowstart_control::Window::new(mss))
    }

    #[getter]
    fn cwnd(&self) -> f64 {
        self.0.cwnd
    }

    #[setter]
    fn set_cwnd(&mut self, value: f64) -> PyResult<()> {
        if !(value > 0.0 && value <= LARGEST) {
            return Err(refused(
                "cwnd",
                brief(value),
                "a number of segments above 0, at most 1e9",
            ));
        }
        self.0.cwnd = value;
        Ok(())
    }

    #[getter]
    fn ssthresh(&self) -> f64 {
        self.0.ssthresh
    }

    #[setter]
    fn set_ssthresh(&mut self, value: f64) -> PyResult<()> {
        if value.is_nan() || value <= 0.0 {
            return Err(refused(
                "ssthresh",
                brief(value),
                "a number of segments above 0, or infinity",
            ));
        }
        self.0.ssthresh = value;
        Ok(())
    }

    #[getter]
    fn pacing(&self) -> Option<u64> {
        self.0.pacing.map(Rate::bps)
    }

    #[setter]
    fn set_pacing(&mut self, value: Option<u64>) -> PyResult<()> {
        if value == Some(0) {
            return Err(refused(
                "pacing",
                0,
                "a rate in bits per second above 0, or None",
            ));
        }
        self.0.pacing = value.map(Rate::from_bps);
        Ok(())
    }

    #[getter]
    fn pacing_from(&self) -> u64 {
        self.0.pacing_from.nanos()
    }

    #[setter]
    fn set_pacing_from(&mut self, value: u64) {
        self.0.pacing_from = Time(value);
    }

    #[getter]
    fn quantum(&self) -> u32 {
        self.0.quantum
    }

    #[setter]
    fn set_quantum(&mut self, value: u32) -> PyResult<()> {
        if value == 0 {
            return Err(refused("quantum", 0, "a number of segments above 0"));
        }
        self.0.quantum = value;
        Ok(())
    }

    #[getter]
    fn timeout(&self) -> Option<u64> {
        self.0.timeout.map(Time::nanos)
    }

    #[setter]
    fn set_timeout(&mut self, value: Option<u64>) -> PyResult<()> {
        if value == Some(0) {
            let right = "a time in nanoseconds above 0, or None";
            return Err(refused("timeout", 0, right));
        }
        self.0.timeout = value.map(Time::from_nanos);
        Ok(())
    }

    #[getter]
    fn startup_excess(&self) -> bool {
        self.0.tags.startup_excess
    }

    #[setter]
    fn set_startup_excess(&mut self, value: bool) {
        self.0.tags.startup_excess = value;
    }

    #[getter]
    fn pair(&self) -> Option<&'static str> {
        match self.0.tags.pair {
            Pair::None => None,
            Pair::First => Some("first"),
            Pair::Second => Some("second"),
        }
    }

    #[setter]
    fn set_pair(&mut self, value: Option<&str>) -> PyResult<()> {
        self.0.tags.pair = match value {
            None => Pair::None,
            Some("first") => Pair::First,
            Some("second") => Pair::Second,
            Some(other) => return Err(refused("pair", other, "\"first\", \"second\" or None")),
        };
        Ok(())
    }

    #[getter]
    fn congestion_header(&self) -> Option<u64> {
        self.0.congestion_header.map(Time::nanos)
    }

    #[setter]
    fn set_congestion_header(&mut self, value: Option<u64>) {
        self.0.congestion_header = value.map(Time::from_nanos);
    }

    #[getter]
    fn mss(&self) -> u32 {
        self.0.mss
    }

    #[getter]
    fn cwnd_bytes(&self) -> u64 {
        self.0.cwnd_bytes()
    }

    #[getter]
    fn in_slow_start(&self) -> bool {
        self.0.in_slow_start()
    }

    fn segments(&self, count: u64) -> f64 {
        self.0.segments(count)
    }

    fn __repr__(&self) -> String {
        format!(
            "Window(cwnd={}, ssthresh={}, pacing={}, timeout={}, startup_excess={}, pair={}, \
             congestion_header={}, mss={})",
            self.0.cwnd,
            self.0.ssthresh,
            self.pacing().shown(),
            self.timeout().shown(),
            self.startup_excess().shown(),
            self.pair().shown(),
            self.congestion_header().shown(),
            self.0.mss,
        )
    }
}

/// A number as Python writes it: with an exponent where it is very large or very small.
fn brief(value: f64) -> String {
    format!("{value:?}").trim_end_matches(".0").into()
}

fn refused(field: &str, value: impl std::fmt::Display, right: &str) -> PyErr {
    PyValueError::new_err(format!("window.{field} = {value}: {right} is needed"))
}
