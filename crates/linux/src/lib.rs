//! Startups in the Linux kernel's TCP.
#![cfg(target_os = "linux")]

pub mod agent;
#[cfg(feature = "bpf")]
pub mod collect;
mod driving;
mod emulator;
mod headers;
mod http;
mod info;
pub mod lab;
#[cfg(feature = "bpf")]
mod libbpf;
pub mod load;
mod namespace;
pub mod permission;
mod run;
mod server;
#[cfg(feature = "bpf")]
pub mod startups;
mod sys;
mod transfer;
mod watch;

pub use driving::Driver;
