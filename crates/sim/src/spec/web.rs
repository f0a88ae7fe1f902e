//! A scenario's fields of web sessions.

use super::bounds::{rate, within};
use super::definition::{fields, plain};
use super::drawn::DrawnText;
use super::flow::{Direction, Startup};
use super::stack::StackSpec;
use flowstart_control::{Amount, Duration, Rate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

plain!(PauseFrom);

fields! {
    /// Web sessions as ns-2 generates them.
    ///
    /// A session reads pages in sequence. A page has a number of objects, whose requests do not
    /// wait for each other. An object is a request and its response. Variables are distributions,
    /// such as `exponential:mean=0.5s` or `pareto2:mean=4,shape=1.2`, or plain values.
    #[derive(Clone, Debug, Default)]
    pub struct WebSpec {
        /// Startup of responses, with parameters; requests always use slow start.
        ///
        /// A comparison sets the startup of entries without one.
        pub startup: Option<Startup> = "slow-start",
        /// Congestion control of responses after startup.
        #[usual("the stack's")]
        pub cc: Option<String>,
        /// Fields of the stack that override the scenario's for responses.
        ///
        /// As for `flows.stack`.
        #[usual("the scenario's")]
        pub stack: Option<StackSpec>,
        /// Interface rate that the responses' startup assumes for its host, such as `1Gbps`.
        ///
        /// It is information for the startup only; `path.nic_rate` is a link.
        #[usual("that of the first link on the way")]
        #[check(rate)]
        pub interface_rate: Option<Rate>,
        /// Number of sessions.
        #[check(within(1..=1_000_000, "1 to 1 000 000 sessions"))]
        pub sessions: Option<u32> = 1u32,
        /// Start of the first session.
        pub start: Option<Duration> = Duration::ZERO,
        /// Time between the starts of sessions; a distribution.
        pub interval: Option<DrawnText> = "0s",
        /// Number of pages of a session; a distribution.
        pub pages: Option<DrawnText> = "1",
        /// Time between pages; a distribution.
        pub page_pause: Option<DrawnText> = "0s",
        /// Start of `page_pause`: the `end` of a page, or its `start`.
        ///
        /// A page ends when its last object is done.
        pub page_pause_from: Option<PauseFrom> = PauseFrom::End,
        /// Number of objects of a page; a distribution.
        pub objects: Option<DrawnText> = "1",
        /// Time between the requests of a page; a distribution.
        pub object_pause: Option<DrawnText> = "0s",
        /// Size of an object in packets; a distribution.
        pub size: Option<DrawnText>,
        /// Maximum size of an object in packets; larger ones are truncated, and marked so.
        #[usual("no limit")]
        pub max_size: Option<u64>,
        /// Size of a request, such as `1pkt` or `300B`.
        pub request: Option<Amount> = Amount::Packets(1),
        /// Response on the request's connection, as soon as the server has the request.
        ///
        /// Otherwise, as in ns-2, the server opens a separate connection when the request has been
        /// acknowledged.
        pub single_connection: Option<bool> = false,
        /// Direction of responses: `forward` has the servers on the left.
        ///
        /// Sessions of an entry take turns with `alternate`.
        pub direction: Option<Direction> = Direction::Forward,
        /// Number of clients; each session is at one of them.
        ///
        /// With `path.hosts` they are the first of those, otherwise separate hosts.
        pub clients: Option<u32> = 1u32,
        /// Number of servers; each page comes from one of them.
        pub servers: Option<u32> = 1u32,
        /// First hop of responses, counted from 0.
        pub from_hop: Option<u32> = 0u32,
        /// Last hop of responses.
        #[usual("the last")]
        pub to_hop: Option<u32>,
    }
}

/// Start of the pause between pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PauseFrom {
    /// From the moment when the page's last object is done.
    #[default]
    End,
    /// From the page's first request; pages may overlap.
    Start,
}
