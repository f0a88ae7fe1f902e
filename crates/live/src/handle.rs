//! One adapter, shared by a stack's controller, an application and a pacing socket.

use crate::adapter::{Adapter, Counters, Sample};
use flowstart_control::{Exit, Instant, Window};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// An adapter with several owners.
#[derive(Clone, Debug)]
pub struct Shared {
    locked: Arc<Locked>,
    /// Where its time begins.
    origin: std::time::Instant,
}

impl Shared {
    /// The only owner of this adapter, whose times count from `origin`.
    pub fn new(adapter: Adapter, origin: std::time::Instant) -> Shared {
        Shared {
            locked: Arc::new(Locked {
                adapter: Mutex::new(adapter),
                window: AtomicU64::new(0),
            }),
            origin,
        }
    }

    /// A time as the adapter counts it.
    pub fn time(&self, at: std::time::Instant) -> Instant {
        let since = at.saturating_duration_since(self.origin);
        Instant::from_nanos(since.as_nanos() as u64)
    }

    /// Where its time begins.
    pub fn origin(&self) -> std::time::Instant {
        self.origin
    }

    /// The adapter, for as long as a call takes. A thread that panicked with it has left it whole:
    /// every call ends before another begins.
    pub fn lock(&self) -> MutexGuard<'_, Adapter> {
        let adapter = self.locked.adapter.lock();
        self.locked.window.store(0, Ordering::Release);
        adapter.unwrap_or_else(PoisonError::into_inner)
    }

    /// The window that was published, if nothing has happened since.
    pub(crate) fn published(&self) -> Option<u64> {
        Some(self.locked.window.load(Ordering::Acquire)).filter(|window| *window > 0)
    }

    /// Publishes the window of the adapter, which is locked: no lock is needed to read it.
    pub(crate) fn publish(&self, adapter: &mut Adapter) -> u64 {
        let window = adapter.window_bytes();
        self.locked.window.store(window, Ordering::Release);
        window
    }
}

#[derive(Debug)]
struct Locked {
    adapter: Mutex<Adapter>,
    /// The window that a stack sees, which reads it twice for each datagram; zero where it may have
    /// changed. Written with the lock held.
    window: AtomicU64,
}

/// An application's settings for a connection's startup, and its result.
#[derive(Clone, Debug)]
pub struct Handle(Shared);

impl Handle {
    /// That of this adapter.
    pub fn new(adapter: Shared) -> Handle {
        Handle(adapter)
    }

    /// The transfer of so many bytes begins: a startup that sends ahead needs to know how many there
    /// are.
    pub fn begin(&self, bytes: u64) {
        let now = self.0.time(std::time::Instant::now());
        self.0.lock().begin(Some(bytes), now);
    }

    /// How the startup ended; `None` while it lasts.
    pub fn exit(&self) -> Option<Exit> {
        self.0.lock().exit().copied()
    }

    /// The window.
    pub fn window(&self) -> Window {
        *self.0.lock().window()
    }

    /// What the connection did.
    pub fn counters(&self) -> Counters {
        self.0.lock().counters()
    }

    /// From now on what the window does is kept.
    pub fn record(&self) {
        self.0.lock().record();
    }

    /// What the window did since [`record`](Self::record).
    pub fn trace(&self) -> Vec<Sample> {
        self.0.lock().trace().to_vec()
    }

    /// The adapter.
    pub fn shared(&self) -> &Shared {
        &self.0
    }
}
