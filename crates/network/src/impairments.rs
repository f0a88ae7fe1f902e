//! What a path of one bottleneck may have beyond its line, queue and delay: the stages before and
//! behind the line.

use crate::distribution::Distribution;
use crate::link::{DelayConfig, FrameAggregation, LinkKind, PolicerConfig, Ripple};
use crate::random::stream;
use flowstart_control::Time;

/// The stages of a path, forward and reverse.
#[derive(Clone, Debug, Default)]
pub struct Impairments {
    /// A policer before the forward line.
    pub policer: Option<PolicerConfig>,
    /// A shared medium behind both: from one access to it to the next.
    pub access: Option<Distribution>,
    /// A delay that varies, forward and reverse.
    pub jitter: [Option<Distribution>; 2],
    /// For how long a draw of it holds; every packet has its own unless given.
    pub jitter_holds: Option<Time>,
    /// Whether it lets packets overtake others.
    pub reordering: bool,
    /// How the forward delay swings.
    pub ripple: Option<Ripple>,
}

impl Impairments {
    /// The stages that packets pass before the line of a direction, 0 forward and 1 reverse,
    /// each with its name.
    pub fn before(&self, direction: usize) -> Option<(String, LinkKind)> {
        let policer = self.policer.filter(|_| direction == 0)?;
        Some(("policer".into(), LinkKind::Policer(policer)))
    }

    /// And those behind it.
    pub fn behind(&self, direction: usize, seed: u64) -> Vec<(String, LinkKind)> {
        let way = ["forward", "reverse"][direction];
        let random = |purpose| stream(seed, purpose, direction as u64);
        let medium = self.access.map(|every| {
            let random = random("aggregation");
            LinkKind::FrameAggregation(Box::new(FrameAggregation { every, random }))
        });
        let ripple = self.ripple.filter(|_| direction == 0);
        let delay = DelayConfig {
            jitter: self.jitter[direction],
            holds: self.jitter_holds,
            reordering: self.reordering,
            ripple,
            random: random("jitter"),
        };
        let varies = delay.jitter.is_some() || ripple.is_some();
        let delay = varies.then(|| LinkKind::VaryingDelay(Box::new(delay)));
        let medium = medium.map(|kind| (format!("aggregation-{way}"), kind));
        let delay = delay.map(|kind| (format!("delay-{way}"), kind));
        medium.into_iter().chain(delay).collect()
    }
}
