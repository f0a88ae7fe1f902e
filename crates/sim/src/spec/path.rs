//! A scenario's fields of the network.

use super::bounds::{holding, period, rate, time, within};
use super::definition::{Need, fields, names, needs, plain, text};
use super::error::{RequestError, out_of_range};
use flowstart_control::{Amount, Duration, Rate};
use flowstart_network::queue::BufferAccounting;
use flowstart_network::quick_start::Admission;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A packet counts the links that it has passed in a byte.
const MOST_HOPS: usize = 100;

const PER_HOP: Need<PathSpec> = needs(
    |path| path.hops.is_empty(),
    "contradicts `path.hops`; give it for each hop",
);
const ONE_BOTTLENECK: Need<PathSpec> = needs(
    |path| path.hops.is_empty(),
    "contradicts `path.hops`; only a path of one bottleneck has it",
);
const ACCESS: Need<PathSpec> = needs(
    |path| path.access_rate.is_some() || path.access_delay.is_some(),
    "there are no access links; give `path.access_rate` or `path.access_delay`",
);
const POLICER: Need<PathSpec> = needs(
    |path| path.policer_rate.is_some(),
    "there is no policer; give `path.policer_rate`",
);
const SHAPER: Need<PathSpec> = needs(
    |path| path.shaper_rate.is_some(),
    "there is no shaper; give `path.shaper_rate`",
);
const DELAY_QUEUE: Need<PathSpec> = needs(
    |path| path.delay_at.is_some(),
    "the delay is behind the line; give `path.delay_at`",
);
const DELAY_LIMIT: Need<PathSpec> = needs(
    |path| path.delay_limit.is_some(),
    "the delay has no limit; give `path.delay_limit`",
);
const SKIP: Need<PathSpec> = needs(
    |path| path.delay_skip.is_some(),
    "no packet skips the delay; give `path.delay_skip`",
);
const TWO_LINES: Need<PathSpec> = needs(
    |path| path.delay_at != Some(DelayAt::Loopback),
    "contradicts `path.delay_at`; on `loopback` both directions have one line",
);
const LOSS: Need<PathSpec> = needs(
    |path| path.loss().0 > 0.0,
    "there is no loss to come in bursts; give `path.loss`",
);
const REVERSE_LOSS: Need<PathSpec> = needs(
    |path| path.reverse_loss().0 > 0.0,
    "there is no loss to come in bursts; give `path.reverse_loss`",
);
const JITTER: Need<PathSpec> = needs(
    |path| path.jitter.is_some() || path.reverse_jitter.is_some(),
    "there is no jitter; give `path.jitter` or `path.reverse_jitter`",
);
const RIPPLE: Need<PathSpec> = needs(
    |path| path.ripple.is_some(),
    "there is no ripple; give `path.ripple`",
);
const ACK_BATCH: Need<PathSpec> = needs(
    |path| path.ack_batch.is_some(),
    "there are no batches to thin out; give `path.ack_batch`",
);

text!(Probability, BurstLength);
plain!(Side, DelayAt, QuickStartSpec);
names!(BufferAccounting, Admission);

