//! A scenario's fields of its flows.

use super::bounds::{period, rate, segment_size, time, within};
use super::definition::{Need, Value, fields, needs, plain, required, text};
use super::drawn::DrawnText;
use super::error::RequestError;
use super::stack::{StackSpec, phase};
use flowstart_control::{Amount, Bytes, Duration, LandingRule, Rate};
use schemars::JsonSchema;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};
use std::collections::BTreeMap;

/// The name of a startup, with parameters; Python takes a class as well.
pub type Startup = String;

text!(Amount, Bytes, Rate, Duration, LandingRule);
plain!(AfterFlowSpec, AfterSpec, Direction, Opener, StackSpec);

const OPENS_AT_A_TIME: Need<FlowSpec> = needs(
    |flow| flow.start_after.is_none(),
    "`start_after` says when it opens",
);
const CACHES: Need<FlowSpec> = needs(
    |flow| flow.cached_cwnd.is_some(),
    "nothing is cached; give `cached_cwnd`",
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
pub struct Delays(BTreeMap<u64, Duration>);

impl Delays {
    /// Positions and delays, in order.
    pub fn iter(&self) -> impl Iterator<Item = (u64, Duration)> + '_ {
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
struct WrittenTime(Duration);

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
        /// Startup, with parameters: `limited-slow-start:max_ssthresh=50`.
        ///
        /// A comparison sets the startup of flows without one.
        pub startup: Option<Startup> = "slow-start",
        /// Congestion control after startup.
        #[usual("the stack's")]
        pub cc: Option<String>,
        /// Window at the end of startup: a factor of `cwnd`, `delivered`, `bdp`, or `half-then-recovery`.
        ///
        /// It replaces the first reduction, whatever ends the startup: a loss, a mark or a detected
        /// full path. `0.5` is half of the window, `0.7delivered` 0.7 of what the last round trip
        /// delivered, and `bdp` the delivery rate times the smallest RTT. `half-then-recovery`
        /// halves the window at a detected full path, and losses of data sent before do not reduce
        /// it again; at a loss it changes nothing.
        #[flag("RULE")]
        #[usual("as startup and congestion control have it")]
        pub landing: Option<LandingRule>,
        /// Fields of the stack that override the scenario's for these flows.
        ///
        /// A `preset` among them replaces the whole stack. Fields of the hosts, such as
        /// `interrupt_min`, exist only for the scenario.
        #[usual("the scenario's")]
        pub stack: Option<StackSpec>,
        /// Bytes to transfer, such as `100kB` or `64pkt`.
        #[usual("without limit")]
        pub size: Option<Amount>,
        /// Maximum segment size of these flows.
        #[usual("the stack's")]
        #[check(segment_size)]
        pub mss: Option<Bytes>,
        /// Time at which the first connection opens.
        #[needs(OPENS_AT_A_TIME, WRITES_AT_A_TIME)]
        pub start: Option<Duration> = Duration::ZERO,
        /// Flow whose startup must end first, instead of `start`; this flow opens `pause` later.
        ///
        /// Without an end of that startup it never opens.
        pub start_after: Option<AfterFlowSpec>,
        /// Number of flows of this kind.
        #[check(within(1..=1_000_000, "1 to 1 000 000 flows"))]
        pub count: Option<u32> = 1u32,
        /// Time from one opening to the next.
        #[needs(OPENS_AT_A_TIME, WRITES_AT_A_TIME)]
        pub stagger: Option<Duration> = Duration::ZERO,
        /// Upper bound of a uniform random delay of each opening.
        #[needs(OPENS_AT_A_TIME, WRITES_AT_A_TIME)]
        pub jitter: Option<Duration> = Duration::ZERO,
        /// Direction of the data: `forward`, `reverse` or `alternate`.
        pub direction: Option<Direction> = Direction::Forward,
        /// Two-way propagation delay of this flow; its access link adds the excess over the path's.
        #[usual("the path's")]
        #[check(time)]
        pub rtt: Option<Duration>,
        /// Handshake before data.
        ///
        /// `false` starts with data on a connection whose RTT is known.
        pub handshake: Option<bool> = true,
        /// End that opens the connection: `sender` or `receiver` of the data.
        ///
        /// A server's data goes to a client that has opened: the client's window is known whole
        /// when data leaves, and the handshake takes half a round trip more.
        pub opener: Option<Opener> = Opener::Sender,
        /// Congestion window cached from an earlier connection, such as `1bdp` or `40pkt`.
        ///
        /// For startups that use cached state.
        pub cached_cwnd: Option<Amount>,
        /// RTT cached with the window. The cached rate is one window per such RTT.
        #[usual("that of the flow")]
        #[check(period)]
        #[needs(CACHES)]
        pub cached_rtt: Option<Duration>,
        /// Interface rate that a startup assumes for its host, such as `1Gbps`.
        ///
        /// It is information for the startup only; `path.nic_rate` is a link.
        #[usual("that of the first link on the way")]
        #[check(rate)]
        pub interface_rate: Option<Rate>,
        /// Available rate for these flows, such as `10Mbps`.
        ///
        /// It does not change the run. The table `startups` then shows when they reached the rate,
        /// and at which cost.
        #[flag("RATE")]
        #[check(rate)]
        pub available_rate: Option<Rate>,
        /// Writes of the application on one connection, instead of `size`.
        pub writes: Vec<WriteSpec>,
        /// Source of writes, instead of `size` or `writes`, such as `periodic:size=50kB,every=33ms`.
        ///
        /// Also `on-off:rate=50Mbps,on=2s,off=exponential:mean=4s`, `random:size=...,every=...` and
        /// `trace:FILE.csv` with columns `time_s` and `bytes`. Each has a row in the table `delays`.
        pub source: Option<String>,
        /// First hop of the flow, counted from 0.
        pub from_hop: Option<u32> = 0u32,
        /// Last hop of the flow.
        #[usual("the last")]
        pub to_hop: Option<u32>,
        /// Phase of the clocks of these flows' hosts, as a share of a tick.
        ///
        /// Only ns-2's hosts count in ticks.
        #[usual("the stack's")]
        #[check(phase)]
        pub tick_phase: Option<f64>,
        /// Packets to drop at the bottleneck; the SYN is number 0.
        pub forced_drops: Vec<u64>,
        /// Packets of a handshake to drop at the bottleneck, such as `hello` or `flight:2`.
        ///
        /// Kinds: `syn`, `synack`, `ack`, `hello`, `flight`, `finished`, with a number for others
        /// than the first. Only a handshake of packets has them (`stack.flight`).
        pub handshake_drops: Vec<String>,
        /// Packets to delay behind the bottleneck, such as `{ 50 = "4ms" }`.
        ///
        /// Positions as for `forced_drops`. Other packets overtake a delayed one.
        #[check(delays)]
        pub delays: Option<Delays>,
    }
}

