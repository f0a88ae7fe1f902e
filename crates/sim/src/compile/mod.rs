//! From what a scenario says to what runs: all checks are here.

pub(crate) mod checks;
mod impairments;
mod line;
pub(crate) mod path;
pub(crate) mod surroundings;
