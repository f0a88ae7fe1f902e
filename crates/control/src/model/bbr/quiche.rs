//! Rules of Startup in the two QUICHEs: cloudflare/quiche at e97798e (`recovery/gcongestion/bbr2`) and
//! google/quiche at f44fa9f (`quic/core/congestion_control/bbr2_*`), from which the former was
//! translated.

use super::constants::Constants;
use super::probing::Limits;
use crate::signals::Delivery;
use crate::{Duration, Rate, named};

named! {
    /// An option of google/quiche for Startup (`Bbr2Sender::ApplyConnectionOptions`).
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum StartupOption {
        /// A round without growth ends it.
        OneRound = "1RTT",
        /// Two rounds without growth do.
        TwoRounds = "2RTT",
        /// Pacing gain 2.773, and 0.5 in Drain.
        LowerPacing = "BBQ1",
        /// Window gain 2.885, in Drain too.
        HigherWindow = "BBQ2",
        /// The pacing gain follows the growth of the last round.
        GainByGrowth = "BBQ6",
        /// Two loss events of a round end it, not eight.
        TwoLossEvents = "B206",
        /// A round in which the queue never drained ends it.
        OneQueueRound = "B207",
        /// Two such rounds do.
        TwoQueueRounds = "BB2S",
        /// Losses end it while the rate grows, too.
        AnyLoss = "B2NE",
    }
}

/// `kInitialPacingGain`.
const HIGH_GAIN: f64 = 2.885;
/// `kDerivedStartupPacingGain`.
const DERIVED_GAIN: f64 = 2.773;
/// `full_bw_threshold`.
const GROWTH: f64 = 1.25;
/// Share of the path in flight with a queue that never drains (`CheckPersistentQueue`).
const QUEUEING: f64 = 1.75;
/// Segments beyond the path's content that make a queue (`QueueingThresholdExtraBytes`).
const EXTRA: u64 = 2;
/// The round trip before any is known (`DEFAULT_INITIAL_RTT` of both).
const INITIAL_RTT: [Duration; 2] = [Duration::from_millis(333), Duration::from_millis(100)];

/// Shares of the bounds (`beta`, `inflight_hi_headroom`).
pub(super) const LIMITS: Limits = Limits {
    beta: 0.7,
    headroom: 0.15,
};

/// Rules of Startup, and what it has seen in the round under way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Quiche {
    google: bool,
    rounds: u32,
    loss_events: u32,
    /// Tolerated loss in thousandths.
    loss_thousandths: u64,
    queue_rounds: Option<u32>,
    any_loss: bool,
    gain_by_growth: bool,
    /// Pacing gain of the round under way, if it follows growth.
    pub(super) gain: Option<f64>,
    max_bw_before: Rate,
    full_bw: Rate,
    flat_rounds: u32,
    queued_rounds: u32,
    round: Round,
}

/// What a round has shown.
#[derive(Clone, Copy, Debug)]
struct Round {
    lost: u64,
    events: u32,
    least_in_flight: u64,
    most_delivered: u64,
}

impl Round {
    const NEW: Round = Round {
        lost: 0,
        events: 0,
        least_in_flight: u64::MAX,
        most_delivered: 0,
    };
}

/// Measurements where a round ends.
pub(super) struct RoundEnd {
    pub(super) max_bw: Rate,
    pub(super) app_limited: bool,
    /// The path's content in bytes.
    pub(super) path: f64,
    pub(super) mss: u64,
    /// In flight when the packet left whose acknowledgement ends the round.
    pub(super) in_flight: u64,
    /// Pacing gain of Startup.
    pub(super) startup_pacing: f64,
}

/// What ends Startup.
pub(super) enum Ending {
    /// The rate no longer grows, or the queue never drains.
    Full,
    /// Losses; the long-term bound in bytes.
    Lossy(f64),
}

impl Quiche {
    /// The rules of google/quiche or of cloudflare/quiche.
    pub(super) fn new(google: bool, option: Option<StartupOption>) -> Quiche {
        let has = |wanted| option == Some(wanted);
        Quiche {
            google,
            rounds: match option {
                Some(StartupOption::OneRound) => 1,
                Some(StartupOption::TwoRounds) => 2,
                _ => 3,
            },
            loss_events: if has(StartupOption::TwoLossEvents) {
                2
            } else {
                8
            },
            loss_thousandths: if google { 20 } else { 15 },
            queue_rounds: match option {
                Some(StartupOption::OneQueueRound) => Some(1),
                Some(StartupOption::TwoQueueRounds) => Some(2),
                _ => None,
            },
            any_loss: has(StartupOption::AnyLoss),
            gain_by_growth: has(StartupOption::GainByGrowth),
            gain: None,
            max_bw_before: Rate(0),
            full_bw: Rate(0),
            flat_rounds: 0,
            queued_rounds: 0,
            round: Round::NEW,
        }
    }

