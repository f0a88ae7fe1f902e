//! A delay that varies: jitter, drawn by packets or for a while, and a ripple.
//!
//! Packets stay in order, the later waiting for the earlier, unless they may overtake.

use super::common::{Common, Stage, Verdict};
use super::kind::StagePlan;
use crate::distribution::Distribution;
use crate::moment::Moment;
use crate::queue::Backlog;
use flowstart_control::{Duration, Instant};
use flowstart_wire::Packet;
use rand_pcg::Pcg64Mcg;
use std::f64::consts::TAU;

/// How a delay varies.
#[derive(Clone, Debug)]
pub struct DelayConfig {
    /// What is drawn on top of the path's delay.
    pub jitter: Option<Distribution>,
    /// For how long a draw holds; `None` draws for every packet.
    pub holds: Option<Duration>,
    /// Whether a packet may overtake those before it.
    pub reordering: bool,
    /// The periodic part of the delay.
    pub ripple: Option<Ripple>,
}

/// A delay that varies between zero and `swing`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ripple {
    /// From minimum to maximum.
    pub swing: Duration,
    /// From one least to the next.
    pub period: Duration,
}

/// A delay that varies.
pub fn varying_delay(config: DelayConfig) -> StagePlan {
    StagePlan::new("delay", "jitter", move |random| Delay {
        config: config.clone(),
        random,
        draw: Duration::ZERO,
        until: Instant::ZERO,
    })
}

impl Ripple {
    /// What it adds at a moment.
    fn at(&self, now: Instant) -> Duration {
        let period = self.period.nanos();
        let phase = (now.nanos() % period) as f64 / period as f64;
        let share = (1.0 - libm::cos(TAU * phase)) / 2.0;
        Duration((self.swing.nanos() as f64 * share).round() as u64)
    }
}

/// Stage that delays packets by a varying time.
struct Delay {
    config: DelayConfig,
    random: Pcg64Mcg,
    /// The draw that holds, and until when.
    draw: Duration,
    until: Instant,
}

/// A draw beyond is cut there.
pub const LONGEST: Duration = Duration::from_secs(600);

impl Delay {
    /// How long a packet takes that comes now.
    fn at(&mut self, now: Instant) -> Duration {
        let ripple = self.config.ripple.map_or(Duration::ZERO, |r| r.at(now));
        let Some(distribution) = self.config.jitter else {
            return ripple;
        };
        match self.config.holds {
            None => self.draw = distribution.time(&mut self.random),
            Some(holds) => {
                while self.until <= now {
                    self.draw = distribution.time(&mut self.random);
                    self.until += holds;
                }
            }
        }
        ripple + self.draw.min(LONGEST)
    }
}

impl Stage for Delay {
    fn send(&mut self, packet: Packet, now: Moment, link: &mut Common) -> Verdict {
        let mut arrival = Moment {
            time: now.time + self.at(now.time),
            cause: now.time,
        };
        link.counters.accept(packet.wire, Backlog::default());
        if !self.config.reordering {
            let last = link.ring.back().map_or(Instant::ZERO, |p| p.arrival.time);
            arrival.time = arrival.time.max(last);
            return link.depart(arrival, packet);
        }
        link.depart_in_order(arrival, packet)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{pass, stage, stage_with};
    use super::*;
    use crate::distribution::Measure;
    use crate::random::stream;
    use proptest::prelude::*;

    fn steady() -> DelayConfig {
        DelayConfig {
            jitter: None,
            holds: None,
            reordering: false,
            ripple: None,
        }
    }

    fn jitter(distribution: &str) -> DelayConfig {
        DelayConfig {
            jitter: Some(Distribution::parse(Measure::Time, distribution).unwrap()),
            ..steady()
        }
    }

    /// Packets 1 ms apart: when they arrive, in microseconds.
    fn arrivals(config: DelayConfig) -> Vec<u64> {
        let packets: Vec<u64> = (0..2000).map(|n| n * 1000).collect();
        pass(stage(&varying_delay(config)), &packets)
    }

    #[test]
    fn jitter_has_its_law_where_packets_are_far_apart() {
        let config = jitter("uniform:most=1ms");
        let waits: Vec<u64> = arrivals(config).iter().map(|at| at % 1000).collect();
        let mean = waits.iter().sum::<u64>() / waits.len() as u64;
        assert!((480..520).contains(&mean), "{mean}");
        assert!(waits.iter().min() < Some(&5) && waits.iter().max() > Some(&995));
    }

    #[test]
    fn a_draw_may_hold_for_a_while() {
        let config = DelayConfig {
            holds: Some(Duration::from_millis(100)),
            ..jitter("uniform:most=900us")
        };
        let mut waits: Vec<u64> = arrivals(config).iter().map(|at| at % 1000).collect();
        assert!(waits.chunks(100).all(|c| c.iter().all(|w| *w == c[0])));
        waits.dedup();
        assert_eq!(waits.len(), 20);
    }

    #[test]
    fn a_ripple_swings_from_nothing_to_all_and_back() {
        let config = DelayConfig {
            ripple: Some(Ripple {
                swing: Duration::from_micros(800),
                period: Duration::from_millis(100),
            }),
            ..steady()
        };
        let waits: Vec<u64> = arrivals(config).iter().map(|at| at % 1000).collect();
        assert_eq!([waits[0], waits[25], waits[50]], [0, 400, 800]);
        assert_eq!([waits[75], waits[100]], [400, 0]);
    }

    #[test]
    fn packets_overtake_only_where_they_may() {
        let distribution = "exponential:mean=5ms";
        let mut kept = jitter(distribution);
        kept.reordering = false;
        let mut free = jitter(distribution);
        free.reordering = true;
        let order = |config| {
            let packets: Vec<u64> = (0..2000).map(|n| n * 1000).collect();
            super::super::testing::order(stage(&varying_delay(config)), &packets)
        };
        assert!(order(kept).is_sorted());
        let free = order(free);
        assert!(!free.is_sorted());
        let mut all = free.clone();
        all.sort_unstable();
        assert!(all.iter().copied().eq(0..2000), "everyone arrives once");
    }

    proptest! {
        #[test]
        fn everyone_arrives_once_not_before_time_and_in_order_unless_they_may_overtake(
            seed in any::<u64>(),
            gaps in prop::collection::vec(0u64..3000, 1..200),
            holds in prop::option::of(1u64..50),
            swing in 0u64..5000,
            reordering in any::<bool>(),
        ) {
            let config = DelayConfig {
                holds: holds.map(Duration::from_millis),
                reordering,
                ripple: Some(Ripple {
                    swing: Duration::from_micros(swing),
                    period: Duration::from_millis(7),
                }),
                ..jitter("exponential:mean=3ms")
            };
            let mut now = 0;
            let came: Vec<u64> = gaps.iter().map(|gap| { now += gap; now }).collect();
            let plan = varying_delay(config);
            let stage = || stage_with(&plan, stream(seed, "test", 0));
            let times = pass(stage(), &came);
            let mut order = super::super::testing::order(stage(), &came);
            for (at, number) in times.iter().zip(&order) {
                prop_assert!(*at >= came[*number as usize]);
            }
            prop_assert!(times.is_sorted());
            prop_assert!(reordering || order.is_sorted());
            order.sort_unstable();
            prop_assert!(order.iter().copied().eq(0..came.len() as u64));
        }
    }
}
