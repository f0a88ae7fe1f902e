//! A transport's signals and its window as Python objects: fields and texts are those of
//! `flowstart_control::signals`, times in nanoseconds, rates in bits per second.

use flowstart_control::{Duration, Instant, Named, Pair, Rate, RateCodes, Segments, signals};
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::pyclass::boolean_struct::True;
use pyo3::{PyClass, PyClassInitializer};

use super::places::Placed;

/// The kind of a field, as Python has it.
trait Plain {
    /// Events of the transport.
    type Told: Placed;
    type As;
    fn plain(told: Self::Told) -> Self::As;
    /// What Python's annotations call it.
    fn annotation() -> String;
}

macro_rules! plain {
    ($($from:ty => $to:ty, $annotation:literal, $value:ident => $expr:expr_2021;)*) => {$(
        impl Plain for $from {
            type Told = $from;
            type As = $to;
            fn plain($value: $from) -> $to {
                $expr
            }
            fn annotation() -> String {
                $annotation.into()
            }
        }
    )*};
}

plain! {
    Duration => u64, "int", t => t.nanos();
    Instant => u64, "int", t => t.nanos();
    Rate => u64, "int", r => r.bps();
    f64 => f64, "float", x => x;
    u64 => u64, "int", n => n;
    u32 => u32, "int", n => n;
    bool => bool, "bool", b => b;
    RateCodes => &'static str, "str", c => c.name();
}

