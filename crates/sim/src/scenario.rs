//! The description of a run, as people write it, with its checks and error messages.
//!
//! This is the single source of truth for what a scenario may say: the Python models,
//! the command line and the JSON Schema all go through it.

use crate::network::queue::{BufferReading, QueueSpec};
use crate::network::quick_start::Admission;
use crate::network::topology::time;
use crate::tcp::receiver::AckPolicy;
use crate::tcp::stack::{RecoveryKind, Restart, Sharing, Stack, PRESETS};
use flowstart_control::startup::quick_start::RateCodes;
use flowstart_control::{Amount, Bytes, InitialWindow, Rate, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

pub use crate::request::RequestError;
use crate::request::{out_of_range, quantity, required, unknown, within};

/// One run: a path, the endpoints' stack, and the flows that cross the path.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// A name for reports.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Seed of all random streams.
    #[serde(default = "one")]
    pub seed: u64,
    /// Stop here, such as `60s`. By default the run ends when every flow has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    #[serde(deserialize_with = "quantity")]
    pub duration: Option<Time>,
    /// Record windows, sequence numbers and queues over time.
    #[serde(default)]
    pub trace: bool,
    /// The network between the hosts.
    pub path: PathSpec,
    /// The endpoints' behaviours.
    #[serde(default)]
    pub stack: StackSpec,
    /// The flows.
    #[serde(default)]
    pub flows: Vec<FlowSpec>,
    /// Sessions of people who read the web.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub web: Vec<WebSpec>,
}

fn one() -> u64 {
    1
}

/// The network: one bottleneck, or a chain of routers given as `hops`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PathSpec {
    /// Bottleneck rate, such as `5Mbps`.
    #[schemars(with = "Option<String>")]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(deserialize_with = "quantity")]
    pub rate: Option<Rate>,
    /// Two-way propagation without serialisation, half of it each way on the bottleneck.
    #[schemars(with = "Option<String>")]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(deserialize_with = "quantity")]
    pub rtt: Option<Time>,
    /// Bottleneck buffer, such as `60pkt`, `1bdp` (the default) or `100kB`.
    #[schemars(with = "Option<String>")]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(deserialize_with = "quantity")]
    pub buffer: Option<Amount>,
    /// The queue's discipline, with parameters: `drop-tail` (the default), `marked-first`,
    /// `red:th_min=5,th_max=15`, `choke`, `codel`, `fq-codel`, `pie`, `xcp` (the default where
    /// a flow's start-up is `xcp`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue: Option<String>,
    /// Random loss on the forward direction of the bottleneck, such as `1%`.
    #[schemars(with = "Option<String>")]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(deserialize_with = "quantity")]
    pub loss: Option<Probability>,
    /// Rate of the reverse direction; the same as `rate` unless given.
    #[schemars(with = "Option<String>")]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(deserialize_with = "quantity")]
    pub reverse_rate: Option<Rate>,
    /// Buffer of the reverse direction; the same as `buffer` unless given.
    #[schemars(with = "Option<String>")]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(deserialize_with = "quantity")]
    pub reverse_buffer: Option<Amount>,
    /// Discipline of the reverse direction's queue; the same as `queue` unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reverse_queue: Option<String>,
    /// Random loss on the reverse direction.
    #[schemars(with = "Option<String>")]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(deserialize_with = "quantity")]
    pub reverse_loss: Option<Probability>,
    /// Rate of an access link for every host; none unless this or its delay is given.
    #[schemars(with = "Option<String>")]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(deserialize_with = "quantity")]
    pub access_rate: Option<Rate>,
    /// One-way delay of every access link, in addition to `rtt`.
    #[schemars(with = "Option<String>")]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(deserialize_with = "quantity")]
    pub access_delay: Option<Time>,
    /// Which hosts have access links: `both` sides (the default), `left` or `right` only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub access_at: Option<Side>,
    /// Rate of every host's own interface, before its access link.
    #[schemars(with = "Option<String>")]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(deserialize_with = "quantity")]
    pub nic_rate: Option<Rate>,
    /// Packets per second that each router forwards, both directions together; a chain has
    /// a router before every hop and one after the last. Unlimited unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub router_pps: Option<u64>,
    /// Acknowledgements reach the data's sender in batches, at multiples of this time.
    #[schemars(with = "Option<String>")]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(deserialize_with = "quantity")]
    pub ack_batch: Option<Time>,
    /// Of a flow's plain acknowledgements in one batch only the newest goes on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ack_thinning: Option<bool>,
    /// Whether the packet in transmission takes a place in the buffer: `ns2` or `linux`.
    /// The default follows the stack.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub buffer_reading: Option<ReadingName>,
    /// Pairs of hosts on a dumbbell, used in turn; every flow has its own unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hosts: Option<u32>,
    /// How routers decide on Quick-Start's rate requests.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quick_start: Option<QuickStartSpec>,
    /// A chain of routers, instead of `rate` and `rtt`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hops: Vec<HopSpec>,
}

