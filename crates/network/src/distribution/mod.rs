//! Distributions: how they are written, and how values are drawn from them.

mod law;
#[cfg(test)]
mod tests;
mod text;

pub use law::Law;
pub use text::{DistributionError, Measure, NAMES};
