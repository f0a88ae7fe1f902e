//! Numbers for people: three or four digits and a unit.

/// In the place of a number where a thing did not happen.
pub const ABSENT: &str = "–";

/// A time: `1.234 s`, `56.7 ms`, `890 µs`.
pub fn seconds(value: Option<f64>) -> String {
    let Some(value) = value else {
        return ABSENT.into();
    };
    for (unit, scale) in [("s", 1.0), ("ms", 1e3)] {
        if value * scale >= 1.0 || value == 0.0 {
            return format!("{} {unit}", digits(value * scale));
        }
    }
    format!("{} µs", digits(value * 1e6))
}

/// A time without further digits: `10 s`, `300 ms`.
pub fn short_seconds(value: f64) -> String {
    match value >= 1.0 {
        true => format!("{value} s"),
        false => format!("{} ms", (value * 1e6).round() / 1e3),
    }
}

/// A number of bytes in decimal units: `100 kB`.
pub fn size(count: Option<f64>) -> String {
    let Some(count) = count else {
        return ABSENT.into();
    };
    for (unit, scale) in [("GB", 1e9), ("MB", 1e6), ("kB", 1e3)] {
        if count >= scale {
            return format!("{} {unit}", general(count / scale, 4));
        }
    }
    format!("{} B", general(count, 6))
}

/// A data rate: `5 Mbps`.
pub fn rate(bps: Option<f64>) -> String {
    let Some(bps) = bps else {
        return ABSENT.into();
    };
    for (unit, scale) in [("Gbps", 1e9), ("Mbps", 1e6), ("kbps", 1e3)] {
        if bps >= scale {
            return format!("{} {unit}", general(bps / scale, 3));
        }
    }
    format!("{bps:.0} bps")
}

/// A change: `+12.3 %`, `−4.5 %`, `+112 %`, `0 %`.
pub fn percent(share: Option<f64>) -> String {
    let Some(share) = share else {
        return ABSENT.into();
    };
    let shown = format!("{:+.1}", 100.0 * share);
    let rounded: f64 = shown.parse().unwrap_or(0.0);
    if rounded == 0.0 {
        return "0 %".into();
    }
    let shown = if rounded.abs() < 100.0 {
        shown
    } else {
        format!("{rounded:+.0}")
    };
    format!("{} %", shown.replace('-', "−"))
}

/// A number of things, which an average may have left with a fraction.
pub fn count(value: Option<f64>) -> String {
    match value {
        None => ABSENT.into(),
        Some(value) if value >= 100.0 || value.fract() == 0.0 => grouped(value),
        Some(value) => format!("{value:.1}"),
    }
}

/// A factor: `1.94`, `26.3`, `263`.
pub fn ratio(value: Option<f64>) -> String {
    match value {
        None => ABSENT.into(),
        Some(value) if value < 10.0 => format!("{value:.2}"),
        Some(value) if value < 100.0 => format!("{value:.1}"),
        Some(value) => grouped(value),
    }
}

/// The ends of a range of numbers: `0.17–3.9`, or one of them where both look the same.
pub(crate) fn ends(ends: [Option<f64>; 2], shown: fn(Option<f64>) -> String) -> String {
    let [low, high] = ends.map(shown);
    match low == high {
        true => low,
        false => format!("{low}–{high}"),
    }
}

/// A whole number with commas between thousands.
pub(crate) fn grouped(value: f64) -> String {
    let plain = format!("{value:.0}");
    let (sign, digits) = plain.split_at(usize::from(plain.starts_with('-')));
    let mut found = sign.to_owned();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            found.push(',');
        }
        found.push(digit);
    }
    found
}

/// Four significant digits, never in exponents: `1.234`, `56.78`, `1234`.
fn digits(value: f64) -> String {
    if value == 0.0 {
        return "0".into();
    }
    let (_, exponent) = scientific(value, 17);
    let places = usize::try_from(3 - exponent).unwrap_or(0);
    format!("{value:.places$}")
}

/// So many significant digits without zeros at the end, as C's `%g` has them.
pub(crate) fn general(value: f64, precision: usize) -> String {
    let (digits, exponent) = scientific(value, precision);
    let whole = i32::try_from(precision).unwrap_or(i32::MAX);
    if exponent < -4 || exponent >= whole {
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{}e{sign}{:02}", trimmed(&digits), exponent.abs());
    }
    let places = usize::try_from(whole - 1 - exponent).unwrap_or(0);
    trimmed(&format!("{value:.places$}")).to_owned()
}

/// The digits of a number with one before the point, and its power of ten.
fn scientific(value: f64, precision: usize) -> (String, i32) {
    let places = precision.saturating_sub(1);
    let shown = format!("{value:.places$e}");
    let (digits, exponent) = shown.split_once('e').unwrap_or((&shown, "0"));
    (digits.to_owned(), exponent.parse().unwrap_or(0))
}

fn trimmed(digits: &str) -> &str {
    match digits.contains('.') {
        true => digits.trim_end_matches('0').trim_end_matches('.'),
        false => digits,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_four_digits_and_a_unit() {
        let shown = [Some(1.2344), Some(0.0567), Some(0.00089), Some(0.0), None].map(seconds);
        assert_eq!(shown, ["1.234 s", "56.70 ms", "890.0 µs", "0 s", "–"]);
        assert_eq!(seconds(Some(12345.6)), "12346 s");
    }

    #[test]
    fn changes_have_a_sign_and_a_digit_below_hundred_percent() {
        let shown = [0.1234, -0.0449, 1.12, 0.0004, -0.0004].map(|share| percent(Some(share)));
        assert_eq!(shown, ["+12.3 %", "−4.5 %", "+112 %", "0 %", "0 %"]);
    }

    #[test]
    fn counts_and_ratios_are_as_exact_as_they_are_small() {
        let shown = [3.0, 3.25, 1234.5, 1e6].map(|value| count(Some(value)));
        assert_eq!(shown, ["3", "3.2", "1,234", "1,000,000"]);
        assert_eq!(
            [1.944, 26.34, 1263.0].map(|v| ratio(Some(v))),
            ["1.94", "26.3", "1,263"]
        );
    }

    #[test]
    fn sizes_have_decimal_units() {
        let shown = [100e3, 1_234_567.0, 500.0, 12_345e9].map(|bytes| size(Some(bytes)));
        assert_eq!(shown, ["100 kB", "1.235 MB", "500 B", "1.234e+04 GB"]);
    }
}
