//! NumPy arrays from and to plain numbers, through their bytes: binding NumPy's C interface takes eight crates.

use bytemuck::NoUninit;
use pyo3::buffer::{Element, PyBuffer};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyByteArray;

/// A number with a NumPy type.
pub(crate) trait Cell: NoUninit {
    /// NumPy's name of the type.
    const DTYPE: &'static str;
}

macro_rules! cells {
    ($($kind:ty: $dtype:literal),*) => {
        $(impl Cell for $kind {
            const DTYPE: &'static str = $dtype;
        })*
    };
}

cells!(bool: "bool", u8: "u1", u16: "u2", u32: "u4", u64: "u8", i64: "i8", f32: "f4", f64: "f8");

/// A writable array with these cells.
pub(crate) fn array<'py, T: Cell>(
    py: Python<'py>,
    cells: impl AsRef<[T]>,
) -> PyResult<Bound<'py, PyAny>> {
    static FROM_BUFFER: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let bytes = PyByteArray::new(py, bytemuck::cast_slice(cells.as_ref()));
    FROM_BUFFER
        .import(py, "numpy", "frombuffer")?
        .call1((bytes, T::DTYPE))
}

/// The cells of an array of this type.
pub(crate) fn cells<T: Element>(array: &Bound<'_, PyAny>) -> PyResult<Vec<T>> {
    PyBuffer::<T>::get(array)?.to_vec(array.py())
}
