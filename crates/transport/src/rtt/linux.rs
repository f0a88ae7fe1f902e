//! Averages of Linux (`tcp_rtt_estimator`, net/ipv4/tcp_input.c). The variation is the largest mean
//! deviation of a round trip, and falls only once a round trip, by a quarter of the difference.

use super::sample::RttSample;
use flowstart_control::{Duration, Instant};

/// The averages; `mdev` and what is derived from it are four times a mean deviation.
#[derive(Clone, Debug)]
pub(super) struct Linux {
    pub(super) srtt: Duration,
    mdev: Duration,
    /// The largest `mdev` since SND.NXT was `rtt_seq`.
    mdev_max: Duration,
    rttvar: Duration,
    rtt_seq: u64,
    any: bool,
    /// TCP_RTO_MIN, below which the variation does not fall.
    rto_min: Duration,
}

impl Linux {
    /// Without samples.
    pub(super) fn new(rto_min: Duration) -> Linux {
        Linux {
            srtt: Duration::ZERO,
            mdev: Duration::ZERO,
            mdev_max: Duration::ZERO,
            rttvar: Duration::ZERO,
            rtt_seq: 0,
            any: false,
            rto_min,
        }
    }

    /// SRTT and the mean deviation (`tcpi_rttvar`), once there are samples.
    pub(super) fn smoothed(&self) -> Option<(Duration, Duration)> {
        self.any.then(|| (self.srtt, self.mdev.over(4)))
    }

    /// Takes a sample and returns the timeout. The averages are of the oldest segment that an
    /// acknowledgement covers (`seq_rtt_us`).
    #[inline]
    pub(super) fn sample(&mut self, sample: &RttSample, now: Instant) -> Duration {
        let rtt = now.since(sample.sent.oldest);
        if self.any {
            self.deviate(rtt);
            self.srtt = Duration((7 * self.srtt.0 + rtt.0) / 8);
            if self.mdev > self.mdev_max {
                self.mdev_max = self.mdev;
                self.rttvar = self.rttvar.max(self.mdev_max);
            }
            if sample.una > self.rtt_seq {
                let excess = self.rttvar.saturating_sub(self.mdev_max);
                self.rttvar = self.rttvar - excess.over(4);
                self.rtt_seq = sample.high;
                self.mdev_max = self.rto_min;
            }
        } else {
            self.any = true;
            self.srtt = rtt;
            self.mdev = rtt.times(2);
            self.rttvar = self.mdev.max(self.rto_min);
            self.mdev_max = self.rttvar;
            self.rtt_seq = sample.high;
        }
        self.srtt + self.rttvar
    }

    /// Moves `mdev` a quarter of the way to the new deviation; an eighth of that where it would
    /// grow although the round trip is shorter than the average.
    fn deviate(&mut self, rtt: Duration) {
        let error = self.srtt.0.abs_diff(rtt.0);
        let mean = self.mdev.0 / 4;
        self.mdev = Duration(if error <= mean {
            self.mdev.0 - (mean - error)
        } else if rtt < self.srtt {
            self.mdev.0 + (error - mean) / 8
        } else {
            self.mdev.0 + (error - mean)
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sent::Departures;

    const SEGMENT: u64 = 1000;

    /// The timeouts after these round trips, in milliseconds; of each, so many acknowledgements.
    fn timeouts(round_trips: &[(u64, u64)]) -> Vec<u64> {
        let mut averages = Linux::new(Duration::from_millis(200));
        let mut una = 0;
        let mut seen = Vec::new();
        for (rtt, acks) in round_trips {
            let high = una + acks * SEGMENT;
            for _ in 0..*acks {
                una += SEGMENT;
                let sent = Departures::at(Instant::ZERO);
                let sample = RttSample { sent, una, high };
                let rto = averages.sample(&sample, Instant::from_millis(*rtt));
                seen.push(rto.0 / 1_000_000);
            }
        }
        seen
    }

    #[test]
    fn the_first_timeout_is_three_round_trips() {
        assert_eq!(timeouts(&[(600, 1)]), [1800]);
    }

    #[test]
    fn the_variation_is_at_least_rto_min() {
        assert_eq!(timeouts(&[(20, 5), (20, 5), (20, 5)]), [220; 15]);
    }

    #[test]
    fn the_variation_falls_by_a_quarter_of_the_difference_and_once_a_round_trip() {
        // The first round trip's maximum is 1200, the second's 675: 1200 − (1200 − 675) / 4.
        let seen = timeouts(&[(600, 1), (600, 3), (600, 3)]);
        assert_eq!(seen, [1800, 1800, 1800, 1800, 1668, 1668, 1668]);
    }

    #[test]
    fn a_longer_round_trip_raises_the_variation_at_once() {
        // 450 + (300 − 112.5), with an average of 337.5.
        assert_eq!(timeouts(&[(300, 2), (600, 1)]), [900, 900, 975]);
    }

    #[test]
    fn a_shorter_round_trip_raises_the_deviation_by_an_eighth() {
        let mut averages = Linux::new(Duration::ZERO);
        let sample = |sent| RttSample {
            sent: Departures::at(Instant::from_millis(sent)),
            una: 0,
            high: 0,
        };
        averages.sample(&sample(0), Instant::from_millis(400));
        averages.mdev = Duration::from_millis(40);
        averages.sample(&sample(0), Instant::from_millis(310));
        // The error is 90, the deviation 10 (its quarter).
        assert_eq!(averages.mdev, Duration::from_millis(50));
    }

    #[test]
    fn the_averages_are_of_the_oldest_segment() {
        let mut averages = Linux::new(Duration::ZERO);
        let sent = Departures {
            oldest: Instant::ZERO,
            newest: Instant::from_millis(50),
        };
        let sample = RttSample {
            sent,
            una: 0,
            high: 0,
        };
        averages.sample(&sample, Instant::from_millis(150));
        assert_eq!(averages.srtt, Duration::from_millis(150));
    }
}
