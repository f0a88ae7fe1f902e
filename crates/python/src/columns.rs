//! Rows become columns: any flat `Serialize` struct is taken apart field by field, so
//! that a field added to a row of the simulator appears in Python by itself.

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyList, PyString};
use serde::ser::{Error as _, Impossible, Serialize, SerializeStruct, Serializer};

/// Why a row could not be taken apart.
type Error = serde::de::value::Error;

/// A column, as the Python objects of its cells.
struct Column<'py> {
    name: &'static str,
    cells: Vec<Bound<'py, PyAny>>,
    /// The latest text. Most are the same in row after row, and share one object.
    text: Option<(String, Bound<'py, PyAny>)>,
}

/// A table held by columns.
pub struct Columns<'py> {
    py: Python<'py>,
    columns: Vec<Column<'py>>,
}

impl<'py> Columns<'py> {
    /// An empty table.
    pub fn new(py: Python<'py>) -> Columns<'py> {
        let columns = Vec::new();
        Columns { py, columns }
    }

    /// Adds the `rows` of run number `run`, with that number as the first column.
    pub fn extend(&mut self, run: usize, rows: impl IntoIterator<Item: Serialize>) -> PyResult<()> {
        for row in rows {
            let mut writer = RowWriter { table: self, at: 0 };
            writer
                .put("run", &run)
                .and_then(|()| row.serialize(writer))
                .map_err(|e| crate::errors::SimulationError::new_err(e.to_string()))?;
        }
        Ok(())
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.columns.is_empty()
    }

    /// A dictionary of lists.
    pub fn into_dict(self) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(self.py);
        for column in self.columns {
            dict.set_item(column.name, PyList::new(self.py, column.cells)?)?;
        }
        Ok(dict)
    }
}

/// Writes the fields of one row, which come in the same order for every row.
struct RowWriter<'a, 'py> {
    table: &'a mut Columns<'py>,
    at: usize,
}

impl RowWriter<'_, '_> {
    fn put<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<(), Error> {
        let Columns { py, columns } = &mut *self.table;
        if self.at == columns.len() {
            columns.push(Column {
                name,
                cells: Vec::new(),
                text: None,
            });
        }
        let column = &mut columns[self.at];
        if column.name != name {
            let expected = column.name;
            return Err(Error::custom(format!(
                "a row has {name} where {expected} was"
            )));
        }
        let text = &mut column.text;
        column
            .cells
            .push(value.serialize(CellWriter { py: *py, text })?);
        self.at += 1;
        Ok(())
    }
}

impl SerializeStruct for RowWriter<'_, '_> {
    type Ok = ();
    type Error = Error;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        name: &'static str,
        value: &T,
    ) -> Result<(), Error> {
        self.put(name, value)
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

impl<'a, 'py> Serializer for RowWriter<'a, 'py> {
    type Ok = ();
    type Error = Error;
    type SerializeStruct = RowWriter<'a, 'py>;

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<RowWriter<'a, 'py>, Error> {
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

/// Makes the object of one value.
struct CellWriter<'a, 'py> {
    py: Python<'py>,
    /// The latest text of the column, and its object.
    text: &'a mut Option<(String, Bound<'py, PyAny>)>,
}

impl<'py> CellWriter<'_, 'py> {
    fn none(self) -> Bound<'py, PyAny> {
        self.py.None().into_bound(self.py)
    }
}

/// Numbers become Python's.
macro_rules! numbers {
    ($($method:ident($from:ty);)*) => {
        $(fn $method(self, value: $from) -> Result<Self::Ok, Error> {
            value.into_pyobject(self.py).map(Bound::into_any).map_err(Error::custom)
        })*
    };
}

impl<'py> Serializer for CellWriter<'_, 'py> {
    type Ok = Bound<'py, PyAny>;
    type Error = Error;
    type SerializeStruct = Impossible<Self::Ok, Error>;

    numbers! {
        serialize_i8(i8);
        serialize_i16(i16);
        serialize_i32(i32);
        serialize_i64(i64);
        serialize_u8(u8);
        serialize_u16(u16);
        serialize_u32(u32);
        serialize_u64(u64);
        serialize_f32(f32);
        serialize_f64(f64);
    }

    fn serialize_bool(self, value: bool) -> Result<Self::Ok, Error> {
        Ok(PyBool::new(self.py, value).to_owned().into_any())
    }

    fn serialize_char(self, value: char) -> Result<Self::Ok, Error> {
        self.serialize_str(value.encode_utf8(&mut [0; 4]))
    }

    fn serialize_str(self, value: &str) -> Result<Self::Ok, Error> {
        match self.text {
            Some((text, object)) if text == value => Ok(object.clone()),
            latest => {
                let object = PyString::new(self.py, value).into_any();
                *latest = Some((value.to_owned(), object.clone()));
                Ok(object)
            }
        }
    }

    fn serialize_none(self) -> Result<Self::Ok, Error> {
        Ok(self.none())
    }

    fn serialize_unit(self) -> Result<Self::Ok, Error> {
        Ok(self.none())
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<Self::Ok, Error> {
        value.serialize(self)
    }

    fn serialize_unit_struct(self, name: &'static str) -> Result<Self::Ok, Error> {
        self.serialize_str(name)
    }

    fn serialize_unit_variant(
        self,
        _: &'static str,
        _: u32,
        name: &'static str,
    ) -> Result<Self::Ok, Error> {
        self.serialize_str(name)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<Self::Ok, Error> {
        value.serialize(self)
    }

    refuse_compounds!();
    refuse! {
        serialize_struct(&'static str, usize) -> Self::SerializeStruct;
    }
}
