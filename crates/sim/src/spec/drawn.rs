//! Values of a scenario that may be drawn at random.

use super::definition::text;
use serde::Serialize;
use std::convert::Infallible;
use std::fmt;
use std::str::FromStr;

text!(DrawnText);

/// A distribution as text, or a plain value, which may be a number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DrawnText(pub String);

impl FromStr for DrawnText {
    type Err = Infallible;
    fn from_str(text: &str) -> Result<DrawnText, Infallible> {
        Ok(text.into())
    }
}

impl From<&str> for DrawnText {
    fn from(text: &str) -> DrawnText {
        DrawnText(text.into())
    }
}

impl fmt::Display for DrawnText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Serialize for DrawnText {
    fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_str(self)
    }
}
