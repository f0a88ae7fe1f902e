//! A bucket of tokens: a policer drops what it has none for, and a shaper lets it wait.

use flowstart_control::{Duration, Instant, Rate};

/// Tokens for so many bits a second fill a bucket of a burst's size, full at the beginning.
#[derive(Clone, Debug)]
pub(super) struct Bucket {
    rate: Rate,
    burst: u64,
    /// What the bucket held at that time, in bits times 10⁹: so a nanosecond adds whole tokens.
    tokens: u128,
    at: Instant,
}

impl Bucket {
    /// A full bucket.
    pub(super) fn new(rate: Rate, burst: u64) -> Bucket {
        Bucket {
            rate,
            burst,
            tokens: tokens_for(burst),
            at: Instant::ZERO,
        }
    }

    /// Takes the tokens for so many bytes, if the bucket has them.
    pub(super) fn take(&mut self, bytes: u64, now: Instant) -> bool {
        self.fill(now);
        let left = self.tokens.checked_sub(tokens_for(bytes));
        self.tokens = left.unwrap_or(self.tokens);
        left.is_some()
    }

    /// Takes the tokens for so many bytes as soon as it has them, after what was taken before:
    /// that time.
    pub(super) fn take_when_full_enough(&mut self, bytes: u64, now: Instant) -> Instant {
        self.fill(now.max(self.at));
        let needed = tokens_for(bytes);
        let missing = needed.saturating_sub(self.tokens);
        let rate = u128::from(self.rate.bps());
        let wait = missing.div_ceil(rate);
        self.tokens = self.tokens + wait * rate - needed;
        self.at += Duration(u64::try_from(wait).unwrap_or(u64::MAX));
        self.at
    }

    fn fill(&mut self, now: Instant) {
        let since = u128::from(now.since(self.at).nanos());
        let filled = self.tokens + since * u128::from(self.rate.bps());
        self.tokens = filled.min(tokens_for(self.burst));
        self.at = now;
    }
}

fn tokens_for(bytes: u64) -> u128 {
    u128::from(bytes) * 8_000_000_000
}
