//! What flowstart costs: whole runs, measured against a loop that does nothing of TCP.
#![forbid(unsafe_code)]

pub mod bare_loop;
pub mod figures;
