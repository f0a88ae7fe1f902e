//! A delay that varies: jitter, drawn by packets or for a while, and a ripple.
//!
//! Packets stay in order, the later waiting for the earlier, unless they may overtake. Some may skip
//! the delay.

use super::common::{Common, LinkImpl, Verdict};
use super::kind::StagePlan;
use crate::distribution::Distribution;
use crate::moment::Moment;
use crate::queue::Backlog;
use crate::random::share;
use flowstart_control::{Duration, Instant};
use flowstart_wire::Packet;
use rand_pcg::Pcg64Mcg;
use std::f64::consts::TAU;

/// How a delay varies.
#[derive(Clone, Debug)]
pub struct DelayConfig {
    /// What every packet takes but those that skip the delay.
    pub base: Duration,
    /// What is drawn on top of the path's delay.
    pub jitter: Option<Distribution>,
    /// For how long a draw holds; `None` draws for every packet.
    pub holds: Option<Duration>,
    /// Whether a packet may overtake those before it.
    pub reordering: bool,
    /// The periodic part of the delay.
    pub ripple: Option<Ripple>,
    /// Packets that skip the delay.
    pub skip: Option<Skip>,
}

/// Packets that skip a delay, as `reorder` of netem has it (`sch_netem.c`, `netem_enqueue`).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Skip {
    /// Share of them among those that may.
    pub share: f64,
    /// All but the last of so many packets may not; counted anew behind each that does.
    pub gap: u64,
    /// Weight of the draw before in a draw (`get_crandom`). With one, draws are not uniform, and the
    /// share is another, as in netem.
    pub correlation: f64,
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
        since_skip: 0,
        last: None,
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
    /// Packets since the last that skipped the delay, and the draw for it.
    since_skip: u64,
    last: Option<f64>,
}

/// A draw beyond is cut there.
pub(super) const LONGEST: Duration = Duration::from_secs(600);

impl Delay {
    /// How long a packet takes that comes now.
    fn at(&mut self, now: Instant) -> Duration {
        let ripple = self.config.ripple.map_or(Duration::ZERO, |r| r.at(now));
        let steady = self.config.base + ripple;
        let Some(distribution) = self.config.jitter else {
            return steady;
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
        steady + self.draw.min(LONGEST)
    }

    /// Whether the next packet skips the delay.
    fn skips(&mut self, skip: Skip) -> bool {
        let skips = self.since_skip + 1 >= skip.gap && self.draw_skip(skip) < skip.share;
        self.since_skip = if skips { 0 } else { self.since_skip + 1 };
        skips
    }

    fn draw_skip(&mut self, skip: Skip) -> f64 {
        let fresh = share(&mut self.random);
        let last = self.last.unwrap_or(fresh);
        let draw = fresh + skip.correlation * (last - fresh);
        self.last = Some(draw);
        draw
    }
}

impl LinkImpl for Delay {
    fn send(&mut self, packet: &Packet, now: Moment, link: &mut Common) -> Verdict {
        link.counters.accept(packet.wire, Backlog::default());
        let mut arrival = Moment {
            time: now.time,
            cause: now.time,
        };
        if self.config.skip.is_some_and(|skip| self.skips(skip)) {
            return link.depart_in_order(arrival, packet);
        }
        arrival.time += self.at(now.time);
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
            base: Duration::ZERO,
            jitter: None,
            holds: None,
            reordering: false,
            ripple: None,
            skip: None,
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

    /// Whether each of so many packets skips the delay.
    fn skipped(skip: Skip, packets: usize) -> Vec<bool> {
        let mut delay = Delay {
            config: steady(),
            random: stream(1, "test", 0),
            draw: Duration::ZERO,
            until: Instant::ZERO,
            since_skip: 0,
            last: None,
        };
        (0..packets).map(|_| delay.skips(skip)).collect()
    }

    #[test]
    fn a_packet_that_skips_the_delay_overtakes_those_in_it() {
        let config = DelayConfig {
            base: Duration::from_millis(5),
            skip: Some(Skip {
                share: 1.0,
                gap: 3,
                correlation: 0.0,
            }),
            ..steady()
        };
        let plan = varying_delay(config);
        let packets = [0, 1000, 2000, 3000];
        assert_eq!(pass(stage(&plan), &packets), [2000, 5000, 6000, 8000]);
        let order = super::super::testing::order(stage(&plan), &packets);
        assert_eq!(order, [2, 0, 1, 3]);
    }

    #[test]
    fn every_fifth_packet_skips_the_delay_with_a_gap_of_five() {
        let skip = Skip {
            share: 1.0,
            gap: 5,
            correlation: 0.0,
        };
        let skipped = skipped(skip, 30);
        let skipping: Vec<usize> = (0..30).filter(|n| skipped[*n]).collect();
        assert_eq!(skipping, [4, 9, 14, 19, 24, 29]);
    }

    #[test]
    fn a_share_of_packets_skips_the_delay() {
        let skip = Skip {
            share: 0.25,
            gap: 1,
            correlation: 0.0,
        };
        let count = skipped(skip, 20_000).iter().filter(|skips| **skips).count();
        // Five standard deviations of 20,000 draws are 306.
        assert!((4694..5306).contains(&count), "{count}");
    }

    #[test]
    fn a_correlated_draw_stays_near_the_one_before() {
        let skip = |correlation| Skip {
            share: 0.4,
            gap: 1,
            correlation,
        };
        let changes = |pair: &&[bool]| pair[0] != pair[1];
        let runs = |skip| skipped(skip, 20_000).windows(2).filter(changes).count();
        assert!(runs(skip(0.9)) * 2 < runs(skip(0.0)));
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
