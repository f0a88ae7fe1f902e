//! The network: links with queues, and how they are put together.

pub mod link;
pub mod queue;
pub mod quick_start;
pub mod random;
pub mod topology;
