//! To be written; behaves as Reno meanwhile.

use super::{reno, Avoidance};
use crate::catalog::Entry;

/// The catalog entry.
pub const ENTRY: Entry<dyn Avoidance> = Entry {
    name: "cubic",
    ..reno::ENTRY
};