fields! {
    /// The network: one bottleneck, or a chain of routers given as `hops`.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct PathSpec beside PathSpec {
        /// Rate of the bottleneck, such as `5Mbps`.
        #[flag("RATE")]
        #[check(rate)]
        #[needs(PER_HOP)]
        pub rate: Option<Rate>,
        /// Two-way propagation delay without serialisation, such as `64ms`.
        ///
        /// Half of it is added in each direction at the bottleneck.
        #[flag("TIME")]
        #[check(time)]
        #[needs(PER_HOP)]
        pub rtt: Option<Duration>,
        /// Buffer of the bottleneck, such as `60pkt`, `1bdp` or `90kB`.
        #[flag("SIZE")]
        #[usual("1bdp, at least 40pkt")]
        pub buffer: Option<Amount>,
        /// Queue discipline, with parameters: `codel`, `red:th_min=5,th_max=15`.
        ///
        /// Disciplines: `drop-tail`, `marked-first`, `red`, `choke`, `codel`, `fq-codel`, `pie`,
        /// `xcp` and `dualpi2`.
        #[flag("NAME")]
        #[usual("drop-tail; xcp with the startup xcp")]
        pub queue: Option<String>,
        /// Random, independent loss on the forward path before the queue, such as `1%`.
        #[flag("SHARE")]
        #[needs(PER_HOP)]
        pub loss: Option<Probability> = Probability(0.0),
        /// Rate of the reverse path.
        #[flag("RATE")]
        #[usual("as forward")]
        #[check(rate)]
        #[needs(PER_HOP, TWO_LINES)]
        pub reverse_rate: Option<Rate>,
        /// Buffer of the reverse path.
        #[flag("SIZE")]
        #[usual("as forward")]
        #[needs(PER_HOP, TWO_LINES)]
        pub reverse_buffer: Option<Amount>,
        /// Queue discipline of the reverse path.
        #[flag("NAME")]
        #[usual("as forward")]
        #[needs(PER_HOP, TWO_LINES)]
        pub reverse_queue: Option<String>,
        /// Random, independent loss on the reverse path.
        #[flag("SHARE")]
        #[needs(PER_HOP, TWO_LINES)]
        pub reverse_loss: Option<Probability> = Probability(0.0),
        /// Rate of each host's access link.
        ///
        /// Hosts have access links where this or `access_delay` is given.
        #[flag("RATE")]
        #[usual("unlimited")]
        #[check(rate)]
        pub access_rate: Option<Rate>,
        /// One-way delay of each access link, in addition to `rtt`.
        #[flag("TIME")]
        #[check(time)]
        #[needs(ACCESS)]
        pub access_delay: Option<Duration> = Duration::ZERO,
        /// Hosts with access links: `both` sides, `left` or `right`.
        #[flag("SIDE")]
        #[needs(ACCESS)]
        pub access_at: Option<Side> = Side::Both,
        /// Rate of each host's network interface, before its access link.
        #[flag("RATE")]
        #[usual("unlimited")]
        #[check(rate)]
        pub nic_rate: Option<Rate>,
        /// Forwarding rate of each router in packets per second, both directions together.
        ///
        /// A chain has a router before every hop and one after the last.
        #[flag("NUMBER")]
        #[usual("unlimited")]
        #[check(within(1..=1_000_000_000, "1 to 1 000 000 000 packets per second"))]
        pub router_pps: Option<u64>,
        /// Mahimahi trace of delivery opportunities, instead of `rate`.
        ///
        /// Each line is a time in whole milliseconds at which 1500 bytes can be delivered. After
        /// the last line the trace repeats.
        #[flag("FILE")]
        #[needs(ONE_BOTTLENECK)]
        pub rate_trace: Option<String>,
        /// Mahimahi trace of the reverse path, instead of `reverse_rate`.
        #[flag("FILE")]
        #[needs(ONE_BOTTLENECK, TWO_LINES)]
        pub reverse_rate_trace: Option<String>,
        /// Cycle of rates with their durations, instead of `rate`.
        ///
        /// In a file `[{ rate = "50Mbps", lasts = "10s" }, { rate = "0bps", lasts = "100ms" }]`, on
        /// the command line `50Mbps:10s,0bps:100ms`.
        #[flag("RATE:TIME,...")]
        #[check(each_step)]
        #[needs(ONE_BOTTLENECK)]
        pub rate_steps: Vec<RateStep>,
        /// Model of rate variation around `rate`: `steps:every=15s,spread=0.5`, `wander:sigma=0.4`.
        ///
        /// `steps` changes the rate at fixed intervals, `wander` models a radio channel. Both use
        /// the seed.
        #[flag("MODEL")]
        #[needs(ONE_BOTTLENECK)]
        pub rate_variation: Option<String>,
        /// Rate of a token-bucket policer before the bottleneck, on the forward path.
        ///
        /// Packets in excess of the rate and `policer_burst` are dropped; none is delayed.
        #[flag("RATE")]
        #[usual("no policer")]
        #[check(rate)]
        #[needs(ONE_BOTTLENECK)]
        pub policer_rate: Option<Rate>,
        /// Burst size of the policer, such as `100kB`.
        #[flag("SIZE")]
        #[needs(ONE_BOTTLENECK, POLICER)]
        pub policer_burst: Option<Amount>,
        /// Rate of a token-bucket shaper before the line, on the forward path.
        ///
        /// Packets in excess of the rate and `shaper_burst` wait in the buffer of the line. A burst
        /// passes at `rate`.
        #[flag("RATE")]
        #[usual("no shaper")]
        #[check(rate)]
        #[needs(ONE_BOTTLENECK)]
        pub shaper_rate: Option<Rate>,
        /// Burst size of the shaper, such as `10kB`.
        #[flag("SIZE")]
        #[needs(ONE_BOTTLENECK, SHAPER)]
        pub shaper_burst: Option<Amount>,
        /// Delay in a queue before the line: `forward`, or `loopback`.
        ///
        /// `forward` adds all of `rtt`, and `jitter`, on the forward path, as netem on an interface.
        /// On `loopback` both directions pass one queue and one line, as on `lo`. Random loss is
        /// before the queue.
        #[flag("WHERE")]
        #[usual("half in each direction, behind the line")]
        #[needs(ONE_BOTTLENECK)]
        pub delay_at: Option<DelayAt>,
        /// Number of packets that the queue of the delay holds; more are dropped.
        #[flag("NUMBER")]
        #[usual("unlimited")]
        #[check(within(1..=1_000_000_000, "1 to 1 000 000 000 packets"))]
        #[needs(ONE_BOTTLENECK, DELAY_QUEUE)]
        pub delay_limit: Option<u64>,
        /// Count of packets in the line's buffer and in transmission in `delay_limit`.
        #[flag("")]
        #[needs(ONE_BOTTLENECK, DELAY_LIMIT)]
        pub delay_limit_with_queue: Option<bool> = false,
        /// Share of packets that skip the delay, such as `25%`, and overtake others.
        #[flag("SHARE")]
        #[check(above_zero("a share of packets, above 0 to 1"))]
        #[needs(ONE_BOTTLENECK, DELAY_QUEUE)]
        pub delay_skip: Option<Probability>,
        /// Distance of packets that skip the delay: all but the last of so many do not.
        #[flag("NUMBER")]
        #[check(within(1..=1_000_000_000, "1 to 1 000 000 000 packets"))]
        #[needs(ONE_BOTTLENECK, SKIP)]
        pub delay_skip_gap: Option<u64> = 1u64,
        /// Weight of the previous draw in each draw for `delay_skip`, such as `50%`.
        ///
        /// As in netem, such draws are near a half, so that a small share becomes smaller.
        #[flag("SHARE")]
        #[needs(ONE_BOTTLENECK, SKIP)]
        pub delay_skip_correlation: Option<Probability> = Probability(0.0),
        /// Mean loss-burst length of `loss`, in packets.
        ///
        /// The model of Gilbert and Elliott, with `loss` as the mean share: all packets are lost
        /// in its bad state and none in its good one. No burst outlasts a pause of 100 ms.
        #[flag("NUMBER")]
        #[usual("independent losses")]
        #[needs(ONE_BOTTLENECK, LOSS)]
        pub loss_burst: Option<BurstLength>,
        /// Mean loss-burst length of `reverse_loss`, in packets.
        #[flag("NUMBER")]
        #[usual("independent losses")]
        #[needs(ONE_BOTTLENECK, REVERSE_LOSS)]
        pub reverse_loss_burst: Option<BurstLength>,
        /// Time between accesses to a shared medium: `4ms`, `exponential:mean=4ms`.
        ///
        /// All packets that arrived since the last access leave together, as on Wi-Fi. The two
        /// directions are independent. A value or a distribution.
        #[flag("TIME")]
        #[needs(ONE_BOTTLENECK)]
        pub aggregation: Option<String>,
        /// Extra delay on the forward path: `uniform:most=5ms`, `exponential:mean=2ms`.
        ///
        /// A value or a distribution.
        #[flag("TIME")]
        #[needs(ONE_BOTTLENECK)]
        pub jitter: Option<String>,
        /// Extra delay on the reverse path: a value or a distribution.
        #[flag("TIME")]
        #[needs(ONE_BOTTLENECK, TWO_LINES)]
        pub reverse_jitter: Option<String>,
        /// Duration of a draw of jitter.
        ///
        /// `15s` for a route that changes, `10ms` for a scheduler's frame.
        #[flag("TIME")]
        #[usual("one packet")]
        #[check(holding)]
        #[needs(ONE_BOTTLENECK, JITTER)]
        pub jitter_every: Option<Duration>,
        /// Reordering by jitter: packets with less delay overtake others.
        #[flag("")]
        #[needs(ONE_BOTTLENECK, JITTER)]
        pub reordering: Option<bool> = false,
        /// Peak-to-peak RTT variation: a sine from zero to this value on top of `rtt`.
        #[flag("TIME")]
        #[check(time)]
        #[needs(ONE_BOTTLENECK)]
        pub ripple: Option<Duration>,
        /// Period of the RTT variation.
        #[flag("TIME")]
        #[check(period)]
        #[needs(ONE_BOTTLENECK, RIPPLE)]
        pub ripple_period: Option<Duration>,
        /// Interval at which acknowledgements reach the data sender in batches.
        #[flag("TIME")]
        #[check(period)]
        pub ack_batch: Option<Duration>,
        /// Removal of all but the newest of a flow's plain acknowledgements in a batch.
        ///
        /// The filter of a modem produces such stretch acknowledgements.
        #[flag("")]
        #[needs(ACK_BATCH)]
        pub ack_thinning: Option<bool> = false,
        /// Buffer accounting: with (`ns2`) or without (`linux`) the packet in transmission.
        #[flag("NAME")]
        #[usual("the stack's")]
        pub buffer_accounting: Option<BufferAccounting>,
        /// Number of host pairs on a dumbbell, used in turn.
        #[flag("NUMBER")]
        #[usual("one for each flow")]
        #[check(pairs)]
        pub hosts: Option<u32>,
        /// Admission of rate requests by routers: `none`, `rfc`, `target:threshold=90%`.
        ///
        /// A table with `admission` in a scenario file.
        #[flag("RULE")]
        #[usual("the stack's")]
        #[check(quick_start)]
        pub quick_start: Option<QuickStartSpec>,
        /// A chain of routers, instead of `rate` and `rtt`.
        #[check(each_hop)]
        pub hops: Vec<HopSpec>,
    }
}