/// One link of a chain of routers, the same in both directions.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HopSpec {
    /// Its rate.
    #[schemars(with = "String")]
    #[serde(deserialize_with = "required")]
    pub rate: Rate,
    /// Its one-way delay.
    #[schemars(with = "String")]
    #[serde(deserialize_with = "required")]
    pub delay: Time,
    /// Its buffer; `1bdp` of the whole chain by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    #[serde(deserialize_with = "quantity")]
    pub buffer: Option<Amount>,
    /// Discipline of its queues, as in `path.queue`, which is the default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue: Option<String>,
    /// Random loss, forward.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    #[serde(deserialize_with = "quantity")]
    pub loss: Option<Probability>,
    /// Whether the routers at its ends know Quick-Start's option; they do by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quick_start: Option<bool>,
}

/// Routers that decide on rate requests (RFC 4782); what is left out is the stack's.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct QuickStartSpec {
    /// By which rule.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub admission: Option<AdmissionName>,
    /// Nothing is approved above this utilisation, such as `90%`.
    #[schemars(with = "Option<String>")]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(deserialize_with = "quantity")]
    pub threshold: Option<Probability>,
    /// The share of a link that may be allocated.
    #[schemars(with = "Option<String>")]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(deserialize_with = "quantity")]
    pub allocation: Option<Probability>,
    /// For how long an approval counts, at least; the length over which use is measured.
    #[schemars(with = "Option<String>")]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(deserialize_with = "quantity")]
    pub state_delay: Option<Time>,
    /// The most for one request under `share`.
    #[schemars(with = "Option<String>")]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(deserialize_with = "quantity")]
    pub max_rate: Option<Rate>,
}

/// Names of admission rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AdmissionName {
    /// The routers do not know the option.
    None,
    /// RFC 4782 appendix D.
    Rfc,
    /// ns-2's first: a share of what is free.
    Share,
    /// ns-2's second: all that is asked while the link is below the threshold.
    Minimal,
    /// ns-2's third: what is left below the allocation.
    Target,
    /// ns-2's fourth: everything.
    Everything,
}

