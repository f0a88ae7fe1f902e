//! How a field of a scenario is defined: once, with its name, type, texts, default, check, flag,
//! and the fields without which it has no effect.
//!
//! [`fields!`] makes of a list of definitions the struct that is read and written, its JSON Schema,
//! its checks, its defaults, and the table from which Python makes its classes, the command line
//! its flags, and the pages their tables ([`Described`]).

use flowstart_control::{Bytes, Named, Rate};
use flowstart_transport::Flight;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Value as Json, json};
use std::any::type_name;
use std::borrow::Cow;
use std::marker::PhantomData;

/// A part of a scenario with its fields, described.
#[derive(Clone, Debug, Serialize)]
pub struct Described {
    /// What Rust calls it.
    pub name: &'static str,
    /// What it is.
    pub about: String,
    /// Its fields.
    pub fields: Vec<Field>,
}

/// A field, described.
#[derive(Clone, Debug, Serialize)]
pub struct Field {
    /// What it is called.
    pub name: &'static str,
    /// Its type in Rust, such as `Option<Rate>`.
    pub kind: &'static str,
    /// Whether it must be given.
    pub required: bool,
    /// What it is; the first paragraph in short.
    pub doc: String,
    /// What holds where it is not given, in words.
    pub usual: Option<&'static str>,
    /// The default that a resolved scenario has, as JSON.
    pub default: Option<Json>,
    /// The placeholder of its value in the help of its flag, where it has one; empty for a switch.
    pub flag: Option<&'static str>,
}

impl Field {
    /// Its description in the schema.
    fn description(&self) -> String {
        let usual = self
            .usual
            .map(|usual| format!("\n\nUnless given: {usual}."));
        self.doc.clone() + &usual.unwrap_or_default()
    }
}

/// The text of comments, line by line.
pub(super) fn words(comments: &[&str]) -> String {
    let lines: Vec<&str> = comments.iter().map(|line| line.trim()).collect();
    lines.join("\n")
}

/// The JSON Schema of a part of a scenario whose fields have these.
pub(super) fn schema(part: &Described, schemas: Vec<Schema>) -> Schema {
    let field = |(field, mut schema): (&Field, Schema)| {
        schema.insert("description".into(), field.description().into());
        (field.name.to_string(), schema.to_value())
    };
    let properties: serde_json::Map<_, _> = part.fields.iter().zip(schemas).map(field).collect();
    let required = part.fields.iter().filter(|field| field.required);
    let required: Vec<&str> = required.map(|field| field.name).collect();
    let mut object = json!({
        "type": "object",
        "description": part.about,
        "properties": properties,
        "additionalProperties": false,
    });
    if !required.is_empty() {
        object["required"] = required.into();
    }
    Schema::try_from(object).expect("an object is a schema")
}

/// A type of values that a field may have.
pub(crate) trait Value: Sized {
    /// What the schema takes it for.
    type Schema: JsonSchema;

    /// Reads one, or `null`.
    fn read<'de, D: Deserializer<'de>>(reader: D) -> Result<Option<Self>, D::Error>;
}

/// Values that serde reads without help.
macro_rules! plain {
    ($($kind:ty),* $(,)?) => {$(
        impl $crate::spec::definition::Value for $kind {
            type Schema = $kind;

            fn read<'de, D: serde::Deserializer<'de>>(reader: D) -> Result<Option<$kind>, D::Error> {
                serde::Deserialize::deserialize(reader)
            }
        }
    )*};
}
pub(super) use plain;

/// Values that are written as text, most with a unit.
macro_rules! text {
    ($($kind:ty),* $(,)?) => {$(
        impl $crate::spec::definition::Value for $kind {
            type Schema = String;

            fn read<'de, D: serde::Deserializer<'de>>(reader: D) -> Result<Option<$kind>, D::Error> {
                $crate::spec::quantity::quantity(reader)
            }
        }
    )*};
}
pub(super) use text;

