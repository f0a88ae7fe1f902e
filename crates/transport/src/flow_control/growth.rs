//! How a receiver's window grows as its limit is updated.

use flowstart_control::{Duration, Instant};

/// When the time of the last update first exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// At the first update, which so grows nothing.
    FirstUpdate,
    /// When the stream or the connection opens.
    Open,
    /// With the first data.
    FirstData,
}

/// How the limit is multiplied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Multiple {
    /// By two (aioquic).
    Two,
    /// By three; by more above 100 ms, where the round trip counts as 610 ms at most (picoquic,
    /// cc_common.c, `picoquic_cc_increased_window`).
    ByRtt,
}

impl Multiple {
    /// By how much the limit grows.
    pub(super) fn step(self, limit: u64, rtt: Duration) -> u64 {
        const TARGET: Duration = Duration::from_millis(100);
        const LARGEST: Duration = Duration::from_millis(610);
        match self {
            Multiple::Two => limit,
            Multiple::ByRtt if rtt <= TARGET => limit.saturating_mul(2),
            Multiple::ByRtt => mul_div(limit, rtt.min(LARGEST).nanos(), TARGET.nanos()),
        }
    }
}

/// A rule by which a window grows with an update.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WindowGrowth {
    /// It does not.
    Static,
    /// To its maximum with the first data.
    Jump,
    /// It doubles if the last update is less than so many round trips ago.
    Double {
        /// How many.
        rtts: u64,
        /// When the first interval begins.
        clock: Clock,
    },
    /// It doubles if data comes faster than a window in so many round trips.
    DoubleByRate {
        /// How many.
        rtts: u64,
        /// When the first interval begins.
        clock: Clock,
        /// The rate is that of more than half a window (quic-go), not of the last update on.
        over_half: bool,
    },
    /// By four times what was used beyond three quarters of a window in a round trip (neqo, fc.rs).
    Excess,
    /// There is no window: the limit is multiplied.
    LimitMultiple(Multiple),
}

impl WindowGrowth {
    /// Doubling within so many round trips of the last update, of which the first doubles nothing.
    pub const fn double(rtts: u64) -> WindowGrowth {
        let clock = Clock::FirstUpdate;
        WindowGrowth::Double { rtts, clock }
    }

    fn clock(self) -> Clock {
        match self {
            WindowGrowth::Double { clock, .. } | WindowGrowth::DoubleByRate { clock, .. } => clock,
            _ => Clock::FirstUpdate,
        }
    }
}

/// The last update, or whatever else an interval began with.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Since {
    at: Option<Instant>,
    /// What was consumed then.
    consumed: u64,
}

impl Since {
    /// The stream or connection opens.
    pub(super) fn opening(growth: WindowGrowth, now: Instant) -> Since {
        Since {
            at: (growth.clock() == Clock::Open).then_some(now),
            consumed: 0,
        }
    }

    /// Data has come.
    pub(super) fn begin(&mut self, growth: WindowGrowth, now: Instant) {
        if growth.clock() == Clock::FirstData {
            self.at.get_or_insert(now);
        }
    }

    /// An update that grows nothing.
    pub(super) fn restart(&mut self, consumed: u64, now: Instant) {
        if self.at.is_some() {
            *self = Since {
                at: Some(now),
                consumed,
            };
        }
    }

    /// The window of an update now, `window` before. So much is consumed, and so much of it `used`
    /// since the limit last moved.
    pub(super) fn grow(
        &mut self,
        growth: WindowGrowth,
        window: u64,
        (consumed, used): (u64, u64),
        now: Instant,
        rtt: Duration,
    ) -> u64 {
        let read = consumed - self.consumed;
        if matches!(
            growth,
            WindowGrowth::DoubleByRate {
                over_half: true,
                ..
            }
        ) && read <= window / 2
        {
            return window;
        }
        let last = self.at.replace(now);
        self.consumed = consumed;
        let twice = window.saturating_mul(2);
        match (growth, last.map(|last| now.since(last))) {
            (WindowGrowth::Jump, _) => u64::MAX,
            (WindowGrowth::Double { rtts, .. }, Some(elapsed)) if elapsed < rtt.times(rtts) => {
                twice
            }
            (WindowGrowth::DoubleByRate { rtts, .. }, Some(elapsed))
                if elapsed.nanos() < mul_div(rtt.times(rtts).nanos(), read, window) =>
            {
                twice
            }
            (WindowGrowth::Excess, Some(elapsed)) => {
                let expected = mul_div(mul_div(window, 3, 4), elapsed.nanos(), rtt.nanos());
                window.saturating_add(used.saturating_sub(expected).saturating_mul(4))
            }
            _ => window,
        }
    }
}

/// `value * numerator / denominator`, rounded down.
pub(super) fn mul_div(value: u64, numerator: u64, denominator: u64) -> u64 {
    let product = u128::from(value) * u128::from(numerator);
    u64::try_from(product / u128::from(denominator.max(1))).unwrap_or(u64::MAX)
}
