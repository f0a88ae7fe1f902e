//! Rows become columns: any flat `Serialize` struct is taken apart field by field, so
//! that a field added to a row of the simulator appears in Python without an edit. Columns become
//! rows again in the same way.

use pyo3::prelude::*;
use serde::de::value::{MapDeserializer, StrDeserializer};
use serde::de::{DeserializeOwned, IntoDeserializer, Visitor};
use serde::ser::{Error as _, Impossible, Serialize, SerializeStruct, Serializer};
use serde::{Deserializer, forward_to_deserialize_any};

use crate::errors::SimulationError;
use crate::table::{Cell, Cells, Column, Table};

/// Why a row could not be taken apart.
type Error = serde::de::value::Error;

impl Table {
    /// Adds the `rows` of run number `run`.
    pub fn extend(&mut self, run: usize, rows: impl IntoIterator<Item: Serialize>) -> PyResult<()> {
        for row in rows {
            let mut columns = self.columns.iter_mut();
            put(columns.next(), "run", &run)
                .and_then(|()| row.serialize(RowWriter { columns }))
                .map_err(|e| SimulationError::new_err(e.to_string()))?;
        }
        Ok(())
    }
}

/// Takes a row, of which the run is the first.
pub(crate) type Take<'a, Row> = dyn FnMut(usize, Row) + 'a;

impl Table {
    /// Hands over the rows as structs, each with its run.
    pub fn read<Row: DeserializeOwned>(&self, take: &mut Take<'_, Row>) -> PyResult<()> {
        let columns = || self.columns.iter().skip(1);
        for row in 0..self.rows() {
            let cells = columns().map(|column| (column.name, column.cell(row)));
            let row_of = Row::deserialize(MapDeserializer::<_, Error>::new(cells));
            let found = row_of.map_err(|e| SimulationError::new_err(e.to_string()))?;
            take(self.run(row), found);
        }
        Ok(())
    }
}

impl<'de> IntoDeserializer<'de, Error> for Cell<'de> {
    type Deserializer = Cell<'de>;

    fn into_deserializer(self) -> Cell<'de> {
        self
    }
}

impl<'de> Deserializer<'de> for Cell<'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self {
            Cell::Whole(value) => visitor.visit_u64(value),
            Cell::Real(value) => visitor.visit_f64(value),
            Cell::Truth(value) => visitor.visit_bool(value),
            Cell::Word(value) => visitor.visit_borrowed_str(value),
            Cell::Nothing => visitor.visit_none(),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self {
            Cell::Nothing => visitor.visit_none(),
            value => visitor.visit_some(value),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        match self {
            Cell::Word(value) => {
                let value: StrDeserializer<'de, Error> = value.into_deserializer();
                value.deserialize_enum(name, variants, visitor)
            }
            _ => Err(Error::custom(format!("{name} is not text"))),
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 char str string bytes byte_buf unit unit_struct
        newtype_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

/// Writes the fields of one row, which come in the order of the columns.
struct RowWriter<'a> {
    columns: std::slice::IterMut<'a, Column>,
}

/// Writes a field into the column that is its.
pub(crate) fn put<T: Serialize + ?Sized>(
    column: Option<&mut Column>,
    name: &str,
    value: &T,
) -> Result<(), Error> {
    match column {
        Some(column) if column.name == name => value.serialize(CellWriter { column }),
        Some(column) => {
            let expected = column.name;
            Err(Error::custom(format!(
                "a row has {name} where {expected} was"
            )))
        }
        None => Err(Error::custom(format!("no column is called {name}"))),
    }
}

impl SerializeStruct for RowWriter<'_> {
    type Ok = ();
    type Error = Error;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        name: &'static str,
        value: &T,
    ) -> Result<(), Error> {
        put(self.columns.next(), name, value)
    }

    fn end(mut self) -> Result<(), Error> {
        match self.columns.next() {
            None => Ok(()),
            Some(column) => Err(Error::custom(format!("a row has no {}", column.name))),
        }
    }
}

/// Refuses the listed kinds of values.
macro_rules! refuse {
    ($($method:ident($($arg:ty),*) -> $ok:ty;)*) => {
        $(fn $method(self, $(_: $arg),*) -> Result<$ok, Error> {
            Err(Error::custom(concat!("a table has no place for ", stringify!($method))))
        })*
    };
}

