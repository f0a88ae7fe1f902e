//! The mean of a rate that varies.

use flowstart_control::Rate;

/// The rate of which `bits` in `nanos` nanoseconds are the mean, at least 1 bit/s.
pub(super) fn mean(bits: u128, nanos: u128) -> Rate {
    let bps = bits.saturating_mul(1_000_000_000) / nanos.max(1);
    Rate(u64::try_from(bps).unwrap_or(u64::MAX).max(1))
}
