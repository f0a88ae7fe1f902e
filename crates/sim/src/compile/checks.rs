//! Checks that several readers make.

use crate::request::{out_of_range, time, RequestError};
use flowstart_control::Time;
use flowstart_network::distribution::{Law, Measure};

/// A distribution, or what is wrong with it.
pub(crate) fn distribution(field: &str, measure: Measure, text: &str) -> Result<Law, RequestError> {
    Law::parse(measure, text).map_err(|error| RequestError::new(field, error.to_string()))
}

/// For how long a rate or a delay holds: a shorter time would cost more to follow than packets.
pub(super) fn holding(field: &str, given: Time) -> Result<Time, RequestError> {
    match given >= Time::from_millis(1) {
        true => time(field, given),
        false => Err(out_of_range(field, given, "1ms to 600s")),
    }
}
