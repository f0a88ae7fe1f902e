#![doc = include_str!("../README.md")]
//!
//! The main items: [`Startup`], [`Adapter`], [`Handle`].

mod adapter;
#[cfg(feature = "links")]
mod ends;
mod gate;
mod handle;
#[cfg(feature = "lab")]
pub mod lab;
#[cfg(feature = "links")]
mod lateness;
#[cfg(feature = "links")]
pub mod links;
#[cfg(feature = "links")]
mod outcome;
mod pace;
mod path;
mod sent_packets;
#[cfg(feature = "runtime")]
pub mod sleeper;
mod startup;
#[cfg(feature = "links")]
mod wire;

pub use adapter::{Adapter, Counters, Lost, Sample};
pub use gate::{Alarm, Gate, Metrics};
pub use handle::{Handle, Shared};
pub use path::Path;
pub use startup::{Startup, StartupError};
