//! The ways of single packets, as columns.

use flowstart_control::Instant;
use flowstart_sim::record::journeys::{Journey, Journeys};
use serde_json::{Value, json};

/// Columns of the packets, with the round trip of their path.
pub(crate) fn document(found: &Journeys, rtt_s: f64) -> Value {
    let ways = &found.packets;
    let times = |of: fn(&Journey) -> Option<Instant>| -> Vec<Option<f64>> {
        ways.iter().map(|way| of(way).map(Instant::secs)).collect()
    };
    json!({
        "rtt_s": rtt_s,
        "kind": ways.iter().map(|way| way.load.name()).collect::<Vec<_>>(),
        "forward": ways.iter().map(|way| way.forward).collect::<Vec<_>>(),
        "seq": ways.iter().map(|way| way.seq).collect::<Vec<_>>(),
        "sent_s": times(|way| Some(way.sent)),
        "queued_s": times(|way| way.queued),
        "left_s": times(|way| way.left),
        "dropped_s": times(|way| way.dropped),
        "received_s": times(|way| way.received),
        "cut": found.cut,
    })
}