    /// Gains of Startup and Drain; the rest is ProbeBW's.
    pub(super) fn constants(&self, option: Option<StartupOption>) -> Constants {
        let mut constants = Constants {
            startup_pacing: if self.google { HIGH_GAIN } else { DERIVED_GAIN },
            drain_pacing: 1.0 / HIGH_GAIN,
            probe_down_pacing: if self.google { 0.91 } else { 0.9 },
            drain_rounds: u64::MAX,
            probe_rtt_interval: Duration::from_secs(10),
            ..Constants::v3()
        };
        match option {
            Some(StartupOption::LowerPacing) => {
                (constants.startup_pacing, constants.drain_pacing) = (DERIVED_GAIN, 0.5);
            }
            Some(StartupOption::HigherWindow) => {
                (constants.startup_cwnd, constants.drain_cwnd) = (HIGH_GAIN, HIGH_GAIN);
            }
            _ => {}
        }
        constants
    }

    /// The first pacing rate: what the first acknowledgement sets, a window in a round trip;
    /// before any, 2.885 windows in a nominal one.
    pub(super) fn first_rate(&self, bytes: u64, rtt: Option<Duration>) -> Rate {
        let nominal = INITIAL_RTT[usize::from(self.google)];
        match rtt {
            Some(rtt) => Rate::of(bytes, rtt.max(Duration(1000))),
            None => Rate((HIGH_GAIN * Rate::of(bytes, nominal).bps() as f64).round() as u64),
        }
    }

    /// Takes in an acknowledgement.
    pub(super) fn note(&mut self, d: &Delivery, flight: u64) {
        let round = &mut self.round;
        round.lost += d.lost;
        round.events += u32::from(d.lost > 0);
        round.least_in_flight = round.least_in_flight.min(flight);
        let delivered = d.sample.map_or(0, |s| s.delivered);
        round.most_delivered = round.most_delivered.max(delivered);
    }

    /// Judges the round that ends; what ends Startup, where something does.
    pub(super) fn end_round(&mut self, e: &RoundEnd) -> Option<Ending> {
        let round = std::mem::replace(&mut self.round, Round::NEW);
        let grows = self.grows(e.max_bw, e.app_limited);
        let flat = !e.app_limited && self.flat_rounds >= self.rounds;
        let full = !grows && (flat || self.has_queue(&round, e.path, e.mss));
        let judges = self.any_loss || !e.app_limited && !grows;
        let lossy = !full && judges && self.is_too_high(&round, e.in_flight);
        if self.gain_by_growth && !e.app_limited {
            self.follow(e.max_bw, e.startup_pacing);
        }
        match (full, lossy) {
            (true, _) => Some(Ending::Full),
            (_, true) => Some(Ending::Lossy(e.path.max(round.most_delivered as f64))),
            _ => None,
        }
    }

    /// Whether the rate has grown by a quarter; otherwise the round counts
    /// (`HasBandwidthGrowth`). cloudflare/quiche leaves out rounds that the application limited.
    fn grows(&mut self, max_bw: Rate, app_limited: bool) -> bool {
        if max_bw.bps() as f64 >= GROWTH * self.full_bw.bps() as f64 {
            (self.full_bw, self.flat_rounds) = (max_bw, 0);
            return true;
        }
        self.flat_rounds += u32::from(self.google || !app_limited);
        false
    }

    /// Whether the queue has not drained for long enough (`CheckPersistentQueue`); `path` is the path's
    /// content in bytes.
    fn has_queue(&mut self, round: &Round, path: f64, mss: u64) -> bool {
        let Some(rounds) = self.queue_rounds else {
            return false;
        };
        let target = (QUEUEING * path).max(path + (EXTRA * mss) as f64);
        let queued = round.least_in_flight as f64 >= target;
        self.queued_rounds = if queued { self.queued_rounds + 1 } else { 0 };
        self.queued_rounds >= rounds
    }

    /// Whether a round lost too much (`IsInflightTooHigh`).
    fn is_too_high(&self, round: &Round, in_flight: u64) -> bool {
        let much = 1000 * round.lost > self.loss_thousandths * in_flight;
        in_flight > 0 && round.lost > 0 && much && round.events >= self.loss_events
    }

