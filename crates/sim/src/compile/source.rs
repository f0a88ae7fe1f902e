//! A source of writes: an application that hands data over by a clock, at random, or as it was
//! recorded.
//!
//! `periodic:size=50kB,every=33ms`, `on-off:rate=50Mbps,on=2s,off=exponential:mean=4s`,
//! `random:size=lognormal:mean=40000;sigma=1,every=exponential:mean=20ms`, `trace:frames.csv`. Within
//! a value `;` replaces the comma between the parameters of a distribution.

use super::files;
use super::flows::LARGEST;
use crate::spec::RequestError;
use flowstart_control::{Bytes, Duration, Rate, hint};
use flowstart_network::distribution::{Distribution, Measure};
use flowstart_network::random::{share, stream};
use rand_pcg::Pcg64Mcg;

/// How long a source writes where neither `count`, `for` nor the run's `duration` ends it.
const USUAL: Duration = Duration::from_secs(10);
/// The time between the writes of an on-off source.
const BLOCK: Duration = Duration::from_millis(10);
/// Maximum number of writes of a flow.
const MOST: usize = 100_000;

/// What a source writes, and by when each write is to be delivered.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Source {
    /// Times from the flow's start and bytes, in order.
    pub(super) writes: Vec<(Duration, u64)>,
    pub(super) deadline: Option<Duration>,
}

/// Reads a source. Its random draws follow from `seed` and from the flow's `entry` alone. `lasts` is
/// how long the run lasts from the flow's start, where that is known.
pub(super) fn read(
    field: &str,
    text: &str,
    (seed, entry): (u64, u64),
    lasts: Option<Duration>,
) -> Result<Source, RequestError> {
    let (kind, given) = match text.split_once([':', '=']) {
        Some((kind, given)) if text[kind.len()..].starts_with(':') => (kind.trim(), given),
        _ => ("periodic", text),
    };
    let mut reader = Reader {
        field,
        kind,
        given: Vec::new(),
        lasts,
        rng: stream(seed, "sources", entry),
    };
    if kind != "trace" {
        reader.take(given)?;
    }
    let writes = match kind {
        "periodic" => reader.periodic()?,
        "on-off" => reader.on_off()?,
        "random" => reader.random()?,
        "trace" => {
            let (file, rest) = given.split_once(',').unwrap_or((given, ""));
            reader.take(rest)?;
            reader.trace(file.trim())?
        }
        _ => {
            let hint = hint(kind, &["periodic", "on-off", "random", "trace"]);
            return Err(reader.wrong(&format!("`{kind}` is not a kind of source; {hint}")));
        }
    };
    let deadline = reader.get("deadline", Reader::time)?;
    if let Some((name, _)) = reader.given.first() {
        return Err(reader.wrong(&format!("a `{kind}` source has no `{name}`")));
    }
    if writes.is_empty() {
        return Err(reader.wrong("it writes nothing"));
    }
    Ok(Source { writes, deadline })
}

struct Reader<'a> {
    field: &'a str,
    kind: &'a str,
    /// Names and values that have not been used.
    given: Vec<(&'a str, &'a str)>,
    lasts: Option<Duration>,
    rng: Pcg64Mcg,
}

type Writes = Vec<(Duration, u64)>;

impl<'a> Reader<'a> {
    fn wrong(&self, problem: &str) -> RequestError {
        RequestError::new(self.field, problem)
    }

    fn take(&mut self, given: &'a str) -> Result<(), RequestError> {
        for item in given
            .split(',')
            .map(str::trim)
            .filter(|item| !item.is_empty())
        {
            let Some((name, value)) = item.split_once('=') else {
                let problem = format!("`{item}` is not of the form `name=value`");
                return Err(self.wrong(&problem));
            };
            let name = name.trim();
            if self.given.iter().any(|(known, _)| *known == name) {
                return Err(self.wrong(&format!("`{name}` is given twice")));
            }
            self.given.push((name, value.trim()));
        }
        Ok(())
    }