fields! {
    /// A rate that holds for some time.
    #[derive(Clone, Debug, PartialEq)]
    pub struct RateStep {
        required {
            /// Rate of the step; `0bps` for an outage.
            #[check(rate_or_outage)]
            pub rate: Rate,
            /// Duration of the step.
            #[check(holding)]
            pub lasts: Duration,
        }
    }
}

fields! {
    /// One link of a chain of routers, the same in both directions.
    #[derive(Clone, Debug, PartialEq)]
    pub struct HopSpec {
        required {
            /// Rate of the link.
            #[check(rate)]
            pub rate: Rate,
            /// One-way delay of the link.
            #[check(time)]
            pub delay: Duration,
        }
        /// Buffer of the link.
        #[usual("1bdp of the whole chain, at least 40pkt")]
        pub buffer: Option<Amount>,
        /// Queue discipline of the link, as in `path.queue`.
        #[usual("the path's")]
        pub queue: Option<String>,
        /// Random, independent loss on the forward path.
        pub loss: Option<Probability> = Probability(0.0),
        /// Support of Quick-Start's option by the routers at both ends of the link.
        #[usual("supported")]
        pub quick_start: Option<bool>,
    }
}

fields! {
    /// Routers that decide on rate requests (RFC 4782); absent fields are the stack's.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct QuickStartSpec {
        /// Rule of admission.
        pub admission: Option<Admission>,
        /// Utilisation above which no request is approved, such as `90%`.
        #[check(share)]
        pub threshold: Option<Probability>,
        /// Share of a link that may be allocated.
        #[check(share)]
        pub allocation: Option<Probability>,
        /// Minimum lifetime of an approval, and the interval over which utilisation is measured.
        #[check(state_delay)]
        pub state_delay: Option<Duration>,
        /// Maximum rate of one request under `share`.
        pub max_rate: Option<Rate>,
    }
}