impl From<AdmissionName> for Admission {
    fn from(name: AdmissionName) -> Admission {
        match name {
            AdmissionName::None => Admission::Ignorant,
            AdmissionName::Rfc => Admission::Rfc,
            AdmissionName::Share => Admission::Share,
            AdmissionName::Minimal => Admission::Minimal,
            AdmissionName::Target => Admission::Target,
            AdmissionName::Everything => Admission::Everything,
        }
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

/// How a buffer is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ReadingName {
    /// The packet in transmission counts.
    Ns2,
    /// It does not.
    Linux,
}

impl From<ReadingName> for BufferReading {
    fn from(name: ReadingName) -> BufferReading {
        match name {
            ReadingName::Ns2 => BufferReading::Ns2,
            ReadingName::Linux => BufferReading::Linux,
        }
    }
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

/// A preset and what departs from it.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct StackSpec {
    /// `rfc` (the default), `ns2` or `opnet`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preset: Option<String>,
    /// Maximum segment size, payload bytes, such as `1460B`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    #[serde(deserialize_with = "quantity")]
    pub mss: Option<Bytes>,
    /// Bytes of a data segment beside its payload, such as `40B`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    #[serde(deserialize_with = "quantity")]
    pub header: Option<Bytes>,
    /// Initial window: `rfc6928`, `rfc5681`, `rfc3390`, `rfc2581`, `rfc9002` or a number
    /// of segments.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    #[serde(deserialize_with = "quantity")]
    pub iw: Option<InitialWindow>,
    /// When the receiver acknowledges.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ack: Option<AckName>,
    /// How long a delayed acknowledgement may wait.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    #[serde(deserialize_with = "quantity")]
    pub ack_timer: Option<Time>,
    /// Segments per delayed acknowledgement.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ack_every: Option<u32>,
    /// Segments acknowledged at once before delaying begins.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ack_quick: Option<u32>,
    /// How loss is repaired.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recovery: Option<RecoveryName>,
    /// NextSeg rule 3 of RFC 6675.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_seg_rule_3: Option<bool>,
    /// NextSeg rule 4 of RFC 6675.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_seg_rule_4: Option<bool>,
    /// Limited transmit (RFC 3042).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limited_transmit: Option<bool>,
    /// NewReno: restart the timer on the first partial acknowledgement only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub newreno_impatient: Option<bool>,
    /// NewReno: deflate by what a partial acknowledgement covers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub newreno_partial_deflation: Option<bool>,
    /// Timeout before the first round-trip sample.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    #[serde(deserialize_with = "quantity")]
    pub rto_initial: Option<Time>,
    /// Lower bound of the timeout.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    #[serde(deserialize_with = "quantity")]
    pub rto_min: Option<Time>,
    /// Upper bound of the timeout.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    #[serde(deserialize_with = "quantity")]
    pub rto_max: Option<Time>,
    /// Clock granularity; under `ns2` the tick in which round trips are counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    #[serde(deserialize_with = "quantity")]
    pub tick: Option<Time>,
    /// Where in a tick an ns-2 host's clock starts, as a share of a tick.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tick_phase: Option<f64>,
    /// Pace by the round trip in whole ticks, as ns-2 does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub coarse_pacing: Option<bool>,
    /// The receiver's buffer in bytes or packets; unlimited by default under `rfc`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    #[serde(deserialize_with = "quantity")]
    pub window: Option<Amount>,
    /// Whether windows are scaled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window_scaling: Option<bool>,
    /// What happens to the window after an idle time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restart: Option<RestartName>,
    /// Let the window grow although the application limits the flight.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grow_when_app_limited: Option<bool>,
    /// Timeouts in a row after which a connection is given up; `0` for never.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_timeouts: Option<u32>,
    /// Hosts see packets only at interrupts, at least so far apart: 60us unless given, where
    /// `interrupt_max` is.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    #[serde(deserialize_with = "quantity")]
    pub interrupt_min: Option<Time>,
    /// And at most so far: 100us unless given, where `interrupt_min` is. With neither every
    /// packet is seen at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    #[serde(deserialize_with = "quantity")]
    pub interrupt_max: Option<Time>,
    /// What it takes a host to read one SACK block.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    #[serde(deserialize_with = "quantity")]
    pub sack_cost: Option<Time>,
    /// How Quick-Start's rates are coded: `powers` (RFC 4782) or `linear` (ns-2's function 1).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate_codes: Option<RateCodesName>,
    /// What connections between the same hosts leave behind for each other (RFC 9040).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sharing: Option<SharingName>,
    /// How long a memory stays good.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    #[serde(deserialize_with = "quantity")]
    pub sharing_lifetime: Option<Time>,
    /// The largest window that a memory opens, in segments.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sharing_cap: Option<u32>,
}

/// Names of acknowledgement policies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AckName {
    /// Every segment.
    Every,
    /// Every second, or after a timer.
    Delayed,
    /// The first sixteen at once, then delayed.
    QuickThenDelayed,
}

/// Names of recoveries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RecoveryName {
    /// Timer only.
    GoBackN,
    /// Fast retransmit, then slow start.
    Tahoe,
    /// RFC 2581.
    Reno,
    /// RFC 6582.
    Newreno,
    /// RFC 6675.
    Sack,
    /// ns-2's Sack1.
    Ns2Sack,
}

