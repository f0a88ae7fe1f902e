//! One row for each flow with a given available rate.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How soon a flow with an `available_rate` reached it, and what that took.
///
/// A round trip is the flow's two-way propagation, but no less than ten packets take at the
/// available rate. Overshoot may come until two of them after the startup's end, or until the flow
/// is over, whichever is first.
#[derive(Clone, Debug, JsonSchema, Serialize, Deserialize)]
pub struct StartupRow {
    /// Which flow.
    pub flow: u32,
    /// Opened until data reached the receiver at half of the available rate over one round trip, in
    /// order or not.
    #[schemars(extend("unit" = "seconds", "null" = "data never came so fast"))]
    pub ramp_50_s: Option<f64>,
    /// The same at 90 % of it.
    #[schemars(extend("unit" = "seconds", "null" = "data never came so fast"))]
    pub ramp_90_s: Option<f64>,
    /// Maximum that the sender had in flight beyond the product of available rate and propagation,
    /// while overshoot may come.
    #[schemars(extend("unit" = "packets", "null" = "the flow did not open"))]
    pub overshoot_pkts: Option<f64>,
    /// How long packets waited at the bottleneck from the opening on while overshoot may come,
    /// summed over all of them, those of others too: the queue's length, integrated.
    #[schemars(extend("unit" = "packet-seconds", "null" = "the flow did not open"))]
    pub queue_pkt_s: Option<f64>,
    /// Recoveries and timeouts that began after the startup had ended.
    #[schemars(extend("null" = "the startup had not ended"))]
    pub loss_rounds: Option<u64>,
    /// For how long the bottleneck did not transmit, from the first data sent to the last delivered.
    #[schemars(extend("unit" = "seconds", "null" = "the receiver did not get all of it"))]
    pub idle_s: Option<f64>,
    /// Data packets dropped until one round trip after the startup's end, among them those of the
    /// flight that the sender had out then.
    #[schemars(extend("unit" = "packets", "null" = "the startup had not ended"))]
    pub exit_dropped_pkts: Option<u64>,
    /// Data packets dropped later.
    #[schemars(extend("unit" = "packets", "null" = "the startup had not ended"))]
    pub later_dropped_pkts: Option<u64>,
    /// Recoveries and timeouts from the startup's end on, that one included, until the first round
    /// trip behind a recovery's own in which none began.
    #[schemars(extend("null" = "the startup had not ended"))]
    pub exit_recoveries: Option<u64>,
    /// From the startup's end until what was sent after it arrived at 90 % of the available rate
    /// over one round trip.
    #[schemars(extend("unit" = "seconds", "null" = "data never came so fast, or the startup had not ended"))]
    pub exit_to_90_s: Option<f64>,
    /// What the bottleneck's queue held at the startup's end, as its limit counts it.
    #[schemars(extend("unit" = "packets", "null" = "the startup had not ended"))]
    pub exit_queue_pkts: Option<u64>,
    /// Mean time from the opening until a byte was acknowledged. Of equal transfers the one with the
    /// larger integral of bytes delivered over time has the smaller mean.
    #[schemars(extend("unit" = "seconds", "null" = "nothing was acknowledged"))]
    pub mean_acked_s: Option<f64>,
}
