//! Quantities with their units: times, rates, sizes, and how people write them.
//!
//! Times are whole nanoseconds and never floats, so that two machines agree on every
//! event. A bare number is refused wherever a unit is needed.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Sub};
use std::str::FromStr;

/// A number of segments, possibly fractional.
///
/// Windows are held in segments and as real numbers because congestion avoidance needs
/// the fraction, and because a comparison with ns-2 needs its very rounding (a window
/// that grows by thirds of a packet crosses whole numbers where `f64` says so).
pub type Segments = f64;

/// A point in time or a span of it, in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(pub u64);

impl Time {
    /// The beginning.
    pub const ZERO: Time = Time(0);
    /// Later than anything that happens.
    pub const MAX: Time = Time(u64::MAX);

    /// `n` nanoseconds.
    pub const fn from_nanos(n: u64) -> Time {
        Time(n)
    }
    /// `n` microseconds.
    pub const fn from_micros(n: u64) -> Time {
        Time(n * 1_000)
    }
    /// `n` milliseconds.
    pub const fn from_millis(n: u64) -> Time {
        Time(n * 1_000_000)
    }
    /// `n` seconds.
    pub const fn from_secs(n: u64) -> Time {
        Time(n * 1_000_000_000)
    }
    /// A number of seconds rounded to the nearest nanosecond; negative becomes zero.
    pub fn from_secs_f64(s: f64) -> Time {
        Time((s * 1e9).round().max(0.0) as u64)
    }
    /// Nanoseconds.
    pub const fn nanos(self) -> u64 {
        self.0
    }
    /// Seconds, for reports.
    pub fn secs(self) -> f64 {
        self.0 as f64 / 1e9
    }
    /// `self - earlier`, or zero where `earlier` is later.
    pub const fn since(self, earlier: Time) -> Time {
        Time(self.0.saturating_sub(earlier.0))
    }
    /// The smaller of two.
    pub const fn min(self, other: Time) -> Time {
        if self.0 < other.0 {
            self
        } else {
            other
        }
    }
    /// The larger of two.
    pub const fn max(self, other: Time) -> Time {
        if self.0 > other.0 {
            self
        } else {
            other
        }
    }
    /// This span `n` times over, saturating.
    pub const fn times(self, n: u64) -> Time {
        Time(self.0.saturating_mul(n))
    }
    /// This span divided by `n`, rounded down.
    pub const fn over(self, n: u64) -> Time {
        Time(self.0 / n)
    }
}

impl Add for Time {
    type Output = Time;
    fn add(self, other: Time) -> Time {
        Time(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Time {
    fn add_assign(&mut self, other: Time) {
        *self = *self + other;
    }
}

impl Sub for Time {
    type Output = Time;
    /// Panics in debug builds where the result would be negative; see [`Time::since`].
    fn sub(self, other: Time) -> Time {
        Time(self.0 - other.0)
    }
}

impl Sum for Time {
    fn sum<I: Iterator<Item = Time>>(iter: I) -> Time {
        iter.fold(Time::ZERO, Add::add)
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (scale, unit) = match self.0 {
            0 => (1.0, "s"),
            n if n < 1_000 => (1.0, "ns"),
            n if n < 1_000_000 => (1e3, "us"),
            n if n < 1_000_000_000 => (1e6, "ms"),
            _ => (1e9, "s"),
        };
        write!(f, "{}{unit}", self.0 as f64 / scale)
    }
}

/// A data rate in bits per second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rate(pub u64);

impl Rate {
    /// `n` bits per second.
    pub const fn from_bps(n: u64) -> Rate {
        Rate(n)
    }
    /// The rate that carries `bytes` in `span`, or zero for an empty span.
    pub fn of(bytes: u64, span: Time) -> Rate {
        if span.0 == 0 {
            return Rate(0);
        }
        Rate((u128::from(bytes) * 8_000_000_000 / u128::from(span.0)) as u64)
    }
    /// Bits per second.
    pub const fn bps(self) -> u64 {
        self.0
    }
    /// The time `bytes` take at this rate, rounded down; [`Time::MAX`] at rate zero.
    pub fn time_for(self, bytes: u64) -> Time {
        if self.0 == 0 {
            return Time::MAX;
        }
        Time((u128::from(bytes) * 8_000_000_000 / u128::from(self.0)) as u64)
    }
    /// The bytes that pass in `span`, rounded down.
    pub fn bytes_in(self, span: Time) -> u64 {
        (u128::from(self.0) * u128::from(span.0) / 8_000_000_000) as u64
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (scale, unit) = match self.0 {
            n if n < 1_000 => (1.0, "bps"),
            n if n < 1_000_000 => (1e3, "kbps"),
            n if n < 1_000_000_000 => (1e6, "Mbps"),
            _ => (1e9, "Gbps"),
        };
        write!(f, "{}{unit}", self.0 as f64 / scale)
    }
}

/// A number of bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bytes(pub u64);

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (scale, unit) = match self.0 {
            n if n < 1_000 => (1.0, "B"),
            n if n < 1_000_000 => (1e3, "kB"),
            n if n < 1_000_000_000 => (1e6, "MB"),
            _ => (1e9, "GB"),
        };
        write!(f, "{}{unit}", self.0 as f64 / scale)
    }
}

/// A size that may be given in bytes, in packets or in bandwidth-delay products.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Amount {
    /// So many bytes.
    Bytes(u64),
    /// So many full-size packets.
    Packets(u64),
    /// This multiple of rate × round-trip time.
    Bdp(f64),
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Amount::Bytes(n) => Bytes(*n).fmt(f),
            Amount::Packets(n) => write!(f, "{n}pkt"),
            Amount::Bdp(x) => write!(f, "{x}bdp"),
        }
    }
}

