//! Errors as Python sees them; the classes themselves are written in Python.

pyo3::import_exception!(flowstart.errors, RequestError);
pyo3::import_exception!(flowstart.errors, SimulationError);
