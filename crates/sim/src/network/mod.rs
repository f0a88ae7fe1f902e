//! The network: links with queues, and how they are put together.

mod ingredients;
pub mod link;
pub mod queue;
pub mod quick_start;
pub mod random;
pub mod topology;
pub mod variation;
