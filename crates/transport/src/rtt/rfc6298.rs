//! Averages of RFC 6298 §2, in nanoseconds.

use flowstart_control::Duration;

/// SRTT and RTTVAR.
#[derive(Clone, Debug)]
pub(super) struct Rfc6298 {
    pub(super) srtt: Duration,
    rttvar: Duration,
    any: bool,
    granularity: Duration,
}

impl Rfc6298 {
    /// Without samples, with this granularity of the clock.
    pub(super) fn new(granularity: Duration) -> Rfc6298 {
        Rfc6298 {
            srtt: Duration::ZERO,
            rttvar: Duration::ZERO,
            any: false,
            granularity,
        }
    }

    /// Both, once there are samples.
    pub(super) fn smoothed(&self) -> Option<(Duration, Duration)> {
        self.any.then_some((self.srtt, self.rttvar))
    }

    /// Replaces SRTT, once there is one.
    pub(super) fn correct(&mut self, average: Duration) {
        if self.any {
            self.srtt = average;
        }
    }

    /// A round trip was measured. Returns the timeout (§2.2 and §2.3, in this order: RTTVAR uses
    /// the old SRTT).
    #[inline]
    pub(super) fn sample(&mut self, rtt: Duration) -> Duration {
        if self.any {
            let error = Duration(self.srtt.0.abs_diff(rtt.0));
            self.rttvar = Duration((3 * self.rttvar.0 + error.0) / 4);
            self.srtt = Duration((7 * self.srtt.0 + rtt.0) / 8);
        } else {
            (self.srtt, self.rttvar, self.any) = (rtt, rtt.over(2), true);
        }
        self.srtt + self.granularity.max(self.rttvar.times(4))
    }
}
