//! s2n-quic's time and an adapter's.

use flowstart_control::{Duration, Instant};
use s2n_quic::provider::congestion_controller::Timestamp;

/// The time in the run that this thread is in.
#[cfg(feature = "lab")]
pub(crate) fn now() -> Instant {
    let since = bach::time::Instant::now().elapsed_since_start();
    Instant::from_nanos(since.as_nanos() as u64)
}

/// Reports the time, where s2n-quic does not.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Watch {
    /// By the machine's clock.
    Wall(std::time::Instant),
    /// In a run in virtual time.
    #[cfg(feature = "lab")]
    Virtual,
}

impl Watch {
    pub fn read(self) -> Instant {
        match self {
            Watch::Wall(origin) => Instant::from_nanos(origin.elapsed().as_nanos() as u64),
            #[cfg(feature = "lab")]
            Watch::Virtual => now(),
        }
    }

    /// Where a handle's times count from.
    pub fn origin(self) -> std::time::Instant {
        match self {
            Watch::Wall(origin) => origin,
            #[cfg(feature = "lab")]
            Watch::Virtual => std::time::Instant::now(),
        }
    }
}

/// Between timestamps, which have no meaning alone, and time since the watch began.
#[derive(Clone, Debug)]
pub(crate) struct Clock {
    watch: Watch,
    /// The same moment in both.
    pair: Option<(Timestamp, Instant)>,
}

impl Clock {
    pub fn new(watch: Watch) -> Clock {
        Clock { watch, pair: None }
    }

    pub fn time(&mut self, at: Timestamp) -> Instant {
        let watch = self.watch;
        let (first, time) = *self.pair.get_or_insert_with(|| (at, watch.read()));
        let since = at.saturating_duration_since(first);
        time + Duration::from_nanos(since.as_nanos() as u64)
    }

    pub fn timestamp(&self, time: Instant) -> Option<Timestamp> {
        let (first, start) = self.pair?;
        Some(first + std::time::Duration::from_nanos(time.since(start).nanos()))
    }
}