    /// The value of this name, if it is given.
    fn get<T>(
        &mut self,
        name: &str,
        read: fn(&Self, &str, &str) -> Result<T, RequestError>,
    ) -> Result<Option<T>, RequestError> {
        let Some(at) = self.given.iter().position(|(known, _)| *known == name) else {
            return Ok(None);
        };
        let (_, value) = self.given.remove(at);
        read(self, name, value).map(Some)
    }

    fn needed<T>(
        &mut self,
        name: &str,
        read: fn(&Self, &str, &str) -> Result<T, RequestError>,
    ) -> Result<T, RequestError> {
        let found = self.get(name, read)?;
        found.ok_or_else(|| self.wrong(&format!("a `{}` source needs `{name}`", self.kind)))
    }

    fn parsed<T: std::str::FromStr<Err: std::fmt::Display>>(
        &self,
        name: &str,
        value: &str,
    ) -> Result<T, RequestError> {
        let wrong = |error: T::Err| self.wrong(&format!("{name}: {error}"));
        value.parse().map_err(wrong)
    }

    fn time(&self, name: &str, value: &str) -> Result<Duration, RequestError> {
        match self.parsed(name, value)? {
            Duration::ZERO => Err(self.wrong(&format!("{name}: `{value}` is not a time above 0s"))),
            time => Ok(time),
        }
    }

    fn rate(&self, name: &str, value: &str) -> Result<Rate, RequestError> {
        self.parsed(name, value)
    }

    fn bytes(&self, name: &str, value: &str) -> Result<u64, RequestError> {
        let Bytes(bytes) = self.parsed(name, value)?;
        match (1..=LARGEST).contains(&bytes) {
            true => Ok(bytes),
            false => Err(self.wrong(&format!("{name}: `{value}` is out of range; 1 B to 1 PB"))),
        }
    }

    fn number(&self, name: &str, value: &str) -> Result<u64, RequestError> {
        let wrong = || {
            self.wrong(&format!(
                "{name}: `{value}` is not a number from 1 to {MOST}"
            ))
        };
        let number: u64 = value.parse().map_err(|_| wrong())?;
        match (1..=MOST as u64).contains(&number) {
            true => Ok(number),
            false => Err(wrong()),
        }
    }

    fn times(&self, name: &str, value: &str) -> Result<Distribution, RequestError> {
        self.distribution(Measure::Time, name, value)
    }

    fn sizes(&self, name: &str, value: &str) -> Result<Distribution, RequestError> {
        match value.parse::<Bytes>() {
            Ok(_) => Ok(Distribution::Constant(self.bytes(name, value)? as f64)),
            Err(_) => self.distribution(Measure::Count, name, value),
        }
    }

    fn distribution(
        &self,
        measure: Measure,
        name: &str,
        value: &str,
    ) -> Result<Distribution, RequestError> {
        Distribution::parse(measure, &value.replace(';', ","))
            .map_err(|error| self.wrong(&format!("{name}: {error}")))
    }

    /// Maximum number of writes, and the time before which they come.
    fn ends(&mut self) -> Result<(usize, Duration), RequestError> {
        let count = self.get("count", Reader::number)?;
        let lasts = self.get("for", Reader::time)?;
        match (count, lasts) {
            (Some(_), Some(_)) => Err(self.wrong("`count` and `for` contradict each other")),
            (Some(count), None) => Ok((count as usize, Duration::MAX)),
            (None, lasts) => Ok((usize::MAX, lasts.or(self.lasts).unwrap_or(USUAL))),
        }
    }

    /// Collects writes until these ends.
    fn collect(
        &mut self,
        (count, until): (usize, Duration),
        mut next: impl FnMut(&mut Pcg64Mcg) -> (Duration, u64),
    ) -> Result<Writes, RequestError> {
        let mut writes: Writes = Vec::new();
        while writes.len() < count {
            let (at, bytes) = next(&mut self.rng);
            if at >= until {
                break;
            }
            if writes.len() == MOST {
                return Err(
                    self.wrong(&format!("more than {MOST} writes; give a `count` or `for`"))
                );
            }
            let last = writes.last().map_or(Duration::ZERO, |(at, _)| *at);
            writes.push((at.max(last), bytes));
        }
        Ok(writes)
    }

