//! To be written; behaves as slow start meanwhile.

use super::{slow_start, Startup};
use crate::catalog::Entry;

/// The catalog entry.
pub const ENTRY: Entry<dyn Startup> = Entry {
    name: "limited-slow-start",
    ..slow_start::ENTRY
};
