//! The rate of the path from the ACKs of the initial window, which left at once.

use crate::{Duration, Instant, Rate};

/// Estimate from the ACKs so far: a rate, payload only, and one that it is not above.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Estimate {
    pub(super) rate: Rate,
    /// Nothing where they came too close together.
    pub(super) most: Option<Rate>,
    /// The queue that the window may have made, as a time.
    pub(super) queued: Duration,
}

/// ACKs that a mean gap can be judged by.
const LEAST_ACKS: u32 = 4;

/// The ACKs of the initial window.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dispersion {
    tolerance: f64,
    noise: Duration,
    first: Option<(Instant, u64)>,
    last: (Instant, u64),
    acks: u32,
    /// Nanoseconds a byte, of the gap between two ACKs.
    shortest: f64,
    longest: f64,
}

impl Dispersion {
    /// Gaps are coherent within a share `tolerance` of their mean; otherwise `noise` may have
    /// lengthened or shortened all of them together.
    pub(super) fn new(tolerance: f64, noise: Duration) -> Dispersion {
        Dispersion {
            tolerance,
            noise,
            first: None,
            last: (Instant::ZERO, 0),
            acks: 0,
            shortest: f64::INFINITY,
            longest: 0.0,
        }
    }

    /// So many bytes have arrived by now.
    pub(super) fn take(&mut self, now: Instant, delivered: u64) {
        let (at, before) = self.last;
        if self.acks > 0 && now == at {
            self.last.1 = before.max(delivered);
            if self.acks == 1 {
                self.first = Some(self.last);
            }
            return;
        }
        if self.acks > 0 && delivered <= before {
            return;
        }
        match self.first {
            None => self.first = Some((now, delivered)),
            Some(_) => {
                let gap = now.since(at).nanos() as f64 / (delivered - before) as f64;
                self.shortest = self.shortest.min(gap);
                self.longest = self.longest.max(gap);
            }
        }
        self.acks += 1;
        self.last = (now, delivered);
    }

    /// What the ACKs show. Coherent gaps are the path's; of others the minimum and the maximum that
    /// they can be are known.
    pub(super) fn estimate(&self) -> Option<Estimate> {
        let (begin, first) = self.first?;
        let (end, last) = self.last;
        let took = end.since(begin);
        let mean = took.nanos() as f64 / (last - first).max(1) as f64;
        let near = |gap: f64| (gap - mean).abs() <= self.tolerance * mean;
        if self.acks >= LEAST_ACKS && near(self.shortest) && near(self.longest) {
            let rate = Rate::of(last - first, took);
            return Some(Estimate {
                rate,
                most: Some(rate),
                queued: took,
            });
        }
        Some(Estimate {
            rate: Rate::of(last, took + self.noise),
            most: (took > self.noise).then(|| Rate::of(last, took.saturating_sub(self.noise))),
            queued: took.max(self.noise),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{at_ms, ms};

    fn seen(acks: &[(f64, u64)]) -> Estimate {
        let mut d = Dispersion::new(0.35, ms(4.0));
        for (at, packets) in acks {
            d.take(at_ms(*at), packets * 1_000);
        }
        d.estimate().unwrap()
    }

    /// V2
    #[test]
    fn even_gaps_are_those_of_the_path() {
        let even: Vec<(f64, u64)> = (1..=10).map(|n| (100.0 + n as f64, n)).collect();
        // 9000 bytes in 9 ms.
        let rate = Rate(8_000_000);
        let expected = Estimate {
            rate,
            most: Some(rate),
            queued: ms(9.0),
        };
        assert_eq!(seen(&even), expected);
        let of_two = [(101.0, 2), (103.0, 4), (105.0, 6), (107.0, 8), (109.0, 10)];
        let queued = ms(8.0);
        assert_eq!(seen(&of_two), Estimate { queued, ..expected });
    }

    /// V3
    #[test]
    fn uneven_gaps_say_between_what_the_rate_lies() {
        // 10,000 bytes in 12 ms, more or less 4 ms.
        let found = seen(&[(100.0, 2), (101.0, 4), (110.0, 6), (111.0, 8), (112.0, 10)]);
        let expected = Estimate {
            rate: Rate(5_000_000),
            most: Some(Rate(10_000_000)),
            queued: ms(12.0),
        };
        assert_eq!(found, expected);
        // All at once.
        let expected = Estimate {
            rate: Rate(20_000_000),
            most: None,
            queued: ms(4.0),
        };
        assert_eq!(seen(&[(100.0, 4), (100.0, 10)]), expected);
    }

    #[test]
    fn three_acks_are_too_few_to_be_coherent() {
        let found = seen(&[(100.0, 3), (104.0, 6), (108.0, 9)]);
        assert_eq!(found.rate, Rate(6_000_000));
    }
}
