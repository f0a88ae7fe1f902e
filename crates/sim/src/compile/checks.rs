//! Checks that several readers make, and the errors that they end in.

use crate::spec::RequestError;
use flowstart_control::{Rate, Time};
use flowstart_network::distribution::{Distribution, Measure};
use std::fmt;

const SLOWEST: u64 = 1;
const FASTEST: u64 = 100_000_000_000_000;
const LONGEST: Time = Time::from_secs(600);
/// A run without a `duration` is stopped after this long: nothing that is worth
/// watching takes longer, but a path that loses everything would never end.
pub(super) const LONGEST_RUN: Time = Time::from_secs(30 * 24 * 3600);

/// A rate that can be.
pub(super) fn rate(field: &str, rate: Rate) -> Result<Rate, RequestError> {
    if (SLOWEST..=FASTEST).contains(&rate.0) {
        return Ok(rate);
    }
    Err(out_of_range(field, rate, "1bps to 100Tbps"))
}

/// A delay or a round trip that can be.
pub(super) fn time(field: &str, time: Time) -> Result<Time, RequestError> {
    if time <= LONGEST {
        return Ok(time);
    }
    Err(out_of_range(field, time, &format!("0s to {LONGEST}")))
}

/// `value`, or an error that names the field and what would be right.
pub(super) fn within(
    field: &str,
    value: u64,
    least: u64,
    most: u64,
    right: &str,
) -> Result<u64, RequestError> {
    if (least..=most).contains(&value) {
        return Ok(value);
    }
    Err(out_of_range(field, value, right))
}

/// An error for a value that cannot be.
pub(super) fn out_of_range(field: &str, value: impl fmt::Display, right: &str) -> RequestError {
    RequestError::new(
        field,
        format!("`{value}` is out of range; {right} is needed"),
    )
}

/// A distribution, or what is wrong with it.
pub(super) fn distribution(
    field: &str,
    measure: Measure,
    text: &str,
) -> Result<Distribution, RequestError> {
    Distribution::parse(measure, text).map_err(|error| RequestError::new(field, error.to_string()))
}

/// For how long a rate or a delay holds: a shorter time would cost more to follow than packets.
pub(super) fn holding(field: &str, given: Time) -> Result<Time, RequestError> {
    match given >= Time::from_millis(1) {
        true => time(field, given),
        false => Err(out_of_range(field, given, "1ms to 600s")),
    }
}