    /// Bytes of a period: `size`, or what `rate` has in it.
    fn periodic(&mut self) -> Result<Writes, RequestError> {
        let every = self.needed("every", Reader::time)?;
        let size = self.get("size", Reader::bytes)?;
        let rate = self.get("rate", Reader::rate)?;
        let bytes = match (size, rate) {
            (Some(size), None) => size,
            (None, Some(rate)) => at_rate(rate, every),
            _ => return Err(self.wrong("a `periodic` source needs one of `size` and `rate`")),
        };
        let jitter = self.get("jitter", Reader::time)?.unwrap_or(Duration::ZERO);
        let ends = self.ends()?;
        let mut number = 0;
        self.collect(ends, |rng| {
            let later = match jitter {
                Duration::ZERO => Duration::ZERO,
                most => Duration::from_secs_f64(most.secs() * share(rng)),
            };
            let at = every.times(number) + later;
            number += 1;
            (at, bytes)
        })
    }

    /// Blocks at a rate for a time, then nothing for a time.
    fn on_off(&mut self) -> Result<Writes, RequestError> {
        let rate = self.needed("rate", Reader::rate)?;
        let on = self.needed("on", Reader::times)?;
        let off = self.needed("off", Reader::times)?;
        let every = self.get("every", Reader::time)?.unwrap_or(BLOCK);
        let ends = self.ends()?;
        let bytes = at_rate(rate, every);
        let (mut at, mut until) = (Duration::ZERO, None);
        self.collect(ends, |rng| {
            let end = *until.get_or_insert_with(|| on.time(rng));
            let block = at;
            at += every;
            if at >= end {
                at = end.max(at) + off.time(rng);
                until = Some(at + on.time(rng));
            }
            (block, bytes)
        })
    }

    /// Independent sizes and times between writes.
    fn random(&mut self) -> Result<Writes, RequestError> {
        let size = self.needed("size", Reader::sizes)?;
        let every = self.needed("every", Reader::times)?;
        let ends = self.ends()?;
        let mut at = Duration::ZERO;
        self.collect(ends, |rng| {
            let (write, bytes) = (at, size.count(rng).min(LARGEST));
            at += every.time(rng).max(Duration::from_nanos(1));
            (write, bytes)
        })
    }

    /// The lines of a file, whose times count from the first.
    fn trace(&self, file: &str) -> Result<Writes, RequestError> {
        let wrong = |problem: &str| self.wrong(&format!("`{file}` {problem}"));
        let text = files::read(file).map_err(|problem| wrong(&problem))?;
        let mut lines = text.lines().map(str::trim);
        let header = lines.next().unwrap_or_default();
        let columns: Vec<&str> = header.split(',').map(str::trim).collect();
        let place = |name: &str| columns.iter().position(|column| *column == name);
        let Some((time, bytes)) = place("time_s").zip(place("bytes")) else {
            return Err(wrong(
                "has no columns `time_s` and `bytes` in its first line",
            ));
        };
        let mut writes: Writes = Vec::new();
        let mut first = None;
        for (number, line) in (2..).zip(lines).filter(|(_, line)| !line.is_empty()) {
            let cells: Vec<&str> = line.split(',').map(str::trim).collect();
            let time_s = cells.get(time).and_then(|cell| cell.parse::<f64>().ok());
            let bytes = cells.get(bytes).and_then(|cell| cell.parse::<u64>().ok());
            let time_s = time_s.filter(|time| time.is_finite());
            let bytes = bytes.filter(|bytes| (1..=LARGEST).contains(bytes));
            let Some((time_s, bytes)) = time_s.zip(bytes) else {
                let problem = format!("line {number}: `{line}` has no time and bytes from 1 on");
                return Err(wrong(&problem));
            };
            let since_s = time_s - *first.get_or_insert(time_s);
            let last_s = writes.last().map_or(0.0, |(at, _)| at.secs());
            if since_s < last_s || since_s > 1e6 {
                return Err(wrong(&format!("line {number}: `{time_s}` is not in order")));
            }
            if writes.len() == MOST {
                return Err(wrong(&format!("has more than {MOST} lines")));
            }
            writes.push((Duration::from_secs_f64(since_s), bytes));
        }
        Ok(writes)
    }
}