    /// The pacing gain of the next round: what the last one has grown by, between 1.25 and all of
    /// it.
    fn follow(&mut self, max_bw: Rate, most: f64) {
        let before = std::mem::replace(&mut self.max_bw_before, max_bw);
        if before > Rate(0) {
            let ratio = (max_bw.bps() as f64 / before.bps() as f64).max(1.0);
            self.gain = Some(most.min((ratio - 1.0) * (most - GROWTH) + GROWTH));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mbps(rate: f64) -> Rate {
        Rate::from_bps((rate * 1e6) as u64)
    }

    fn quiche() -> Quiche {
        Quiche::new(false, None)
    }

    fn google(option: Option<StartupOption>) -> Quiche {
        Quiche::new(true, option)
    }

    #[test]
    fn gains_of_both_and_of_the_options() {
        let gains = |q: Quiche, option| {
            let c = q.constants(option);
            (c.startup_pacing, c.startup_cwnd, c.drain_pacing)
        };
        assert_eq!(gains(quiche(), None), (2.773, 2.0, 1.0 / 2.885));
        assert_eq!(gains(google(None), None), (2.885, 2.0, 1.0 / 2.885));
        let options = |option| gains(google(Some(option)), Some(option));
        assert_eq!(options(StartupOption::LowerPacing), (2.773, 2.0, 0.5));
        let wide = options(StartupOption::HigherWindow);
        assert_eq!(wide, (2.885, 2.885, 1.0 / 2.885));
    }

    #[test]
    fn the_first_rate_is_a_window_in_a_round_trip_or_2_885_in_a_nominal_one() {
        let rtt = Duration::from_millis(50);
        assert_eq!(quiche().first_rate(12_000, Some(rtt)), mbps(1.92));
        // cloudflare/quiche's own test: 12 kB in 333 ms.
        assert_eq!(quiche().first_rate(12_000, None).bps() / 1000, 831);
        assert_eq!(google(None).first_rate(12_000, None).bps() / 1000, 2769);
    }

    #[test]
    fn only_google_counts_rounds_that_the_application_limited() {
        for (mut q, counted) in [(quiche(), 0), (google(None), 2)] {
            assert!(q.grows(mbps(10.0), true));
            assert!(!q.grows(mbps(12.4), true));
            assert!(!q.grows(mbps(12.4), true));
            assert_eq!(q.flat_rounds, counted);
            assert!(q.grows(mbps(12.5), false));
            assert_eq!(q.flat_rounds, 0);
        }
    }

    #[test]
    fn eight_loss_events_and_more_than_the_threshold_are_too_much() {
        let too_high = |q: Quiche, events, lost| {
            let round = Round {
                lost,
                events,
                ..Round::NEW
            };
            q.is_too_high(&round, 100_000)
        };
        assert!(too_high(quiche(), 8, 1501));
        assert!(!too_high(quiche(), 8, 1500));
        assert!(!too_high(quiche(), 7, 50_000));
        assert!(!too_high(google(None), 8, 2000));
        assert!(too_high(google(None), 8, 2001));
        assert!(too_high(
            google(Some(StartupOption::TwoLossEvents)),
            2,
            2001
        ));
    }

    #[test]
    fn a_queue_that_stands_for_one_or_two_rounds_ends_startup_where_asked() {
        let after = |option, flights: &[u64]| {
            let mut q = google(option);
            flights.iter().position(|least_in_flight| {
                let round = Round {
                    least_in_flight: *least_in_flight,
                    ..Round::NEW
                };
                q.has_queue(&round, 100_000.0, 1440)
            })
        };
        let one = Some(StartupOption::OneQueueRound);
        let two = Some(StartupOption::TwoQueueRounds);
        assert_eq!(after(None, &[300_000; 9]), None);
        assert_eq!(after(one, &[174_999, 175_000]), Some(1));
        assert_eq!(after(two, &[175_000, 170_000, 175_000, 175_000]), Some(3));
    }

    #[test]
    fn the_gain_follows_the_growth_of_the_last_round() {
        let mut q = google(Some(StartupOption::GainByGrowth));
        let gains = [10.0, 20.0, 30.0, 30.0, 90.0].map(|rate| {
            q.follow(mbps(rate), HIGH_GAIN);
            q.gain
        });
        let half = 1.25 + 0.5 * (2.885 - 1.25);
        let expected = [None, Some(2.885), Some(half), Some(1.25), Some(2.885)];
        assert_eq!(gains, expected);
    }
}
