//! What a scenario says of its flows.

use super::quantity::{quantity, required};
use flowstart_control::{Amount, Bytes, Rate, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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
    /// The rate at which a start-up takes its host's interface to send, such as `1Gbps`: told,
    /// where `path.nic_rate` is a link. That of the first link on the way unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    #[serde(deserialize_with = "quantity")]
    pub interface_rate: Option<Rate>,
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
