//! Every start-up of flowstart in quinn.
//!
//! ```
//! use flowstart_quinn::Startup;
//!
//! let startup = Startup::parse("careful-resume", "cubic").unwrap();
//! let mut transport = quinn_proto::TransportConfig::default();
//! transport.congestion_controller_factory(startup.factory());
//! ```
#![forbid(unsafe_code)]

mod controller;
#[cfg(feature = "lab")]
pub mod lab;

pub use controller::{Factory, Live};
pub use flowstart_live::{Handle, StartupError};

use flowstart_control::signals::PathMemory;
use std::sync::Arc;

/// A start-up with the avoidance that follows it, for quinn.
#[derive(Clone, Debug)]
pub struct Startup(flowstart_live::Startup);

impl Startup {
    /// Reads two specifications such as `careful-resume` and `cubic`.
    pub fn parse(startup: &str, avoidance: &str) -> Result<Startup, StartupError> {
        flowstart_live::Startup::parse(startup, avoidance).map(Startup)
    }

    /// What an earlier connection over the same path has left.
    pub fn memory(self, memory: PathMemory) -> Startup {
        Startup(self.0.memory(memory))
    }

    /// What quinn makes controllers with.
    pub fn factory(&self) -> Arc<Factory> {
        Arc::new(Factory::new(self.0.clone()))
    }
}
