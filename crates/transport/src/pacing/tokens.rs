//! Tokens that a window earns over a round trip.

use super::token_bucket::Demand;
use crate::narrow::narrowed;
use flowstart_control::{Duration, Instant};

/// So many windows are earned in so many round trips.
pub(super) type Gain = (u64, u64);

/// The tokens of one bucket, in bytes of UDP payload.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tokens {
    pub capacity: u64,
    pub left: u64,
    /// The window from which the capacity was computed.
    pub window: u64,
    /// When tokens were earned last.
    pub filled: Instant,
}

impl Tokens {
    /// A full bucket.
    pub(super) fn full(capacity: u64, window: u64, now: Instant) -> Tokens {
        Tokens {
            capacity,
            left: capacity,
            window,
            filled: now,
        }
    }

    /// The window or the path has changed.
    pub(super) fn resize(&mut self, capacity: u64, window: u64) {
        self.capacity = capacity;
        self.left = self.left.min(capacity);
        self.window = window;
    }

    /// Another window changes the capacity.
    pub(super) fn follow(&mut self, demand: &Demand, capacity_of: impl FnOnce(&Demand) -> u64) {
        if demand.window != self.window {
            self.resize(capacity_of(demand), demand.window);
        }
    }

    /// Whether a full packet may leave before anything more is earned. Windows of 4 GiB are not paced.
    pub(super) fn suffices(&self, demand: &Demand) -> bool {
        self.left >= demand.packet || demand.window > u64::from(u32::MAX)
    }

    /// Bytes that were earned since the bucket was filled last.
    pub(super) fn earned(&self, gain: Gain, srtt: Duration, now: Instant) -> u64 {
        let (bytes, divisor) = self.share(gain, srtt, now);
        narrowed(bytes / divisor)
    }

    /// The same to the nearest byte.
    pub(super) fn earned_to_nearest(&self, gain: Gain, srtt: Duration, now: Instant) -> u64 {
        let (bytes, divisor) = self.share(gain, srtt, now);
        narrowed((bytes + divisor / 2) / divisor)
    }

    fn share(&self, (windows, rounds): Gain, srtt: Duration, now: Instant) -> (u128, u128) {
        let elapsed = u128::from(now.since(self.filled).nanos());
        let bytes = u128::from(self.window) * u128::from(windows) * elapsed;
        (bytes, u128::from(rounds) * u128::from(srtt.nanos()))
    }

    /// What was earned until now fills the bucket.
    pub(super) fn fill(&mut self, earned: u64, now: Instant) {
        self.left = self.left.saturating_add(earned).min(self.capacity);
        self.filled = now;
    }

    /// The time until so many are there.
    pub(super) fn time_until(
        &self,
        enough: u64,
        (windows, rounds): Gain,
        srtt: Duration,
    ) -> Duration {
        let time = u128::from(srtt.nanos()) * u128::from(enough - self.left);
        let window = u128::from(self.window.max(1));
        Duration::from_nanos(narrowed(time / window) / windows * rounds)
    }

    /// The same, rounded up: where no more than this is earned, a wait that is a byte short would never
    /// end.
    pub(super) fn full_time_until(
        &self,
        enough: u64,
        (windows, rounds): Gain,
        srtt: Duration,
    ) -> Duration {
        let time = u128::from(srtt.nanos()) * u128::from(enough - self.left) * u128::from(rounds);
        let window = u128::from(self.window.max(1)) * u128::from(windows);
        Duration::from_nanos(narrowed(time.div_ceil(window)))
    }

    /// When a packet may leave, where it may not now and `wait` is the time until then.
    pub(super) fn due(
        &self,
        demand: &Demand,
        now: Instant,
        wait: impl Fn(&Tokens) -> Duration,
    ) -> Option<Instant> {
        // Not now, or the time of a very fast path would stand still.
        (self.left < demand.packet).then(|| now + wait(self).max(Duration::from_nanos(1)))
    }

    /// A packet of so many bytes has left.
    pub(super) fn take(&mut self, bytes: u64) {
        self.left = self.left.saturating_sub(bytes).min(self.capacity);
    }
}
