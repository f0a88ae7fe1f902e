//! A path as `tc` configures it with netem and tbf: `netem delay 40ms loss 1% rate 20mbit`.
//!
//! Units are those of iproute2. The delay of one interface is the path's RTT.

use crate::text::{general, grouped};
use crate::Refusal;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

const QDISCS: [&str; 2] = ["netem", "tbf"];
const PACKET_BYTES: f64 = 1500.0;
/// Packets that netem holds unless `limit` is given, those in its delay among them.
const USUAL_LIMIT: f64 = 1000.0;
/// A normal delay reaches so many standard deviations below its mean.
const SPREAD: f64 = 3.0;
const RATES: &[(&str, f64)] = &[
    ("bit", 1.0),
    ("kbit", 1e3),
    ("mbit", 1e6),
    ("gbit", 1e9),
    ("bps", 8.0),
    ("kbps", 8e3),
    ("mbps", 8e6),
    ("gbps", 8e9),
];
const SIZES: &[(&str, f64)] = &[
    ("", 1.0),
    ("b", 1.0),
    ("k", 1024.0),
    ("kb", 1024.0),
    ("kbit", 128.0),
    ("m", 1_048_576.0),
    ("mb", 1_048_576.0),
];
const TIMES: &[(&str, f64)] = &[
    ("", 1e-6),
    ("us", 1e-6),
    ("usec", 1e-6),
    ("ms", 1e-3),
    ("msec", 1e-3),
    ("s", 1.0),
    ("sec", 1.0),
];
const A_RATE: &str = "a rate, such as `20mbit`";
const A_TIME: &str = "a time, such as `40ms`";

/// Whether a text names one of the disciplines.
pub fn is_netem(text: &str) -> bool {
    text.split_whitespace().any(|word| QDISCS.contains(&word))
}

/// The fields of the path, for `--path`.
pub(crate) fn fields(text: &str) -> Result<Map<String, Value>, Refusal> {
    netem_fields(text).map_err(|problem| Refusal::new(format!("--path: {problem}")))
}

/// The fields of the path that words of `tc` describe.
///
/// # Errors
///
/// A word is unknown, or means what the simulator does not have.
pub fn netem_fields(text: &str) -> Result<Map<String, Value>, String> {
    let text = text.replace([';', '\\'], " ");
    let mut found = Given::default();
    let mut words = text.split_whitespace().peekable();
    while let Some(word) = words.next() {
        if !QDISCS.contains(&word) {
            continue;
        }
        // Until the next discipline, or the next command.
        let mut mine = Words(Vec::new());
        let mut is_mine = true;
        while let Some(next) = words.next_if(|next| !QDISCS.contains(next)) {
            is_mine &= next != "tc";
            if is_mine {
                mine.0.push(next);
            }
        }
        mine.0.reverse();
        match word {
            "netem" => netem(&mut mine, &mut found)?,
            _ => tbf(&mut mine, &mut found)?,
        }
    }
    path(&found)
}

/// Words of a discipline, the next one last.
struct Words<'a>(Vec<&'a str>);

impl<'a> Words<'a> {
    fn next(&mut self, right: &str) -> Result<&'a str, String> {
        let missing = || format!("{right} is missing at the end");
        self.0.pop().ok_or_else(missing)
    }

    /// The next word as a number with a unit.
    fn measure(&mut self, units: &[(&str, f64)], right: &str) -> Result<f64, String> {
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

    fn is_share_next(&self) -> bool {
        self.0.last().is_some_and(|word| word.ends_with('%'))
    }
}

/// What was given.
#[derive(Default)]
struct Given<'a> {
    numbers: BTreeMap<&'a str, f64>,
    words: BTreeMap<&'a str, &'a str>,
}

impl<'a> Given<'a> {
    fn number(&mut self, name: &'a str, value: f64) -> Result<(), String> {
        self.numbers
            .insert(name, value)
            .map_or(Ok(()), |_| Err(twice(name)))
    }

    fn word(&mut self, name: &'a str, value: &'a str) -> Result<(), String> {
        self.words
            .insert(name, value)
            .map_or(Ok(()), |_| Err(twice(name)))
    }
}

fn twice(name: &str) -> String {
    format!("`{}` is given twice", name.trim_start_matches("tbf "))
}

