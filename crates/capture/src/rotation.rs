//! Files that follow on each other, as rotation leaves them (`tcpdump -C`, `-G`), are one capture.
//!
//! A file continues with the capture whose last packet is not later than its own first one; of
//! several such captures with the one that ended last. So a connection that rotation cut is one
//! connection. A file that begins before the others have ended was taken at the same time as they
//! were, at another place or of other traffic: it is a separate capture with
//! separate connections. Files are taken in the order of their first packets.

use crate::connection::Listeners;
use crate::file::order::{Late, Order, Timed};
use crate::layers::Passed;
use crate::quic::QuicTable;
use crate::table::Table;

/// What is waiting to be taken, and its file.
struct Waiting(Passed, usize);

impl Timed for Waiting {
    fn time(&self) -> u64 {
        self.0.time()
    }

    fn same_way(&self, other: &Self) -> bool {
        self.1 == other.1 && self.0.same_way(&other.0)
    }
}

/// The connections of one capture.
#[derive(Default)]
struct Tables {
    tcp: Table,
    quic: QuicTable,
}

impl Tables {
    fn take(&mut self, Waiting(passed, file): &Waiting, listeners: &mut Listeners) {
        match passed {
            Passed::Tcp(segment) => self.tcp.take(segment, *file, listeners),
            Passed::Quic(datagram) => self.quic.take(datagram, *file, &mut listeners.sink),
        }
    }
}

/// Captures, each of one or several files.
#[derive(Default)]
pub(crate) struct Rotation(Vec<Strand>);

struct Strand {
    /// Packets that may still be overtaken.
    order: Order<Waiting>,
    tables: Tables,
    /// Time of the latest packet.
    last: u64,
}

impl Rotation {
    /// The capture that a file belongs to, by the time of its first segment.
    pub(crate) fn of_file(&mut self, first: u64) -> usize {
        let earlier = self.0.iter().enumerate().filter(|(_, s)| s.last <= first);
        if let Some((number, _)) = earlier.max_by_key(|(_, strand)| strand.last) {
            return number;
        }
        self.0.push(Strand {
            order: Order::new(),
            tables: Tables::default(),
            last: 0,
        });
        self.0.len() - 1
    }

    /// Takes a segment or datagram of a file. False when it comes too late to be put in order; it
    /// is taken all the same.
    pub(crate) fn take(
        &mut self,
        strand: usize,
        passed: Passed,
        file: usize,
        listeners: &mut Listeners,
    ) -> bool {
        let Strand {
            order,
            tables,
            last,
        } = &mut self.0[strand];
        *last = passed.time().max(*last);
        match order.push(Waiting(passed, file)) {
            Ok(Some(first)) => tables.take(&first, listeners),
            Ok(None) => {}
            Err(Late(late)) => {
                tables.take(&late, listeners);
                return false;
            }
        }
        true
    }

    /// The furthest that time went back within one direction of a connection. ns
    pub(crate) fn set_back(&self) -> u64 {
        let steps = self.0.iter().map(|strand| strand.order.set_back());
        steps.max().unwrap_or(0)
    }

    /// Ends everything.
    pub(crate) fn finish(&mut self, listeners: &mut Listeners) {
        for mut strand in std::mem::take(&mut self.0) {
            while let Some(first) = strand.order.pop() {
                strand.tables.take(&first, listeners);
            }
            strand.tables.tcp.finish(listeners);
            strand.tables.quic.finish(&mut listeners.sink);
        }
    }
}
