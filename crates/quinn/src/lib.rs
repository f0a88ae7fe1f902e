#![doc = include_str!("../README.md")]

mod adapter;
#[cfg(feature = "noq")]
pub mod noq;
#[cfg(feature = "quinn")]
pub mod quinn;

pub use flowstart_live::{Handle, Startup, StartupError};
