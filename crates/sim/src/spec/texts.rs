//! Lists of quantities with units, as JSON and TOML have them.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serializer};
use std::fmt::Display;
use std::str::FromStr;

/// Reads a list of texts.
pub(super) fn deserialize<'de, D, T>(reader: D) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: FromStr<Err: Display>,
{
    let texts = Vec::<String>::deserialize(reader)?;
    let read = texts
        .iter()
        .map(|text| text.parse().map_err(D::Error::custom));
    read.collect()
}

/// Writes a list as texts.
pub(super) fn serialize<S: Serializer, T: Display>(
    values: &[T],
    writer: S,
) -> Result<S::Ok, S::Error> {
    writer.collect_seq(values.iter().map(T::to_string))
}
