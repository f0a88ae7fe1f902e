//! A deterministic packet-level network simulator for the start-up of connections.
//!
//! A [`Scenario`] describes a run; [`run`] simulates it, packet by packet, and returns
//! its [`Outcome`]. The same scenario and seed give the same outcome on every machine.
//!
//! ```
//! let scenario = flowstart_sim::Scenario::from_toml(r#"
//!     path = { rate = "5Mbps", rtt = "64ms", buffer = "60pkt" }
//!     stack = { preset = "ns2", iw = "3" }
//!     flows = [{ startup = "jump-start", size = "64pkt" }]
//! "#).unwrap();
//! let outcome = flowstart_sim::run(&scenario).unwrap();
//! assert!((outcome.flows.row(0).duration_s.unwrap() - 0.2818).abs() < 1e-4);
//! ```
#![forbid(unsafe_code)]

mod compile;
pub mod engine;
mod flow_plan;
mod maybe_time;
mod memory;
pub mod record;
mod run;
mod slab;
mod spec;
pub mod workload;

pub use compile::{Compiler, Prepared};
pub use record::outcome::Outcome;
pub use run::{run, LoneFlow};
pub use spec::*;
