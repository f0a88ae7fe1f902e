//! The startup of a connection, and what is known of its path.

use crate::adapter::Adapter;
use crate::{Gate, Shared};
use flowstart_control::catalog::Recipe;
use flowstart_control::entry::Need;
use flowstart_control::params::SpecError;
use flowstart_control::signals::{PathInfo, PathMemory};
use flowstart_control::{Convention, Rate};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// A startup with the congestion control that follows it, to be used by any number of connections.
#[derive(Clone, Debug)]
pub struct Startup {
    recipe: Arc<Recipe>,
    known: PathInfo,
    has_socket: Arc<AtomicBool>,
}

/// Why there is no such startup here.
#[derive(Clone, Debug, PartialEq)]
pub enum StartupError {
    /// The catalog has none such.
    Spec(SpecError),
    /// It needs what no QUIC stack gives: routers that take part, or a peer that answers in another
    /// way.
    Needs {
        /// The startup.
        startup: String,
        /// What it needs.
        what: &'static str,
    },
}

impl fmt::Display for StartupError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StartupError::Spec(e) => e.fmt(f),
            StartupError::Needs { startup, what } => {
                write!(f, "startup `{startup}`: needs {what}, which QUIC lacks")
            }
        }
    }
}

impl std::error::Error for StartupError {}

impl Startup {
    /// Reads two specifications such as `careful-resume` and `cubic`.
    pub fn parse(startup: &str, cc: &str) -> Result<Startup, StartupError> {
        let recipe = Recipe::parse(startup, cc, Convention::QUIC);
        Startup::of(Arc::new(recipe.map_err(StartupError::Spec)?))
    }

    /// Makes a startup of a recipe.
    pub fn of(recipe: Arc<Recipe>) -> Result<Startup, StartupError> {
        let lacks = |need: &Need| match need {
            Need::Routers => Some("routers that take part"),
            Need::Peer => Some("a peer that answers in another way"),
            Need::Pacing | Need::Cache | Need::Interface | Need::L4s => None,
        };
        let l4s = recipe.needs_l4s().then_some("marks to be counted");
        // The catalog has no word for it, since the simulator's senders can.
        let repeats = (recipe.startup_name() == "halfback")
            .then_some("a transport that sends again what is not lost");
        let needs = recipe.needs().iter().rev();
        match needs.clone().find_map(lacks).or(l4s).or(repeats) {
            Some(what) => Err(StartupError::Needs {
                startup: recipe.startup_name().to_string(),
                what,
            }),
            None => Ok(Startup {
                recipe,
                known: PathInfo::default(),
                has_socket: Arc::default(),
            }),
        }
    }

    /// What an earlier connection over the same path has left.
    pub fn memory(mut self, memory: PathMemory) -> Startup {
        self.known.memory = Some(memory);
        self
    }

    /// The rate of the sender's own interface.
    pub fn interface_rate(mut self, rate: Rate) -> Startup {
        self.known.interface_rate = Some(rate);
        self
    }

    /// A connection's adapter, where datagrams have `mtu` bytes of UDP payload.
    pub fn adapter(&self, mtu: u16) -> Adapter {
        Adapter::new(self.recipe.build(), self.known, mtu)
    }

    /// The same behind the window that its stack sees, where times count from `origin`.
    pub fn gate(&self, mtu: u16, origin: Instant) -> Gate {
        let adapter = Shared::new(self.adapter(mtu), origin);
        Gate::new(adapter, self.has_socket.load(Ordering::Relaxed))
    }

    /// Connections from now on, of its copies too, send over a socket that can wake them.
    pub fn expect_socket(&self) {
        self.has_socket.store(true, Ordering::Relaxed);
    }

    /// Whether it spaces datagrams out and no socket was expected that can do so: then the stack's own
    /// pacer is all that does.
    pub fn lacks_socket(&self) -> bool {
        let paces = self.recipe.needs().contains(&Need::Pacing);
        paces && !self.has_socket.load(Ordering::Relaxed)
    }

    /// The startup and the congestion control as they were requested.
    pub fn names(&self) -> [String; 2] {
        [self.recipe.startup_spec(), self.recipe.avoidance_spec()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_startup_that_paces_lacks_a_socket_until_one_is_expected() {
        let lacks = |name| Startup::parse(name, "cubic").unwrap().lacks_socket();
        assert!(lacks("jump-start") && !lacks("hystart-plus-plus"));
        let startup = Startup::parse("jump-start", "cubic").unwrap();
        startup.clone().expect_socket();
        assert!(!startup.lacks_socket());
    }

    #[test]
    fn what_needs_routers_or_the_peer_is_refused_by_name() {
        let refused = |startup| Startup::parse(startup, "cubic").unwrap_err().to_string();
        assert_eq!(
            refused("quick-start"),
            "startup `quick-start`: needs routers that take part, which QUIC lacks"
        );
        assert_eq!(
            refused("modified-swift-start"),
            "startup `modified-swift-start`: needs a peer that answers in another way, which \
             QUIC lacks"
        );
        assert_eq!(
            refused("halfback"),
            "startup `halfback`: needs a transport that sends again what is not lost, which QUIC \
             lacks"
        );
        assert!(refused("hystrat").contains("did you mean `hystart`?"));
    }
}