/// Enums whose values have names where they are defined.
macro_rules! names {
    ($($kind:ty),* $(,)?) => {$(
        impl $crate::spec::definition::Value for $kind {
            type Schema = $crate::spec::definition::Names<$kind>;

            fn read<'de, D: serde::Deserializer<'de>>(reader: D) -> Result<Option<$kind>, D::Error> {
                serde::Deserialize::deserialize(reader)
            }
        }
    )*};
}
pub(super) use names;

/// The schema of such an enum.
pub(crate) struct Names<T>(PhantomData<T>);

impl<T: Named> JsonSchema for Names<T> {
    fn schema_name() -> Cow<'static, str> {
        let path = type_name::<T>();
        path.rsplit("::").next().unwrap_or(path).into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let value = |(_, name, doc): &(T, &str, &str)| {
            let doc = words(&doc.lines().collect::<Vec<_>>());
            json!({ "const": name, "type": "string", "description": doc })
        };
        let values: Vec<Json> = T::VALUES.iter().map(value).collect();
        json_schema!({ "oneOf": values })
    }
}

plain!(bool, u32, u64, f64, String);

/// What a field holds that may be left out.
pub(crate) trait Given: Sized + Default {
    /// A value of it.
    type Value;
    /// What the schema takes it for.
    type Schema: JsonSchema;

    /// Reads it in place.
    fn read<'de, D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error>;

    /// What was given, if anything.
    fn value(&self) -> Option<&Self::Value>;
}

impl<T: Value> Given for Option<T> {
    type Value = T;
    type Schema = Option<T::Schema>;

    fn read<'de, D: Deserializer<'de>>(reader: D) -> Result<Option<T>, D::Error> {
        T::read(reader)
    }

    fn value(&self) -> Option<&T> {
        self.as_ref()
    }
}

impl<T: JsonSchema + for<'de> Deserialize<'de>> Given for Vec<T> {
    type Value = Vec<T>;
    type Schema = Vec<T>;

    fn read<'de, D: Deserializer<'de>>(reader: D) -> Result<Vec<T>, D::Error> {
        Deserialize::deserialize(reader)
    }

    fn value(&self) -> Option<&Vec<T>> {
        (!self.is_empty()).then_some(self)
    }
}

/// The holder of the values of the neighbouring fields.
pub(crate) trait Place<V> {
    /// Sets it to a value.
    fn put(&mut self, value: V);

    /// The value that would set it so, if any.
    fn take(&self) -> Option<V>;
}

impl<T: Clone> Place<T> for T {
    fn put(&mut self, value: T) {
        *self = value;
    }

    fn take(&self) -> Option<T> {
        Some(self.clone())
    }
}

/// Sizes that their checks keep within the type.
macro_rules! sizes {
    ($($kind:ty),*) => {$(
        impl Place<Bytes> for $kind {
            fn put(&mut self, value: Bytes) {
                *self = value.0 as $kind;
            }

            fn take(&self) -> Option<Bytes> {
                Some(Bytes((*self).into()))
            }
        }

        impl Place<Bytes> for Option<$kind> {
            fn put(&mut self, value: Bytes) {
                *self = Some(value.0 as $kind);
            }

            fn take(&self) -> Option<Bytes> {
                self.as_ref().and_then(Place::take)
            }
        }
    )*};
}

sizes!(u32, u64);

impl Place<Rate> for Option<Rate> {
    fn put(&mut self, value: Rate) {
        *self = Some(value);
    }

    fn take(&self) -> Option<Rate> {
        *self
    }
}

impl Place<Flight> for Option<Flight> {
    fn put(&mut self, value: Flight) {
        *self = Some(value);
    }

    fn take(&self) -> Option<Flight> {
        *self
    }
}

/// A limit of zero is none.
impl Place<u32> for Option<u32> {
    fn put(&mut self, value: u32) {
        *self = (value > 0).then_some(value);
    }

    fn take(&self) -> Option<u32> {
        Some(self.unwrap_or(0))
    }
}

/// Whole segments of a window, which is infinite where nothing limits it.
impl Place<u32> for f64 {
    fn put(&mut self, value: u32) {
        *self = value.into();
    }

