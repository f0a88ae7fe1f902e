//! Distributions: how they are written, and how values are drawn from them.

mod sampling;
#[cfg(test)]
mod tests;
mod text;

pub use sampling::Distribution;
pub use text::{DistributionError, Measure, NAMES};
