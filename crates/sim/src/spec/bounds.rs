//! Bounds of single values, for the definitions of fields.

use super::error::{RequestError, out_of_range};
use flowstart_control::{Bytes, Duration, Rate};
use std::fmt::Display;
use std::ops::RangeInclusive;

const SLOWEST: Rate = Rate(1);
const FASTEST: Rate = Rate(100_000_000_000_000);
/// The longest delay, round trip or period.
const LONGEST: Duration = Duration::from_secs(600);

/// A rate that can be.
pub(crate) fn rate(field: &str, rate: &Rate) -> Result<(), RequestError> {
    within(SLOWEST..=FASTEST, "1bps to 100Tbps")(field, rate)
}

/// A delay or a round trip that can be.
pub(crate) fn time(field: &str, time: &Duration) -> Result<(), RequestError> {
    within(Duration::ZERO..=LONGEST, "0s to 600s")(field, time)
}

/// A period that can be.
pub(super) fn period(field: &str, time: &Duration) -> Result<(), RequestError> {
    within(Duration(1)..=LONGEST, "above 0s to 600s")(field, time)
}

/// For how long a rate or a delay holds: a shorter time would cost more to follow than packets.
pub(super) fn holding(field: &str, given: &Duration) -> Result<(), RequestError> {
    within(Duration::from_millis(1)..=Duration::MAX, "1ms to 600s")(field, given)?;
    time(field, given)
}

/// A segment size that can be.
pub(super) fn segment_size(field: &str, mss: &Bytes) -> Result<(), RequestError> {
    within(1..=65_000, "a segment of 1 B to 65 kB")(field, &mss.0)
}

/// A value within a range, which is `right`.
pub(crate) fn within<T: PartialOrd + Display>(
    range: RangeInclusive<T>,
    right: &'static str,
) -> impl Fn(&str, &T) -> Result<(), RequestError> {
    move |field, value| match range.contains(value) {
        true => Ok(()),
        false => Err(out_of_range(field, value, right)),
    }
}
