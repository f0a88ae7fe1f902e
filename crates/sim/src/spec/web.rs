//! What a scenario says of people who read the web.

use super::bounds::{rate, within};
use super::definition::{fields, plain, text};
use super::flow::{Direction, Startup};
use super::stack::StackSpec;
use flowstart_control::{Amount, Rate, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::convert::Infallible;
use std::fmt;
use std::str::FromStr;

text!(DrawnText);
plain!(PauseFrom);

fields! {
    /// Web sessions as ns-2 generates them.
    ///
    /// A session reads page after page, a page is a number of objects that are asked for one after
    /// the other without waiting, and an object is a request that a response answers. Variables
    /// are distributions, such as `exponential:mean=0.5s` or `pareto2:mean=4,shape=1.2`, or plain
    /// values.
    #[derive(Clone, Debug, Default)]
    pub struct WebSpec {
        /// The responses' startup, with parameters; requests always use slow start.
        ///
        /// Under comparison it is left out where it is what is compared.
        pub startup: Option<Startup> = "slow-start",
        /// The responses' congestion avoidance.
        #[usual("the stack's")]
        pub cc: Option<String>,
        /// Fields of the stack that are the responses' own, in place of the scenario's.
        ///
        /// As for `flows.stack`.
        #[usual("the scenario's")]
        pub stack: Option<StackSpec>,
        /// The rate at which the responses' startup takes its host's interface to send: `1Gbps`.
        ///
        /// It is told, where `path.nic_rate` is a link.
        #[usual("that of the first link on the way")]
        #[check(rate)]
        pub interface_rate: Option<Rate>,
        /// How many sessions.
        #[check(within(1..=1_000_000, "1 to 1 000 000 sessions"))]
        pub sessions: Option<u32> = 1u32,
        /// When the first begins.
        pub start: Option<Time> = Time::ZERO,
        /// Time from one session's beginning to the next one's; a distribution.
        pub interval: Option<DrawnText> = "0s",
        /// Pages of a session; a distribution.
        pub pages: Option<DrawnText> = "1",
        /// Time between pages; a distribution.
        pub page_pause: Option<DrawnText> = "0s",
        /// Whether that is counted from the `end` of a page, or from its `start`.
        ///
        /// A page ends when its last object is done.
        pub page_pause_from: Option<PauseFrom> = PauseFrom::End,
        /// Objects of a page; a distribution.
        pub objects: Option<DrawnText> = "1",
        /// Time from one request of a page to the next; a distribution.
        pub object_pause: Option<DrawnText> = "0s",
        /// Packets of an object; a distribution.
        pub size: Option<DrawnText>,
        /// Packets that no object exceeds; larger ones are cut, and marked so.
        #[usual("no limit")]
        pub max_size: Option<u64>,
        /// What a request takes, such as `1pkt` or `300B`.
        pub request: Option<Amount> = Amount::Packets(1),
        /// Whether the response comes on the request's connection, as soon as the server has the
        /// request.
        ///
        /// Otherwise, as in ns-2, the server opens a connection of its own when the request has
        /// been acknowledged.
        pub single_connection: Option<bool> = false,
        /// Which way responses go: `forward` has the servers on the left.
        ///
        /// Sessions of an entry take turns under `alternate`.
        pub direction: Option<Direction> = Direction::Forward,
        /// Hosts that read; each session is at one of them.
        ///
        /// With `path.hosts` they are the first of those, otherwise hosts of their own.
        pub clients: Option<u32> = 1u32,
        /// Hosts that answer; each page comes from one of them.
        pub servers: Option<u32> = 1u32,
        /// Responses enter the chain at this hop, counted from 0.
        pub from_hop: Option<u32> = 0u32,
        /// And leave it after this one.
        #[usual("the last")]
        pub to_hop: Option<u32>,
    }
}

/// A distribution as text, or a plain value, which may be a number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DrawnText(pub String);

impl FromStr for DrawnText {
    type Err = Infallible;
    fn from_str(text: &str) -> Result<DrawnText, Infallible> {
        Ok(text.into())
    }
}

impl From<&str> for DrawnText {
    fn from(text: &str) -> DrawnText {
        DrawnText(text.into())
    }
}

impl fmt::Display for DrawnText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Serialize for DrawnText {
    fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_str(self)
    }
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