/// Refuses whatever holds several values, and whatever only a row or a cell may be.
macro_rules! refuse_compounds {
    () => {
        type SerializeSeq = Impossible<Self::Ok, Error>;
        type SerializeTuple = Impossible<Self::Ok, Error>;
        type SerializeTupleStruct = Impossible<Self::Ok, Error>;
        type SerializeTupleVariant = Impossible<Self::Ok, Error>;
        type SerializeMap = Impossible<Self::Ok, Error>;
        type SerializeStructVariant = Impossible<Self::Ok, Error>;

        fn serialize_newtype_variant<T: Serialize + ?Sized>(
            self,
            _: &'static str,
            _: u32,
            _: &'static str,
            _: &T,
        ) -> Result<Self::Ok, Error> {
            Err(Error::custom(
                "a table has no place for a variant with a value",
            ))
        }

        refuse! {
            serialize_bytes(&[u8]) -> Self::Ok;
            serialize_seq(Option<usize>) -> Self::SerializeSeq;
            serialize_tuple(usize) -> Self::SerializeTuple;
            serialize_tuple_struct(&'static str, usize) -> Self::SerializeTupleStruct;
            serialize_tuple_variant(&'static str, u32, &'static str, usize)
                -> Self::SerializeTupleVariant;
            serialize_map(Option<usize>) -> Self::SerializeMap;
            serialize_struct_variant(&'static str, u32, &'static str, usize)
                -> Self::SerializeStructVariant;
        }
    };
}

impl<'a> Serializer for RowWriter<'a> {
    type Ok = ();
    type Error = Error;
    type SerializeStruct = RowWriter<'a>;

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<RowWriter<'a>, Error> {
        Ok(self)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<(), Error> {
        value.serialize(self)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Error> {
        value.serialize(self)
    }

    refuse_compounds!();
    refuse! {
        serialize_bool(bool) -> ();
        serialize_i8(i8) -> ();
        serialize_i16(i16) -> ();
        serialize_i32(i32) -> ();
        serialize_i64(i64) -> ();
        serialize_u8(u8) -> ();
        serialize_u16(u16) -> ();
        serialize_u32(u32) -> ();
        serialize_u64(u64) -> ();
        serialize_f32(f32) -> ();
        serialize_f64(f64) -> ();
        serialize_char(char) -> ();
        serialize_str(&str) -> ();
        serialize_none() -> ();
        serialize_unit() -> ();
        serialize_unit_struct(&'static str) -> ();
        serialize_unit_variant(&'static str, u32, &'static str) -> ();
    }
}

/// Writes one value into its column.
struct CellWriter<'a> {
    column: &'a mut Column,
}

impl CellWriter<'_> {
    /// Pushes a value to the cells, if they are of its kind.
    fn write(self, push: impl FnOnce(&mut Cells) -> bool) -> Result<(), Error> {
        if !push(&mut self.column.cells) {
            let name = self.column.name;
            return Err(Error::custom(format!(
                "{name} holds values of another kind"
            )));
        }
        self.column.note_value();
        Ok(())
    }

    fn nothing(self) -> Result<(), Error> {
        self.column.push_nothing();
        Ok(())
    }
}

/// Values that go into cells of a kind.
macro_rules! cells {
    ($($method:ident($from:ty) -> $kind:ident;)*) => {
        $(fn $method(self, value: $from) -> Result<(), Error> {
            self.write(|cells| match cells {
                Cells::$kind(cells) => {
                    cells.push(value.into());
                    true
                }
                _ => false,
            })
        })*
    };
}

impl Serializer for CellWriter<'_> {
    type Ok = ();
    type Error = Error;
    type SerializeStruct = Impossible<(), Error>;

    cells! {
        serialize_u8(u8) -> Whole;
        serialize_u16(u16) -> Whole;
        serialize_u32(u32) -> Whole;
        serialize_u64(u64) -> Whole;
        serialize_f32(f32) -> Real;
        serialize_f64(f64) -> Real;
        serialize_bool(bool) -> Truth;
    }

    fn serialize_str(self, value: &str) -> Result<(), Error> {
        self.write(|cells| match cells {
            Cells::Words(words) => {
                words.push(value);
                true
            }
            _ => false,
        })
    }

    fn serialize_char(self, value: char) -> Result<(), Error> {
        self.serialize_str(value.encode_utf8(&mut [0; 4]))
    }

    fn serialize_none(self) -> Result<(), Error> {
        self.nothing()
    }

    fn serialize_unit(self) -> Result<(), Error> {
        self.nothing()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Error> {
        value.serialize(self)
    }

    fn serialize_unit_struct(self, name: &'static str) -> Result<(), Error> {
        self.serialize_str(name)
    }

    fn serialize_unit_variant(
        self,
        _: &'static str,
        _: u32,
        name: &'static str,
    ) -> Result<(), Error> {
        self.serialize_str(name)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<(), Error> {
        value.serialize(self)
    }

    refuse_compounds!();
    refuse! {
        serialize_i8(i8) -> ();
        serialize_i16(i16) -> ();
        serialize_i32(i32) -> ();
        serialize_i64(i64) -> ();
        serialize_struct(&'static str, usize) -> Self::SerializeStruct;
    }
}
