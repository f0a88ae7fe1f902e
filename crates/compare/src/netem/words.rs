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
const MOST_PACKETS: u32 = 1_000_000_000;

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
        let number = number_of(number);
        let scale = units
            .iter()
            .find(|(name, _)| *name == unit)
            .map(|(_, scale)| *scale);
        number
            .zip(scale)
            .map(|(number, scale)| number * scale)
            .ok_or_else(|| format!("`{word}`: {right} is needed"))
    }

    /// The next word as a whole number, from 1 on.
    pub(super) fn count(&mut self, option: &str, right: &str) -> Result<u32, String> {
        let word = self.next(right)?;
        let is_digits = word.chars().all(|c| c.is_ascii_digit());
        let is_right = |count: &u32| is_digits && (1..=MOST_PACKETS).contains(count);
        let count = word.parse().ok().filter(is_right);
        count
            .ok_or_else(|| format!("{option} `{word}`: {right} from 1 to {MOST_PACKETS} is needed"))
    }

    /// The next word as a share in percent, more than none.
    pub(super) fn share(&mut self, option: &str) -> Result<&'a str, String> {
        let share = self.next("a share, such as `1%`")?;
        match check_share(option, share)? {
            0.0 => Err(format!("{option} `{share}`: more than `0%` is needed")),
            _ => Ok(share),
        }
    }

    /// The next word as a share in percent, if it ends as one.
    pub(super) fn share_if_any(&mut self, option: &str) -> Result<Option<&'a str>, String> {
        let share = self.next_if(is_share);
        share.map_or(Ok(()), |share| check_share(option, share).map(|_| ()))?;
        Ok(share)
    }
}

/// Whether a word is meant as a share in percent.
pub(super) fn is_share(word: &str) -> bool {
    word.ends_with('%')
}

/// A share in percent as a fraction.
pub(super) fn check_share(option: &str, share: &str) -> Result<f64, String> {
    let number = share.strip_suffix('%').and_then(number_of);
    match number {
        Some(percent) if percent <= 100.0 => Ok(percent / 100.0),
        Some(_) => Err(format!("{option} `{share}`: at most `100%` is possible")),
        None => Err(format!(
            "{option} `{share}`: a share is needed, such as `1%`"
        )),
    }
}

/// A number without sign.
fn number_of(text: &str) -> Option<f64> {
    let is_number = text.starts_with(|c: char| c.is_ascii_digit());
    text.parse().ok().filter(|_| is_number)
}

/// Sets what is given once at most.
pub(super) fn once<T>(option: &mut Option<T>, value: T, name: &str) -> Result<(), String> {
    match option.replace(value) {
        None => Ok(()),
        Some(_) => Err(format!("`{name}` is given twice")),
    }
}
