//! Checks that several readers make.

use crate::spec::{RequestError, out_of_range};
use flowstart_control::Duration;
use flowstart_network::distribution::{Distribution, Measure};

/// A run without a `duration` is stopped after this long: nothing that is worth
/// watching takes longer, but a path that loses everything would never end.
pub(super) const LONGEST_RUN: Duration = Duration::from_secs(30 * 24 * 3600);

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

/// A distribution, or what is wrong with it.
pub(super) fn distribution(
    field: &str,
    measure: Measure,
    text: &str,
) -> Result<Distribution, RequestError> {
    Distribution::parse(measure, text).map_err(|error| RequestError::new(field, error.to_string()))
}
