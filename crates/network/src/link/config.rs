//! How links of all kinds are made.

use super::losses::Losses;
use super::transmitter::Service;
use crate::distribution::Distribution;
use crate::queue::{DropTail, Port, QueueSpec};
use crate::variation::Variation;
use flowstart_control::{Rate, Time};
use rand_pcg::Pcg64Mcg;

/// How a link is made.
#[derive(Clone, Debug)]
pub struct LinkConfig {
    /// For reports.
    pub name: String,
    /// What transmission takes; of a rate that varies, the mean.
    pub service: Service,
    /// How the rate varies, if it does.
    pub variation: Option<Variation>,
    /// Propagation.
    pub delay: Time,
    /// The buffer before the transmitter.
    pub queue: DropTail,
    /// How packets wait in it and leave.
    pub kind: LinkKind,
    /// Packets lost before the queue.
    pub losses: Losses,
}

/// How packets wait and leave.
#[derive(Clone, Debug, Default)]
pub enum LinkKind {
    /// First in, first out, refused when full.
    #[default]
    DropTail,
    /// As a discipline has it.
    Managed(QueueSpec, Box<Port>),
    /// Together, at fixed intervals.
    AckAggregation(AckAggregation),
    /// As a host sees them.
    Host(Box<HostConfig>),
    /// Together, whenever the station comes to its medium.
    FrameAggregation(Box<FrameAggregation>),
    /// After a delay that varies.
    VaryingDelay(Box<DelayConfig>),
    /// Those at these positions later than others, on both sides of a line.
    Late(Vec<(u64, Time)>),
    /// At once, or not at all.
    Policer(PolicerConfig),
}

/// How a station comes to its medium.
#[derive(Clone, Debug)]
pub struct FrameAggregation {
    /// From one access to the next.
    pub every: Distribution,
    /// Where that is drawn from.
    pub random: Pcg64Mcg,
}

/// How a delay varies.
#[derive(Clone, Debug)]
pub struct DelayConfig {
    /// What is drawn on top of the path's delay.
    pub jitter: Option<Distribution>,
    /// For how long a draw holds; `None` draws for every packet.
    pub holds: Option<Time>,
    /// Whether a packet may overtake those before it.
    pub reordering: bool,
    /// What swings.
    pub ripple: Option<Ripple>,
    /// Where jitter is drawn from.
    pub random: Pcg64Mcg,
}

/// A delay that swings between nothing and `swing`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ripple {
    /// From the least to the most.
    pub swing: Time,
    /// From one least to the next.
    pub period: Time,
}

/// How a host treats what arrives.
#[derive(Clone, Debug)]
pub struct HostConfig {
    /// From one interrupt to the next: drawn uniformly from this range. `None` hands up every
    /// packet at once.
    pub interrupts: Option<(Time, Time)>,
    /// What it takes to read one SACK block.
    pub sack_cost: Time,
    /// Where interrupts are drawn from.
    pub random: Pcg64Mcg,
}

/// What a policer lets pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PolicerConfig {
    /// In the long run.
    pub rate: Rate,
    /// At once, bytes.
    pub burst: u64,
}

/// How acknowledgements wait for each other before their data's sender.
#[derive(Clone, Copy, Debug)]
pub struct AckAggregation {
    /// They pass at multiples of this.
    pub period: Time,
    /// Of a flow's plain ones that pass together only the newest does.
    pub thinning: bool,
}
