//! Round-trip estimation and the retransmission timeout.
//!
//! Two estimators: RFC 6298 in nanoseconds, and ns-2's, which measures one segment at a
//! time in whole ticks of a coarse clock and keeps its averages as scaled integers. The
//! second exists because its rounding decides when ns-2's timers fire.

use crate::narrow::whole;
use flowstart_control::{Duration, Instant};
use std::sync::Arc;

/// Parameters of the retransmission timeout (RFC 6298 names in comments).
#[derive(Clone, Debug, PartialEq)]
pub struct RtoParams {
    /// RTO before the first sample (§2.1).
    pub initial: Duration,
    /// Lower bound (§2.4).
    pub min: Duration,
    /// Upper bound, back-off included (§2.5).
    pub max: Duration,
    /// G, the clock granularity (§2.3). In whole-tick mode: the tick.
    pub granularity: Duration,
    /// RTO for data after the SYN timed out (§5.7).
    pub after_syn_loss: Duration,
    /// Measure in whole ticks, one segment at a time, as ns-2 does.
    pub ticks: Option<Ticks>,
    /// Timers wait on a wheel of jiffies this long ([`timer`](super::timer)); `None`
    /// has them fire on time.
    pub jiffy: Option<Duration>,
}

/// ns-2's clock.
#[derive(Clone, Debug, PartialEq)]
pub struct Ticks {
    /// Where in a tick the host's clock started, as a share of a tick.
    pub phase: f64,
}

/// The estimator of one connection.
#[derive(Clone, Debug)]
pub struct RttEstimator {
    params: Arc<RtoParams>,
    averages: Averages,
    backoff: u32,
    rto: Duration,
    min_rtt: Duration,
    latest: Option<Duration>,
}

#[derive(Clone, Debug)]
enum Averages {
    Rfc6298 {
        srtt: Duration,
        rttvar: Duration,
        any: bool,
    },
    /// `srtt8` is 8 × srtt and `rttvar4` is 4 × rttvar, in ticks.
    Ticks {
        srtt8: i64,
        rttvar4: i64,
        phase: Duration,
    },
}

impl RttEstimator {
    /// An estimator without samples.
    pub fn new(params: &Arc<RtoParams>) -> RttEstimator {
        let averages = match &params.ticks {
            None => Averages::Rfc6298 {
                srtt: Duration::ZERO,
                rttvar: Duration::ZERO,
                any: false,
            },
            Some(ticks) => Averages::Ticks {
                srtt8: 0,
                rttvar4: 0,
                phase: Duration(whole(params.granularity.0 as f64 * ticks.phase)),
            },
        };
        RttEstimator {
            averages,
            backoff: 0,
            rto: params.initial,
            min_rtt: Duration::MAX,
            latest: None,
            params: params.clone(),
        }
    }

    /// Whether only one segment at a time may be timed.
    pub fn times_one_segment(&self) -> bool {
        matches!(self.averages, Averages::Ticks { .. })
    }

    /// The timeout to arm now, back-off included.
    pub fn rto(&self) -> Duration {
        let base = self.rto.max(self.params.min);
        let backed_off = Duration(base.0.saturating_mul(1 << self.backoff.min(32)));
        backed_off.min(self.params.max)
    }

    /// The smallest sample so far.
    pub fn min_rtt(&self) -> Option<Duration> {
        (self.min_rtt != Duration::MAX).then_some(self.min_rtt)
    }

    /// The smoothed round-trip time; zero before there are samples.
    #[inline]
    pub fn srtt(&self) -> Duration {
        match self.averages {
            Averages::Rfc6298 { srtt, .. } => srtt,
            Averages::Ticks { srtt8, .. } => {
                Duration(srtt8.unsigned_abs() * self.params.granularity.0 / 8)
            }
        }
    }

