//! Messages between the parts of a run.

use flowstart_control::Duration;
use flowstart_live::Shared;
use flowstart_live::lab::{Observed, State};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// So long, for those that count by the standard library.
pub fn wait(time: Duration) -> std::time::Duration {
    std::time::Duration::from_nanos(time.nanos())
}

/// What the parts of a run know.
#[derive(Default)]
pub struct Found {
    pub server: Option<SocketAddr>,
    pub adapter: Option<Shared>,
    /// The present state of s2n-quic's own controller.
    pub state: State,
    /// What it did since the connection opened.
    pub observed: Option<Observed>,
    pub opened: Option<Duration>,
    pub fct: Option<Duration>,
    pub failure: Option<String>,
    pub dropped: u64,
}

/// The notes, shared by all tasks.
#[derive(Clone, Default)]
pub struct Notes(Arc<Mutex<Found>>);

impl Notes {
    pub fn open(&self) -> MutexGuard<'_, Found> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
