//! One row for each flow with a given available rate.

use schemars::JsonSchema;
use serde::Serialize;

/// How soon a flow with an `available_rate` reached it, and what that took.
///
/// A round trip is the flow's two-way propagation, but no less than ten packets take at the
/// available rate. Overshoot may come until two of them after the startup's end, or until the flow
/// is over, whichever is first.
#[derive(Clone, Debug, JsonSchema, Serialize)]
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
}
