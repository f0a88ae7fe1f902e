//! The start-ups of `flowstart-control` in transports that are not the simulator's.
//!
//! A QUIC stack asks a congestion controller for a window and tells it what was sent, acknowledged
//! and lost. A start-up wants more: rounds, whether the window was the limit, samples of the delivery
//! rate, the end of a recovery, and pacing. [`Adapter`] stands between them. What it is told are
//! datagrams in the order of sending; what it tells a [`Controller`](flowstart_control::Controller)
//! are the signals that the simulator's `quic` stack tells, by the same rules (RFC 9002), so that one
//! can be checked against the other.
//!
//! The crates `flowstart-quinn`, `flowstart-noq` and `flowstart-s2n` are thin: each translates one
//! stack's callbacks. With the feature `lab` this crate also runs them over the simulator's links in
//! virtual time.
#![forbid(unsafe_code)]

mod adapter;
#[cfg(feature = "lab")]
mod ends;
mod gate;
mod handle;
#[cfg(feature = "lab")]
pub mod lab;
mod ledger;
mod path;
#[cfg(feature = "runtime")]
pub mod sleeper;
mod startup;
#[cfg(feature = "lab")]
mod wire;

pub use adapter::{Adapter, Counters, Lost, Sample};
pub use gate::{Alarm, Gate};
pub use handle::{Handle, Shared};
pub use path::Path;
pub use startup::{Startup, StartupError};
