//! Quantities with units, as JSON and TOML have them.

use serde::de::{Deserializer, Error, Visitor};
use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;

/// Reads a quantity that may be absent. A bare number is not refused as such but read
/// like text, so that the complaint is about the unit that it lacks.
pub(super) fn quantity<'de, D, T>(reader: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: FromStr<Err: fmt::Display>,
{
    reader.deserialize_any(Quantity(PhantomData))
}

struct Quantity<T>(PhantomData<T>);

impl<T: FromStr<Err: fmt::Display>> Visitor<'_> for Quantity<T> {
    type Value = Option<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The valid values of the kind of quantity.
        let complaint = "".parse::<T>().err().map(|e| e.to_string());
        let expected = complaint.as_deref().and_then(|c| c.split_once(" is not "));
        f.write_str(expected.map_or("a quantity", |(_, expected)| expected))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Option<T>, E> {
        text.parse().map(Some).map_err(E::custom)
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Option<T>, E> {
        self.visit_str(&number.to_string())
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Option<T>, E> {
        self.visit_str(&number.to_string())
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Option<T>, E> {
        self.visit_str(&number.to_string())
    }

    fn visit_unit<E: Error>(self) -> Result<Option<T>, E> {
        Ok(None)
    }
}