/// Names of restart rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RestartName {
    /// The initial window.
    InitialWindow,
    /// One segment.
    One,
    /// The window is kept.
    Keep,
}

/// Names of codes of rates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RateCodesName {
    /// 40 kbit/s times a power of two.
    Powers,
    /// Multiples of 10 240 bytes a second.
    Linear,
}

impl From<RateCodesName> for RateCodes {
    fn from(name: RateCodesName) -> RateCodes {
        match name {
            RateCodesName::Powers => RateCodes::Powers,
            RateCodesName::Linear => RateCodes::Linear,
        }
    }
}

/// Names of what connections leave behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SharingName {
    /// Nothing.
    None,
    /// A memory for start-ups that use one.
    Remember,
    /// New connections open with what closed ones left.
    Temporal,
    /// New connections share the windows of open ones.
    Ensemble,
}

impl From<SharingName> for Sharing {
    fn from(name: SharingName) -> Sharing {
        match name {
            SharingName::None => Sharing::None,
            SharingName::Remember => Sharing::Remember,
            SharingName::Temporal => Sharing::Temporal,
            SharingName::Ensemble => Sharing::Ensemble,
        }
    }
}

/// One flow, or `count` of them.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct FlowSpec {
    /// The start-up, with parameters: `limited-slow-start:max_ssthresh=50`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub startup: Option<String>,
    /// The congestion avoidance; the stack's unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub avoidance: Option<String>,
    /// Bytes to transfer, such as `100kB` or `64pkt`; without limit unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    #[serde(deserialize_with = "quantity")]
    pub size: Option<Amount>,
    /// Maximum segment size of these flows; the stack's unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    #[serde(deserialize_with = "quantity")]
    pub mss: Option<Bytes>,
    /// When the first opens.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    #[serde(deserialize_with = "quantity")]
    pub start: Option<Time>,
    /// How many flows of this kind.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<u32>,
    /// Time from one opening to the next.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    #[serde(deserialize_with = "quantity")]
    pub interval: Option<Time>,
    /// Each opening is moved by a uniform draw from zero to this.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    #[serde(deserialize_with = "quantity")]
    pub jitter: Option<Time>,
    /// Which way the data goes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub direction: Option<Direction>,
    /// This flow's own two-way propagation; what exceeds the path's lies on its access.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    #[serde(deserialize_with = "quantity")]
    pub rtt: Option<Time>,
    /// Whether a handshake opens the connection; `false` starts with data on a
    /// connection whose round trip is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub handshake: Option<bool>,
    /// The window that an earlier connection left behind, such as `1bdp` or `40pkt`, for
    /// start-ups that use a memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    #[serde(deserialize_with = "quantity")]
    pub remembered: Option<Amount>,
    /// Application writes on one connection, instead of `size`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub writes: Vec<WriteSpec>,
    /// Enter the chain at this hop, counted from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from_hop: Option<u32>,
    /// Leave the chain after this hop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to_hop: Option<u32>,
    /// Lose these packets at the bottleneck, the SYN being number 0.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub forced_drops: Vec<u64>,
}

/// An application write.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WriteSpec {
    /// When, counted from the flow's start.
    #[schemars(with = "String")]
    #[serde(deserialize_with = "required")]
    pub at: Time,
    /// How much.
    #[schemars(with = "String")]
    #[serde(deserialize_with = "required")]
    pub size: Amount,
}

/// Which way a flow's data goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Direction {
    /// With the path.
    #[default]
    Forward,
    /// Against it.
    Reverse,
    /// Flows of an entry take turns, the first forward.
    Alternate,
}

