//! One flow, worked out from its entry: what whoever lays routes, runs it or reports of it reads.

use flowstart_control::catalog::Recipe;
use flowstart_control::signals::PathMemory;
use flowstart_control::{Rate, Time};
use flowstart_transport::receiver::ReceiverConfig;
use flowstart_transport::stack::Stack;
use std::ops::Deref;
use std::sync::Arc;

/// One flow, worked out: what is its own, and what it shares with all flows of its entry.
#[derive(Clone)]
pub struct FlowPlan {
    /// What the flows of an entry share; its fields are the plan's too.
    pub kind: Arc<FlowKind>,
    /// Bytes of all writes together; `None` without limit.
    pub size: Option<u64>,
    /// When it opens.
    pub start: Time,
    /// How it opens.
    pub opening: Opening,
    /// Which pair of hosts it is between, as far as their memories go.
    pub hosts: u32,
    /// Data goes against the path.
    pub reverse: bool,
}

/// What the flows of an entry share.
pub struct FlowKind {
    /// The behaviours of their endpoints.
    pub stack: Arc<Stack>,
    /// What their receiving ends need of them.
    pub receiver: Arc<ReceiverConfig>,
    /// The start-up as the scenario names it.
    pub startup: Arc<str>,
    /// The avoidance as the scenario names it.
    pub avoidance: Arc<str>,
    /// Makes their controllers.
    pub recipe: Recipe,
    /// Their two-way propagation.
    pub rtt: Time,
    /// One-way delay of their own, beyond the path's.
    pub extra_delay: Time,
    /// First and last hop they use.
    pub from_hop: u32,
    /// The last.
    pub to_hop: u32,
    /// What is known of the path before the first connection.
    pub memory: Option<PathMemory>,
    /// The rate at which they take their interface to send; that of the first link unless given.
    pub interface_rate: Option<Rate>,
    /// Packets to lose at the bottleneck.
    pub forced_drops: Vec<u64>,
    /// Their writes; empty where there is a single one at the start.
    pub writes: Writes,
}

impl Deref for FlowPlan {
    type Target = FlowKind;
    fn deref(&self) -> &FlowKind {
        &self.kind
    }
}

/// How a connection begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Opening {
    /// With a handshake.
    Handshake,
    /// It is open, and its sender knows the round trip.
    Established(Time),
}

/// When each write arrives, counted from the flow's start, and where in the stream it ends.
pub type Writes = Vec<(Time, u64)>;
