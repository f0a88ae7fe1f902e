//! Times and rates times a factor.

use crate::{Rate, Time};

/// So many times as long.
pub(super) fn scaled(time: Time, by: f64) -> Time {
    Time((time.nanos() as f64 * by) as u64)
}

/// So many times as fast.
pub(super) fn times(rate: Rate, by: f64) -> Rate {
    Rate((rate.bps() as f64 * by) as u64)
}

/// One rate as a share of another.
pub(super) fn share(rate: Rate, of: Rate) -> f64 {
    rate.bps() as f64 / of.bps().max(1) as f64
}
