//! When a loss was none: finding out, and going back to what was before.
//!
//! So far for timeouts alone, by F-RTO (RFC 5682).

use super::connection::Connection;
use super::sent::NewlyAcked;
use flowstart_control::Segments;

/// The window and threshold while nothing was wrong.
#[derive(Clone, Copy, Debug, Default)]
pub struct Prior {
    cwnd: Segments,
    ssthresh: Segments,
}

impl Prior {
    /// Nothing is wrong.
    pub fn note(&mut self, c: &Connection) {
        (self.cwnd, self.ssthresh) = (c.window.cwnd, c.window.ssthresh);
    }

    /// A timeout was for nothing: all is as it was.
    pub fn restore(&self, c: &mut Connection) {
        c.window.cwnd = c.window.cwnd.max(self.cwnd);
        c.window.ssthresh = c.window.ssthresh.max(self.ssthresh);
        c.undo_timeout();
    }
}

/// Whether a timeout was for nothing (RFC 5682 §3.1, with SACK).
#[derive(Clone, Copy, Debug, Default)]
pub struct Frto {
    /// It is not decided.
    open: bool,
    new_data_first: bool,
}

impl Frto {
    /// The timer has expired; `open` where it may have been for nothing.
    pub fn begin(&mut self, open: bool) {
        self.open = open;
    }

    /// Nothing is left to decide.
    pub fn end(&mut self) {
        self.open = false;
    }

    /// An acknowledgement has come.
    pub fn on_ack(&mut self) {
        self.new_data_first = false;
    }

    /// Whether new data is to be sent before anything is repaired.
    pub fn new_data_first(&self) -> bool {
        self.new_data_first
    }

    /// What an acknowledgement shows of a timeout at which `high_seq` was the highest byte sent;
    /// then it is that at the first acknowledgement. True where the timeout was for nothing.
    pub fn examine(&mut self, c: &Connection, newly: &NewlyAcked, high_seq: &mut u64) -> bool {
        if !self.open {
            return false;
        }
        let advanced = newly.acked > 0;
        // What was sent before the timeout, and only then, has arrived.
        let once_up_to = newly.times.once_up_to;
        if once_up_to > 0 && once_up_to <= *high_seq {
            self.open = false;
            return true;
        }
        if c.high() > *high_seq {
            self.open = advanced;
        } else if advanced && c.una() < *high_seq {
            *high_seq = c.high();
            self.new_data_first = c.next_segment().is_some();
            self.open = self.new_data_first;
        }
        false
    }
}
