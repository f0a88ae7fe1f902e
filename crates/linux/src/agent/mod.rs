//! Startups that drive the kernel's sender: a BPF program hands events to a thread of this process,
//! which answers with a window, a threshold and a pacing rate.

#[cfg(not(feature = "bpf"))]
mod absent;
mod connection;
mod delivery;
mod opening;
#[cfg(feature = "bpf")]
mod program;
mod records;

#[cfg(not(feature = "bpf"))]
pub use absent::Agent;
pub use connection::Connection;
#[cfg(feature = "bpf")]
pub use program::Agent;
pub use records::{Command, Event, Ports, What};
