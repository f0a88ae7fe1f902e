//! One level of flow control at a receiver: the limit that it offers, when it offers more, and how its
//! window grows. QUIC has it for a stream and for the connection (RFC 9000 §4.1), HTTP/2 likewise
//! (RFC 9113 §6.9), yamux for a stream.
//!
//! The window `W` is what may be sent beyond what is consumed, the limit `L` an absolute offset. After
//! each read of the application an update is due if the limit can move far enough. The window grows
//! first, so that the update offers it whole.

use super::growth::{Since, WindowGrowth, mul_div};
use flowstart_control::{Duration, Instant};

/// When a limit is updated. The limit can move from `L` to `c + W`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Update {
    /// By this share of the window at least, numerator and denominator.
    Share(u64, u64),
    /// By more than this share of the window.
    MoreThanShare(u64, u64),
    /// By as much as half of what is left at least (the h2 crate).
    HalfOfRest,
    /// By so many bytes at least.
    Bytes(u64),
    /// More than half of the limit is consumed (aioquic, picoquic).
    HalfOfLimit,
}

/// What a limit counts as consumed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counts {
    /// What the application has read.
    Read,
    /// What has arrived, also above a hole.
    Received,
}

/// The flow control of a stream or of a connection.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CreditOptions {
    /// The first limit, in bytes.
    pub first: u64,
    /// The window of the first update, in bytes.
    pub window: u64,
    /// The largest window, in bytes.
    pub max: u64,
    /// When more is offered.
    pub update: Update,
    /// How the window grows with an update.
    pub growth: WindowGrowth,
    /// What is consumed.
    pub counts: Counts,
}

impl CreditOptions {
    /// A window of so many bytes that never grows.
    pub const fn fixed(window: u64, update: Update) -> CreditOptions {
        CreditOptions {
            first: window,
            window,
            max: window,
            update,
            growth: WindowGrowth::Static,
            counts: Counts::Read,
        }
    }

    /// A window that grows by this rule up to `max` bytes.
    pub const fn growing(self, growth: WindowGrowth, max: u64) -> CreditOptions {
        CreditOptions {
            max,
            growth,
            ..self
        }
    }

    /// No limit.
    pub const UNLIMITED: CreditOptions = CreditOptions::fixed(1 << 62, Update::MoreThanShare(1, 2));

    /// With arrivals in the place of reads.
    pub const fn counting_arrivals(self) -> CreditOptions {
        CreditOptions {
            counts: Counts::Received,
            ..self
        }
    }

    /// With this first window, in bytes. The largest is at least as large.
    pub fn beginning_with(self, first: u64) -> CreditOptions {
        let grows = self.growth != WindowGrowth::Static;
        CreditOptions {
            first,
            window: first,
            max: if grows { self.max.max(first) } else { first },
            ..self
        }
    }
}

/// The limit of a stream or of a connection.
#[derive(Clone, Debug)]
pub struct Credit {
    options: CreditOptions,
    window: u64,
    limit: u64,
    consumed: u64,
    since: Since,
}

impl Credit {
    /// The first limit of a stream or connection that opens now.
    pub fn new(options: CreditOptions, now: Instant) -> Credit {
        Credit {
            window: options.window,
            limit: options.first,
            consumed: 0,
            since: Since::opening(options.growth, now),
            options,
        }
    }

    /// What is offered: data may be sent up to this offset.
    pub fn limit(&self) -> u64 {
        self.limit
    }

    /// What may be sent beyond what is consumed once the limit is updated.
    pub fn window(&self) -> u64 {
        self.window
    }

    /// The window is at least so large from now on, as far as its maximum allows.
    pub fn lift(&mut self, window: u64) {
        self.window = self.window.max(window.min(self.options.max));
    }

    /// The window is so large from now on if it was smaller, and the limit moves as far.
    pub fn widen(&mut self, window: u64) {
        let more = window.saturating_sub(self.window);
        self.window += more;
        self.limit += more;
    }

    /// So many bytes more are consumed, with this round trip. The new limit, if an update is due.
    pub fn on_read(&mut self, now: Instant, bytes: u64, rtt: Duration) -> Option<u64> {
        self.consumed += bytes;
        self.since.begin(self.options.growth, now);
        if !self.is_due() {
            return None;
        }
        match self.options.growth {
            WindowGrowth::LimitMultiple(multiple) => {
                self.limit = self.limit.saturating_add(multiple.step(self.limit, rtt));
            }
            growth => {
                let used = self.movable();
                let grown = self
                    .since
                    .grow(growth, self.window, (self.consumed, used), now, rtt);
                self.lift(grown);
                self.offer();
            }
        }
        Some(self.limit)
    }

    /// The peer reports that the limit stops it. The new limit, where there is more to offer.
    pub fn on_blocked(&mut self, now: Instant) -> Option<u64> {
        if self.movable() == 0 {
            return None;
        }
        self.since.restart(self.consumed, now);
        self.offer();
        Some(self.limit)
    }

    /// All that may be sent is offered.
    pub fn offer(&mut self) {
        self.limit = self.limit.max(self.consumed.saturating_add(self.window));
    }

    /// By how much the limit can move.
    fn movable(&self) -> u64 {
        (self.consumed.saturating_add(self.window)).saturating_sub(self.limit)
    }

    fn is_due(&self) -> bool {
        let movable = self.movable();
        match self.options.update {
            _ if self.options.growth == WindowGrowth::Jump && self.window < self.options.max => {
                true
            }
            Update::Share(of, part) => movable >= mul_div(self.window, of, part),
            Update::MoreThanShare(of, part) => movable > mul_div(self.window, of, part),
            Update::HalfOfRest => movable >= self.limit.saturating_sub(self.consumed) / 2,
            Update::Bytes(bytes) => movable >= bytes,
            Update::HalfOfLimit => self.consumed.saturating_mul(2) > self.limit,
        }
    }
}
