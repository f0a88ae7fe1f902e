//! Nanoseconds inside, seconds outside.

const SECOND: u64 = 1_000_000_000;

/// Seconds, rounded once: whole seconds and fraction are added as they are, because a time since 1970 in
/// nanoseconds has more digits than an `f64`.
pub(crate) fn seconds(time: u64) -> f64 {
    (time / SECOND) as f64 + (time % SECOND) as f64 / SECOND as f64
}

/// Seconds from one time to another.
pub(crate) fn since(start: u64, time: u64) -> f64 {
    seconds(time.saturating_sub(start))
}
