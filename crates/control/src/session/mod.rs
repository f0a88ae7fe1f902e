//! What every transport that drives a startup and a congestion control has in common.

pub mod delivery;
pub mod limited;
