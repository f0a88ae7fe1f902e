//! Traces of delivery opportunities, as Mahimahi writes them (Netravali et al., ATC 2015).
//!
//! A text file, each line a whole number of milliseconds from the beginning, in order: at
//! that moment 1500 bytes can be delivered. After the last line it begins anew, so the last
//! time is also the length of the whole.

use super::mean::mean;
use flowstart_control::{Duration, Instant, Rate};

/// Trace of opportunities to deliver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opportunities {
    /// When, in order; the last is above zero.
    times: Vec<Duration>,
}

impl Opportunities {
    /// Bytes that one opportunity delivers.
    pub const BYTES: u64 = 1500;
    /// A trace that is longer is none.
    const LONGEST: u64 = 7 * 24 * 3600 * 1000;

    /// Reads a trace; where it is none, reports the line that is wrong, and how.
    pub fn parse(text: &str) -> Result<Opportunities, String> {
        let mut times: Vec<Duration> = Vec::new();
        for (number, line) in text.lines().enumerate() {
            let (number, line) = (number + 1, line.trim());
            if line.is_empty() {
                continue;
            }
            let ms = line.parse().ok().filter(|ms| *ms <= Opportunities::LONGEST);
            let ms = ms.ok_or_else(|| {
                // Not what it holds: the file may be any, named by mistake or on purpose.
                format!("line {number} is not a time in whole milliseconds, such as `20`")
            })?;
            let time = Duration::from_millis(ms);
            if let Some(before) = times.last().filter(|before| **before > time) {
                let before = before.nanos() / 1_000_000;
                return Err(format!(
                    "line {number}: `{ms}` is before `{before}`; times in order are needed"
                ));
            }
            times.push(time);
        }
        match times.last() {
            None => Err("is empty; a line for each delivery of 1500 bytes is needed".into()),
            Some(&Duration::ZERO) => Err("ends at `0`; a last time above 0 is needed".into()),
            Some(_) => Ok(Opportunities { times }),
        }
    }

    /// How many there are in a round.
    pub fn count(&self) -> usize {
        self.times.len()
    }

    /// How long a round takes.
    pub fn length(&self) -> Duration {
        self.times.last().copied().unwrap_or(Duration::ZERO)
    }

    /// The rate that the line has in the long run.
    pub fn mean(&self) -> Rate {
        let bits = self.times.len() as u128 * u128::from(Opportunities::BYTES) * 8;
        mean(bits, self.length().nanos().into())
    }

    /// When a round's opportunity of this number is.
    pub fn time(&self, round: u64, number: usize) -> Instant {
        Instant::ZERO + self.length().times(round) + self.times[number]
    }

    /// Round and number of the first opportunity at or after `now`.
    pub fn first_from(&self, now: Instant) -> (u64, usize) {
        let length = self.length().nanos();
        // The end of a round belongs to it, not to the next.
        let round = now.nanos().saturating_sub(1) / length;
        let within = Duration(now.nanos() - round * length);
        (round, self.times.partition_point(|time| *time < within))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_is_what_a_round_delivers() {
        // One packet a millisecond is 12 Mbit/s.
        let trace = Opportunities::parse("1\n2\n3\n4\n").unwrap();
        assert_eq!(trace.mean(), Rate(12_000_000));
        let trace = Opportunities::parse(" 0\n\n500\n1000").unwrap();
        assert_eq!((trace.count(), trace.mean()), (3, Rate(36_000)));
    }

    #[test]
    fn the_first_opportunity_from_a_moment_on_is_found() {
        let trace = Opportunities::parse("2\n2\n5\n").unwrap();
        let found = [0, 2, 3, 5, 6, 7, 10, 11]
            .map(|ms| trace.first_from(Instant::from_millis(ms)))
            .map(|(round, number)| trace.time(round, number).nanos() / 1_000_000);
        assert_eq!(found, [2, 2, 5, 5, 7, 7, 10, 12]);
    }

    #[test]
    fn what_is_no_trace_is_refused_with_its_line() {
        for (text, expected) in [
            (
                "",
                "is empty; a line for each delivery of 1500 bytes is needed",
            ),
            ("0\n0\n", "ends at `0`; a last time above 0 is needed"),
            (
                "1\n2.5\n",
                "line 2 is not a time in whole milliseconds, such as `20`",
            ),
            (
                "5\n\n3\n",
                "line 3: `3` is before `5`; times in order are needed",
            ),
        ] {
            assert_eq!(Opportunities::parse(text).unwrap_err(), expected);
        }
    }
}
