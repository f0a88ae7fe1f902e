//! What a reading gives: its rows one by one, and at the end what holds for all of them.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::results::{Connection, Format, Group, QuicConnection, Transfer};

/// Takes the rows of a reading, each as soon as nothing more can change it.
pub trait Rows {
    /// A connection is over. They come in the order of their ends; [`Connection::stream`] numbers their beginnings.
    fn connection(&mut self, row: Connection);
    /// A transfer is over.
    fn transfer(&mut self, row: Transfer);
    /// A QUIC connection is over.
    fn quic(&mut self, row: QuicConnection);
    /// The reading begins again: nothing that was taken so far counts.
    fn clear(&mut self);
}

/// What was found besides the rows.
#[derive(Clone, Debug, Serialize)]
pub struct Reading {
    /// The kind of each file, in the order in which they were given.
    pub formats: Vec<Format>,
    /// The link layers of the packets.
    pub link_types: Vec<String>,
    /// The encapsulations that were removed, each with its number of packets.
    pub tunnels: BTreeMap<String, u64>,
    /// Packets in the files, TCP or not. Of a log: its rows.
    pub packets: u64,
    /// Packets whose headers are cut or contradict themselves, or whose link layer is not known here.
    pub unreadable: u64,
    /// The networks at the far side, and the estimates of the paths to them; by decreasing amount
    /// of data.
    pub groups: Vec<Group>,
    /// What was wrong with the files or is not to be believed.
    pub warnings: Vec<String>,
    /// What a reader of the answer should know: methods, and what this kind of file does not contain.
    pub notes: Vec<String>,
    /// The far side of each pair of networks.
    #[serde(skip)]
    pub(crate) far_sides: Vec<FarSide>,
}

/// Which of a pair's networks is the far one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FarSide {
    pub group: usize,
    pub is_second: bool,
}

impl Reading {
    /// The group that a connection belongs to, by [`Connection::pair`], and whether its client is the far side.
    pub fn far_side(&self, (pair, client_is_second): (usize, bool)) -> Option<(usize, bool)> {
        let far = self.far_sides.get(pair)?;
        Some((far.group, far.is_second == client_is_second))
    }
}

/// Rows in memory, as they come.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Collected {
    /// The connections.
    pub connections: Vec<Connection>,
    /// The transfers.
    pub transfers: Vec<Transfer>,
    /// The QUIC connections.
    pub quic: Vec<QuicConnection>,
}

impl Rows for Collected {
    fn connection(&mut self, row: Connection) {
        self.connections.push(row);
    }

    fn transfer(&mut self, row: Transfer) {
        self.transfers.push(row);
    }

    fn quic(&mut self, row: QuicConnection) {
        self.quic.push(row);
    }

    fn clear(&mut self) {
        *self = Collected::default();
    }
}

impl Collected {
    /// Connections by number, transfers by start.
    pub fn sort(&mut self) {
        self.connections.sort_by_key(|row| row.stream);
        self.transfers.sort_by(|a, b| {
            a.start
                .total_cmp(&b.start)
                .then(a.connection.cmp(&b.connection))
        });
    }
}
