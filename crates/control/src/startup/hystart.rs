//! To be written; behaves as slow start meanwhile.

use super::{slow_start, Startup};
use crate::catalog::Entry;

/// The catalog entry.
pub const ENTRY: Entry<dyn Startup> = Entry {
    name: "hystart",
    ..slow_start::ENTRY
};