/// Web sessions as ns-2 generates them: a session reads page after page, a page is a number
/// of objects that are asked for one after the other without waiting, and an object is a
/// request that a response answers. Variables are distributions, such as
/// `exponential:mean=0.5s` or `pareto2:mean=4,shape=1.2`, or plain values.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct WebSpec {
    /// The responses' start-up, with parameters; requests always use slow start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub startup: Option<String>,
    /// The responses' congestion avoidance; the stack's unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub avoidance: Option<String>,
    /// How many sessions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sessions: Option<u32>,
    /// When the first begins.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    #[serde(deserialize_with = "quantity")]
    pub start: Option<Time>,
    /// Time from one session's beginning to the next one's; a distribution.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(deserialize_with = "quantity")]
    pub interval: Option<String>,
    /// Pages of a session; a distribution.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(deserialize_with = "quantity")]
    pub pages: Option<String>,
    /// Time between pages; a distribution.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(deserialize_with = "quantity")]
    pub page_pause: Option<String>,
    /// Whether that is counted from the `end` of a page, when its last object is done (the
    /// default), or from its `start`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page_pause_from: Option<PauseFrom>,
    /// Objects of a page; a distribution.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(deserialize_with = "quantity")]
    pub objects: Option<String>,
    /// Time from one request of a page to the next; a distribution.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(deserialize_with = "quantity")]
    pub object_pause: Option<String>,
    /// Packets of an object; a distribution.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(deserialize_with = "quantity")]
    pub size: Option<String>,
    /// Packets that no object exceeds; larger ones are cut, and marked so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_size: Option<u64>,
    /// What a request takes, such as `1pkt` (the default) or `300B`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    #[serde(deserialize_with = "quantity")]
    pub request: Option<Amount>,
    /// Whether the response comes on the request's connection, as soon as the server has the
    /// request. Otherwise, as in ns-2, the server opens a connection of its own when the
    /// request has been acknowledged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub single_connection: Option<bool>,
    /// Which way responses go: `forward` has the servers on the left. Sessions of an entry
    /// take turns under `alternate`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub direction: Option<Direction>,
    /// Hosts that read; each session is at one of them. With `path.hosts` they are the first
    /// of those, otherwise hosts of their own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clients: Option<u32>,
    /// Hosts that answer; each page comes from one of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub servers: Option<u32>,
    /// Responses enter the chain at this hop, counted from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from_hop: Option<u32>,
    /// And leave it after this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to_hop: Option<u32>,
}

/// From when the pause between pages is counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PauseFrom {
    /// From the moment when the page's last object is done.
    #[default]
    End,
    /// From the page's first request; pages may overlap.
    Start,
}

impl Scenario {
    /// Reads a scenario from JSON.
    pub fn from_json(text: &str) -> Result<Scenario, RequestError> {
        let value = serde_json::from_str(text).map_err(|e| {
            let place = format!("line {}, column {}", e.line(), e.column());
            RequestError::new(place, without_place(&e.to_string()))
        })?;
        Scenario::from_value(value)
    }

    /// Reads a scenario from TOML.
    pub fn from_toml(text: &str) -> Result<Scenario, RequestError> {
        let table: toml::Table = text.parse().map_err(|e| syntax(text, &e))?;
        let value = serde_json::to_value(table);
        Scenario::from_value(value.map_err(|e| RequestError::new("", e.to_string()))?)
    }

    fn from_value(value: serde_json::Value) -> Result<Scenario, RequestError> {
        if !value.is_object() {
            let problem = "a scenario is a table with `path` and `flows`";
            return Err(RequestError::new("", problem));
        }
        let is_silent = value.get("flows").or(value.get("web")).is_none();
        let scenario = serde_path_to_error::deserialize(value).map_err(|e| {
            RequestError::from_reader(&e.path().to_string(), &e.inner().to_string())
        })?;
        match is_silent {
            true => Err(RequestError::from_reader("", "missing field `flows`")),
            false => Ok(scenario),
        }
    }

    /// The endpoints' stack with every override applied.
    pub fn stack(&self) -> Result<Stack, RequestError> {
        self.stack.resolve(None)
    }

    /// The discipline of queues of which the path says nothing: what a flow's start-up cannot
    /// do without, else drop-tail.
    pub(crate) fn usual_queue(&self) -> QueueSpec {
        let flows = self.flows.iter().map(|flow| &flow.startup);
        let web = self.web.iter().map(|web| &web.startup);
        QueueSpec::usual(flows.chain(web).filter_map(|startup| startup.as_deref()))
    }
}

/// The JSON Schema of a scenario, for editors.
pub fn schema() -> serde_json::Value {
    schemars::schema_for!(Scenario).to_value()
}

