//! The network: links with queues, and how they are put together.
//!
//! It knows what travels and nothing of endpoints or scenarios: a [`chain::Chain`] is given in
//! plain values, and [`graph`] makes of it the links and routes that a run plays.
#![forbid(unsafe_code)]

pub mod chain;
pub mod distribution;
pub mod graph;
pub mod impairments;
pub mod link;
pub mod moment;
pub mod queue;
pub mod quick_start;
pub mod random;
pub mod variation;
