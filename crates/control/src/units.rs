//! Quantities with their units: times, rates, sizes, and how people write them.
//!
//! Times are whole nanoseconds and never floats, so that two machines agree on every
//! event. A bare number is refused wherever a unit is needed.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Sub};
use std::str::FromStr;

use crate::near_units;
pub use crate::near_units::Measure;

/// A number of segments, possibly fractional.
///
/// Windows are held in segments and as real numbers because congestion control needs
/// the fraction, and because a comparison with ns-2 needs its very rounding (a window
/// that grows by thirds of a packet crosses whole numbers at the same place as `f64`).
pub type Segments = f64;

/// A point in time, in nanoseconds since the beginning of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Instant(pub u64);

/// A span of time in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Duration(pub u64);

/// Constants, constructors, arithmetic and display of the two kinds of time.
macro_rules! time {
    ($($kind:ident),*) => {$(
        impl $kind {
            /// Zero: the beginning of a run, or no time.
            pub const ZERO: $kind = $kind(0);
            /// Later or longer than anything that happens.
            pub const MAX: $kind = $kind(u64::MAX);

            /// Makes a time of `n` nanoseconds.
            #[inline]
            pub const fn from_nanos(n: u64) -> $kind {
                $kind(n)
            }
            /// Makes a time of `n` microseconds.
            #[inline]
            pub const fn from_micros(n: u64) -> $kind {
                $kind(n * 1_000)
            }
            /// Makes a time of `n` milliseconds.
            #[inline]
            pub const fn from_millis(n: u64) -> $kind {
                $kind(n * 1_000_000)
            }
            /// Makes a time of `n` seconds.
            #[inline]
            pub const fn from_secs(n: u64) -> $kind {
                $kind(n * 1_000_000_000)
            }
            /// A number of seconds rounded to the nearest nanosecond; negative becomes zero.
            #[inline]
            pub fn from_secs_f64(s: f64) -> $kind {
                $kind((s * 1e9).round().max(0.0) as u64)
            }
            /// Returns the number of nanoseconds.
            #[inline]
            pub const fn nanos(self) -> u64 {
                self.0
            }
            /// Returns the seconds, for reports only.
            #[inline]
            pub fn secs(self) -> f64 {
                self.0 as f64 / 1e9
            }
            /// Rounds down to a whole number of ticks; a tick of zero changes nothing.
            #[inline]
            pub const fn floor(self, tick: Duration) -> $kind {
                match tick.0 {
                    0 => self,
                    tick => $kind(self.0 / tick * tick),
                }
            }
            /// Returns the time that is earlier or shorter by `span`, or zero.
            #[inline]
            pub const fn saturating_sub(self, span: Duration) -> $kind {
                $kind(self.0.saturating_sub(span.0))
            }
        }

        impl Add<Duration> for $kind {
            type Output = $kind;
            #[inline]
            fn add(self, span: Duration) -> $kind {
                $kind(self.0.saturating_add(span.0))
            }
        }

        impl AddAssign<Duration> for $kind {
            #[inline]
            fn add_assign(&mut self, span: Duration) {
                *self = *self + span;
            }
        }

        impl Sub<Duration> for $kind {
            type Output = $kind;
            /// Panics in debug builds where the result would be negative.
            #[inline]
            fn sub(self, span: Duration) -> $kind {
                $kind(self.0 - span.0)
            }
        }

        impl fmt::Display for $kind {
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
    )*};
}
time!(Instant, Duration);

impl Instant {
    /// Returns the span since `earlier`, or zero where `earlier` is later.
    #[inline]
    pub const fn since(self, earlier: Instant) -> Duration {
        Duration(self.0.saturating_sub(earlier.0))
    }
}

impl Sub for Instant {
    type Output = Duration;
    /// Panics in debug builds where the result would be negative; see [`Instant::since`].
    #[inline]
    fn sub(self, earlier: Instant) -> Duration {
        Duration(self.0 - earlier.0)
    }
}

impl Duration {
    /// This span `n` times over, saturating.
    #[inline]
    pub const fn times(self, n: u64) -> Duration {
        Duration(self.0.saturating_mul(n))
    }
    /// This span divided by `n`, rounded down.
    #[inline]
    pub const fn over(self, n: u64) -> Duration {
        Duration(self.0 / n)
    }
    /// So many times as long, rounded down.
    #[inline]
    pub fn scaled(self, by: f64) -> Duration {
        Duration((real(self.0) * by) as u64)
    }
}

impl Sum for Duration {
    fn sum<I: Iterator<Item = Duration>>(iter: I) -> Duration {
        iter.fold(Duration::ZERO, Add::add)
    }
}

/// A data rate in bits per second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rate(pub u64);

impl Rate {
    /// Makes a rate of `n` bits per second.
    pub const fn from_bps(n: u64) -> Rate {
        Rate(n)
    }
    /// The rate that carries `bytes` in `span`, or zero for an empty span.
    pub fn of(bytes: u64, span: Duration) -> Rate {
        if span.0 == 0 {
            return Rate(0);
        }
        Rate(divided(bytes, 8_000_000_000, span.0))
    }
    /// Returns the rate in bits per second.
    pub const fn bps(self) -> u64 {
        self.0
    }
    /// The time `bytes` take at this rate, rounded down; [`Duration::MAX`] at rate zero.
    pub fn time_for(self, bytes: u64) -> Duration {
        if self.0 == 0 {
            return Duration::MAX;
        }
        Duration(divided(bytes, 8_000_000_000, self.0))
    }
    /// The bytes that pass in `span`, rounded down.
    pub fn bytes_in(self, span: Duration) -> u64 {
        divided(self.0, span.0, 8_000_000_000)
    }
    /// So many times as fast, rounded down.
    pub fn scaled(self, by: f64) -> Rate {
        Rate((real(self.0) * by) as u64)
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

/// Number of bytes, with units in text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bytes(pub u64);

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (scale, unit) = match self.0 {
            // `1448B`, which is not written as 1.448kB.
            n if n < 1_000 || (n < 1_000_000 && n % 100 != 0) => (1.0, "B"),
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
    /// Amount as a number of bytes.
    Bytes(u64),
    /// Amount as a number of full-size packets.
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
    /// Text that was given as the value.
    pub value: String,
    /// Description of a valid value.
    pub expected: &'static str,
    /// What was meant, where its unit is one of those that others write.
    pub meant: Option<String>,
    /// Whether it is a quantity below zero.
    pub is_negative: bool,
}

impl ParseError {
    /// Of a quantity with a unit.
    fn of(value: &str, expected: &'static str, measure: Measure) -> ParseError {
        let opposite = value.trim().strip_prefix('-').and_then(quantity);
        // A number that is out of range has nothing wrong with its unit.
        let known = quantity(value).filter(|(number, _)| *number < 1e12);
        let meant = known
            .and_then(|_| number_and_unit(value))
            .and_then(|(number, unit)| near_units::meant(number, unit, measure))
            .filter(|meant| meant != value);
        ParseError {
            value: value.into(),
            expected,
            meant,
            is_negative: opposite
                .is_some_and(|(_, unit)| near_units::meant("1", unit, measure).is_some()),
        }
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_negative {
            return write!(f, "`{}` is negative; 0 or more is needed", self.value);
        }
        write!(f, "`{}` is not {}", self.value, self.expected)?;
        match &self.meant {
            Some(meant) => write!(f, "; did you mean `{meant}`?"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for ParseError {}

const A_SIZE: &str = "a size with a unit, such as `100kB`, `1.5MiB` or `1460B`";
const AN_AMOUNT: &str = "a size with a unit, such as `60pkt`, `1bdp`, `100kB` or `1.5MiB`";

/// `a * b / by`, or the largest whole number where that is larger. Mostly 64 bits are enough, and
/// divided in a fraction of the time.
#[inline]
fn divided(a: u64, b: u64, by: u64) -> u64 {
    match a.checked_mul(b) {
        Some(product) => product / by,
        None => divided_wide(a, b, by),
    }
}

#[cold]
fn divided_wide(a: u64, b: u64, by: u64) -> u64 {
    u64::try_from(u128::from(a) * u128::from(b) / u128::from(by)).unwrap_or(u64::MAX)
}

/// A whole number as a real one. A processor converts signed numbers in one instruction.
#[inline]
pub(crate) fn real(number: u64) -> f64 {
    i64::try_from(number).map_or(number as f64, |number| number as f64)
}

/// A finite, non-negative number and the unit behind it.
fn quantity(text: &str) -> Option<(f64, &str)> {
    let (number, unit) = number_and_unit(text)?;
    let number: f64 = number.parse().ok()?;
    (number.is_finite() && number >= 0.0).then_some((number, unit))
}

/// Splits `12.5ms` into what may be a number and the unit behind it.
fn number_and_unit(text: &str) -> Option<(&str, &str)> {
    let text = text.trim();
    let end = text
        .char_indices()
        .find(|&(i, c)| {
            let exponent = matches!(c, 'e' | 'E')
                && text[i + 1..]
                    .starts_with(|d: char| d.is_ascii_digit() || matches!(d, '-' | '+'));
            let sign = matches!(c, '-' | '+') && text[..i].ends_with(['e', 'E']);
            !(c.is_ascii_digit() || c == '.' || exponent || sign)
        })
        .map_or(text.len(), |(i, _)| i);
    (end > 0).then(|| (&text[..end], text[end..].trim()))
}

/// `number × scale` as a whole number, where it fits one with room to spare.
fn whole(number: f64, scale: f64) -> Option<u64> {
    let value = (number * scale).round();
    (value < 9e18).then_some(value as u64)
}

/// A number with a known unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quantity<'a> {
    /// Finite, and not negative.
    pub number: f64,
    /// The unit as it was written.
    pub unit: &'a str,
    /// Dimension of the unit.
    pub measure: Measure,
    /// Nanoseconds, bits per second or bytes in the unit; 1 for packets and bandwidth-delay products.
    pub scale: f64,
}

impl Quantity<'_> {
    /// The quantity that a text has, if it is one; percentages and plain numbers are, too.
    pub fn parse(text: &str) -> Option<Quantity<'_>> {
        let (number, unit) = quantity(text)?;
        let (measure, scale) = measured(unit)?;
        Some(Quantity {
            number,
            unit,
            measure,
            scale,
        })
    }

    /// The value of a text with a unit of `measure`, as a whole number of its base unit.
    fn whole(text: &str, measure: Measure) -> Option<u64> {
        let found = Quantity::parse(text).filter(|found| found.measure == measure)?;
        whole(found.number, found.scale)
    }
}

/// The dimension and the scale of a unit.
fn measured(unit: &str) -> Option<(Measure, f64)> {
    Some(match unit {
        "" => (Measure::Number, 1.0),
        "%" => (Measure::Number, 0.01),
        "ns" => (Measure::Time, 1.0),
        // Unicode has two: the micro sign and the Greek letter (UAX #15 makes them one).
        "us" | "\u{b5}s" | "\u{3bc}s" => (Measure::Time, 1e3),
        "ms" => (Measure::Time, 1e6),
        "s" => (Measure::Time, 1e9),
        "min" => (Measure::Time, 60e9),
        "h" => (Measure::Time, 3600e9),
        "bps" | "bit/s" => (Measure::Rate, 1.0),
        "kbps" | "Kbps" | "kbit/s" => (Measure::Rate, 1e3),
        "Mbps" | "Mbit/s" => (Measure::Rate, 1e6),
        "Gbps" | "Gbit/s" => (Measure::Rate, 1e9),
        "Tbps" | "Tbit/s" => (Measure::Rate, 1e12),
        "B" => (Measure::Size, 1.0),
        "kB" | "KB" => (Measure::Size, 1e3),
        "MB" => (Measure::Size, 1e6),
        "GB" => (Measure::Size, 1e9),
        "TB" => (Measure::Size, 1e12),
        "PB" => (Measure::Size, 1e15),
        "KiB" | "kiB" => (Measure::Size, 1024.0),
        "MiB" => (Measure::Size, 1024.0 * 1024.0),
        "GiB" => (Measure::Size, 1024.0 * 1024.0 * 1024.0),
        "TiB" => (Measure::Size, 1024.0 * 1024.0 * 1024.0 * 1024.0),
        "pkt" | "pkts" | "bdp" | "BDP" => (Measure::Amount, 1.0),
        _ => return None,
    })
}

impl Duration {
    pub(crate) const EXPECTED: &str = "a time with a unit, such as `64ms`, `1.5s`, `200us` or `0s`";

    /// The time that a text has, if it is one.
    pub(crate) fn parse(text: &str) -> Option<Duration> {
        Quantity::whole(text, Measure::Time).map(Duration)
    }
}

impl FromStr for Duration {
    type Err = ParseError;
    fn from_str(text: &str) -> Result<Duration, ParseError> {
        Duration::parse(text).ok_or_else(|| ParseError::of(text, Duration::EXPECTED, Measure::Time))
    }
}

impl Rate {
    pub(crate) const EXPECTED: &str = "a rate with a unit, such as `5Mbps`, `384kbps` or `1Gbps`";

    /// The rate that a text has, if it is one.
    pub(crate) fn parse(text: &str) -> Option<Rate> {
        Quantity::whole(text, Measure::Rate).map(Rate)
    }
}

impl FromStr for Rate {
    type Err = ParseError;
    fn from_str(text: &str) -> Result<Rate, ParseError> {
        Rate::parse(text).ok_or_else(|| ParseError::of(text, Rate::EXPECTED, Measure::Rate))
    }
}

impl FromStr for Bytes {
    type Err = ParseError;
    fn from_str(text: &str) -> Result<Bytes, ParseError> {
        Quantity::whole(text, Measure::Size)
            .map(Bytes)
            .ok_or_else(|| ParseError::of(text, A_SIZE, Measure::Size))
    }
}

impl FromStr for Amount {
    type Err = ParseError;
    fn from_str(text: &str) -> Result<Amount, ParseError> {
        let parse = || {
            let Quantity { number, unit, .. } = Quantity::parse(text)?;
            match unit {
                "pkt" | "pkts" => (number.fract() == 0.0)
                    .then(|| whole(number, 1.0).map(Amount::Packets))
                    .flatten(),
                "bdp" | "BDP" => Some(Amount::Bdp(number)),
                _ => Quantity::whole(text, Measure::Size).map(Amount::Bytes),
            }
        };
        parse().ok_or_else(|| ParseError::of(text, AN_AMOUNT, Measure::Amount))
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
serde_as_text!(Duration, Rate, Bytes, Amount);

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_unit_of_time() {
        for (text, nanos) in [
            ("1ns", 1),
            ("2us", 2_000),
            ("2\u{b5}s", 2_000),
            ("2\u{3bc}s", 2_000),
            ("64ms", 64_000_000),
            ("1.5s", 1_500_000_000),
            (" 2 min ", 120_000_000_000),
            ("1h", 3_600_000_000_000),
            ("0s", 0),
            ("1e-3s", 1_000_000),
            ("1e3ms", 1_000_000_000),
        ] {
            assert_eq!(text.parse(), Ok(Duration(nanos)), "{text}");
        }
    }

    #[test]
    fn a_quantity_has_the_dimension_of_its_unit() {
        for (text, measure, value) in [
            ("2%", Measure::Number, 0.02),
            ("0.5", Measure::Number, 0.5),
            ("1e+3us", Measure::Time, 1e6),
            ("1kbit/s", Measure::Rate, 1e3),
            ("2kB", Measure::Size, 2e3),
            ("60pkt", Measure::Amount, 60.0),
        ] {
            let found = Quantity::parse(text).expect(text);
            assert_eq!(
                (found.measure, found.number * found.scale),
                (measure, value)
            );
        }
        assert_eq!(Quantity::parse("5parsecs"), None);
    }

    #[test]
    fn every_unit_of_rate() {
        for (text, bps) in [
            ("5bps", 5),
            ("5bit/s", 5),
            ("384kbps", 384_000),
            ("384Kbps", 384_000),
            ("1kbit/s", 1_000),
            ("5Mbps", 5_000_000),
            ("2.5Mbit/s", 2_500_000),
            ("1Gbps", 1_000_000_000),
            ("1Gbit/s", 1_000_000_000),
            ("1Tbps", 1_000_000_000_000),
            ("1Tbit/s", 1_000_000_000_000),
        ] {
            assert_eq!(text.parse(), Ok(Rate(bps)), "{text}");
        }
    }

    #[test]
    fn every_unit_of_size() {
        for (text, bytes) in [
            ("1460B", 1_460),
            ("100kB", 100_000),
            ("100KB", 100_000),
            ("1.5MB", 1_500_000),
            ("1GB", 1_000_000_000),
            ("1TB", 1_000_000_000_000),
            ("1KiB", 1_024),
            ("1kiB", 1_024),
            ("1.5MiB", 1_572_864),
            ("1GiB", 1_073_741_824),
        ] {
            assert_eq!(text.parse(), Ok(Bytes(bytes)), "{text}");
            assert_eq!(text.parse(), Ok(Amount::Bytes(bytes)), "{text}");
        }
        assert_eq!("60pkt".parse(), Ok(Amount::Packets(60)));
        assert_eq!("60pkts".parse(), Ok(Amount::Packets(60)));
        assert_eq!("1.5bdp".parse(), Ok(Amount::Bdp(1.5)));
        assert_eq!("1BDP".parse(), Ok(Amount::Bdp(1.0)));
    }

    /// The complaint, whatever kind of quantity was requested.
    fn refused<T: FromStr<Err = ParseError> + fmt::Debug>(text: &str, expected: &str) {
        let error = text.parse::<T>().unwrap_err();
        assert_eq!(error.to_string(), format!("`{text}` is not {expected}"));
    }

    #[test]
    fn what_is_not_a_quantity_is_refused() {
        let wrong = [
            "",
            "5",
            "0",
            "1.5",
            "-5",
            "--5ms",
            "NaNms",
            "nans",
            "infs",
            "1e400s",
            "1e300Mbps",
            "1e30GB",
            "1.2.3ms",
            "ms",
            "Mbps",
            "kB",
            "pkt",
            "5 parsecs",
            "+5ms",
            "+5Mbps",
            "+5kB",
            "1,5ms",
            "1,5Mbps",
            "1,5kB",
            "e5s",
            "5e",
            "5µ",
        ];
        for text in wrong {
            refused::<Duration>(text, Duration::EXPECTED);
            refused::<Rate>(text, Rate::EXPECTED);
            refused::<Bytes>(text, A_SIZE);
            refused::<Amount>(text, AN_AMOUNT);
        }
        refused::<Amount>("1.5pkt", AN_AMOUNT);
        refused::<Bytes>("60pkt", A_SIZE);
        refused::<Duration>("300000000h", Duration::EXPECTED);
    }

    #[test]
    fn a_negative_quantity_is_refused_as_negative() {
        fn complaint<T: FromStr<Err = ParseError> + fmt::Debug>(text: &str) -> String {
            text.parse::<T>().unwrap_err().to_string()
        }
        let negative = |text| format!("`{text}` is negative; 0 or more is needed");
        assert_eq!(complaint::<Duration>("-5ms"), negative("-5ms"));
        assert_eq!(complaint::<Rate>("-0.5Mbps"), negative("-0.5Mbps"));
        assert_eq!(complaint::<Bytes>("-1kB"), negative("-1kB"));
        assert_eq!(complaint::<Amount>("-3pkt"), negative("-3pkt"));
        refused::<Duration>("-1kB", Duration::EXPECTED);
    }

    #[test]
    fn rates_times_and_sizes_agree() {
        let rate = Rate::from_bps(5_000_000);
        assert_eq!(rate.time_for(1_500), Duration::from_micros(2_400));
        assert_eq!(rate.bytes_in(Duration::from_millis(64)), 40_000);
        assert_eq!(Rate::of(40_000, Duration::from_millis(64)), rate);
        assert_eq!(Rate::of(1, Duration::ZERO), Rate(0));
        assert_eq!(Rate(0).time_for(1), Duration::MAX);
    }

    #[test]
    fn arithmetic_saturates() {
        assert_eq!(Rate::of(u64::MAX, Duration(1)), Rate(u64::MAX));
        assert_eq!(Rate(1).time_for(u64::MAX), Duration::MAX);
        assert_eq!(Rate(u64::MAX).bytes_in(Duration::MAX), u64::MAX);
        assert_eq!(Duration::MAX + Duration(1), Duration::MAX);
        assert_eq!(Duration::MAX.times(2), Duration::MAX);
        assert_eq!(Duration(1).saturating_sub(Duration(2)), Duration::ZERO);
        assert_eq!(Instant(1).saturating_sub(Duration(2)), Instant::ZERO);
        assert_eq!(Instant(1).since(Instant(2)), Duration::ZERO);
        assert_eq!(Instant::MAX + Duration(1), Instant::MAX);
        assert_eq!(Duration::from_secs_f64(-1.0), Duration::ZERO);
    }

    #[test]
    fn as_text_in_files() {
        let json = serde_json::to_string(&Duration::from_millis(64)).unwrap();
        assert_eq!(json, "\"64ms\"");
        assert_eq!(
            serde_json::from_str::<Rate>("\"5Mbps\"").unwrap(),
            Rate(5_000_000)
        );
        assert!(serde_json::from_str::<Rate>("5").is_err());
        let error = serde_json::from_str::<Rate>("\"5\"")
            .unwrap_err()
            .to_string();
        assert!(
            error.starts_with("`5` is not a rate with a unit"),
            "{error}"
        );
    }

    proptest! {
        /// Whole numbers that an `f64` holds with room to spare: thirteen days in ns.
        #[test]
        fn what_is_displayed_is_read_back(n in 0u64..1 << 50) {
            prop_assert_eq!(Duration(n).to_string().parse(), Ok(Duration(n)));
            prop_assert_eq!(Rate(n).to_string().parse(), Ok(Rate(n)));
            prop_assert_eq!(Bytes(n).to_string().parse(), Ok(Bytes(n)));
            prop_assert_eq!(Amount::Bytes(n).to_string().parse(), Ok(Amount::Bytes(n)));
            prop_assert_eq!(Amount::Packets(n).to_string().parse(), Ok(Amount::Packets(n)));
        }

        #[test]
        fn products_are_read_back(x in 0.0f64..1e6) {
            prop_assert_eq!(Amount::Bdp(x).to_string().parse(), Ok(Amount::Bdp(x)));
        }

        #[test]
        fn no_text_makes_the_parser_panic(text in ".{0,12}") {
            let _ = (text.parse::<Duration>(), text.parse::<Rate>(), text.parse::<Amount>());
        }
    }
}
