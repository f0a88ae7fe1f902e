#![doc = include_str!("../README.md")]
//!
//! The main items: [`Scenario`], [`run`], [`Prepared`], [`Outcome`].

mod compile;
pub mod engine;
mod estimate;
mod flow_plan;
mod lower_bound;
mod maybe_time;
mod memory;
pub mod record;
mod run;
mod slab;
mod spec;
mod speed_test;
pub mod workload;

pub use compile::{Compiler, Prepared};
pub use estimate::Estimate;
pub use record::outcome::Outcome;
pub use run::{ExternalSender, Load, Request, Requests, Usage, run};
pub use spec::*;
