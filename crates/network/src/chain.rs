//! A chain of routers with hosts on both sides, in plain values, and what follows from it.
//!
//! ```text
//! host ─nic─access─┐                          ┌─access─ host
//!                  router ─hop─ router ─hop─ router
//! host ─nic─access─┘                          └─access─ host
//! ```
//!
//! A single path is a chain of one hop without access links; a dumbbell one with them.
//! A router that takes time to forward is a separate link, which both directions pass.

use crate::link::{DelayConfig, Shaper, StagePlan};
use crate::queue::{BufferAccounting, Limit, QueueSpec};
use crate::quick_start::Policy;
use crate::variation::VariationPlan;
use flowstart_control::{Duration, Rate};

/// Everything about a network before its links are built.
#[derive(Clone, Debug)]
pub struct Chain {
    /// Its hops, from left to right; one at least.
    pub hops: Vec<Hop>,
    /// What forward packets pass before the line of a chain of one hop.
    pub before: Vec<StagePlan>,
    /// What packets pass behind its line, forward and reverse.
    pub behind: [Vec<StagePlan>; 2],
    /// The delay of a chain of one hop where it is before its line.
    pub delay_queue: Option<DelayQueue>,
    /// What its hosts have.
    pub hosts: Hosts,
    /// Packets per second that each router forwards; unlimited where `None`.
    pub router_pps: Option<u64>,
    /// How its buffers are read.
    pub reading: BufferAccounting,
    /// Bytes of a full-size data packet.
    pub packet: u32,
    /// How its routers decide on rate requests.
    pub quick_start: Policy,
}

/// A delay before a line, in a separate queue.
#[derive(Clone, Debug)]
pub struct DelayQueue {
    /// Both directions pass it, and the line as well.
    pub loopback: bool,
    /// How the delay varies. What it takes at least is that of the hop: in both directions, or in
    /// each where both pass it.
    pub config: DelayConfig,
    /// How many packets it holds.
    pub limit: Option<u64>,
    /// Whether that includes those in the line's queue and in transmission.
    pub limit_with_queue: bool,
}

/// One hop of a chain.
#[derive(Clone, Debug)]
pub struct Hop {
    /// Its one-way delay.
    pub delay: Duration,
    /// Whether the routers at its ends know Quick-Start's option.
    pub knows_quick_start: bool,
    /// From left to right.
    pub forward: HopDirection,
    /// From right to left.
    pub reverse: HopDirection,
}

/// One direction of a hop.
#[derive(Clone, Debug)]
pub struct HopDirection {
    /// Its rate; of one that varies, the mean.
    pub rate: Rate,
    /// The buffer before it.
    pub limit: Limit,
    /// The discipline of its queue.
    pub queue: QueueSpec,
    /// The share of packets that is lost.
    pub loss: f64,
    /// Mean length of a loss burst, where that is given.
    pub loss_burst: Option<f64>,
    /// How the rate varies about its mean, if it does.
    pub variation: Option<VariationPlan>,
    /// The shaper before the line, if there is one.
    pub shaper: Option<Shaper>,
    /// Rate and burst of the policer before the line, if there is one.
    pub policer: Option<Shaper>,
}

impl HopDirection {
    /// What passes in the long run.
    pub fn long_run_rate(&self) -> Rate {
        let shaper = self.shaper.map(|shaper| shaper.rate);
        shaper.map_or(self.rate, |rate| rate.min(self.rate))
    }
}

/// What a route carries: everything at the rate of its slowest line, and no more than the burst and
/// the rate of its shaper and of its policer.
#[derive(Clone, Copy, Debug)]
pub struct Capacity {
    /// The rate of the slowest line.
    pub line: Rate,
    /// Rate and burst of the shaper and of the policer, if there are any.
    pub buckets: [Option<Shaper>; 2],
}

impl Capacity {
    /// That of one direction of a hop.
    pub fn of(direction: &HopDirection) -> Capacity {
        Capacity {
            line: direction.rate,
            buckets: [direction.shaper, direction.policer],
        }
    }

    /// The minimum time for so many bytes, in seconds.
    pub fn secs(&self, bytes: u64) -> f64 {
        self.bucket_secs(bytes).max(seconds(bytes, self.line))
    }

    /// The minimum time in which shaper and policer let so many bytes pass, in seconds.
    pub fn bucket_secs(&self, bytes: u64) -> f64 {
        let buckets = self.buckets.iter().flatten();
        let times = buckets.map(|b| seconds(bytes.saturating_sub(b.burst), b.rate));
        times.fold(0.0, f64::max)
    }
}

fn seconds(bytes: u64, rate: Rate) -> f64 {
    bytes as f64 * 8.0 / rate.bps() as f64
}

