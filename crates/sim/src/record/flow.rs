//! One row for each flow, and one for each write of a flow that has several.

use crate::flow_plan::FlowKind;
use flowstart_control::Reason;
use flowstart_network::chain::{Capacity, Chain};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::sync::Arc;

/// What became of a flow. Times are seconds, sizes bytes; `None` where a thing did not
/// happen.
#[derive(Clone, Debug, JsonSchema, Serialize, Deserialize)]
pub struct FlowRow {
    /// The startup, with the parameters given.
    pub startup: Arc<str>,
    /// The congestion control, with the parameters given.
    pub cc: Arc<str>,
    /// The stack's preset.
    pub stack: Cow<'static, str>,
    /// Bytes to transfer; `None` without limit.
    #[schemars(extend("unit" = "bytes", "null" = "the flow has no end"))]
    pub size_bytes: Option<u64>,
    /// The run's seed.
    pub seed: u64,
    /// Which flow of the run, from 0.
    pub flow: u32,
    /// `forward` or `reverse`.
    pub direction: Cow<'static, str>,
    /// When it opened; `None` where what its first write waits for was not delivered.
    #[schemars(extend("unit" = "seconds", "null" = "what its first write waits for was not delivered"))]
    pub opened_s: Option<f64>,
    /// Opened (first SYN sent) until the receiver held the last byte in order.
    #[schemars(extend("unit" = "seconds", "null" = "the receiver did not get all of it"))]
    pub fct_s: Option<f64>,
    /// Opened until the sender had the last byte acknowledged.
    #[schemars(extend("unit" = "seconds", "null" = "not all of it was acknowledged"))]
    pub duration_s: Option<f64>,
    /// Handshake round trips (and the way of the receiver's request, where that opens the
    /// connection) + one-way delay + wire bytes / bottleneck rate. Of a rate that varies it is the
    /// mean: then `fct_s` may be less. A delay that packets may skip is left out; shaper and policer
    /// count with their rate and burst.
    #[schemars(extend("unit" = "seconds", "null" = "the flow has no end"))]
    pub ideal_fct_s: Option<f64>,
    /// `fct_s / ideal_fct_s`.
    #[schemars(extend("unit" = "ratio", "null" = "there is no `fct_s`, or no `ideal_fct_s`"))]
    pub slowdown: Option<f64>,
    /// Bytes that the receiver held in order at the end.
    #[schemars(extend("unit" = "bytes"))]
    pub bytes_delivered: u64,
    /// Data packets sent, retransmissions, zero-window probes and s2n's end of the handshake
    /// included.
    #[schemars(extend("unit" = "packets"))]
    pub packets_sent: u64,
    /// Data packets that reached the receiver.
    #[schemars(extend("unit" = "packets"))]
    pub packets_arrived: u64,
    /// Data packets dropped anywhere.
    #[schemars(extend("unit" = "packets"))]
    pub packets_dropped: u64,
    /// Those of them that found the buffer of the receiver's socket full.
    #[schemars(extend("unit" = "packets", "null" = "the receiver's host has no such buffer"))]
    pub packets_dropped_at_socket: Option<u64>,
    /// Data packets that a queue marked instead of dropping them (ECN).
    #[schemars(extend("unit" = "packets"))]
    pub packets_marked: u64,
    /// Data packets on their way when the run ended.
    #[schemars(extend("unit" = "packets"))]
    pub packets_in_network: u64,
    /// Data packets sent again.
    #[schemars(extend("unit" = "packets"))]
    pub packets_retransmitted: u64,
    /// Expiries of the retransmission timer; of the probe timeout where packets are numbered.
    pub timeouts: u64,
    /// Times that fast recovery began.
    pub fast_retransmits: u64,
    /// SYNs sent again.
    pub syn_retransmits: u64,
    /// When the startup ended, counted from the opening.
    #[schemars(extend("unit" = "seconds", "null" = "the startup had not ended"))]
    pub startup_exit_s: Option<f64>,
    /// The cwnd at the end of startup, before the exit changes it, in segments.
    #[schemars(extend("unit" = "segments", "null" = "the startup had not ended"))]
    pub startup_exit_cwnd_segments: Option<f64>,
    /// Bytes in flight at that moment.
    #[schemars(extend("unit" = "bytes", "null" = "the startup had not ended"))]
    pub startup_exit_flight_bytes: Option<u64>,
    /// Why the startup ended.
    #[schemars(with = "Option<String>")]
    #[schemars(extend("null" = "the startup had not ended"))]
    pub startup_exit_reason: Option<Reason>,
    /// The largest window, in segments.
    #[schemars(extend("unit" = "segments"))]
    pub max_cwnd_segments: f64,
    /// Maximum length of the queue of its narrowest link in this flow's direction, over the run, as
    /// its limit counts it.
    #[schemars(extend("unit" = "packets"))]
    pub max_queue_pkts: u64,
    /// Bandwidth-delay product of the flow's path in full-size packets.
    #[schemars(extend("unit" = "packets"))]
    pub bdp_pkts: u64,
    /// The smallest round-trip time the sender saw.
    #[schemars(extend("unit" = "seconds", "null" = "no round trip was measured"))]
    pub min_rtt_s: Option<f64>,
    /// How the path's buffer is read.
    pub buffer_accounting: Cow<'static, str>,
    /// Whether everything was acknowledged.
    pub complete: bool,
    /// Whether the sender gave the connection up after consecutive timeouts.
    pub reset: bool,
}

