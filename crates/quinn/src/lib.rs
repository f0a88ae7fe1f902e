#![doc = include_str!("../README.md")]

mod controller;
#[cfg(feature = "lab")]
pub mod lab;
#[cfg(feature = "runtime")]
mod socket;

pub use controller::{Factory, Live};
pub use flowstart_live::{Handle, StartupError};

use flowstart_control::signals::PathMemory;
use std::sync::Arc;

/// A startup with the congestion control that follows it, for quinn.
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

    /// What quinn makes controllers with.
    pub fn factory(&self) -> Arc<Factory> {
        Arc::new(Factory::new(self.0.clone()))
    }

    /// The socket to give to an endpoint whose connections this startup is to pace.
    ///
    /// quinn paces by a separate bucket, from which ten packets leave at once. Over this socket the
    /// window opens when a datagram is due and shuts behind it, which needs tokio's runtime.
    /// Connections with factories of this startup, or of a copy of it, are to have such a socket
    /// all or none.
    #[cfg(feature = "runtime")]
    pub fn socket(&self, inner: Arc<dyn quinn::AsyncUdpSocket>) -> Arc<dyn quinn::AsyncUdpSocket> {
        self.0.expect_socket();
        Arc::new(socket::PacedSocket(inner))
    }
}

/// A connection's handle; `None` where it has another controller.
#[cfg(feature = "runtime")]
pub fn handle(connection: &quinn::Connection) -> Option<Handle> {
    Live::handle(connection.congestion_state())
}
