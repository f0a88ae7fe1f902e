//! One row for each link.

use flowstart_control::Instant;
use flowstart_network::link::Link;
use flowstart_network::queue::Limit;
use schemars::JsonSchema;
use serde::Serialize;

/// What passed a link.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct LinkRow {
    /// Its name.
    pub name: String,
    /// Packets accepted.
    #[schemars(extend("unit" = "packets"))]
    pub packets: u64,
    /// Bytes accepted.
    #[schemars(extend("unit" = "bytes"))]
    pub bytes: u64,
    /// Packets refused by the queue or lost.
    #[schemars(extend("unit" = "packets"))]
    pub dropped: u64,
    /// Packets that the queue marked instead of dropping them (ECN).
    #[schemars(extend("unit" = "packets"))]
    pub marked: u64,
    /// The queue's limit in packets, where it has one.
    #[schemars(extend("unit" = "packets", "null" = "the queue is limited in bytes, or has no limit"))]
    pub limit_pkts: Option<u64>,
    /// The queue's limit in bytes, where it has one.
    #[schemars(extend("unit" = "bytes", "null" = "the queue is limited in packets, or has no limit"))]
    pub limit_bytes: Option<u64>,
    /// Maximum length of the queue in packets, as its limit counts them.
    #[schemars(extend("unit" = "packets"))]
    pub max_queue_pkts: u64,
    /// Maximum length of the queue in bytes.
    #[schemars(extend("unit" = "bytes"))]
    pub max_queue_bytes: u64,
    /// Share of the run spent transmitting.
    #[schemars(extend("unit" = "ratio"))]
    pub utilisation: f64,
}

impl LinkRow {
    /// The row of `link` at the end of a run that took `simulated`.
    pub fn of(link: &Link, simulated: Instant) -> LinkRow {
        let c = link.counters();
        LinkRow {
            name: link.config().name.clone(),
            packets: c.packets,
            bytes: c.bytes,
            dropped: c.refused + c.lost,
            marked: c.marked,
            limit_pkts: match link.config().queue.limit {
                Limit::Packets(limit) => Some(limit),
                _ => None,
            },
            limit_bytes: match link.config().queue.limit {
                Limit::Bytes(limit) => Some(limit),
                _ => None,
            },
            max_queue_pkts: c.max_held.packets,
            max_queue_bytes: c.max_held.bytes,
            utilisation: if simulated == Instant::ZERO {
                0.0
            } else {
                // Counted are all transmissions accepted; some are still to come.
                c.busy.saturating_sub(link.busy_after(simulated)).secs() / simulated.secs()
            },
        }
    }
}
