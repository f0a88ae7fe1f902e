//! How the rate of a line varies: by a recorded trace, in given steps, or drawn.
//!
//! Whatever it is, it depends on time alone and not on what the line carries, so that all
//! algorithms under comparison find the same rate at the same moment. A link of such a line
//! still has the departure when it accepts the packet, since it can look ahead.

mod drawn;
mod mean;
mod opportunities;
mod plan;
mod rate_steps;

pub use drawn::{VARIATIONS, VariationSpec, describe};
pub use opportunities::Opportunities;
pub use plan::{Variation, VariationPlan};
pub use rate_steps::{RateSteps, Step, mean_of};
