//! Nanoseconds inside, seconds outside.

const SECOND: u64 = 1_000_000_000;

/// Above this an `f64` does not hold every nanosecond: times since 1970 do not fit, durations do.
const EXACT: u64 = 1 << 53;

/// Seconds, rounded once. Of a time since 1970 the whole seconds and the fraction are divided apart.
pub(crate) fn seconds(time: u64) -> f64 {
    if time < EXACT {
        return time as f64 / SECOND as f64;
    }
    (time / SECOND) as f64 + (time % SECOND) as f64 / SECOND as f64
}

/// Seconds from one time to another.
pub(crate) fn since(start: u64, time: u64) -> f64 {
    seconds(time.saturating_sub(start))
}
