//! What a scenario says of people who read the web.

use super::flow::Direction;
use super::quantity::quantity;
use flowstart_control::{Amount, Rate, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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
    /// The rate at which the responses' start-up takes its host's interface to send, such as `1Gbps`: told,
    /// where `path.nic_rate` is a link. That of the first link on the way unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    #[serde(deserialize_with = "quantity")]
    pub interface_rate: Option<Rate>,
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
