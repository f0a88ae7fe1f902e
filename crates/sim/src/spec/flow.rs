//! What a scenario says of its flows.

use super::bounds::{rate, segment_size, time, within};
use super::definition::{fields, needs, plain, required, text, Need, Value};
use super::error::RequestError;
use super::stack::{phase, StackSpec};
use flowstart_control::{Amount, Bytes, Rate, Time};
use schemars::JsonSchema;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};
use std::collections::BTreeMap;

/// The name of a startup, with parameters; Python takes a class as well.
pub type Startup = String;

text!(Amount, Bytes, Rate, Time);
plain!(AfterFlowSpec, AfterSpec, Direction, Opener, StackSpec);

const OPENS_AT_A_TIME: Need<FlowSpec> = needs(
    |flow| flow.start_after.is_none(),
    "`start_after` says when it opens",
);
const WRITES_AT_A_TIME: Need<FlowSpec> = needs(
    |flow| {
        flow.writes
            .first()
            .is_none_or(|write| write.after.is_none())
    },
    "the first write waits for another flow",
);

/// Positions of packets, each with a delay.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Delays(BTreeMap<u64, Time>);

impl Delays {
    /// Positions and delays, in order.
    pub fn iter(&self) -> impl Iterator<Item = (u64, Time)> + '_ {
        self.0.iter().map(|(at, delay)| (*at, *delay))
    }
}

impl Value for Delays {
    type Schema = BTreeMap<String, String>;

    fn read<'de, D: Deserializer<'de>>(reader: D) -> Result<Option<Delays>, D::Error> {
        let Some(written) = Option::<BTreeMap<String, WrittenTime>>::deserialize(reader)? else {
            return Ok(None);
        };
        let entry = |(at, WrittenTime(delay)): (String, WrittenTime)| match at.parse() {
            Ok(at) => Ok((at, delay)),
            Err(_) => Err(D::Error::custom(format!(
                "`{at}` is not the position of a packet, such as `50`"
            ))),
        };
        let entries: Result<_, _> = written.into_iter().map(entry).collect();
        Ok(Some(Delays(entries?)))
    }
}

/// A time as people write it.
struct WrittenTime(Time);

impl<'de> Deserialize<'de> for WrittenTime {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<WrittenTime, D::Error> {
        required(reader).map(WrittenTime)
    }
}

fn delays(field: &str, delays: &Delays) -> Result<(), RequestError> {
    delays
        .iter()
        .try_for_each(|(at, delay)| time(&format!("{field}.{at}"), &delay))
}