/// A JSON reader's message without the place, which stands before it.
fn without_place(message: &str) -> &str {
    message
        .rsplit_once(" at line ")
        .map_or(message, |(message, _)| message)
}

fn syntax(text: &str, error: &toml::de::Error) -> RequestError {
    let at = error.span().map_or(0, |span| span.start.min(text.len()));
    let line = text[..at].matches('\n').count() + 1;
    RequestError::new(format!("line {line}"), error.message().replace('\n', ", "))
}

impl StackSpec {
    /// The preset with every override applied, for flows whose segments are of this
    /// size where that is not the stack's own.
    pub(crate) fn resolve(&self, mss: Option<u32>) -> Result<Stack, RequestError> {
        let name = self.preset.as_deref().unwrap_or("rfc");
        let mut stack =
            Stack::preset(name).ok_or_else(|| unknown("stack.preset", name, &PRESETS))?;
        if let Some(mss) = self.mss {
            stack.mss = segment_size("stack.mss", mss)?;
        }
        set(&mut stack.mss, mss);
        if let Some(header) = self.header {
            let right = "a header of 0 B to 1 kB";
            stack.header = within("stack.header", header.0, 0, 1000, right)? as u32;
        }
        stack.ack = self.ack_policy(stack.ack)?;
        stack.window = match self.window {
            Some(window) => Some(self.window_bytes(window, &stack)?),
            None => stack.usual_window(),
        };
        self.override_recovery(&mut stack);
        self.override_timer(&mut stack)?;
        set(&mut stack.iw, self.iw);
        set(&mut stack.coarse_pacing, self.coarse_pacing);
        set(&mut stack.window_scaling, self.window_scaling);
        set(&mut stack.grow_when_app_limited, self.grow_when_app_limited);
        if let Some(max) = self.max_timeouts {
            stack.max_timeouts = (max > 0).then_some(max);
        }
        set(&mut stack.rate_codes, self.rate_codes.map(Into::into));
        stack.interrupts = self.interrupts()?;
        if let Some(cost) = self.sack_cost {
            stack.sack_cost = time("stack.sack_cost", cost)?;
        }
        self.override_sharing(&mut stack)?;
        if let Some(restart) = self.restart {
            stack.restart = match restart {
                RestartName::InitialWindow => Restart::InitialWindow,
                RestartName::One => Restart::One,
                RestartName::Keep => Restart::Keep,
            };
        }
        Ok(stack)
    }

    fn override_recovery(&self, stack: &mut Stack) {
        if let Some(recovery) = self.recovery {
            stack.recovery = match recovery {
                RecoveryName::GoBackN => RecoveryKind::GoBackN,
                RecoveryName::Tahoe => RecoveryKind::Tahoe,
                RecoveryName::Reno => RecoveryKind::Reno,
                RecoveryName::Newreno => RecoveryKind::NewReno,
                RecoveryName::Sack => RecoveryKind::Sack,
                RecoveryName::Ns2Sack => RecoveryKind::Ns2Sack,
            };
        }
        set(&mut stack.next_seg_rule_3, self.next_seg_rule_3);
        set(&mut stack.next_seg_rule_4, self.next_seg_rule_4);
        set(&mut stack.limited_transmit, self.limited_transmit);
        set(&mut stack.newreno.impatient, self.newreno_impatient);
        set(
            &mut stack.newreno.partial_deflation,
            self.newreno_partial_deflation,
        );
    }

    fn interrupts(&self) -> Result<Option<(Time, Time)>, RequestError> {
        const USUAL: (Time, Time) = (Time::from_micros(60), Time::from_micros(100));
        if self.interrupt_min.is_none() && self.interrupt_max.is_none() {
            return Ok(None);
        }
        let most = self.interrupt_max.unwrap_or(USUAL.1);
        let least = self.interrupt_min.unwrap_or(USUAL.0.min(most));
        if least > most {
            let right = format!("at least `{least}` (stack.interrupt_min)");
            return Err(out_of_range("stack.interrupt_max", most, &right));
        }
        Ok(Some((least, time("stack.interrupt_max", most)?)))
    }