fn netem<'a>(words: &mut Words<'a>, found: &mut Given<'a>) -> Result<(), String> {
    while let Some(word) = words.0.pop() {
        match word {
            "delay" | "latency" => delay(words, found)?,
            "distribution" => found.word("distribution", words.next("`normal` or `uniform`")?)?,
            "loss" => found.word("loss", loss(words)?)?,
            "rate" => found.number("rate", words.measure(RATES, A_RATE)?)?,
            "limit" => {
                let packets = words.measure(&[("", 1.0)], "a number of packets")?;
                found.number("limit", packets)?;
            }
            word => {
                let right = "delay, distribution, loss, rate and limit are known";
                return Err(format!("netem `{word}`: {right}"));
            }
        }
    }
    Ok(())
}

fn delay<'a>(words: &mut Words<'a>, found: &mut Given<'a>) -> Result<(), String> {
    found.number("delay", words.measure(TIMES, A_TIME)?)?;
    let is_number = |word: &&str| {
        let unit = word.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
        unit.len() < word.len() && unit.chars().all(|c| c.is_ascii_lowercase())
    };
    if words.0.last().is_some_and(is_number) {
        found.number("jitter", words.measure(TIMES, "a time, such as `5ms`")?)?;
    }
    if let (true, Some(share)) = (words.is_share_next(), words.0.last()) {
        return Err(format!("`{share}`: correlated delays are not simulated"));
    }
    Ok(())
}

fn loss<'a>(words: &mut Words<'a>) -> Result<&'a str, String> {
    if words.0.last() == Some(&"random") {
        words.0.pop();
    }
    let share = words.next("a share, such as `1%`")?;
    let number = share.strip_suffix('%').unwrap_or_default();
    if number.is_empty() || !number.chars().all(|c| c.is_ascii_digit() || c == '.') {
        return Err(format!("loss `{share}`: a share is needed, such as `1%`"));
    }
    if let (true, Some(next)) = (words.is_share_next(), words.0.last()) {
        let problem = "correlated loss is not simulated here; see --loss-burst";
        return Err(format!("`{next}`: {problem}"));
    }
    Ok(share)
}

fn tbf<'a>(words: &mut Words<'a>, found: &mut Given<'a>) -> Result<(), String> {
    if !words
        .0
        .iter()
        .any(|word| ["latency", "limit"].contains(word))
    {
        let problem = "`latency` or `limit` is missing; needed, such as `latency 50ms`";
        return Err(format!("tbf: {problem}"));
    }
    while let Some(word) = words.0.pop() {
        let (name, units, right) = match word {
            "rate" => ("rate", RATES, A_RATE),
            "burst" | "buffer" | "maxburst" => ("tbf burst", SIZES, "a size, such as `10kb`"),
            "latency" => ("tbf latency", TIMES, "a time, such as `50ms`"),
            "limit" => ("tbf limit", SIZES, "a size, such as `100kb`"),
            word => {
                let right = "rate, burst, latency and limit are known";
                return Err(format!("tbf `{word}`: {right}"));
            }
        };
        found.number(name, words.measure(units, right)?)?;
    }
    Ok(())
}

/// The path that the values describe.
fn path(given: &Given) -> Result<Map<String, Value>, String> {
    let number = |name: &str| given.numbers.get(name).copied();
    let (delay, jitter) = (
        number("delay").unwrap_or(0.0),
        number("jitter").unwrap_or(0.0),
    );
    let mut found = Map::new();
    let mut put = |name: &str, value: String| _ = found.insert(name.to_owned(), value.into());
    put("rtt", seconds(delay));
    if jitter > 0.0 {
        let law = given
            .words
            .get("distribution")
            .copied()
            .unwrap_or("uniform");
        let (least, drawn) = drawn(delay, jitter, law)?;
        put("rtt", seconds(least));
        put("jitter", drawn);
    }
    if let Some(rate) = number("rate") {
        put(
            "rate",
            written(
                rate,
                &[("Gbps", 1e9), ("Mbps", 1e6), ("kbps", 1e3), ("bps", 1.0)],
            ),
        );
        put("buffer", buffer(given, rate, delay)?);
    }
    if let Some(share) = given.words.get("loss") {
        put("loss", (*share).to_owned());
    }
    Ok(found)
}

