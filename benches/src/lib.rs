//! What flowstart costs: whole runs, measured against a loop that does nothing of TCP; and whether
//! they come to the same bytes wherever they are built and run.

pub mod bare_loop;
pub mod figures;
pub mod random_paths;
pub mod same_bytes;
