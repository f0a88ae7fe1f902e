//! Rows become columns: any flat `Serialize` struct is taken apart field by field, so
//! that a field added to a row of the simulator appears in Python by itself.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use serde::ser::{Error as _, Impossible, Serialize, SerializeStruct, Serializer};

/// Why a row could not be taken apart.
type Error = serde::de::value::Error;

/// One value of a table.
enum Cell {
    Null,
    Bool(bool),
    Int(i64),
    /// One that is no `i64`.
    Large(u64),
    Float(f64),
    Text(String),
}

/// A table held by columns.
#[derive(Default)]
pub struct Columns(Vec<(&'static str, Vec<Cell>)>);

impl Columns {
    /// Adds the `rows` of run number `run`, with that number as the first column.
    pub fn extend(&mut self, run: usize, rows: impl IntoIterator<Item: Serialize>) -> PyResult<()> {
        for row in rows {
            let mut writer = RowWriter {
                columns: &mut self.0,
                at: 0,
            };
            writer
                .put("run", Cell::Int(run as i64))
                .and_then(|()| row.serialize(writer))
                .map_err(|e| crate::errors::SimulationError::new_err(e.to_string()))?;
        }
        Ok(())
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// A dictionary of lists.
    pub fn into_dict(self, py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
        let dict = PyDict::new(py);
        for (name, cells) in self.0 {
            let values: Vec<_> = cells
                .iter()
                .map(|c| c.to_python(py))
                .collect::<PyResult<_>>()?;
            dict.set_item(name, PyList::new(py, values)?)?;
        }
        Ok(dict)
    }
}

impl Cell {
    fn to_python<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(match self {
            Cell::Null => py.None().into_bound(py),
            Cell::Bool(v) => v.into_pyobject(py)?.to_owned().into_any(),
            Cell::Int(v) => v.into_pyobject(py)?.into_any(),
            Cell::Large(v) => v.into_pyobject(py)?.into_any(),
            Cell::Float(v) => v.into_pyobject(py)?.into_any(),
            Cell::Text(v) => v.into_pyobject(py)?.into_any(),
        })
    }
}

/// Writes the fields of one row, which come in the same order for every row.
struct RowWriter<'a> {
    columns: &'a mut Vec<(&'static str, Vec<Cell>)>,
    at: usize,
}

impl RowWriter<'_> {
    fn put(&mut self, name: &'static str, cell: Cell) -> Result<(), Error> {
        if self.at == self.columns.len() {
            self.columns.push((name, Vec::new()));
        }
        let (expected, cells) = &mut self.columns[self.at];
        if *expected != name {
            return Err(Error::custom(format!(
                "a row has {name} where {expected} was"
            )));
        }
        cells.push(cell);
        self.at += 1;
        Ok(())
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
        let cell = value.serialize(CellWriter)?;
        self.put(name, cell)
    }

    fn end(self) -> Result<(), Error> {
        Ok(())
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

/// Writes one value.
struct CellWriter;

/// Takes whole numbers of these types, which all fit, as `i64`.
macro_rules! integers {
    ($($method:ident($from:ty);)*) => {
        $(fn $method(self, value: $from) -> Result<Cell, Error> {
            Ok(Cell::Int(value.into()))
        })*
    };
}

impl Serializer for CellWriter {
    type Ok = Cell;
    type Error = Error;
    type SerializeStruct = Impossible<Cell, Error>;

    integers! {
        serialize_i8(i8);
        serialize_i16(i16);
        serialize_i32(i32);
        serialize_i64(i64);
        serialize_u8(u8);
        serialize_u16(u16);
        serialize_u32(u32);
    }

    fn serialize_u64(self, value: u64) -> Result<Cell, Error> {
        Ok(i64::try_from(value).map_or(Cell::Large(value), Cell::Int))
    }

    fn serialize_bool(self, value: bool) -> Result<Cell, Error> {
        Ok(Cell::Bool(value))
    }

    fn serialize_f32(self, value: f32) -> Result<Cell, Error> {
        Ok(Cell::Float(f64::from(value)))
    }

    fn serialize_f64(self, value: f64) -> Result<Cell, Error> {
        Ok(Cell::Float(value))
    }

    fn serialize_char(self, value: char) -> Result<Cell, Error> {
        Ok(Cell::Text(value.into()))
    }

    fn serialize_str(self, value: &str) -> Result<Cell, Error> {
        Ok(Cell::Text(value.to_owned()))
    }

    fn serialize_none(self) -> Result<Cell, Error> {
        Ok(Cell::Null)
    }

    fn serialize_unit(self) -> Result<Cell, Error> {
        Ok(Cell::Null)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<Cell, Error> {
        value.serialize(self)
    }

    fn serialize_unit_struct(self, name: &'static str) -> Result<Cell, Error> {
        self.serialize_str(name)
    }

    fn serialize_unit_variant(
        self,
        _: &'static str,
        _: u32,
        name: &'static str,
    ) -> Result<Cell, Error> {
        self.serialize_str(name)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<Cell, Error> {
        value.serialize(self)
    }

    refuse_compounds!();
    refuse! {
        serialize_struct(&'static str, usize) -> Self::SerializeStruct;
    }
}
