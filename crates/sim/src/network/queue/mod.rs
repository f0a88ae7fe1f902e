//! Queues: what waits before a transmitter, and who is refused.

mod drop_tail;

pub use drop_tail::{Backlog, BufferReading, DropTail, Limit};
