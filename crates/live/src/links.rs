//! The simulator's links under endpoints that are not the simulator's, and what comes of such a run.

pub use crate::ends::{Datagram, MTU, Side, sender};
pub use crate::lateness::Lateness;
pub use crate::outcome::{BusyTimes, Clock, Outcome};
pub use crate::wire::{Kind, Passage, Sort, Wire};