/// Why a quantity could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// What was given.
    pub value: String,
    /// What would be right.
    pub expected: &'static str,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is not {}", self.value, self.expected)
    }
}

impl std::error::Error for ParseError {}

const A_TIME: &str = "a time with a unit, such as `64ms`, `1.5s`, `200us` or `0s`";
const A_RATE: &str = "a rate with a unit, such as `5Mbps`, `384kbps` or `1Gbps`";
const A_SIZE: &str = "a size with a unit, such as `100kB`, `1.5MiB` or `1460B`";
const AN_AMOUNT: &str = "a size with a unit, such as `60pkt`, `1bdp`, `100kB` or `1.5MiB`";

/// Splits `12.5ms` into a finite, non-negative number and the unit behind it.
fn number_and_unit(text: &str) -> Option<(f64, &str)> {
    let text = text.trim();
    let end = text
        .char_indices()
        .find(|&(i, c)| {
            let exponent = matches!(c, 'e' | 'E')
                && text[i + 1..].starts_with(|d: char| d.is_ascii_digit() || d == '-');
            let sign = matches!(c, '-' | '+') && text[..i].ends_with(['e', 'E']);
            !(c.is_ascii_digit() || c == '.' || exponent || sign)
        })
        .map_or(text.len(), |(i, _)| i);
    let number: f64 = text[..end].parse().ok()?;
    (number.is_finite() && number >= 0.0).then(|| (number, text[end..].trim()))
}

/// `number × scale` as a whole number, where it fits one with room to spare.
fn whole(number: f64, scale: f64) -> Option<u64> {
    let value = (number * scale).round();
    (value < 9e18).then_some(value as u64)
}

fn decimal_bytes(unit: &str) -> Option<f64> {
    Some(match unit {
        "B" => 1.0,
        "kB" | "KB" => 1e3,
        "MB" => 1e6,
        "GB" => 1e9,
        "TB" => 1e12,
        "KiB" | "kiB" => 1024.0,
        "MiB" => 1024.0 * 1024.0,
        "GiB" => 1024.0 * 1024.0 * 1024.0,
        _ => return None,
    })
}

impl FromStr for Time {
    type Err = ParseError;
    fn from_str(text: &str) -> Result<Time, ParseError> {
        let parse = || {
            let (number, unit) = number_and_unit(text)?;
            let scale = match unit {
                "ns" => 1.0,
                "us" | "µs" => 1e3,
                "ms" => 1e6,
                "s" => 1e9,
                "min" => 60e9,
                "h" => 3600e9,
                _ => return None,
            };
            whole(number, scale).map(Time)
        };
        parse().ok_or_else(|| ParseError {
            value: text.into(),
            expected: A_TIME,
        })
    }
}

impl FromStr for Rate {
    type Err = ParseError;
    fn from_str(text: &str) -> Result<Rate, ParseError> {
        let parse = || {
            let (number, unit) = number_and_unit(text)?;
            let scale = match unit {
                "bps" | "bit/s" => 1.0,
                "kbps" | "Kbps" | "kbit/s" => 1e3,
                "Mbps" | "Mbit/s" => 1e6,
                "Gbps" | "Gbit/s" => 1e9,
                "Tbps" | "Tbit/s" => 1e12,
                _ => return None,
            };
            whole(number, scale).map(Rate)
        };
        parse().ok_or_else(|| ParseError {
            value: text.into(),
            expected: A_RATE,
        })
    }
}

impl FromStr for Bytes {
    type Err = ParseError;
    fn from_str(text: &str) -> Result<Bytes, ParseError> {
        let parse = || {
            let (number, unit) = number_and_unit(text)?;
            whole(number, decimal_bytes(unit)?).map(Bytes)
        };
        parse().ok_or_else(|| ParseError {
            value: text.into(),
            expected: A_SIZE,
        })
    }
}

impl FromStr for Amount {
    type Err = ParseError;
    fn from_str(text: &str) -> Result<Amount, ParseError> {
        let parse = || {
            let (number, unit) = number_and_unit(text)?;
            match unit {
                "pkt" | "pkts" => (number.fract() == 0.0)
                    .then(|| whole(number, 1.0).map(Amount::Packets))
                    .flatten(),
                "bdp" | "BDP" => Some(Amount::Bdp(number)),
                _ => whole(number, decimal_bytes(unit)?).map(Amount::Bytes),
            }
        };
        parse().ok_or_else(|| ParseError {
            value: text.into(),
            expected: AN_AMOUNT,
        })
    }
}

macro_rules! serde_as_text {
    ($($kind:ty),*) => {$(
        impl serde::Serialize for $kind {
            fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
                s.collect_str(self)
            }
        }
        impl<'de> serde::Deserialize<'de> for $kind {
            fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
                let text = String::deserialize(d)?;
                text.parse().map_err(serde::de::Error::custom)
            }
        }
    )*};
}
pub(crate) use serde_as_text;
serde_as_text!(Time, Rate, Bytes, Amount);