    fn override_sharing(&self, stack: &mut Stack) -> Result<(), RequestError> {
        set(&mut stack.sharing, self.sharing.map(Into::into));
        set(&mut stack.sharing_lifetime, self.sharing_lifetime);
        if let Some(cap) = self.sharing_cap {
            let right = "at least 1 segment";
            within("stack.sharing_cap", u64::from(cap), 1, u64::MAX, right)?;
            stack.sharing_cap = f64::from(cap);
        }
        Ok(())
    }

    fn override_timer(&self, stack: &mut Stack) -> Result<(), RequestError> {
        let rto = Arc::make_mut(&mut stack.rto);
        set(&mut rto.initial, self.rto_initial);
        set(&mut rto.min, self.rto_min);
        set(&mut rto.max, self.rto_max);
        set(&mut rto.granularity, self.tick);
        if rto.granularity == Time::ZERO {
            return Err(RequestError::new(
                "stack.tick",
                "`0s` is no clock; a positive time is needed",
            ));
        }
        for (field, bound) in [
            ("stack.rto_initial", rto.initial),
            ("stack.rto_max", rto.max),
        ] {
            // Backing off from nothing gets nowhere.
            if bound < Time::from_millis(1) {
                return Err(out_of_range(field, bound, "at least 1ms"));
            }
        }
        if rto.min > rto.max {
            let problem = format!(
                "`{}` is above the upper bound `{}` (stack.rto_max)",
                rto.min, rto.max
            );
            return Err(RequestError::new("stack.rto_min", problem));
        }
        let Some(phase) = self.tick_phase else {
            return Ok(());
        };
        match &mut rto.ticks {
            _ if !(0.0..1.0).contains(&phase) => {
                let problem = format!("`{phase}` is not a share of a tick, from 0 to below 1");
                Err(RequestError::new("stack.tick_phase", problem))
            }
            None => Err(RequestError::new(
                "stack.tick_phase",
                "only the `ns2` stack counts in ticks",
            )),
            Some(ticks) => {
                ticks.phase = phase;
                Ok(())
            }
        }
    }

    fn window_bytes(&self, window: Amount, stack: &Stack) -> Result<u32, RequestError> {
        let bytes = match window {
            Amount::Bytes(n) => n,
            Amount::Packets(n) => n.saturating_mul(u64::from(stack.mss)),
            Amount::Bdp(_) => {
                let problem = format!("`{window}` depends on the path; give bytes or packets");
                return Err(RequestError::new("stack.window", problem));
            }
        };
        let least = u64::from(stack.mss);
        let right = "a window of one segment to 4 GB";
        Ok(within("stack.window", bytes, least, u64::from(u32::MAX) - 1, right)? as u32)
    }

    fn ack_policy(&self, preset: AckPolicy) -> Result<AckPolicy, RequestError> {
        const QUICK: u32 = 16;
        let name = self.ack.unwrap_or(match preset {
            AckPolicy::Every => AckName::Every,
            AckPolicy::Delayed { .. } => AckName::Delayed,
            AckPolicy::QuickThenDelayed { .. } => AckName::QuickThenDelayed,
        });
        // ns-2's DelAck sink waits 100 ms; the RFCs' practice is 200 ms.
        let ns2 = self.preset.as_deref() == Some("ns2");
        let usual = Time::from_millis(if ns2 { 100 } else { 200 });
        let timer = self.ack_timer.unwrap_or(usual);
        let every = self.ack_every.unwrap_or(2);
        within(
            "stack.ack_every",
            u64::from(every),
            1,
            1000,
            "1 to 1000 segments",
        )?;
        Ok(match name {
            AckName::Every => AckPolicy::Every,
            AckName::Delayed => AckPolicy::Delayed { every, timer },
            AckName::QuickThenDelayed => AckPolicy::QuickThenDelayed {
                quick: self.ack_quick.unwrap_or(QUICK),
                every,
                timer,
            },
        })
    }
}

/// A segment size that can be.
pub(crate) fn segment_size(field: &str, mss: Bytes) -> Result<u32, RequestError> {
    Ok(within(field, mss.0, 1, 65_000, "a segment of 1 B to 65 kB")? as u32)
}

fn set<T: Clone>(field: &mut T, given: Option<T>) {
    if let Some(value) = given {
        *field = value;
    }
}
