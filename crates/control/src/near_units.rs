//! The quantity that is meant by one whose unit is written otherwise: `5Mbps` for `5Mbit`.

/// Dimension of a quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// None: a percentage, too.
    Number,
    /// Time, with nanoseconds as base unit.
    Time,
    /// Rate, with bits per second as base unit.
    Rate,
    /// Size, with bytes as base unit.
    Size,
    /// A size that may also be given in packets or bandwidth-delay products.
    Amount,
}

/// Units with their other spellings, in lower case and without the `s` of a plural.
type Spellings = &'static [(&'static str, &'static [&'static str])];

const TIMES: Spellings = &[
    ("ns", &["nsec", "nanosecond"]),
    ("us", &["usec", "µsec", "microsecond"]),
    ("ms", &["msec", "millisecond"]),
    ("s", &["sec", "second"]),
    ("min", &["m", "minute"]),
    ("h", &["hr", "hour"]),
];
const COUNTS: Spellings = &[("pkt", &["p", "pck", "packet", "segment"]), ("bdp", &[])];
const BITS: &[&str] = &[
    "b", "bp", "b/", "b/sec", "bit", "bitp", "bit/", "bits/", "bit/sec",
];
const BYTES: &[&str] = &["byte", "byte/", "bytes/", "bytep", "byte/sec", "bytes/sec"];

/// The quantity of `number` and `unit` as it should be written, if that is known.
pub(crate) fn meant(number: &str, unit: &str, measure: Measure) -> Option<String> {
    let lower = unit.to_lowercase();
    let word = lower.strip_suffix('s').unwrap_or(&lower);
    match measure {
        Measure::Time => among(TIMES, &lower, word),
        Measure::Number => None,
        Measure::Rate => return rate(number, unit, word),
        Measure::Size => size(word),
        Measure::Amount => among(COUNTS, &lower, word).or_else(|| size(word)),
    }
    .map(|unit| format!("{number}{unit}"))
}

fn among(units: Spellings, lower: &str, word: &str) -> Option<String> {
    units
        .iter()
        .find(|(unit, others)| *unit == lower || *unit == word || others.contains(&word))
        .map(|(unit, _)| unit.to_string())
}

/// A rate in bits per second; one in bytes per second is eight times as much.
fn rate(number: &str, unit: &str, word: &str) -> Option<String> {
    let (prefix, rest) = prefixed(word);
    // `10M`, but not `10ms`.
    let prefix_alone = rest.is_empty() && unit.len() == 1 && !prefix.is_empty();
    if prefix_alone || BITS.contains(&rest) && !in_bytes(unit) {
        return Some(format!("{number}{prefix}bps"));
    }
    let bits = 8.0 * number.parse::<f64>().ok()?;
    (BYTES.contains(&rest) || BITS.contains(&rest)).then(|| format!("{bits}{prefix}bps"))
}

/// Whether a unit of a rate has the `B` of bytes.
fn in_bytes(unit: &str) -> bool {
    ["B", "B/s", "Bps"].iter().any(|end| unit.ends_with(end))
}

fn size(word: &str) -> Option<String> {
    let (prefix, rest) = prefixed(word);
    match rest {
        "b" | "byte" => Some(format!("{prefix}B")),
        "ib" if !prefix.is_empty() => Some(format!("{prefix}iB")),
        "" if !prefix.is_empty() => Some(format!("{prefix}B")),
        _ => None,
    }
}

/// The prefix of a unit in lower case, as it should be written, and what follows it.
fn prefixed(word: &str) -> (&'static str, &str) {
    const PREFIXES: &[(&str, &str)] = &[
        ("kilo", "k"),
        ("mega", "M"),
        ("giga", "G"),
        ("tera", "T"),
        ("k", "k"),
        ("m", "M"),
        ("g", "G"),
        ("t", "T"),
    ];
    PREFIXES
        .iter()
        .find_map(|(begin, prefix)| Some((*prefix, word.strip_prefix(begin)?)))
        .unwrap_or(("", word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(text: &str, measure: Measure) -> Option<String> {
        let end = text.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        meant(&text[..end], &text[end..], measure)
    }

    #[test]
    fn other_spellings_of_a_unit_are_known() {
        for (text, measure, right) in [
            ("5Mbit", Measure::Rate, "5Mbps"),
            ("5mbps", Measure::Rate, "5Mbps"),
            ("5MBit/s", Measure::Rate, "5Mbps"),
            ("10M", Measure::Rate, "10Mbps"),
            ("384kbits", Measure::Rate, "384kbps"),
            ("1Gb/s", Measure::Rate, "1Gbps"),
            ("1GBPS", Measure::Rate, "1Gbps"),
            ("100megabit", Measure::Rate, "100Mbps"),
            ("64msec", Measure::Time, "64ms"),
            ("64MS", Measure::Time, "64ms"),
            ("1.5seconds", Measure::Time, "1.5s"),
            ("10mins", Measure::Time, "10min"),
            ("20µsec", Measure::Time, "20us"),
            ("10mb", Measure::Size, "10MB"),
            ("10M", Measure::Size, "10MB"),
            ("1500bytes", Measure::Size, "1500B"),
            ("100kb", Measure::Size, "100kB"),
            ("4kib", Measure::Size, "4kiB"),
            ("60packets", Measure::Amount, "60pkt"),
            ("60PKT", Measure::Amount, "60pkt"),
            ("1Bdp", Measure::Amount, "1bdp"),
            ("64kbytes", Measure::Amount, "64kB"),
        ] {
            assert_eq!(near(text, measure).as_deref(), Some(right), "{text}");
        }
    }

    #[test]
    fn a_rate_in_bytes_is_eight_times_as_many_bits() {
        for (text, right) in [
            ("5MB/s", "40Mbps"),
            ("10MB", "80Mbps"),
            ("1.5MBps", "12Mbps"),
            ("125kBytes/s", "1000kbps"),
        ] {
            assert_eq!(near(text, Measure::Rate).as_deref(), Some(right), "{text}");
        }
    }

    #[test]
    fn what_measures_something_else_is_not_guessed() {
        for (text, measure) in [
            ("5ms", Measure::Rate),
            ("5MiB", Measure::Rate),
            ("5Mbps", Measure::Time),
            ("60pkt", Measure::Size),
            ("5parsecs", Measure::Time),
            ("5bananas", Measure::Size),
        ] {
            assert_eq!(near(text, measure), None, "{text}");
        }
    }
}
