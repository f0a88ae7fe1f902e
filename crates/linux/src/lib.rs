//! Start-ups in the Linux kernel's TCP.
#![cfg(target_os = "linux")]

pub mod agent;
mod driving;
mod emulator;
mod headers;
mod info;
pub mod lab;
mod namespace;
pub mod permission;
mod run;
mod sys;
mod transfer;
mod watch;

pub use driving::Driver;
