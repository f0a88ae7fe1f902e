//! How far a reading is, for an observer, and whether it is to continue.

use std::ops::ControlFlow;

use crate::Error;
use crate::results::Progress;

/// Packets between two reports of progress.
const REPORT_EVERY: u64 = 8192;

/// Reports progress and hears whether to continue.
pub(crate) struct Ticker<'a> {
    progress: &'a mut dyn FnMut(Progress) -> ControlFlow<()>,
    /// Of the file; not known of a pipe.
    size: Option<u64>,
    read: u64,
    total: Option<u64>,
    packets: u64,
}

impl<'a> Ticker<'a> {
    pub(crate) fn new(
        progress: &'a mut dyn FnMut(Progress) -> ControlFlow<()>,
        size: Option<u64>,
    ) -> Self {
        Ticker {
            progress,
            size,
            read: 0,
            total: size,
            packets: 0,
        }
    }

    /// A packet more, for which so many bytes of the file were read.
    pub(crate) fn tick(&mut self, bytes: u64) -> Result<(), Error> {
        self.read += bytes;
        self.packets += 1;
        if !self.packets.is_multiple_of(REPORT_EVERY) {
            return Ok(());
        }
        let progress = Progress {
            bytes_read: self.read,
            bytes_total: self.total,
            packets: self.packets,
        };
        match (self.progress)(progress) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(Error::Stopped),
        }
    }

    /// So many further passes over the file turned out to be needed.
    pub(crate) fn expect(&mut self, passes: u64) {
        self.total = self.size.map(|size| self.read + size * passes);
    }
}

/// A ticker without an observer.
#[cfg(test)]
pub(crate) fn still<T>(work: impl FnOnce(&mut Ticker) -> T) -> T {
    let mut progress = |_| ControlFlow::Continue(());
    work(&mut Ticker::new(&mut progress, None))
}