    /// The smoothed round-trip time and its variation, once there are samples.
    pub fn smoothed(&self) -> Option<(Duration, Duration)> {
        match self.averages {
            Averages::Rfc6298 { srtt, rttvar, any } => any.then_some((srtt, rttvar)),
            Averages::Ticks { srtt8, rttvar4, .. } => {
                let tick = self.params.granularity.0;
                let ticks = |scaled: i64, by: u64| Duration(scaled.unsigned_abs() * tick / by);
                (srtt8 > 0).then(|| (ticks(srtt8, 8), ticks(rttvar4, 4)))
            }
        }
    }

    /// The last sample, rounded as the estimator rounds.
    pub fn latest(&self) -> Option<Duration> {
        self.latest
    }

    /// The same where the peer reports that it held the acknowledgement back for so long: the
    /// averages are of the path alone (RFC 9002 §5.3).
    pub fn sample_held(&mut self, sent: Instant, now: Instant, held: Duration) {
        let rtt = now.since(sent);
        let least = self.min_rtt.min(rtt);
        let plausible = rtt >= least + held;
        self.sample(sent, if plausible { now - held } else { now });
        self.min_rtt = least;
        if !self.times_one_segment() {
            self.latest = Some(rtt);
        }
    }

    /// The average of a stack with reports of how long acknowledgements were held back, after the
    /// same samples.
    pub fn correct(&mut self, average: Duration) {
        if let Averages::Rfc6298 {
            srtt, any: true, ..
        } = &mut self.averages
        {
            *srtt = average;
        }
    }

    /// A segment sent at `sent` was acknowledged at `now`. Ends any back-off.
    #[inline]
    pub fn sample(&mut self, sent: Instant, now: Instant) {
        let rtt = now.since(sent);
        self.min_rtt = self.min_rtt.min(rtt);
        self.backoff = 0;
        match &mut self.averages {
            Averages::Rfc6298 { srtt, rttvar, any } => {
                // §2.2 and §2.3, in this order: RTTVAR uses the old SRTT.
                if *any {
                    let error = Duration(srtt.0.abs_diff(rtt.0));
                    *rttvar = Duration((3 * rttvar.0 + error.0) / 4);
                    *srtt = Duration((7 * srtt.0 + rtt.0) / 8);
                } else {
                    (*srtt, *rttvar, *any) = (rtt, rtt.over(2), true);
                }
                self.rto = *srtt + self.params.granularity.max(rttvar.times(4));
                self.latest = Some(rtt);
            }
            Averages::Ticks {
                srtt8,
                rttvar4,
                phase,
            } => {
                let tick = self.params.granularity.0;
                let into_tick = (sent.0 + phase.0) % tick;
                let ticks = (((rtt.0 + into_tick) / tick) as i64).max(1);
                if *srtt8 != 0 {
                    let delta = ticks - (*srtt8 >> 3);
                    *srtt8 = (*srtt8 + delta).max(1);
                    *rttvar4 = (*rttvar4 + delta.abs() - (*rttvar4 >> 2)).max(1);
                } else {
                    (*srtt8, *rttvar4) = (ticks << 3, ticks << 1);
                }
                self.rto = Duration((((*rttvar4 << 3) + *srtt8) >> 3).unsigned_abs() * tick);
                self.latest = Some(Duration(ticks.unsigned_abs() * tick));
            }
        }
    }

    /// The timer expired: double the timeout (§5.5).
    pub fn back_off(&mut self) {
        if self.rto() < self.params.max {
            self.backoff += 1;
        }
        if let Averages::Ticks { srtt8, rttvar4, .. } = &mut self.averages {
            // Backed off beyond eight, ns-2 gives up its average and keeps its size as
            // deviation.
            if self.backoff > 3 {
                *rttvar4 += *srtt8 >> 3;
                *srtt8 = 0;
            }
        }
    }

    /// Ends a back-off without a sample (ns-2 does so on partial acknowledgements).
    pub fn end_backoff(&mut self) {
        self.backoff = 0;
    }