impl<T: Plain> Plain for Option<T> {
    type Told = Option<T::Told>;
    type As = Option<T::As>;
    fn plain(told: Self::Told) -> Self::As {
        told.map(T::plain)
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
    ($($kind:ty, $value:ident => $expr:expr_2021;)*) => {$(
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
pub(crate) type Described = (&'static str, String, Vec<(&'static str, String, String)>);

/// A signal as an object of Python.
pub(crate) trait Signal:
    PyClass<Frozen = True> + Default + Sync + Into<PyClassInitializer<Self>>
{
    /// Events of the transport.
    type Told: Placed<Place = Self>;

    /// The object for the next hook, unless it is kept.
    fn spare(spares: &mut Spares) -> &mut Option<Py<Self>>;

    /// An object with the values of `told`.
    fn object<'a, 'py>(
        spares: &'a mut Spares,
        py: Python<'py>,
        told: &Self::Told,
    ) -> PyResult<&'a Bound<'py, Self>> {
        let spare = Self::spare(spares);
        if !spare
            .as_ref()
            .is_some_and(|object| is_ours_alone(object, py))
        {
            *spare = Some(Py::new(py, Self::default())?);
        }
        let object = spare.as_ref().expect("it has just been made").bind(py);
        told.put(object.get());
        Ok(object)
    }
}

/// Whether `object` is not kept elsewhere.
#[allow(deprecated)] // What replaces it is unsafe.
fn is_ours_alone<T>(object: &Py<T>, py: Python<'_>) -> bool {
    object.get_refcnt(py) == 1
}

/// The signals as frozen Python classes. An object has places for the values, and a field
/// becomes Python's when it is requested.
macro_rules! classes {
    ($(
        $(#[doc = $doc:literal])*
        #[derive($($derived:ident),*)]
        pub struct $name:ident {
            $($(#[doc = $field_doc:literal])* pub $field:ident: $kind:ty,)*
        }
        $(impl $same:ident {
            $(
                $(#[doc = $follows_doc:literal])*
                pub fn $follows:ident(&self) -> $follows_kind:ty $body:block
            )*
        })?
    )*) => {
        $(
            $(#[doc = $doc])*
            #[pyclass(frozen, module = "flowstart.signals")]
            #[derive(Debug, Default)]
            pub struct $name {
                $($field: <<$kind as Plain>::Told as Placed>::Place,)*
            }

            impl Placed for signals::$name {
                type Place = $name;

                #[inline]
                fn put(self, place: &$name) {
                    $(self.$field.put(&place.$field);)*
                }

                fn get(place: &$name) -> signals::$name {
                    signals::$name { $($field: Placed::get(&place.$field)),* }
                }
            }

            impl $name {
                /// An object with the values of `told`.
                pub fn saying(told: &signals::$name) -> $name {
                    let object = $name::default();
                    told.put(&object);
                    object
                }
            }

            impl Signal for $name {
                type Told = signals::$name;

                fn spare(spares: &mut Spares) -> &mut Option<Py<$name>> {
                    &mut spares.$name
                }
            }

            /// A signal within a signal.
            impl Plain for $name {
                type Told = signals::$name;
                type As = $name;
                fn plain(told: signals::$name) -> $name {
                    $name::saying(&told)
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
                $(
                    $(#[doc = $field_doc])*
                    #[getter]
                    fn $field(&self) -> <$kind as Plain>::As {
                        <$kind as Plain>::plain(Placed::get(&self.$field))
                    }
                )*

                $($(
                    $(#[doc = $follows_doc])*
                    #[getter]
                    fn $follows(&self) -> <$follows_kind as Plain>::As {
                        let told: signals::$name = Placed::get(self);
                        <$follows_kind as Plain>::plain(told.$follows())
                    }
                )*)?

                fn __repr__(&self) -> String {
                    let fields = [$(
                        format!("{}={}", stringify!($field), self.$field().shown())
                    ),*];
                    format!("{}({})", stringify!($name), fields.join(", "))
                }
            }
        )*

        /// An object of each signal, from its first event on.
        #[allow(non_snake_case)]
        #[derive(Default)]
        pub(crate) struct Spares {
            $($name: Option<Py<$name>>,)*
        }

        /// Adds the classes to a module.
        pub(crate) fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
            $(module.add_class::<$name>()?;)*
            Ok(())
        }

        /// All signals.
        pub(crate) fn described() -> Vec<Described> {
            vec![$((
                stringify!($name),
                joined(&[$($doc),*]),
                vec![$((
                    stringify!($field),
                    <$kind as Plain>::annotation(),
                    joined(&[$($field_doc),*]),
                ),)* $($((
                    stringify!($follows),
                    <$follows_kind as Plain>::annotation(),
                    joined(&[$($follows_doc),*]),
                ),)*)?],
            )),*]
        }
    };
}

flowstart_control::signals!(classes);

/// The lines of a comment as one text.
pub(crate) fn joined(lines: &[&str]) -> String {
    let lines: Vec<&str> = lines.iter().map(|line| line.trim()).collect();
    lines.join(" ")
}

/// The window that a startup edits.
#[pyclass(frozen, module = "flowstart")]
#[derive(Debug, Default)]
pub struct Window {
    cwnd: Place<Segments>,
    ssthresh: Place<Segments>,
    pacing: Place<Option<Rate>>,
    pacing_from: Place<Instant>,
    quantum: Place<u32>,
    timeout: Place<Option<Duration>>,
    startup_excess: Place<bool>,
    pair: Place<Pair>,
    congestion_header: Place<Option<Duration>>,
    proactive_below: Place<u64>,
    proactive_segments: Place<u64>,
    mss: Place<u32>,
}

type Place<T> = <T as Placed>::Place;

impl Window {
    /// Copies the values of `w`.
    pub fn show(&self, w: &flowstart_control::Window) {
        w.cwnd.put(&self.cwnd);
        w.ssthresh.put(&self.ssthresh);
        w.pacing.put(&self.pacing);
        w.pacing_from.put(&self.pacing_from);
        w.quantum.put(&self.quantum);
        w.timeout.put(&self.timeout);
        w.tags.startup_excess.put(&self.startup_excess);
        w.tags.pair.put(&self.pair);
        w.congestion_header.put(&self.congestion_header);
        w.proactive.below.put(&self.proactive_below);
        w.proactive.segments.put(&self.proactive_segments);
        w.mss.put(&self.mss);
    }

    /// Copies these values into `w`.
    pub fn write_to(&self, w: &mut flowstart_control::Window) {
        w.cwnd = Placed::get(&self.cwnd);
        w.ssthresh = Placed::get(&self.ssthresh);
        w.pacing = Placed::get(&self.pacing);
        w.pacing_from = Placed::get(&self.pacing_from);
        w.quantum = Placed::get(&self.quantum);
        w.timeout = Placed::get(&self.timeout);
        w.tags.startup_excess = Placed::get(&self.startup_excess);
        w.tags.pair = Placed::get(&self.pair);
        w.congestion_header = Placed::get(&self.congestion_header);
        w.proactive.below = Placed::get(&self.proactive_below);
        w.proactive.segments = Placed::get(&self.proactive_segments);
    }

    /// What the window's own arithmetic needs of it.
    fn plain(&self) -> flowstart_control::Window {
        flowstart_control::Window {
            cwnd: self.cwnd(),
            ssthresh: self.ssthresh(),
            ..flowstart_control::Window::new(self.mss())
        }
    }
}

/// More segments than any path holds, and few enough to reckon with exactly.
const LARGEST: f64 = 1e9;

#[pymethods]
impl Window {
    #[new]
    fn new(mss: u32) -> Window {
        let window = Window::default();
        window.show(&flowstart_control::Window::new(mss));
        window
    }

    /// Congestion window in segments.
    #[getter]
    fn cwnd(&self) -> f64 {
        Placed::get(&self.cwnd)
    }

    #[setter]
    fn set_cwnd(&self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let value: f64 = written("cwnd", value, "a number of segments")?;
        if !(value > 0.0 && value <= LARGEST) {
            return Err(refused(
                "cwnd",
                brief(value),
                "a number of segments above 0, at most 1e9",
            ));
        }
        value.put(&self.cwnd);
        Ok(())
    }

    /// Slow-start threshold in segments; infinite until something is known.
    #[getter]
    fn ssthresh(&self) -> f64 {
        Placed::get(&self.ssthresh)
    }

    #[setter]
    fn set_ssthresh(&self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let value: f64 = written("ssthresh", value, "a number of segments")?;
        if value.is_nan() || value <= 0.0 {
            return Err(refused(
                "ssthresh",
                brief(value),
                "a number of segments above 0, or infinity",
            ));
        }
        value.put(&self.ssthresh);
        Ok(())
    }

    /// At most this rate in bits per second, headers included; None sends as the window allows.
    #[getter]
    fn pacing(&self) -> Option<u64> {
        Option::<Rate>::get(&self.pacing).map(Rate::bps)
    }

    #[setter]
    fn set_pacing(&self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let right = "a rate in bits per second, as a whole number, or None";
        let value: Option<u64> = written("pacing", value, right)?;
        if value == Some(0) {
            return Err(refused(
                "pacing",
                0,
                "a rate in bits per second above 0, or None",
            ));
        }
        value.map(Rate::from_bps).put(&self.pacing);
        Ok(())
    }

    /// With a pacing rate: nothing leaves before this time.
    #[getter]
    fn pacing_from(&self) -> u64 {
        Instant::get(&self.pacing_from).nanos()
    }

    #[setter]
    fn set_pacing_from(&self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let value = written("pacing_from", value, A_TIME)?;
        Instant::from_nanos(value).put(&self.pacing_from);
        Ok(())
    }

    /// So many segments may leave together where they are paced.
    #[getter]
    fn quantum(&self) -> u32 {
        Placed::get(&self.quantum)
    }

    #[setter]
    fn set_quantum(&self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let value: u32 = written("quantum", value, "a whole number of segments")?;
        if value == 0 {
            return Err(refused("quantum", 0, "a number of segments above 0"));
        }
        value.put(&self.quantum);
        Ok(())
    }

    /// A retransmission timeout that holds instead of the transport's, without back-off.
    #[getter]
    fn timeout(&self) -> Option<u64> {
        Option::<Duration>::get(&self.timeout).map(Duration::nanos)
    }

    #[setter]
    fn set_timeout(&self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let value: Option<u64> = written("timeout", value, A_TIME_OR_NONE)?;
        if value == Some(0) {
            let right = "a time in nanoseconds above 0, or None";
            return Err(refused("timeout", 0, right));
        }
        value.map(Duration::from_nanos).put(&self.timeout);
        Ok(())
    }

    /// Marks segments as part of an oversized startup flight that a router may drop first.
    #[getter]
    fn startup_excess(&self) -> bool {
        Placed::get(&self.startup_excess)
    }

    #[setter]
    fn set_startup_excess(&self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let value: bool = written("startup_excess", value, "True or False")?;
        value.put(&self.startup_excess);
        Ok(())
    }

    /// Marks a segment as one of a pair whose spacing the peer is to measure.
    #[getter]
    fn pair(&self) -> Option<&'static str> {
        match Placed::get(&self.pair) {
            Pair::None => None,
            Pair::First => Some("first"),
            Pair::Second => Some("second"),
        }
    }

    #[setter]
    fn set_pair(&self, value: Option<&str>) -> PyResult<()> {
        let pair = match value {
            None => Pair::None,
            Some("first") => Pair::First,
            Some("second") => Pair::Second,
            Some(other) => return Err(refused("pair", other, "\"first\", \"second\" or None")),
        };
        pair.put(&self.pair);
        Ok(())
    }

    /// Data carries a congestion header with this round-trip time, 0 where none is known.
    #[getter]
    fn congestion_header(&self) -> Option<u64> {
        Option::<Duration>::get(&self.congestion_header).map(Duration::nanos)
    }

    #[setter]
    fn set_congestion_header(&self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let value: Option<u64> = written("congestion_header", value, A_TIME_OR_NONE)?;
        value.map(Duration::from_nanos).put(&self.congestion_header);
        Ok(())
    }

    /// The next of them ends at this position; the others lie below it, one after the other.
    #[getter]
    fn proactive_below(&self) -> u64 {
        Placed::get(&self.proactive_below)
    }

    #[setter]
    fn set_proactive_below(&self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let value: u64 = written(
            "proactive_below",
            value,
            "a sequence number in bytes, as a whole number",
        )?;
        value.put(&self.proactive_below);
        Ok(())
    }

    /// So many segments are sent a second time, before a loss is found; counted
    /// off as their turn comes. Those that have arrived are passed over.
    #[getter]
    fn proactive_segments(&self) -> u64 {
        Placed::get(&self.proactive_segments)
    }

    #[setter]
    fn set_proactive_segments(&self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let value: u64 = written("proactive_segments", value, "a whole number of segments")?;
        value.put(&self.proactive_segments);
        Ok(())
    }

    /// Maximum segment size, bytes of payload.
    #[getter]
    fn mss(&self) -> u32 {
        Placed::get(&self.mss)
    }

    /// The window in bytes.
    #[getter]
    fn cwnd_bytes(&self) -> u64 {
        self.plain().cwnd_bytes()
    }

    /// Whether the window is below the threshold.
    #[getter]
    fn in_slow_start(&self) -> bool {
        self.plain().in_slow_start()
    }

    /// So many bytes, in segments.
    fn segments(&self, count: u64) -> f64 {
        self.plain().segments(count)
    }

    fn __repr__(&self) -> String {
        format!(
            "Window(cwnd={}, ssthresh={}, pacing={}, timeout={}, startup_excess={}, pair={}, \
             congestion_header={}, mss={})",
            self.cwnd(),
            self.ssthresh(),
            self.pacing().shown(),
            self.timeout().shown(),
            self.startup_excess().shown(),
            self.pair().shown(),
            self.congestion_header().shown(),
            self.mss(),
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

const A_TIME: &str = "a time in nanoseconds, as a whole number";
const A_TIME_OR_NONE: &str = "a time in nanoseconds, as a whole number, or None";

/// What Python writes into a field of the window; what is of another type is refused.
fn written<'py, T: FromPyObjectOwned<'py, Error = PyErr>>(
    field: &str,
    value: &Bound<'py, PyAny>,
    right: &str,
) -> PyResult<T> {
    value.extract().map_err(|error: PyErr| {
        let py = value.py();
        if !error.is_instance_of::<PyTypeError>(py) && !error.is_instance_of::<PyOverflowError>(py)
        {
            return error;
        }
        let kind = value.get_type().name();
        let kind = kind.map_or_else(|_| "unknown".into(), |name| name.to_string());
        PyTypeError::new_err(format!(
            "window.{field} = {value} of type {kind}: {right} is needed"
        ))
    })
}