fields! {
    /// A connection, or `count` of them one `stagger` after the other.
    #[derive(Clone, Debug, Default)]
    pub struct FlowSpec beside FlowSpec {
        /// The startup, with parameters: `limited-slow-start:max_ssthresh=50`.
        ///
        /// Under comparison it is left out where it is what is compared.
        pub startup: Option<Startup> = "slow-start",
        /// The congestion avoidance.
        #[usual("the stack's")]
        pub cc: Option<String>,
        /// Fields of the stack that are these flows' own, in place of the scenario's.
        ///
        /// With a `preset` among them it is a stack by itself. What stands around the endpoints, such
        /// as `interrupt_min`, is the scenario's alone.
        #[usual("the scenario's")]
        pub stack: Option<StackSpec>,
        /// Bytes to transfer, such as `100kB` or `64pkt`.
        #[usual("without limit")]
        pub size: Option<Amount>,
        /// Maximum segment size of these flows.
        #[usual("the stack's")]
        #[check(segment_size)]
        pub mss: Option<Bytes>,
        /// When the first opens.
        #[needs(OPENS_AT_A_TIME, WRITES_AT_A_TIME)]
        pub start: Option<Time> = Time::ZERO,
        /// The flow whose startup it waits for, instead of `start`: it opens `pause` after that has
        /// ended.
        ///
        /// It never opens where the startup does not end before the run.
        pub start_after: Option<AfterFlowSpec>,
        /// How many flows of this kind.
        #[check(within(1..=1_000_000, "1 to 1 000 000 flows"))]
        pub count: Option<u32> = 1u32,
        /// Time from one opening to the next.
        #[needs(OPENS_AT_A_TIME, WRITES_AT_A_TIME)]
        pub stagger: Option<Time> = Time::ZERO,
        /// Each opening is moved by a uniform draw from zero to this.
        #[needs(OPENS_AT_A_TIME, WRITES_AT_A_TIME)]
        pub jitter: Option<Time> = Time::ZERO,
        /// Which way the data goes: `forward`, `reverse` or `alternate`.
        pub direction: Option<Direction> = Direction::Forward,
        /// This flow's own two-way propagation; what exceeds the path's lies on its access.
        #[usual("the path's")]
        #[check(time)]
        pub rtt: Option<Time>,
        /// Whether a handshake opens the connection.
        ///
        /// `false` starts with data on a connection whose round trip is known.
        pub handshake: Option<bool> = true,
        /// Which end opens the connection: `sender` or `receiver` of the data.
        ///
        /// A server's data goes to a client that has opened: the client's window is known whole
        /// when data leaves, and the handshake takes half a round trip more.
        pub opener: Option<Opener> = Opener::Sender,
        /// The window that an earlier connection left behind, such as `1bdp` or `40pkt`.
        ///
        /// For startups that use a memory.
        pub cached_cwnd: Option<Amount>,
        /// The rate at which a startup takes its host's interface to send, such as `1Gbps`.
        ///
        /// It is told, where `path.nic_rate` is a link.
        #[usual("that of the first link on the way")]
        #[check(rate)]
        pub interface_rate: Option<Rate>,
        /// The rate that is there for these flows, such as `10Mbps`.
        ///
        /// It changes nothing in the run. With it the table `startups` tells how soon they reached
        /// it, and what that took.
        #[check(rate)]
        pub available_rate: Option<Rate>,
        /// What the application writes on one connection, instead of `size`.
        pub writes: Vec<WriteSpec>,
        /// Enter the chain at this hop, counted from 0.
        pub from_hop: Option<u32> = 0u32,
        /// Leave the chain after this hop.
        #[usual("the last")]
        pub to_hop: Option<u32>,
        /// Where in a tick the clocks of these flows' hosts start, as a share of a tick.
        ///
        /// Only ns-2's hosts count in ticks.
        #[usual("the stack's")]
        #[check(phase)]
        pub tick_phase: Option<f64>,
        /// Lose these packets at the bottleneck, the SYN being number 0.
        pub forced_drops: Vec<u64>,
        /// Delay these packets behind the bottleneck, such as `{ 50 = "4ms" }`.
        ///
        /// By their positions, as for `forced_drops`, and on top of what the path takes: others
        /// overtake them.
        #[check(delays)]
        pub delays: Option<Delays>,
    }
}

fields! {
    /// Bytes that the application hands to its connection, at a time of its own or once it has what
    /// it waits for.
    #[derive(Clone, Debug)]
    pub struct WriteSpec {
        required {
            /// How much.
            pub size: Amount,
        }
        /// When, counted from the flow's start.
        pub at: Option<Time>,
        /// The write of another flow whose delivery it waits for, instead of `at`.
        ///
        /// That flow's data goes the other way, to the end that sends this. Where the first write of
        /// a flow waits, the flow opens then; behind a write that waits all others do.
        pub after: Option<AfterSpec>,
    }
}

fields! {
    /// What a write waits for: data that its end receives on another flow, all of it.
    #[derive(Clone, Debug)]
    pub struct AfterSpec {
        required {
            /// The place of that flow among `flows`, from 0.
            pub flow: u32,
        }
        /// Which of its `writes`, from 0.
        pub write: Option<u32> = 0u32,
        /// How long the application takes to answer.
        #[check(time)]
        pub pause: Option<Time> = Time::ZERO,
    }
}

fields! {
    /// A moment after something of another flow.
    #[derive(Clone, Debug)]
    pub struct AfterFlowSpec {
        required {
            /// The place of that flow among `flows`, from 0.
            pub flow: u32,
        }
        /// How long after.
        #[check(time)]
        pub pause: Option<Time> = Time::ZERO,
    }
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

/// Which end opens a connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Opener {
    /// The end that sends data.
    #[default]
    Sender,
    /// The end that receives it.
    Receiver,
}
