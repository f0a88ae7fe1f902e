#![doc = include_str!("../README.md")]
//!
//! The main items: [`link::Link`], [`queue::QueueSpec`], [`chain::Chain`], [`graph::build`].

pub mod chain;
pub mod distribution;
pub mod graph;
pub mod host;
pub mod link;
pub mod moment;
pub mod queue;
pub mod quick_start;
pub mod random;
pub mod variation;