    fn take(&self) -> Option<u32> {
        self.is_finite().then_some(*self as u32)
    }
}

/// Reads a field that may be left out.
pub(super) fn read<'de, D: Deserializer<'de>, G: Given>(reader: D) -> Result<G, D::Error> {
    G::read(reader)
}

/// Reads a field that must be there.
pub(super) fn required<'de, D: Deserializer<'de>, V: Value>(reader: D) -> Result<V, D::Error> {
    V::read(reader)?.ok_or_else(|| serde::de::Error::custom("null is not a quantity"))
}

/// A default as JSON.
pub(super) fn default_of<G: Given>(value: G::Value) -> Option<Json>
where
    G::Value: Serialize,
{
    serde_json::to_value(value).ok()
}

/// Whether a field has been left out.
pub(super) fn is_absent<G: Given>(field: &G) -> bool {
    field.value().is_none()
}

/// What the schema takes a value for.
pub(super) fn schema_of<V: Value>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<V::Schema>()
}

/// What the schema takes a field that may be left out for.
pub(super) fn schema_of_given<G: Given>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<G::Schema>()
}

/// What a field depends on, and the error elsewhere.
pub(crate) struct Need<S: ?Sized> {
    /// Whether it does.
    pub(crate) applies: fn(&S) -> bool,
    /// What is wrong otherwise, and what would be right.
    pub(crate) otherwise: &'static str,
}

/// A field that has an effect only where `applies` is true.
pub(super) const fn needs<S>(applies: fn(&S) -> bool, otherwise: &'static str) -> Need<S> {
    Need { applies, otherwise }
}

