//! Into which bin of time something falls.

use flowstart_control::Instant;
use serde::{Deserialize, Serialize};

/// Bins of equal width from `from` on. Without an end that is known they begin narrow, and become
/// twice as wide whenever there would be more of them than fit.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Bins {
    from: u64,
    /// Nothing from here on is recorded.
    to: Option<u64>,
    width: u64,
    most: u64,
}

/// Where a moment is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Before,
    In(u32),
    After,
}

/// The width of bins at the start of a run whose end is not known, nanoseconds.
const NARROWEST: u64 = 1 << 10;

/// Without an end that is known, so many times the columns are kept: what is left when they become
/// as many as the columns is then at least two thirds of them.
const SPARE: u64 = 4;

impl Bins {
    /// Bins for so many columns.
    pub(super) fn new(columns: u32, from: Instant, to: Option<Instant>) -> Bins {
        let columns = u64::from(columns);
        Bins {
            from: from.0,
            to: to.map(|to| to.0),
            width: to.map_or(NARROWEST, |to| to.since(from).0.div_ceil(columns).max(1)),
            most: if to.is_some() {
                columns
            } else {
                SPARE * columns
            },
        }
    }

    /// The maximum number of bins.
    pub(super) fn most(&self) -> u64 {
        self.most
    }

    /// When the first begins.
    pub fn from(&self) -> Instant {
        Instant(self.from)
    }

    /// Their width in nanoseconds.
    pub fn width(&self) -> u64 {
        self.width
    }

    /// Where a moment is; there may be no room for it yet.
    #[inline]
    pub(super) fn place(&self, time: u64) -> Place {
        if time < self.from {
            return Place::Before;
        }
        if self.to.is_some_and(|to| time >= to) {
            return Place::After;
        }
        Place::In(((time - self.from) / self.width) as u32)
    }

    /// The bins of a span of time, and how much of it is in each.
    pub(super) fn shares(&self, begin: u64, end: u64) -> impl Iterator<Item = (usize, u64)> {
        let (from, width) = (self.from, self.width);
        let end = end.min(self.to.unwrap_or(end)).saturating_sub(from);
        let begin = begin.saturating_sub(from).min(end);
        (begin / width..end.div_ceil(width)).map(move |bin| {
            let (first, last) = (begin.max(bin * width), end.min((bin + 1) * width));
            (bin as usize, last - first)
        })
    }

    /// How many times wider bins have to be for this moment to have one.
    #[inline]
    pub(super) fn widening(&self, time: u64) -> u32 {
        let mut factor = 1;
        if self.to.is_none() {
            let bin = time.saturating_sub(self.from) / self.width;
            while bin / u64::from(factor) >= self.most {
                factor *= 2;
            }
        }
        factor
    }

    /// How many bins of this width it takes to the run's end.
    pub(super) fn count(&self, end: u64, width: u64) -> u64 {
        let end = self.to.map_or(end, |to| to.saturating_sub(1));
        end.saturating_sub(self.from) / width + 1
    }

    /// Bins are so many times wider now.
    pub(super) fn widen(&mut self, factor: u32) {
        self.width *= u64::from(factor);
    }
}
