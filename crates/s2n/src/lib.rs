#![doc = include_str!("../README.md")]

mod calls;
mod clock;
mod controller;
mod factory;
#[cfg(feature = "lab")]
pub mod lab;

pub use controller::{Live, Order};
pub use factory::{Context, Events, Factory, handle};
pub use flowstart_live::{Handle, StartupError};

use clock::Watch;
use flowstart_control::signals::PathMemory;
use std::time::Instant;

/// A startup with the congestion control that follows it, for s2n-quic.
#[derive(Clone, Debug)]
pub struct Startup(flowstart_live::Startup);

impl Startup {
    /// Reads two specifications such as `careful-resume` and `cubic`.
    pub fn parse(startup: &str, cc: &str) -> Result<Startup, StartupError> {
        flowstart_live::Startup::parse(startup, cc).map(Startup)
    }

    /// What an earlier connection over the same path has left.
    pub fn memory(self, memory: PathMemory) -> Startup {
        Startup(self.0.memory(memory))
    }

    /// What an endpoint makes its controllers with. Each endpoint takes a separate one.
    pub fn factory(&self) -> Factory {
        Factory::new(self.0.clone(), Watch::Wall(Instant::now()))
    }
}