fn buffer(given: &Given, rate: f64, delay: f64) -> Result<String, String> {
    let number = |name: &str| given.numbers.get(name).copied();
    if number("tbf latency").is_none() && number("tbf limit").is_none() {
        return Ok(format!(
            "{}pkt",
            beyond_the_delay(number("limit"), rate, delay)?
        ));
    }
    let bytes = number("tbf limit").or(number("tbf burst")).unwrap_or(0.0);
    let bytes = bytes + rate * number("tbf latency").unwrap_or(0.0) / 8.0;
    Ok(format!("{:.0}B", bytes.max(PACKET_BYTES)))
}

/// Packets of netem's limit that are left for a queue. The limit counts packets in the delay, and a
/// limit below these drops before there is a queue.
fn beyond_the_delay(limit: Option<f64>, rate: f64, delay: f64) -> Result<f64, String> {
    let limit = limit.unwrap_or(USUAL_LIMIT);
    let delayed = (rate * delay / 8.0 / PACKET_BYTES).round_ties_even();
    if limit <= delayed {
        let (shown, many) = (grouped(limit), grouped(delayed));
        return Err(format!(
            "netem's limit of {shown} packets includes the {many} in its delay, so it drops before \
             the rate is used; above `limit {delayed}` is needed"
        ));
    }
    Ok((limit - delayed).trunc())
}

/// Delays that vary around `delay`: the smallest one, and the law of what is added.
fn drawn(delay: f64, jitter: f64, law: &str) -> Result<(f64, String), String> {
    if jitter > delay {
        let delay = seconds(delay);
        let problem = "with more jitter: at most that is possible";
        return Err(format!("a delay of `{delay}` {problem}"));
    }
    match law {
        "uniform" => Ok((
            delay - jitter,
            format!("uniform:most={}", seconds(2.0 * jitter)),
        )),
        "normal" => {
            let least = (delay - SPREAD * jitter).max(0.0);
            let (mean, sd) = (seconds(delay - least), seconds(jitter));
            Ok((least, format!("normal:mean={mean},sd={sd}")))
        }
        law => Err(format!(
            "distribution `{law}`: `normal` and `uniform` are known"
        )),
    }
}

/// A time as text: `64ms`.
fn seconds(time: f64) -> String {
    let nanoseconds = (time * 1e9).round_ties_even();
    written(
        nanoseconds,
        &[("s", 1e9), ("ms", 1e6), ("us", 1e3), ("ns", 1.0)],
    )
}

/// So many of the last unit, in the largest of which they are a whole number.
fn written(count: f64, scales: &[(&str, f64)]) -> String {
    let count = count.round_ties_even();
    let whole = scales
        .iter()
        .find(|(_, size)| (count / size).fract() == 0.0);
    let (unit, size) = whole.copied().unwrap_or(("", 1.0));
    format!("{}{unit}", general(count / size, 17))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn words_of_tc_are_a_path() {
        let found = fields("qdisc add dev eth0 root netem delay 40ms loss 1% rate 20mbit").unwrap();
        let right = json!({"rtt": "40ms", "loss": "1%", "rate": "20Mbps", "buffer": "933pkt"});
        assert_eq!(Value::from(found), right);
        let shaped =
            "netem delay 40ms 5ms distribution normal; tbf rate 20mbit burst 10kb latency 50ms";
        let right = json!({
            "rtt": "25ms", "jitter": "normal:mean=15ms,sd=5ms", "rate": "20Mbps", "buffer": "135240B",
        });
        assert_eq!(Value::from(fields(shaped).unwrap()), right);
    }

    #[test]
    fn what_the_simulator_does_not_have_is_refused() {
        for (words, said) in [
            ("netem delay 40ms 5ms 25%", "correlated delays"),
            ("netem loss 1% 25%", "correlated loss"),
            ("netem delay", "is missing at the end"),
            ("netem duplicate 1%", "netem `duplicate`"),
            ("netem delay 40ms delay 40ms", "`delay` is given twice"),
            ("netem delay 1s rate 1gbit", "above `limit 83333` is needed"),
            ("tbf rate 1mbit", "`latency` or `limit` is missing"),
        ] {
            let refused = fields(words).unwrap_err().to_string();
            assert!(
                refused.starts_with("--path: ") && refused.contains(said),
                "{refused}"
            );
        }
    }
}
