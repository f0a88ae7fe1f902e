//! What a scenario says of the network.

use super::quantity::{quantity, required};
use flowstart_control::{Amount, Rate, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

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
    /// Bottleneck buffer, such as `60pkt`, `1bdp` or `100kB`; 1 BDP but at least 40 packets unless
    /// given.
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
    /// A file of delivery opportunities instead of `rate`, as Mahimahi has them: on each line a
    /// time in milliseconds at which 1500 bytes can be delivered, over and over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate_trace: Option<String>,
    /// The same for the reverse direction, instead of `reverse_rate`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reverse_rate_trace: Option<String>,
    /// Rates one after the other, over and over, instead of `rate`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rate_steps: Vec<RateStep>,
    /// How the forward rate varies about `rate`, with parameters: `steps:every=15s,spread=0.5`
    /// for another rate at fixed intervals, `wander:sigma=0.4` for a radio channel.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate_variation: Option<String>,
    /// A token-bucket policer before the bottleneck, forward: what it lets pass in the long
    /// run. It drops what exceeds.
    #[schemars(with = "Option<String>")]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(deserialize_with = "quantity")]
    pub policer_rate: Option<Rate>,
    /// What the policer lets pass at once, such as `100kB`.
    #[schemars(with = "Option<String>")]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(deserialize_with = "quantity")]
    pub policer_burst: Option<Amount>,
    /// Random loss strikes so many packets in a row, on average: Gilbert's model, with `loss`
    /// as the mean share. No burst outlasts a pause of 100 ms.
    #[schemars(with = "Option<String>")]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(deserialize_with = "quantity")]
    pub loss_burst: Option<BurstLength>,
    /// The same of `reverse_loss`.
    #[schemars(with = "Option<String>")]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(deserialize_with = "quantity")]
    pub reverse_loss_burst: Option<BurstLength>,
    /// Packets pass a shared medium, such as Wi-Fi, in bursts: the time from one access to the
    /// next, each direction by itself, as a constant or a distribution, such as `4ms` or
    /// `exponential:mean=4ms`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aggregation: Option<String>,
    /// Delay on top of the path's, forward: a distribution, such as `uniform:most=5ms`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jitter: Option<String>,
    /// The same on the reverse direction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reverse_jitter: Option<String>,
    /// A draw of jitter holds for so long; every packet has its own unless given.
    #[schemars(with = "Option<String>")]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(deserialize_with = "quantity")]
    pub jitter_every: Option<Time>,
    /// Whether jitter lets packets overtake others; they stay in order unless it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reordering: Option<bool>,
    /// How far the round trip swings, on top of `rtt`: a sine from zero to this.
    #[schemars(with = "Option<String>")]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(deserialize_with = "quantity")]
    pub ripple: Option<Time>,
    /// How long a swing takes, there and back.
    #[schemars(with = "Option<String>")]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(deserialize_with = "quantity")]
    pub ripple_period: Option<Time>,
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

/// A rate that holds for some time.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RateStep {
    /// The rate; `0bps` for an outage.
    #[schemars(with = "String")]
    #[serde(deserialize_with = "required")]
    pub rate: Rate,
    /// For how long.
    #[schemars(with = "String")]
    #[serde(deserialize_with = "required")]
    pub lasts: Time,
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
    /// Its buffer; 1 BDP of the whole chain, but at least 40 packets, unless given.
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
    /// The packet in transmission does not count.
    Linux,
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

/// How many packets are lost in a row on average, written `5` or `5pkt`.
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

    /// What the schema says of a field of a path.
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
