//! A variation, as a path states it and as a link has it.

use super::drawn::VariationSpec;
use super::opportunities::Opportunities;
use super::rate_steps::{RateSteps, Step};
use flowstart_control::Rate;
use rand_pcg::Pcg64Mcg;
use std::sync::Arc;

/// A line's variation, ready to run.
#[derive(Clone, Debug)]
pub enum Variation {
    /// Opportunities to deliver, over and over.
    Trace(Arc<Opportunities>),
    /// One rate after the other.
    Steps(RateSteps),
}

/// How a line is to vary, as a path states it.
#[derive(Clone, Debug)]
pub enum VariationPlan {
    /// The rate follows this trace.
    Trace(Arc<Opportunities>),
    /// The rate follows these steps.
    Steps(Arc<[Step]>),
    /// By draws about its mean.
    Drawn(VariationSpec),
}

impl VariationPlan {
    /// A line that begins to vary.
    pub fn begin(&self, mean: Rate, random: Pcg64Mcg) -> Variation {
        match self {
            VariationPlan::Trace(trace) => Variation::Trace(trace.clone()),
            VariationPlan::Steps(steps) => Variation::Steps(RateSteps::repeated(steps.clone())),
            VariationPlan::Drawn(spec) => Variation::Steps(spec.steps(mean, random)),
        }
    }
}