fields! {
    /// Bytes that the application writes to its connection, at a given time or after a write.
    #[derive(Clone, Debug)]
    pub struct WriteSpec {
        required {
            /// Size of the write.
            pub size: Amount,
        }
        /// Time of the write after the flow's start.
        pub at: Option<Duration>,
        /// Write of another flow that must be delivered first, instead of `at`.
        ///
        /// That flow's data goes in the opposite direction, to the end that sends this write. If
        /// the first write of a flow waits, the flow opens then. Later writes wait as well.
        pub after: Option<AfterSpec>,
    }
}

fields! {
    /// Dependency of a write: all data of a write that its end receives on another flow.
    #[derive(Clone, Debug)]
    pub struct AfterSpec {
        required {
            /// The place of that flow among `flows`, from 0.
            pub flow: u32,
        }
        /// Position of the write among its `writes`, from 0.
        pub write: Option<u32> = 0u32,
        /// Time that the application needs before its write; a value or a distribution.
        pub pause: Option<DrawnText> = "0s",
    }
}

fields! {
    /// Time after an event of another flow.
    #[derive(Clone, Debug)]
    pub struct AfterFlowSpec {
        required {
            /// The place of that flow among `flows`, from 0.
            pub flow: u32,
        }
        /// Time after the event.
        #[check(time)]
        pub pause: Option<Duration> = Duration::ZERO,
    }
}

/// Direction of a flow's data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Direction {
    /// On the forward path.
    #[default]
    Forward,
    /// On the reverse path.
    Reverse,
    /// Flows of an entry alternate, the first forward.
    Alternate,
}

/// End that opens a connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Opener {
    /// Sender of the data.
    #[default]
    Sender,
    /// Receiver of the data.
    Receiver,
}