/// One write of a flow whose writes are listed.
#[derive(Clone, Debug, JsonSchema, Serialize, Deserialize)]
pub struct TransferRow {
    /// Which flow.
    pub flow: u32,
    /// Which of its writes, from 0.
    pub transfer: u32,
    /// When the application had it; `None` where what it waits for was not delivered.
    #[schemars(extend("unit" = "seconds", "null" = "what it waits for was not delivered"))]
    pub available_s: Option<f64>,
    /// How much it was.
    #[schemars(extend("unit" = "bytes"))]
    pub bytes: u64,
    /// Minimum time from there to its delivery: one-way delay + wire bytes / bottleneck rate, and
    /// the handshake's round trips where it opens the connection.
    pub ideal_fct_s: f64,
    /// When its first byte left.
    #[schemars(extend("unit" = "seconds", "null" = "nothing of it left"))]
    pub sent_s: Option<f64>,
    /// When the receiver held its first byte, and all before it.
    #[schemars(extend("unit" = "seconds", "null" = "the receiver did not get its first byte"))]
    pub first_delivered_s: Option<f64>,
    /// When the receiver held all of it in order.
    #[schemars(extend("unit" = "seconds", "null" = "the receiver did not get all of it"))]
    pub delivered_s: Option<f64>,
    /// When all of it was acknowledged.
    #[schemars(extend("unit" = "seconds", "null" = "not all of it was acknowledged"))]
    pub acked_s: Option<f64>,
    /// Data packets sent that begin in it, retransmissions included.
    #[schemars(extend("unit" = "packets"))]
    pub packets_sent: u32,
    /// How many of them were dropped.
    #[schemars(extend("unit" = "packets"))]
    pub packets_dropped: u32,
    /// How many of them were sent again.
    #[schemars(extend("unit" = "packets"))]
    pub packets_retransmitted: u32,
    /// Expiries of the retransmission timer, or of the probe timeout, while it was the first that
    /// was not acknowledged.
    pub timeouts: u32,
}

/// Bytes that `size` take on the wire, in segments of at most `mss` with so much of a header each.
pub fn wire_bytes(size: u64, mss: u32, header: u32) -> u64 {
    size + size.div_ceil(u64::from(mss)) * u64::from(header)
}

/// The best possible completion: see [`FlowRow::ideal_fct_s`].
#[derive(Clone, Copy, Debug)]
pub struct Ideal {
    opening: f64,
    one_way: f64,
    capacity: Capacity,
}

impl Ideal {
    /// That of flows of a kind over a chain.
    pub(crate) fn of(kind: &FlowKind, chain: &Chain, reverse: bool) -> Ideal {
        Ideal {
            opening: kind.opening(chain, reverse).secs(),
            one_way: chain.one_way(kind.rtt, reverse).secs(),
            capacity: chain.capacity(kind.from_hop, kind.to_hop, reverse),
        }
    }

    /// In seconds, for bytes on the wire, behind a handshake or on an open connection.
    pub fn secs(&self, wire: u64, handshake: bool) -> f64 {
        let opening = if handshake { self.opening } else { 0.0 };
        opening + self.one_way + self.capacity.secs(wire)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flowstart_control::Rate;
    use flowstart_network::link::Shaper;

    #[test]
    fn the_ideal_counts_handshake_one_way_delay_and_wire_bytes() {
        // 69 packets of 1500 bytes less 140 spare, at 100 Mbit/s over 100 ms.
        let wire = wire_bytes(100_000, 1460, 40);
        let mut ideal = Ideal {
            opening: 0.1,
            one_way: 0.05,
            capacity: Capacity {
                line: Rate(100_000_000),
                buckets: [None; 2],
            },
        };
        let secs = ideal.secs(wire, true);
        assert!((secs - (0.150 + (100_000.0 + 69.0 * 40.0) * 8e-8)).abs() < 1e-12);
        // Behind a shaper, all but a burst takes ten times as long.
        ideal.capacity.buckets[0] = Some(Shaper {
            rate: Rate(10_000_000),
            burst: 2760,
        });
        assert!((ideal.secs(wire, true) - (0.150 + 100_000.0 * 8e-7)).abs() < 1e-12);
    }
}
