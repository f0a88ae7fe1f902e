//! How a scenario states the endpoints' use of congestion marks: by name, or in the older form, by
//! true and false.

use super::definition::{Names, Value};
use flowstart_control::Named;
use flowstart_transport::stack::EcnMode;
use schemars::JsonSchema;
use serde::de::{Deserializer, Error, Visitor};
use std::fmt;

/// `true` is `classic` and `false` is `off`, as text too.
impl Value for EcnMode {
    type Schema = NameOrTruth;

    fn read<'de, D: Deserializer<'de>>(reader: D) -> Result<Option<EcnMode>, D::Error> {
        reader.deserialize_any(Said)
    }
}

/// What the schema takes it for.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[allow(dead_code)]
pub(crate) enum NameOrTruth {
    Name(Names<EcnMode>),
    Truth(bool),
}

struct Said;

impl Visitor<'_> for Said {
    type Value = Option<EcnMode>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("`off`, `classic` or `l4s`")
    }

    fn visit_bool<E: Error>(self, speaks: bool) -> Result<Option<EcnMode>, E> {
        Ok(Some(match speaks {
            true => EcnMode::Classic,
            false => EcnMode::Off,
        }))
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<Option<EcnMode>, E> {
        if let Ok(speaks) = name.parse() {
            return self.visit_bool(speaks);
        }
        let named = EcnMode::named(name);
        let unknown = || E::unknown_variant(name, EcnMode::NAMES);
        named.map(Some).ok_or_else(unknown)
    }

    fn visit_unit<E: Error>(self) -> Result<Option<EcnMode>, E> {
        Ok(None)
    }
}
