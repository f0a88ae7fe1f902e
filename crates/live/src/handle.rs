//! One adapter, shared by a stack's controller, an application and a pacing socket.

use crate::adapter::{Adapter, Counters, Sample};
use flowstart_control::{Exit, Time, Window};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// An adapter with several owners.
#[derive(Clone, Debug)]
pub struct Shared(Arc<Mutex<Adapter>>);

impl Shared {
    /// The only owner of this adapter.
    pub fn new(adapter: Adapter) -> Shared {
        Shared(Arc::new(Mutex::new(adapter)))
    }

    /// The adapter, for as long as a call takes. A thread that panicked with it has left it whole:
    /// every call ends before another begins.
    pub fn lock(&self) -> MutexGuard<'_, Adapter> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What an application says of a connection's start-up, and hears of it.
#[derive(Clone, Debug)]
pub struct Handle {
    adapter: Shared,
    /// Where the connection's time begins.
    origin: Instant,
}

impl Handle {
    /// A handle whose times count from `origin`.
    pub fn new(adapter: Shared, origin: Instant) -> Handle {
        Handle { adapter, origin }
    }

    /// The transfer of so many bytes begins: a start-up that sends ahead needs to know how many there
    /// are.
    pub fn begin(&self, bytes: u64) {
        let now = Time::from_nanos(self.origin.elapsed().as_nanos() as u64);
        self.adapter.lock().begin(Some(bytes), now);
    }

    /// How the start-up ended; `None` while it lasts.
    pub fn exit(&self) -> Option<Exit> {
        self.adapter.lock().exit().copied()
    }

    /// The window.
    pub fn window(&self) -> Window {
        *self.adapter.lock().window()
    }

    /// What the connection did.
    pub fn counters(&self) -> Counters {
        self.adapter.lock().counters()
    }

    /// From now on what the window does is kept.
    pub fn record(&self) {
        self.adapter.lock().record();
    }

    /// What the window did since [`record`](Self::record).
    pub fn trace(&self) -> Vec<Sample> {
        self.adapter.lock().trace().to_vec()
    }

    /// The adapter.
    pub fn shared(&self) -> &Shared {
        &self.adapter
    }
}
