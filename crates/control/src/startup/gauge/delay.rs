//! Whether round trips show a queue that one's own packets can have caused.

use crate::{Duration, Instant};

/// Samples of which the minimum is taken, so that single delayed ones do not count.
const SAMPLES: u32 = 5;

/// The minimum RTT of the last two intervals.
#[derive(Clone, Copy, Debug)]
pub(super) struct Delay {
    share: f64,
    noise: Duration,
    /// Packets that left earlier are no samples.
    since: Instant,
    begin: Instant,
    count: u32,
    least: Duration,
    intervals: [Duration; 2],
}

impl Delay {
    /// A round trip is late where it is above the minimum by more than this share, and by `noise`.
    pub(super) fn new(share: f64, noise: Duration) -> Delay {
        Delay {
            share,
            noise,
            since: Instant::MAX,
            begin: Instant::ZERO,
            count: 0,
            least: Duration::MAX,
            intervals: [Duration::ZERO; 2],
        }
    }

    /// Begins anew with packets that leave from now on.
    pub(super) fn judge_from(&mut self, now: Instant) {
        *self = Delay {
            since: now,
            ..Delay::new(self.share, self.noise)
        };
    }

    /// A round trip, where the minimum is `base`. An interval has some samples, and lasts for an
    /// eighth of a round trip or half of what may be noise.
    pub(super) fn sample(&mut self, now: Instant, rtt: Duration, base: Duration) {
        if now.saturating_sub(rtt) < self.since {
            return;
        }
        if self.count == 0 {
            self.begin = now;
        }
        self.count += 1;
        self.least = self.least.min(rtt);
        let lasts = base.over(8).max(self.noise.over(2));
        if self.count >= SAMPLES && now.since(self.begin) >= lasts {
            self.intervals = [self.intervals[1], self.least];
            (self.count, self.least) = (0, Duration::MAX);
        }
    }

    /// Both intervals show a queue.
    pub(super) fn is_late(&self, base: Duration) -> bool {
        let shows = |least: &Duration| self.shows_queue(*least, base);
        self.intervals.iter().all(shows)
    }

    /// Whether a round trip is above the minimum by what shows a queue.
    pub(super) fn shows_queue(&self, rtt: Duration, base: Duration) -> bool {
        rtt > base + base.scaled(self.share).max(self.noise)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{at_ms, ms};

    const BASE: Duration = Duration::from_millis(80);

    fn delay() -> Delay {
        let mut delay = Delay::new(0.125, ms(4.0));
        delay.judge_from(at_ms(0.0));
        delay
    }

    /// A sample every millisecond from `from` on.
    fn samples(delay: &mut Delay, from: u64, count: u64, rtt: f64) {
        for number in 0..count {
            delay.sample(Instant::from_millis(from + number), ms(rtt), BASE);
        }
    }

    #[test]
    fn two_intervals_above_an_eighth_show_a_queue() {
        let mut d = delay();
        samples(&mut d, 100, 12, 91.0);
        assert!(!d.is_late(BASE), "one interval");
        samples(&mut d, 112, 12, 91.0);
        assert!(d.is_late(BASE));
        samples(&mut d, 124, 12, 90.0);
        assert!(
            !d.is_late(BASE),
            "90 ms are an eighth more, and not more than that"
        );
    }

    #[test]
    fn one_short_round_trip_in_an_interval_shows_that_there_is_no_queue() {
        let mut d = delay();
        samples(&mut d, 100, 11, 95.0);
        d.sample(at_ms(111.0), ms(81.0), BASE);
        samples(&mut d, 112, 12, 95.0);
        assert!(!d.is_late(BASE));
    }

    #[test]
    fn what_left_before_the_flow_could_cause_a_queue_does_not_count() {
        let mut d = delay();
        d.judge_from(at_ms(50.0));
        samples(&mut d, 100, 30, 91.0);
        assert!(!d.is_late(BASE), "all left before 50 ms");
        samples(&mut d, 141, 24, 91.0);
        assert!(d.is_late(BASE));
    }
}
