//! From what a scenario says to what runs: all checks are here.

pub(crate) mod surroundings;
