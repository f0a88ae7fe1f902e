//! How the rate of a line varies: by a recorded trace, in given steps, or drawn.
//!
//! Whatever it is, it depends on time alone and not on what the line carries, so that all
//! algorithms under comparison find the same rate at the same moment. A link of such a line
//! still knows a departure when it accepts the packet, for it can look ahead.

mod course;
mod drawn;
mod opportunities;

pub use course::{mean_of, Course, Step};
pub use drawn::{describe, VariationSpec, VARIATIONS};
pub use opportunities::Opportunities;

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

/// The rate of which `bits` in `nanos` nanoseconds are the mean, at least 1 bit/s.
fn mean(bits: u128, nanos: u128) -> Rate {
    let bps = bits.saturating_mul(1_000_000_000) / nanos.max(1);
    Rate(u64::try_from(bps).unwrap_or(u64::MAX).max(1))
}
