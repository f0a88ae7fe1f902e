//! Conversions to narrower numbers, which a cast would make silently. `usize` may have 32 bits.

/// As many as 32 bits count, at most. Lengths of segments, windows and counts are far below.
#[inline]
pub(crate) fn saturated(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// As many as 64 bits count, at most.
#[inline]
pub(crate) fn narrowed(number: u128) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}

/// The length of a segment, which fits.
#[inline]
#[allow(
    clippy::cast_possible_truncation,
    reason = "no segment is longer than the segment size, of 32 bits"
)]
pub(crate) fn length(bytes: u64) -> u32 {
    debug_assert!(u32::try_from(bytes).is_ok());
    bytes as u32
}

/// The place of something in a queue that memory holds.
#[inline]
#[allow(
    clippy::cast_possible_truncation,
    reason = "a queue is no longer than what memory addresses"
)]
pub(crate) fn index(place: u64) -> usize {
    place as usize
}

/// The whole part; zero of what is negative or not a number, and the largest of what is beyond.
#[inline]
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a cast of a real number saturates"
)]
pub(crate) fn whole(number: f64) -> u64 {
    number as u64
}

/// The whole part as a real number.
#[inline]
#[allow(clippy::cast_possible_truncation, reason = "beyond 2^53 all are whole")]
pub(crate) fn whole_part(number: f64) -> f64 {
    const ALL_WHOLE: f64 = 9_007_199_254_740_992.0;
    match number.abs() < ALL_WHOLE {
        true => (number as i64) as f64,
        false => number,
    }
}

/// The lowest 32 bits, of numbers that are compared modulo 2^32.
#[inline]
#[allow(clippy::cast_possible_truncation, reason = "it is meant")]
pub(crate) fn wrapped(number: u64) -> u32 {
    number as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_becomes_the_nearest_that_does_unless_it_wraps() {
        assert_eq!([7, 1 << 32].map(saturated), [7, u32::MAX]);
        assert_eq!([7, (1 << 32) + 7].map(wrapped), [7, 7]);
        let numbers = [f64::NAN, -1.5, 2.9, f64::INFINITY];
        assert_eq!(numbers.map(whole), [0, 0, 2, u64::MAX]);
        for number in [-1.5, 0.5, 2.9, 4.0, 9.1e15, f64::INFINITY] {
            assert_eq!(whole_part(number), number.trunc());
        }
        assert!(whole_part(f64::NAN).is_nan());
    }
}
