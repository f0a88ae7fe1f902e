//! Congestion-avoidance algorithms, one file each. To add one: its file, and here its module and
//! its entry.

use crate::entry::Entry;

pub mod bbr;
mod bbr_quinn;
pub mod bic;
pub mod cubic;
pub mod high_speed;
mod hooks;
pub mod none;
pub mod pico;
pub mod prague;
pub mod reno;
pub mod vegas;
pub mod westwood;

pub use hooks::{Avoidance, Maker, copies};

/// The catalog's avoidances, in its order.
pub const ENTRIES: &[Entry<Maker>] = &[
    reno::ENTRY,
    cubic::ENTRY,
    none::ENTRY,
    vegas::ENTRY,
    westwood::ENTRY,
    high_speed::ENTRY,
    bic::ENTRY,
    bbr::ENTRY,
    prague::ENTRY,
    pico::ENTRY,
];
