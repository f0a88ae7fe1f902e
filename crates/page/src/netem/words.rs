//! Words of `tc` and their units, which are those of iproute2.

/// Bits per second.
pub(super) const RATES: &[(&str, f64)] = &[
    ("bit", 1.0),
    ("kbit", 1e3),
    ("mbit", 1e6),
    ("gbit", 1e9),
    ("bps", 8.0),
    ("kbps", 8e3),
    ("mbps", 8e6),
    ("gbps", 8e9),
];
/// Bytes.
pub(super) const SIZES: &[(&str, f64)] = &[
    ("", 1.0),
    ("b", 1.0),
    ("k", 1024.0),
    ("kb", 1024.0),
    ("kbit", 128.0),
    ("m", 1_048_576.0),
    ("mb", 1_048_576.0),
    ("mbit", 131_072.0),
];
/// Seconds.
pub(super) const TIMES: &[(&str, f64)] = &[
    ("", 1e-6),
    ("us", 1e-6),
    ("usec", 1e-6),
    ("ms", 1e-3),
    ("msec", 1e-3),
    ("s", 1.0),
    ("sec", 1.0),
];
/// Things, such as packets.
pub(super) const COUNT: &[(&str, f64)] = &[("", 1.0)];

/// The words of a text, the next one last.
pub(super) struct Words<'a>(Vec<&'a str>);

impl<'a> Words<'a> {
    pub(super) fn of(text: &'a str) -> Words<'a> {
        Words(text.split_whitespace().rev().collect())
    }

    pub(super) fn peek(&self) -> Option<&'a str> {
        self.0.last().copied()
    }

    /// The next word, if it is as it should be.
    pub(super) fn next_if(&mut self, is_right: impl FnOnce(&str) -> bool) -> Option<&'a str> {
        self.0.pop_if(|word| is_right(word))
    }

    /// The next word.
    pub(super) fn next(&mut self, right: &str) -> Result<&'a str, String> {
        let missing = || format!("{right} is missing at the end");
        self.0.pop().ok_or_else(missing)
    }

    /// The next word as a number with a unit.
    pub(super) fn measure(&mut self, units: &[(&str, f64)], right: &str) -> Result<f64, String> {
        let word = self.next(right)?;
        let lower = word.to_lowercase();
        let end = lower
            .find(|c: char| c.is_ascii_lowercase())
            .unwrap_or(lower.len());
        let (number, unit) = lower.split_at(end);
        let is_number = number.starts_with(|c: char| c.is_ascii_digit());
        let number: Option<f64> = number.parse().ok().filter(|_| is_number);
        let scale = units
            .iter()
            .find(|(name, _)| *name == unit)
            .map(|(_, scale)| *scale);
        number
            .zip(scale)
            .map(|(number, scale)| number * scale)
            .ok_or_else(|| format!("`{word}`: {right} is needed"))
    }

    /// The next word as a share in percent.
    pub(super) fn share(&mut self, option: &str) -> Result<&'a str, String> {
        let share = self.next("a share, such as `1%`")?;
        match is_share(share) {
            true => Ok(share),
            false => Err(format!(
                "{option} `{share}`: a share is needed, such as `1%`"
            )),
        }
    }
}

/// Whether a word is a share in percent.
pub(super) fn is_share(word: &str) -> bool {
    let number = word.strip_suffix('%').unwrap_or_default();
    !number.is_empty() && number.chars().all(|c| c.is_ascii_digit() || c == '.')
}

/// A share as a fraction.
pub(super) fn fraction(share: &str) -> f64 {
    let number: Result<f64, _> = share.trim_end_matches('%').parse();
    number.unwrap_or(0.0) / 100.0
}

/// Sets what is given once at most.
pub(super) fn once<T>(option: &mut Option<T>, value: T, name: &str) -> Result<(), String> {
    match option.replace(value) {
        None => Ok(()),
        Some(_) => Err(format!("`{name}` is given twice")),
    }
}
