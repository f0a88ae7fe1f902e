//! Where finished rows go: numbered, flagged and counted on their way out.

use crate::layers::Others;
use crate::reading::Rows;
use crate::results::{Connection, Flag, Options, QuicConnection, Transfer};
use crate::turns::Finished;

/// Hands rows on and counts them.
pub(crate) struct Sink<'a> {
    rows: &'a mut dyn Rows,
    rtt_floor_s: f64,
    /// Transfers that may still be handed on.
    room: u64,
    /// Transfers that found no room.
    pub dropped: u64,
    begun: usize,
    /// Connections handed on.
    pub connections: u64,
    /// Those that were captured twice.
    pub twice: u64,
    /// Those of which one side was captured.
    pub one_direction: u64,
    /// Those that do not count in the computation.
    pub not_valid: u64,
    /// QUIC connections handed on.
    pub quic: u64,
    /// Those of which one side was captured, and the others without a complete handshake.
    pub quic_one_direction: u64,
    pub quic_incomplete: u64,
    /// Datagrams that might have been QUIC's, and belong to no connection.
    pub others: Others,
}

impl<'a> Sink<'a> {
    pub(crate) fn new(rows: &'a mut dyn Rows, options: &Options) -> Self {
        Sink {
            rows,
            rtt_floor_s: options.rtt_floor_s,
            room: options.most_transfers,
            dropped: 0,
            begun: 0,
            connections: 0,
            twice: 0,
            one_direction: 0,
            not_valid: 0,
            quic: 0,
            quic_one_direction: 0,
            quic_incomplete: 0,
            others: Others::default(),
        }
    }

    /// The number of a connection that begins.
    pub(crate) fn number(&mut self) -> usize {
        self.begun += 1;
        self.begun - 1
    }

    /// A connection is over.
    pub(crate) fn connection(&mut self, mut row: Connection) {
        if row.rtt_s.is_some_and(|rtt| rtt < self.rtt_floor_s) {
            row.flags.push(Flag::RttFloor);
            row.flags.sort();
        }
        self.connections += 1;
        self.twice += u64::from(row.flags.contains(&Flag::SeenTwice));
        self.one_direction += u64::from(row.flags.contains(&Flag::OneDirection));
        self.not_valid += u64::from(row.flags.contains(&Flag::NotValid));
        self.rows.connection(row);
    }

    /// A QUIC connection is over.
    pub(crate) fn quic(&mut self, row: QuicConnection) {
        self.quic += 1;
        let one_direction = row.c2s_datagrams == 0 || row.s2c_datagrams == 0;
        self.quic_one_direction += u64::from(one_direction);
        self.quic_incomplete += u64::from(!one_direction && !row.complete);
        self.rows.quic(row);
    }

    /// Transfers of a connection are over.
    pub(crate) fn keep(&mut self, connection: usize, finished: [Option<Finished>; 2]) {
        for one in finished.into_iter().flatten() {
            self.transfer(one.row(connection));
        }
    }

    /// A transfer that was a row from the beginning, as in a log.
    pub(crate) fn transfer(&mut self, row: Transfer) {
        match self.room {
            0 => self.dropped += 1,
            _ => {
                self.room -= 1;
                self.rows.transfer(row);
            }
        }
    }
}