/// The definitions of fields. A struct whose fields depend on others names with `beside` what they are
/// looked at. Fields that must be given come first. Behind its comments a field may have, in this
/// order:
///
/// - `#[flag("RATE")]`: its flag on the command line, and the placeholder of the value in its help;
/// - `#[usual("...")]`: what holds where it is not given, in words;
/// - `#[check(...)]`: a function of the field's name and value;
/// - `#[needs(A, B)]`: every [`Need`] that has to be met for it to mean something;
/// - `#[sets(...)]`: the place that it sets in what the fields stand `beside`;
/// - `= ...` behind its type: its default.
macro_rules! fields {
    ($(#[$($about:tt)+])+ pub struct $name:ident { $($body:tt)* }) => {
        $crate::spec::definition::fields! {
            $(#[$($about)+])+ pub struct $name beside () { $($body)* }
        }
    };
    (
        $(#[doc = $about:literal])+
        #[derive($($derived:ident),+)]
        pub struct $name:ident beside $subject:ty {
            $(required {$(
                $(#[doc = $required_doc:literal])+
                $(#[check($required_check:expr_2021)])?
                pub $required:ident: $required_type:ty,
            )+})?
            $(
                $(#[doc = $doc:literal])+
                $(#[flag($flag:literal)])?
                $(#[usual($usual:literal)])?
                $(#[check($check:expr_2021)])?
                $(#[needs($($need:path),+)])?
                $(#[sets($($place:tt)+)])?
                pub $field:ident: $type:ty $(= $default:expr_2021)?,
            )*
        }
    ) => {
        $(#[doc = $about])+
        #[derive($($derived,)+ serde::Serialize, serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        pub struct $name {
            $($(
                $(#[doc = $required_doc])+
                #[serde(deserialize_with = "crate::spec::definition::required")]
                pub $required: $required_type,
            )+)?
            $(
                $(#[doc = $doc])+
                #[serde(
                    default,
                    skip_serializing_if = "crate::spec::definition::is_absent",
                    deserialize_with = "crate::spec::definition::read"
                )]
                pub $field: $type,
            )*
        }

        // Not every part needs all of this, and a field may begin with `from_`.
        #[allow(dead_code, unused_imports, unused_mut, unused_variables)]
        #[allow(clippy::wrong_self_convention)]
        impl $name {
            /// The table of the fields.
            pub(crate) fn described() -> $crate::spec::definition::Described {
                use $crate::spec::definition;
                definition::Described {
                    name: stringify!($name),
                    about: definition::words(&[$($about),+]),
                    fields: vec![
                        $($(definition::Field {
                            name: stringify!($required),
                            kind: stringify!($required_type),
                            required: true,
                            doc: definition::words(&[$($required_doc),+]),
                            usual: None,
                            default: None,
                            flag: None,
                        },)+)?
                        $(definition::Field {
                            name: stringify!($field),
                            kind: stringify!($type),
                            required: false,
                            doc: definition::words(&[$($doc),+]),
                            usual: None $(.or(Some($usual)))?,
                            default: None $(.or(definition::default_of::<$type>($default.into())))?,
                            flag: None $(.or(Some($flag)))?,
                        },)*
                    ],
                }
            }

            /// Refuses values that their checks refuse, `at` this place of a scenario.
            pub(crate) fn check(&self, at: &str) -> Result<(), $crate::spec::error::RequestError> {
                use $crate::spec::definition;
                $($($(
                    ($required_check)(&format!("{at}.{}", stringify!($required)), &self.$required)?;
                )?)+)?
                $($(
                    if let Some(value) = definition::Given::value(&self.$field) {
                        ($check)(&format!("{at}.{}", stringify!($field)), value)?;
                    }
                )?)*
                Ok(())
            }

            /// The fields that mean nothing next to this, and why.
            pub(crate) fn idle(subject: &$subject) -> Vec<(&'static str, &'static str)> {
                let mut idle = Vec::new();
                $($($(
                    if !($need.applies)(subject) {
                        idle.push((stringify!($field), $need.otherwise));
                    }
                )+)?)*
                idle
            }

            /// The value of a field, if it was given.
            pub(crate) fn given(&self, field: &str) -> Option<serde_json::Value> {
                use $crate::spec::definition;
                $(
                    if field == stringify!($field) {
                        return definition::Given::value(&self.$field).and_then(|v| serde_json::to_value(v).ok());
                    }
                )*
                None
            }

            /// Gives every field its default that has one, was left out and is not `idle`.
            pub(crate) fn fill_in(&mut self, subject: &$subject) {
                let idle = $name::idle(subject);
                $($(
                    if !idle.iter().any(|(field, _)| *field == stringify!($field)) {
                        self.$field.get_or_insert_with(|| $default.into());
                    }
                )?)*
            }

            /// These fields, and those of `others` that are not among them.
            pub(crate) fn over(&self, others: &$name) -> $name {
                use $crate::spec::definition::is_absent;
                let mut both = self.clone();
                $(
                    if is_absent(&both.$field) {
                        both.$field = others.$field.clone();
                    }
                )*
                both
            }

            /// Leaves out the fields that are `idle`.
            pub(crate) fn leave_out(&mut self, idle: &[(&str, &str)]) {
                $(
                    if idle.iter().any(|(field, _)| *field == stringify!($field)) {
                        self.$field = Default::default();
                    }
                )*
            }

            /// Sets what is given in the places that the fields name.
            pub(crate) fn set_in(&self, subject: &mut $subject) {
                $($(
                    if let Some(value) = self.$field.clone() {
                        $crate::spec::definition::Place::put(&mut subject.$($place)+, value);
                    }
                )?)*
            }

            /// Takes the fields from the places that they set.
            pub(crate) fn take_from(&mut self, subject: &mut $subject) {
                $($(
                    self.$field = $crate::spec::definition::Place::take(&subject.$($place)+);
                )?)*
            }

            $($(
                /// What is given, or its default.
                pub(crate) fn $field(&self) -> <$type as $crate::spec::definition::Given>::Value {
                    self.$field.clone().unwrap_or_else(|| $default.into())
                }
            )?)*
        }

        impl schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                use $crate::spec::definition;
                let schemas = vec![
                    $($(definition::schema_of::<$required_type>(generator),)+)?
                    $(definition::schema_of_given::<$type>(generator),)*
                ];
                definition::schema(&$name::described(), schemas)
            }
        }
    };
}
pub(super) use fields;