/// What every host has.
#[derive(Clone, Debug)]
pub struct Hosts {
    /// Pairs of hosts that flows use in turn; every flow has its own where `None`.
    pub shared: Option<u32>,
    /// The rate of a host's own interface.
    pub nic_rate: Option<Rate>,
    /// Its access link.
    pub access: Option<Access>,
    /// How acknowledgements are aggregated on the last stage of their way.
    pub ack_aggregation: Option<StagePlan>,
    /// The way from a host's interface to its TCP, where that takes time.
    pub inside: Option<StagePlan>,
}

/// The access links of hosts.
#[derive(Clone, Copy, Debug)]
pub struct Access {
    /// Their rate; they take no time to transmit where `None`.
    pub rate: Option<Rate>,
    /// Their one-way delay.
    pub delay: Duration,
    /// Whether hosts on the left have them, and those on the right.
    pub at: [bool; 2],
}

impl Chain {
    /// Which pair of hosts a flow is between, where flows share them.
    pub fn pair_of(&self, flow: u32) -> Option<u32> {
        self.hosts.shared.map(|n| flow % n)
    }

    /// How many hops the chain has.
    pub fn hops(&self) -> u32 {
        self.hops.len() as u32
    }

    /// The buffer at the bottleneck, forward.
    pub fn buffer(&self) -> Limit {
        self.hops[self.narrowest(0, self.hops() - 1)].forward.limit
    }

    /// The bottleneck of data from left to right among hops `from..=to`.
    pub fn narrowest(&self, from: u32, to: u32) -> usize {
        (from as usize..=to as usize)
            .min_by_key(|i| self.hops[*i].forward.long_run_rate())
            .unwrap_or(0)
    }

    /// Two-way propagation between hosts that use hops `from..=to`.
    pub fn rtt(&self, from: u32, to: u32) -> Duration {
        let access = self.hosts.access.map_or(Duration::ZERO, |access| {
            let ends = access.at.iter().filter(|has| **has).count();
            access.delay.times(ends as u64)
        });
        let hops = &self.hops[from as usize..=to as usize];
        (hops.iter().map(|h| h.delay).sum::<Duration>() + access).times(2)
    }

    /// The slowest rate on the way of a flow's data, in the long run.
    pub fn bottleneck_rate(&self, from: u32, to: u32, reverse: bool) -> Rate {
        self.slowest(from, to, reverse, HopDirection::long_run_rate)
    }

    /// What a flow's data can pass at most.
    pub fn capacity(&self, from: u32, to: u32, reverse: bool) -> Capacity {
        // Only a chain of one hop has a shaper or a policer.
        let hop = match reverse {
            true => Capacity::of(&self.hops[0].reverse),
            false => Capacity::of(&self.hops[0].forward),
        };
        Capacity {
            line: self.slowest(from, to, reverse, |direction| direction.rate),
            ..hop
        }
    }

    /// What a packet takes at least in the queue that delays before the line, if there is one.
    pub fn delay_before_line(&self, reverse: bool) -> Duration {
        let directions = match &self.delay_queue {
            Some(queue) if queue.config.skip.is_none() => match (queue.loopback, reverse) {
                (true, _) => 1,
                (false, false) => 2,
                (false, true) => 0,
            },
            _ => 0,
        };
        self.hops[0].delay.times(directions)
    }

    /// The smallest delay of a flow's data, where its path has a round trip of `rtt`.
    pub fn one_way(&self, rtt: Duration, reverse: bool) -> Duration {
        if self.delay_queue.is_none() {
            return rtt.over(2);
        }
        let others = rtt.saturating_sub(self.hops[0].delay.times(2));
        others.over(2) + self.delay_before_line(reverse)
    }

    /// The smallest round trip on a path with a round trip of `rtt`: packets may skip the delay.
    pub fn least_rtt(&self, rtt: Duration) -> Duration {
        match &self.delay_queue {
            None => rtt,
            Some(_) => self.one_way(rtt, false) + self.one_way(rtt, true),
        }
    }

    fn slowest(&self, from: u32, to: u32, reverse: bool, rate: fn(&HopDirection) -> Rate) -> Rate {
        let rate = |hop: &Hop| match reverse {
            true => rate(&hop.reverse),
            false => rate(&hop.forward),
        };
        let hops = self.hops[from as usize..=to as usize].iter();
        let access = self.hosts.access.and_then(|access| access.rate);
        let slowest = hops.map(rate).chain(access).chain(self.hosts.nic_rate);
        slowest.min().unwrap_or(Rate(0))
    }

    /// The bandwidth-delay product at `rate` over `rtt`, in full-size packets.
    pub fn bdp_packets(&self, rate: Rate, rtt: Duration) -> u64 {
        rate.bytes_in(rtt) / u64::from(self.packet)
    }
}