    /// The SYN timed out and the connection is now open: §5.7.
    pub fn after_syn_loss(&mut self) {
        self.backoff = 0;
        self.rto = self.params.after_syn_loss;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rfc(min: Duration) -> RtoParams {
        RtoParams {
            initial: Duration::from_secs(1),
            min,
            max: Duration::from_secs(60),
            granularity: Duration::from_millis(1),
            after_syn_loss: Duration::from_secs(3),
            ticks: None,
            jiffy: None,
        }
    }

    fn feed(estimator: &mut RttEstimator, rtt_ms: u64) {
        estimator.sample(Instant::ZERO, Instant::from_millis(rtt_ms));
    }

    #[test]
    fn the_worked_samples_give_the_worked_timeouts() {
        let mut e = RttEstimator::new(&Arc::new(rfc(Duration::ZERO)));
        let mut seen = Vec::new();
        for rtt in [100, 140, 100, 100, 300] {
            feed(&mut e, rtt);
            seen.push(e.rto().0 / 1_000);
        }
        assert_eq!(seen, [300_000, 295_000, 251_875, 218_828, 410_771]);
    }

    #[test]
    fn the_smoothed_round_trip_is_there_with_the_first_sample() {
        let ticks = RtoParams {
            granularity: Duration::from_millis(100),
            ticks: Some(Ticks { phase: 0.0 }),
            ..rfc(Duration::ZERO)
        };
        for params in [rfc(Duration::ZERO), ticks] {
            let mut e = RttEstimator::new(&Arc::new(params));
            assert_eq!((e.srtt(), e.smoothed()), (Duration::ZERO, None));
            feed(&mut e, 100);
            assert_eq!(e.srtt(), Duration::from_millis(100));
            assert_eq!(e.smoothed().map(|(srtt, _)| srtt), Some(e.srtt()));
        }
    }

    #[test]
    fn the_lower_bound_holds_for_every_sample() {
        let mut e = RttEstimator::new(&Arc::new(rfc(Duration::from_secs(1))));
        for rtt in [100, 140, 100, 100, 300] {
            feed(&mut e, rtt);
            assert_eq!(e.rto(), Duration::from_secs(1));
        }
    }

    #[test]
    fn equal_samples_narrow_the_timeout() {
        let mut e = RttEstimator::new(&Arc::new(rfc(Duration::from_secs(1))));
        let mut seen = Vec::new();
        for _ in 0..3 {
            feed(&mut e, 800);
            seen.push(e.rto().0 / 1_000_000);
        }
        assert_eq!(seen, [2400, 2000, 1700]);
    }

    #[test]
    fn back_off_doubles_up_to_the_bound_and_a_sample_ends_it() {
        let mut e = RttEstimator::new(&Arc::new(rfc(Duration::from_secs(1))));
        for expected in [2, 4, 8, 16, 32, 60, 60] {
            e.back_off();
            assert_eq!(e.rto(), Duration::from_secs(expected));
        }
        feed(&mut e, 100);
        assert_eq!(e.rto(), Duration::from_secs(1));
    }

    #[test]
    fn ticks_are_counted_from_the_phase_of_the_clock() {
        let params = RtoParams {
            min: Duration::from_millis(200),
            initial: Duration::from_secs(3),
            granularity: Duration::from_millis(10),
            ticks: Some(Ticks { phase: 0.5 }),
            ..rfc(Duration::ZERO)
        };
        let mut e = RttEstimator::new(&Arc::new(params));
        assert_eq!(e.rto(), Duration::from_secs(3));
        // 64.1 ms + 5 ms into the tick: six ticks; srtt 6, rttvar 3, RTO 6 + 4·3 = 18.
        e.sample(Instant::ZERO, Instant::from_micros(64_100));
        assert_eq!(e.latest(), Some(Duration::from_millis(60)));
        assert_eq!(e.rto(), Duration::from_millis(200));
        e.sample(Instant::ZERO, Instant::from_millis(400));
        assert_eq!(e.latest(), Some(Duration::from_millis(400)));
    }
}
