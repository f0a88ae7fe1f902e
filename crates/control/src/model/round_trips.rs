//! Round-trip times as startups need them that pace or compare.

use crate::Duration;

/// Samples so far; all zero before the first.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RoundTrips {
    /// RFC 6298's average, in whole nanoseconds.
    pub(crate) smoothed: Duration,
    pub(crate) least: Duration,
    pub(crate) latest: Duration,
}

impl RoundTrips {
    /// An ACK or the handshake gave one, or none.
    pub(crate) fn sample(&mut self, rtt: Option<Duration>) {
        let Some(rtt) = rtt else { return };
        self.latest = rtt;
        if self.smoothed == Duration::ZERO {
            (self.smoothed, self.least) = (rtt, rtt);
            return;
        }
        self.smoothed =
            Duration(self.smoothed.nanos() - self.smoothed.nanos() / 8 + rtt.nanos() / 8);
        self.least = self.least.min(rtt);
    }

    /// Queueing delay of the latest round trip: its excess over the minimum.
    pub(crate) fn queueing(&self) -> Duration {
        self.latest.saturating_sub(self.least)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(n: u64) -> Option<Duration> {
        Some(Duration::from_millis(n))
    }

    #[test]
    fn the_average_moves_by_an_eighth() {
        let mut rtts = RoundTrips::default();
        rtts.sample(ms(80));
        rtts.sample(None);
        assert_eq!(
            (rtts.smoothed, rtts.queueing()),
            (ms(80).unwrap(), Duration::ZERO)
        );
        rtts.sample(ms(160));
        assert_eq!(
            (rtts.smoothed, rtts.least),
            (ms(90).unwrap(), ms(80).unwrap())
        );
        assert_eq!(rtts.queueing(), ms(80).unwrap());
    }
}
