//! A transport's signals and its window as Python objects: the fields of
//! `flowstart_control::signals`, times in nanoseconds, rates in bits per second.

use flowstart_control::RateCodes;
use flowstart_control::{signals, Pair, Rate, Time};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// A value as Python has it.
trait Plain {
    type As;
    fn plain(self) -> Self::As;
}

macro_rules! plain {
    ($($from:ty => $to:ty, $value:ident => $expr:expr;)*) => {$(
        impl Plain for $from {
            type As = $to;
            fn plain(self) -> $to {
                let $value = self;
                $expr
            }
        }
    )*};
}

plain! {
    Time => u64, t => t.nanos();
    Rate => u64, r => r.bps();
    f64 => f64, x => x;
    u64 => u64, n => n;
    u32 => u32, n => n;
    bool => bool, b => b;
    RateCodes => &'static str, c => c.name();
    signals::PathMemory => PathMemory, m => PathMemory::from(&m);
    signals::Delivery => Delivery, d => Delivery::from(&d);
    signals::RateSample => RateSample, s => RateSample::from(&s);
}

impl<T: Plain> Plain for Option<T> {
    type As = Option<T::As>;
    fn plain(self) -> Option<T::As> {
        self.map(Plain::plain)
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
    &'static str, s => format!("'{s}'");
    PathMemory, m => m.__repr__();
    Option<u64>, n => n.map_or("None".into(), |n| n.to_string());
    Option<f64>, x => x.map_or("None".into(), |x| x.to_string());
    Option<PathMemory>, m => m.as_ref().map_or("None".into(), Shown::shown);
    Delivery, d => d.__repr__();
    Option<Delivery>, d => d.as_ref().map_or("None".into(), Shown::shown);
    RateSample, s => s.__repr__();
    Option<RateSample>, s => s.as_ref().map_or("None".into(), Shown::shown);
    Option<&str>, s => s.map_or("None".into(), |s| format!("'{s}'"));
}

/// A signal as a frozen Python class. Every field is named, so that one which the signal
/// gains is not forgotten here.
macro_rules! signal {
    ($($name:ident { $($field:ident: $kind:ty),* })*) => {$(
        #[doc = concat!("The signal `", stringify!($name), "`.")]
        #[pyclass(frozen, get_all, module = "flowstart")]
        #[derive(Clone, Debug)]
        pub struct $name {
            $($field: $kind),*
        }

        impl From<&signals::$name> for $name {
            fn from(signal: &signals::$name) -> $name {
                let signals::$name { $($field),* } = *signal;
                $name { $($field: $field.plain()),* }
            }
        }

        #[pymethods]
        impl $name {
            fn __repr__(&self) -> String {
                let fields = [$(format!("{}={}", stringify!($field), self.$field.shown())),*];
                format!("{}({})", stringify!($name), fields.join(", "))
            }
        }
    )*};
}

signal! {
    Syn { queued: u64, mss: u32, header: u32, codes: &'static str }
    Known {
        approved: Option<u64>,
        exact_rtt: Option<u64>,
        interface_rate: Option<u64>,
        memory: Option<PathMemory>
    }
    PathMemory {
        cwnd: f64,
        ssthresh: f64,
        srtt: u64,
        rttvar: u64,
        min_rtt: u64,
        delivered: u64,
        rate: u64,
        in_use: bool
    }
    PeerGap { now: u64, gap: u64, rtt: Option<u64>, nxt: u64, peer_window: u64 }
    Feedback { now: u64, change: Option<f64>, rtt: Option<u64>, wire: u32, cwnd_limited: bool }
    Established {
        now: u64,
        initial_window: f64,
        rtt: Option<u64>,
        queued: u64,
        peer_window: u64,
        header: u32,
        clock: Option<u64>
    }
    Sent { now: u64, bytes: u32, seq: u64, retransmission: bool, flight: u64 }
    Ack {
        now: u64,
        acked: u64,
        delivered: u64,
        delivered_total: u64,
        rtt: Option<u64>,
        una: u64,
        nxt: u64,
        flight: u64,
        cwnd_limited: bool,
        queued: u64,
        peer_window: u64,
        delivery: Option<Delivery>
    }
    Delivery {
        total: u64,
        newly: u64,
        lost: u64,
        in_flight_before: u64,
        repairing: bool,
        sample: Option<RateSample>
    }
    RateSample {
        prior_delivered: u64,
        delivered: u64,
        interval: u64,
        app_limited: bool,
        tx_in_flight: u64,
        lost: u64
    }
    Loss { now: u64, flight: u64, usable: f64 }
    Marked { now: u64, flight: u64, usable: f64 }
    Recovered { now: u64, retransmitted: u64, flight: u64 }
    Timeout { now: u64, flight: u64, usable: f64, repeated: bool }
    Idle { now: u64, idle: u64, restart_window: f64 }
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
        self.0.marks.startup_excess
    }

    #[setter]
    fn set_startup_excess(&mut self, value: bool) {
        self.0.marks.startup_excess = value;
    }

    #[getter]
    fn pair(&self) -> Option<&'static str> {
        match self.0.marks.pair {
            Pair::None => None,
            Pair::First => Some("first"),
            Pair::Second => Some("second"),
        }
    }

    #[setter]
    fn set_pair(&mut self, value: Option<&str>) -> PyResult<()> {
        self.0.marks.pair = match value {
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