/// The bytes that a rate has in a time, at least one.
fn at_rate(rate: Rate, time: Duration) -> u64 {
    ((rate.bps() as f64 * time.secs() / 8.0).round() as u64).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(text: &str) -> Result<Source, String> {
        let lasts = Some(Duration::from_secs(1));
        read("flows[0].source", text, (7, 0), lasts).map_err(|error| error.to_string())
    }

    fn millis(text: &str) -> Vec<(u64, u64)> {
        let writes = source(text).unwrap().writes;
        writes
            .iter()
            .map(|(at, bytes)| (at.nanos() / 1_000_000, *bytes))
            .collect()
    }

    #[test]
    fn a_periodic_source_writes_by_the_clock_until_the_run_ends() {
        let found = millis("every=300ms,size=50kB");
        assert_eq!(
            found,
            [(0, 50_000), (300, 50_000), (600, 50_000), (900, 50_000)]
        );
        assert_eq!(
            millis("periodic:every=10ms,rate=8Mbps,count=2"),
            [(0, 10_000), (10, 10_000)]
        );
        assert_eq!(millis("every=1ms,size=1B,for=5ms").len(), 5);
    }

    #[test]
    fn jitter_delays_writes_and_keeps_their_order() {
        let found = source("every=1ms,size=1B,jitter=5ms,count=200")
            .unwrap()
            .writes;
        assert!(found.windows(2).all(|pair| pair[0].0 <= pair[1].0));
        let late = |(number, (at, _)): (u64, &(Duration, u64))| at.nanos() > number * 1_000_000;
        assert!((0..).zip(&found).filter(|write| late(*write)).count() > 150);
        assert_eq!(
            source("every=1ms,size=1B,jitter=5ms,count=200")
                .unwrap()
                .writes,
            found
        );
    }

    #[test]
    fn an_on_off_source_pauses() {
        let found = millis("on-off:rate=8Mbps,on=20ms,off=80ms,count=5");
        let times: Vec<u64> = found.iter().map(|(at, _)| *at).collect();
        assert_eq!(times, [0, 10, 100, 110, 200]);
        assert!(found.iter().all(|(_, bytes)| *bytes == 10_000));
    }

    #[test]
    fn a_random_source_has_the_means_of_its_distributions() {
        let text = "random:size=exponential:mean=4000,every=exponential:mean=10ms,count=20000";
        let found = source(text).unwrap().writes;
        let mean = found.iter().map(|(_, bytes)| *bytes).sum::<u64>() as f64 / 2e4;
        assert!((mean / 4000.0 - 1.0).abs() < 0.03, "{mean}");
        let every = found.last().unwrap().0.secs() / 2e4;
        assert!((every / 0.01 - 1.0).abs() < 0.03, "{every}");
    }

    #[test]
    fn what_is_no_source_is_refused_with_what_would_be_right() {
        for (text, problem) in [
            ("every=33ms", "needs one of `size` and `rate`"),
            ("size=1kB", "needs `every`"),
            ("every=33,size=1kB", "every: `33` is not a time"),
            ("every=0s,size=1kB", "`0s` is not a time above 0s"),
            ("every=1ms,size=0B", "`0B` is out of range"),
            ("every=1ms,size=1kB,colour=red", "has no `colour`"),
            ("every=1ms,size=1kB,size=2kB", "`size` is given twice"),
            ("every=1ms,size=1kB,count=2,for=1s", "contradict"),
            ("every=1ns,size=1kB", "more than 100000 writes"),
            ("periodical:every=1ms", "did you mean `periodic`?"),
            ("trace:none.csv", "does not exist"),
            ("random:size=1kB,every=lognormal:mean=1s", "every: "),
        ] {
            let refused = source(text).unwrap_err();
            assert!(refused.contains(problem), "{text}: {refused}");
        }
    }
}
