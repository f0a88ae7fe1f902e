//! A limit on the packets in several links together: Linux counts those that netem delays and those
//! that wait for its rate, or for tokens of a filter above it, in one queue.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;

/// The packets in links that have one limit. Links of one run share it, in one thread.
#[derive(Clone, Debug)]
pub struct Held {
    most: u64,
    packets: Arc<AtomicU64>,
}

impl Held {
    /// No packet yet, and at most so many.
    pub fn new(most: u64) -> Held {
        Held {
            most,
            packets: Arc::default(),
        }
    }

    /// A packet comes: whether there is room for it.
    pub(super) fn enter(&self) -> bool {
        let enters = self.packets.load(Ordering::Relaxed) < self.most;
        self.packets.fetch_add(u64::from(enters), Ordering::Relaxed);
        enters
    }

    /// A packet leaves, or is dropped.
    pub(super) fn leave(&self) {
        self.packets.fetch_sub(1, Ordering::Relaxed);
    }
}

/// What a link does with a limit that it shares.
#[derive(Clone, Debug, Default)]
pub struct Shared {
    /// Packets enter with this link, which is a stage.
    pub enter: Option<Held>,
    /// Packets leave with this link.
    pub leave: Option<Held>,
}
