//! What is to be loaded, and what is.

use super::catalog::Startup;
use super::records::{ALL, Counts, Network, PORTS, Settings};
use std::path::PathBuf;
use std::time::Duration;

/// Which connections get the startup, and for how long.
#[derive(Clone, Debug)]
pub struct Request {
    /// The startup.
    pub startup: Startup,
    /// Ports of this host; none: all.
    pub ports: Vec<u16>,
    /// Networks of peers; none: all.
    pub networks: Vec<Network>,
    /// Share of these connections, from 0 to 1.
    pub share: f64,
    /// Seed of the hash that chooses them.
    pub seed: u32,
    /// Control group whose sockets are meant; `None`: all.
    pub cgroup: Option<PathBuf>,
    /// Until all is removed; `None`: until [`unload`].
    pub time: Option<Duration>,
}

impl Request {
    /// What the programs read, of a load that began at this time of the monotonic clock, nanoseconds.
    pub(super) fn settings(&self, began: u64) -> Settings {
        Settings {
            deadline: self.time.map_or(0, |time| began + time.as_nanos() as u64),
            share: (self.share * ALL) as u64,
            seed: self.seed,
            by_network: !self.networks.is_empty(),
            ports: self.ports.iter().copied().take(PORTS).collect(),
            name: self.startup.control.to_string(),
        }
    }
}

/// What is loaded.
#[derive(Clone, Debug)]
pub struct Status {
    /// Name of the startup in the catalog.
    pub startup: &'static str,
    /// Its name among the kernel's congestion controls.
    pub control: String,
    /// Ports of this host; none: all.
    pub ports: Vec<u16>,
    /// Networks of peers; none: all.
    pub networks: Vec<Network>,
    /// Share of these connections.
    pub share: f64,
    /// Seed of the hash.
    pub seed: u32,
    /// Until the deadline; zero where it is over.
    pub time_left: Option<Duration>,
    /// Whether a process waits to remove it then.
    pub has_watchdog: bool,
    /// Connections so far.
    pub counts: Counts,
}
