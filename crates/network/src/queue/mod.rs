//! Queues: which packets wait before a transmitter, are refused, and leave next.

mod buffer;
mod choke;
mod codel;
mod discipline;
mod drop_tail;
mod dualpi2;
mod fq_codel;
mod line;
mod marked_first;
mod pie;
mod red;
mod spec;
#[cfg(test)]
mod testing;
mod xcp;

pub use buffer::{Backlog, BufferAccounting, DropTail, Limit};
pub use discipline::{
    Contents, Discipline, Maker, Port, QueueContext, QueueEvent, QueueEventKind, Queued,
};
pub use line::Line;
pub use spec::{QueueSpec, describe};

use flowstart_control::entry::Entry;

/// The disciplines.
pub const QUEUES: &[Entry<Maker>] = &[
    drop_tail::ENTRY,
    marked_first::ENTRY,
    red::ENTRY,
    choke::ENTRY,
    codel::ENTRY,
    fq_codel::ENTRY,
    pie::ENTRY,
    xcp::ENTRY,
    dualpi2::ENTRY,
];