fn rate_or_outage(field: &str, given: &Rate) -> Result<(), RequestError> {
    match given {
        Rate(0) => Ok(()),
        given => rate(field, given),
    }
}

fn each_step(field: &str, steps: &[RateStep]) -> Result<(), RequestError> {
    let mut steps = steps.iter().enumerate();
    steps.try_for_each(|(i, step)| step.check(&format!("{field}[{i}]")))
}

fn each_hop(field: &str, hops: &[HopSpec]) -> Result<(), RequestError> {
    if hops.len() > MOST_HOPS {
        let right = format!("a chain of at most {MOST_HOPS} hops");
        return Err(out_of_range(field, hops.len(), &right));
    }
    let mut hops = hops.iter().enumerate();
    hops.try_for_each(|(i, hop)| hop.check(&format!("{field}[{i}]")))
}

fn pairs(field: &str, hosts: &u32) -> Result<(), RequestError> {
    let problem = "`0` is not a pair of hosts; at least 1 is needed";
    match hosts {
        0 => Err(RequestError::new(field, problem)),
        _ => Ok(()),
    }
}

fn quick_start(field: &str, routers: &QuickStartSpec) -> Result<(), RequestError> {
    routers.check(field)
}

fn share(field: &str, share: &Probability) -> Result<(), RequestError> {
    above_zero("a share of the link, above 0 to 1")(field, share)
}

