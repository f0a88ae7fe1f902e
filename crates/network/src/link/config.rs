//! What links of all kinds have.

use super::held::Shared;
use super::losses::Losses;
use super::shaped::Shaper;
use super::transmitter::Service;
use crate::queue::DropTail;
use crate::variation::Variation;
use flowstart_control::Duration;

/// What a link has, whatever its kind.
#[derive(Clone, Debug)]
pub struct LinkConfig {
    /// For reports.
    pub name: String,
    /// What transmission takes; of a rate that varies, the mean.
    pub service: Service,
    /// How the rate varies, if it does.
    pub variation: Option<Variation>,
    /// The shaper before the transmitter, if there is one.
    pub shaper: Option<Shaper>,
    /// Propagation.
    pub delay: Duration,
    /// The buffer before the transmitter.
    pub queue: DropTail,
    /// Packets lost before the queue.
    pub losses: Losses,
    /// Limits that it has together with other links.
    pub shared: Shared,
}
