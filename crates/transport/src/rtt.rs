//! Round-trip estimation and the retransmission timeout.
//!
//! Three estimators: RFC 6298 in nanoseconds, Linux's `tcp_rtt_estimator`, and ns-2's, which
//! measures one segment at a time in whole ticks of a coarse clock.

mod linux;
mod rfc6298;
mod sample;
mod ticks;

use flowstart_control::{Duration, Instant};
use linux::Linux;
use rfc6298::Rfc6298;
pub use sample::RttSample;
use std::sync::Arc;
use ticks::TickCounts;

/// TCP_RTO_MIN: what a peer may delay the acknowledgement of a lone segment.
const LONE_SEGMENT: Duration = Duration::from_millis(200);
/// TCP_TIMEOUT_MIN_US, beyond what a probe and what may be reordered are waited for.
pub(crate) const SLACK: Duration = Duration::from_millis(2);

/// Parameters of the retransmission timeout (RFC 6298 names in comments).
#[derive(Clone, Debug, PartialEq)]
pub struct RtoParams {
    /// RTO before the first sample (§2.1).
    pub initial: Duration,
    /// Lower bound (§2.4); with [`RttRule::Linux`] of what the variation adds to the average.
    pub min: Duration,
    /// Upper bound, back-off included (§2.5).
    pub max: Duration,
    /// G, the clock granularity (§2.3); with [`RttRule::Ticks`] the tick. Linux's rule has none.
    pub granularity: Duration,
    /// RTO for data after the SYN timed out (§5.7).
    pub after_syn_loss: Duration,
    /// How samples become averages and a timeout.
    pub rule: RttRule,
    /// Timers wait on a wheel of jiffies this long ([`timer`](super::timer)); `None`
    /// has them fire on time.
    pub jiffy: Option<Duration>,
}

/// How samples become averages and a timeout.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RttRule {
    /// RFC 6298 §2.
    Rfc6298,
    /// `tcp_rtt_estimator` (net/ipv4/tcp_input.c).
    Linux,
    /// Whole ticks, one segment at a time, as in ns-2.
    Ticks {
        /// Where in a tick the host's clock started, as a share of a tick.
        phase: f64,
    },
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
    Rfc6298(Rfc6298),
    Linux(Linux),
    Ticks(TickCounts),
}

impl RttEstimator {
    /// An estimator without samples.
    pub fn new(params: &Arc<RtoParams>) -> RttEstimator {
        let granularity = params.granularity;
        let averages = match params.rule {
            RttRule::Rfc6298 => Averages::Rfc6298(Rfc6298::new(granularity)),
            RttRule::Linux => Averages::Linux(Linux::new(params.min)),
            RttRule::Ticks { phase } => Averages::Ticks(TickCounts::new(granularity, phase)),
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
        matches!(self.averages, Averages::Ticks(_))
    }

    /// How long nothing comes back before a tail loss probe, where `lone` is whether one segment is
    /// out (RFC 8985 §7.2); `None` without a sample.
    pub fn probe_wait(&self, lone: bool) -> Option<Duration> {
        self.latest?;
        Some(self.srtt().times(2) + if lone { LONE_SEGMENT } else { SLACK })
    }

    /// The timeout to arm now, back-off included.
    pub fn rto(&self) -> Duration {
        let base = self.rto.max(self.params.min);
        let backed_off = match self.backoff {
            0 => base,
            times => base.times(1 << times.min(32)),
        };
        backed_off.min(self.params.max)
    }

    /// The smallest sample so far.
    pub fn min_rtt(&self) -> Option<Duration> {
        (self.min_rtt != Duration::MAX).then_some(self.min_rtt)
    }

    /// The smoothed round-trip time; zero before there are samples.
    #[inline]
    pub fn srtt(&self) -> Duration {
        match &self.averages {
            Averages::Rfc6298(averages) => averages.srtt,
            Averages::Linux(averages) => averages.srtt,
            Averages::Ticks(counts) => counts.srtt(),
        }
    }

    /// The smoothed round-trip time and its variation, once there are samples.
    pub fn smoothed(&self) -> Option<(Duration, Duration)> {
        match &self.averages {
            Averages::Rfc6298(averages) => averages.smoothed(),
            Averages::Linux(averages) => averages.smoothed(),
            Averages::Ticks(counts) => counts.smoothed(),
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
        let sample = RttSample::of_handshake(sent);
        self.sample(&sample, if plausible { now - held } else { now });
        self.min_rtt = least;
        if !self.times_one_segment() {
            self.latest = Some(rtt);
        }
    }

    /// Takes a sample for the minimum and the latest, and not for the averages.
    pub fn ignore(&mut self, rtt: Duration) {
        self.min_rtt = self.min_rtt.min(rtt);
        self.latest = Some(rtt);
    }

    /// The average of a stack with reports of how long acknowledgements were held back, after the
    /// same samples.
    pub fn correct(&mut self, average: Duration) {
        if let Averages::Rfc6298(averages) = &mut self.averages {
            averages.correct(average);
        }
    }

    /// An acknowledgement has come at `now`. Ends any back-off.
    #[inline(always)]
    pub fn sample(&mut self, sample: &RttSample, now: Instant) {
        let rtt = now.since(sample.sent.newest);
        self.min_rtt = self.min_rtt.min(rtt);
        self.backoff = 0;
        self.latest = Some(rtt);
        self.rto = match &mut self.averages {
            Averages::Rfc6298(averages) => averages.sample(rtt),
            Averages::Linux(averages) => averages.sample(sample, now),
            Averages::Ticks(counts) => {
                self.latest = Some(counts.sample(sample.sent.newest, rtt));
                counts.rto()
            }
        };
    }

    /// The timer expired: double the timeout (§5.5).
    pub fn back_off(&mut self) {
        if self.rto() < self.params.max {
            self.backoff += 1;
        }
        if let Averages::Ticks(counts) = &mut self.averages {
            counts.back_off(self.backoff);
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
            rule: RttRule::Rfc6298,
            jiffy: None,
        }
    }

    fn feed(estimator: &mut RttEstimator, rtt_ms: u64) {
        let sample = RttSample::of_handshake(Instant::ZERO);
        estimator.sample(&sample, Instant::from_millis(rtt_ms));
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
            rule: RttRule::Ticks { phase: 0.0 },
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
            rule: RttRule::Ticks { phase: 0.5 },
            ..rfc(Duration::ZERO)
        };
        let mut e = RttEstimator::new(&Arc::new(params));
        assert_eq!(e.rto(), Duration::from_secs(3));
        // 64.1 ms + 5 ms into the tick: six ticks; srtt 6, rttvar 3, RTO 6 + 4·3 = 18.
        let sample = RttSample::of_handshake(Instant::ZERO);
        e.sample(&sample, Instant::from_micros(64_100));
        assert_eq!(e.latest(), Some(Duration::from_millis(60)));
        assert_eq!(e.rto(), Duration::from_millis(200));
        feed(&mut e, 400);
        assert_eq!(e.latest(), Some(Duration::from_millis(400)));
    }
}