fn above_zero(right: &'static str) -> impl Fn(&str, &Probability) -> Result<(), RequestError> {
    move |field, share| match share.0 > 0.0 {
        true => Ok(()),
        false => Err(out_of_range(field, share, right)),
    }
}

fn state_delay(field: &str, given: &Duration) -> Result<(), RequestError> {
    match *given < Duration::from_millis(1) {
        true => Err(out_of_range(field, given, "at least 1ms")),
        false => time(field, given),
    }
}

/// Sides of a path; data of a forward flow goes from left to right.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Side {
    /// Left and right.
    #[default]
    Both,
    /// Where forward flows begin.
    Left,
    /// Where they end.
    Right,
}

/// Where a queue that delays packets is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DelayAt {
    /// On the forward path.
    Forward,
    /// On an interface that both directions pass.
    Loopback,
}

/// A probability, written `1%` or `0.01`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Probability(pub f64);

impl std::str::FromStr for Probability {
    type Err = String;
    fn from_str(text: &str) -> Result<Probability, String> {
        let (number, scale) = match text.trim().strip_suffix('%') {
            Some(number) => (number, 0.01),
            None => (text.trim(), 1.0),
        };
        number
            .parse::<f64>()
            .ok()
            .map(|p| p * scale)
            .filter(|p| (0.0..=1.0).contains(p))
            .map(Probability)
            .ok_or_else(|| format!("`{text}` is not a probability, such as `1%` or `0.01`"))
    }
}

impl fmt::Display for Probability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

impl Serialize for Probability {
    fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Probability {
    fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        String::deserialize(d)?
            .parse()
            .map_err(serde::de::Error::custom)
    }
}

/// Mean length of a loss burst in packets, written `5` or `5pkt`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BurstLength(pub f64);

impl std::str::FromStr for BurstLength {
    type Err = String;
    fn from_str(text: &str) -> Result<BurstLength, String> {
        let number = text.trim().strip_suffix("pkt").unwrap_or(text).trim();
        number
            .parse::<f64>()
            .ok()
            .filter(|n| (1.0..=1e6).contains(n))
            .map(BurstLength)
            .ok_or_else(|| {
                format!("`{text}` is not a mean number of packets from 1 on, such as `5`")
            })
    }
}

impl fmt::Display for BurstLength {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

impl Serialize for BurstLength {
    fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use flowstart_network::queue::QUEUES;
    use flowstart_network::variation::VARIATIONS;

    /// A path field's description in the schema.
    fn description(field: &str) -> String {
        let schema = crate::schema();
        let field = &schema["$defs"]["PathSpec"]["properties"][field];
        field["description"].as_str().unwrap().into()
    }

    #[test]
    fn the_schema_names_all_queues() {
        let description = description("queue");
        for entry in QUEUES {
            assert!(description.contains(entry.name), "{}", entry.name);
        }
    }

    #[test]
    fn the_schema_names_all_variations() {
        let description = description("rate_variation");
        for entry in VARIATIONS {
            assert!(description.contains(entry.name), "{}", entry.name);
        }
    }
}
