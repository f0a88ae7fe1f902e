//! Enums whose values have names in requests and results, each next to its value.

use serde::de::{Deserializer, Error, Visitor};
use std::fmt;
use std::marker::PhantomData;

/// An enum whose values have names.
pub trait Named: Copy + PartialEq + 'static {
    /// The values, each with its name and what it is.
    const VALUES: &'static [(Self, &'static str, &'static str)];
    /// Names of the values, in order.
    const NAMES: &'static [&'static str];

    /// The name of a value.
    fn name(self) -> &'static str {
        let mut values = Self::VALUES.iter();
        values.find(|one| one.0 == self).map_or("", |one| one.1)
    }

    /// The value of this name.
    fn named(name: &str) -> Option<Self> {
        let mut values = Self::VALUES.iter();
        values.find(|one| one.1 == name).map(|one| one.0)
    }
}

/// Reads a value by its name.
pub fn read<'de, D: Deserializer<'de>, T: Named>(reader: D) -> Result<T, D::Error> {
    reader.deserialize_str(Name(PhantomData))
}

struct Name<T>(PhantomData<T>);

impl<T: Named> Visitor<'_> for Name<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name in quotes")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<T, E> {
        T::named(name).ok_or_else(|| E::unknown_variant(name, T::NAMES))
    }
}

/// Defines an enum whose values have names: `pub enum Side { /// Where it begins. Left = "left" }`.
#[macro_export]
macro_rules! named {
    (
        $(#[$attribute:meta])*
        pub enum $enum:ident {
            $(
                $(#[doc = $doc:literal])+
                $(#[default $($default:tt)*])?
                $value:ident = $name:literal,
            )+
        }
    ) => {
        $(#[$attribute])*
        #[allow(unreachable_pub)] // some are public, and some of one startup
        pub enum $enum {
            $($(#[doc = $doc])+ $(#[default $($default)*])? $value,)+
        }

        impl $crate::named::Named for $enum {
            const VALUES: &'static [($enum, &'static str, &'static str)] =
                &[$(($enum::$value, $name, concat!($($doc),+))),+];
            const NAMES: &'static [&'static str] = &[$($name),+];
        }

        impl $crate::serde::Serialize for $enum {
            fn serialize<S: $crate::serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
                s.serialize_str($crate::named::Named::name(*self))
            }
        }

        impl<'de> $crate::serde::Deserialize<'de> for $enum {
            fn deserialize<D: $crate::serde::Deserializer<'de>>(d: D) -> Result<$enum, D::Error> {
                $crate::named::read(d)
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use super::Named;

    named! {
        /// A side.
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub enum Side {
            /// Where it begins.
            Left = "left",
            /// Where it ends.
            Right = "right",
        }
    }

    #[test]
    fn a_value_is_read_and_written_by_its_name() {
        assert_eq!(serde_json::to_string(&Side::Left).unwrap(), "\"left\"");
        let read = |text: &str| serde_json::from_str::<Side>(text).map_err(|e| e.to_string());
        assert_eq!(read("\"right\""), Ok(Side::Right));
        let unknown = read("\"top\"").unwrap_err();
        assert!(unknown.starts_with("unknown variant `top`, expected `left` or `right`"));
        assert_eq!(Side::Left.name(), "left");
    }
}
