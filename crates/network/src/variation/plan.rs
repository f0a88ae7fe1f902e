//! A variation, as a path says it and as a link has it.

use super::course::{Course, Step};
use super::drawn::VariationSpec;
use super::opportunities::Opportunities;
use flowstart_control::Rate;
use rand_pcg::Pcg64Mcg;
use std::sync::Arc;

/// A line's variation, ready to run.
#[derive(Clone, Debug)]
pub enum Variation {
    /// Opportunities to deliver, over and over.
    Trace(Arc<Opportunities>),
    /// One rate after the other.
    Course(Course),
}

/// How a line is to vary, as a path says it.
#[derive(Clone, Debug)]
pub enum Plan {
    /// By this trace.
    Trace(Arc<Opportunities>),
    /// By these steps.
    Steps(Arc<[Step]>),
    /// By draws about its mean.
    Drawn(VariationSpec),
}

impl Plan {
    /// A line that begins to vary.
    pub fn begin(&self, mean: Rate, random: Pcg64Mcg) -> Variation {
        match self {
            Plan::Trace(trace) => Variation::Trace(trace.clone()),
            Plan::Steps(steps) => Variation::Course(Course::repeated(steps.clone())),
            Plan::Drawn(spec) => Variation::Course(spec.course(mean, random)),
        }
    }
}
