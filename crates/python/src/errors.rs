//! Errors as Python sees them; the classes themselves are written in Python.

use flowstart_control::one_line;
use pyo3::{IntoPyObject, PyErr};

pyo3::import_exception!(flowstart.errors, RequestError);
pyo3::import_exception!(flowstart.errors, SimulationError);

/// A part of a location.
#[derive(IntoPyObject)]
enum Part {
    Name(String),
    Index(usize),
}

/// A refusal of a scenario with the location of its field.
pub(crate) fn request(error: flowstart_sim::RequestError) -> PyErr {
    RequestError::new_err((one_line(&error.problem), location(&error.field)))
}

/// The parts of a field: `flows[0].size` has a name, an index and a name.
fn location(field: &str) -> Vec<Part> {
    let words = field.split(['.', '[', ']']).filter(|word| !word.is_empty());
    let parts = words.map(|word| match word.parse() {
        Ok(index) => Part::Index(index),
        Err(_) => Part::Name(one_line(word)),
    });
    parts.collect()
}
