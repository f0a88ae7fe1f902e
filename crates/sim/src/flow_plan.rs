//! One flow, worked out from its entry: the input of routing, of the run and of its rows.

use crate::maybe_time::MaybeTime;
use flowstart_control::catalog::Recipe;
use flowstart_control::signals::PathMemory;
use flowstart_control::{Duration, Rate};
use flowstart_network::chain::Chain;
use flowstart_network::host::Host;
use flowstart_transport::receiver::ReceiverConfig;
use flowstart_transport::stack::Stack;
use flowstart_wire::Part;
use std::num::NonZeroU64;
use std::sync::Arc;

/// What is a flow's own. It lasts as long as the run, so it is small.
#[derive(Clone, Debug)]
pub struct FlowPlan {
    /// The number of its kind, which has all else.
    pub kind: u32,
    /// Which pair of hosts it is between, as far as their memories go.
    pub hosts: u32,
    /// Bytes of all writes together; `None` without limit.
    pub size: Option<NonZeroU64>,
    /// When it opens; nothing is known of that while it, or its first write, waits for another flow.
    pub start: MaybeTime,
    /// It opens with a handshake; otherwise it is open when it begins.
    pub handshake: bool,
    /// Data goes against the path.
    pub reverse: bool,
}

impl FlowPlan {
    /// Bytes of all writes together; `None` without limit.
    pub fn size(&self) -> Option<u64> {
        self.size.map(NonZeroU64::get)
    }

    /// Whether data up to `position` is all of it.
    pub fn ends_at(&self, position: u64) -> bool {
        self.size.is_some_and(|size| position >= size.get())
    }
}

/// What flows that are alike share: those of an entry.
pub struct FlowKind {
    /// The behaviours of their endpoints.
    pub stack: Arc<Stack>,
    /// What their receiving ends need of them.
    pub receiver: Arc<ReceiverConfig>,
    /// The startup as the scenario names it.
    pub startup: Arc<str>,
    /// The congestion control as the scenario names it.
    pub cc: Arc<str>,
    /// Makes their controllers.
    pub recipe: Arc<Recipe>,
    /// The hosts of their senders and of their receivers.
    pub hosts: [Host; 2],
    /// Their two-way propagation.
    pub rtt: Duration,
    /// Additional one-way delay, beyond the path's.
    pub extra_delay: Duration,
    /// First and last hop they use.
    pub from_hop: u32,
    /// The last.
    pub to_hop: u32,
    /// What is known of the path before the first connection.
    pub memory: Option<PathMemory>,
    /// The rate at which they take their interface to send; that of the first link unless given.
    pub interface_rate: Option<Rate>,
    /// The rate that is there for them, where their startup is measured.
    pub available_rate: Option<Rate>,
    /// They open so long after the startup of a flow has ended.
    pub start_after: Option<AfterFlow>,
    /// Packets to lose at the bottleneck.
    pub forced_drops: Vec<u64>,
    /// Packets of a handshake to lose there, by kind, from number 0.
    pub handshake_drops: Vec<(Part, u64)>,
    /// Packets to delay behind the bottleneck, in the order of their positions.
    pub delays: Vec<(u64, Duration)>,
    /// Every delivery of their data is noted, and not only the ends of writes.
    pub notes_deliveries: bool,
    /// Their receivers open the connections.
    pub by_receiver: bool,
    /// Their writes come from a source: the time in which each is to be delivered, if it has one.
    pub source: Option<Option<Duration>>,
    /// Bytes of a server's flight, which precede their data in the stream; zero where the handshake
    /// is not made of packets.
    pub flight: u64,
    /// Their writes in order; empty where there is a single one at the start.
    pub writes: Vec<Write>,
}

impl FlowKind {
    /// The smallest time from the first packet of a connection until its sender has data to send: the
    /// handshake's round trips, and the way of a request, where the receiver opens it.
    pub(crate) fn opening(&self, chain: &Chain, reverse: bool) -> Duration {
        let round_trips = chain
            .least_rtt(self.rtt)
            .times(self.stack.round_trips().into());
        match self.by_receiver {
            true => round_trips + chain.one_way(self.rtt, !reverse),
            false => round_trips,
        }
    }

    /// Bytes of a write.
    pub fn bytes_of(&self, write: usize) -> u64 {
        let before = write.checked_sub(1).map_or(0, |last| self.writes[last].end);
        self.writes[write].end - before
    }
}

/// So long after something of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AfterFlow {
    /// The flow.
    pub flow: u32,
    /// How long.
    pub pause: Duration,
}

/// How a connection begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Opening {
    /// With a handshake.
    Handshake,
    /// It is open, and its sender has the round-trip time.
    Established(Duration),
    /// With a handshake that the data's receiver begins.
    ByReceiver,
}

/// What the application hands over at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Write {
    /// When.
    pub when: When,
    /// Where in the stream it ends.
    pub end: u64,
}

/// When a write is handed over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// So long after the flow's start.
    At(Duration),
    /// Once something else has been delivered, and what is before it handed over.
    After(Cause),
}

impl When {
    /// What it waits for.
    pub fn cause(self) -> Option<Cause> {
        match self {
            When::At(_) => None,
            When::After(cause) => Some(cause),
        }
    }
}

/// A write that others wait for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cause {
    /// Its flow.
    pub flow: u32,
    /// Its number among that flow's.
    pub write: u32,
    /// From its delivery to what waits for it.
    pub pause: Duration,
}
