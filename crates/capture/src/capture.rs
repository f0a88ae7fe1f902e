//! What a reading gives: the rows, and the counts over all.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::results::{Connection, Demand, Flag, Format, Group, Transfer};
use crate::summary::Summary;

/// All that was found in one file.
#[derive(Clone, Debug, Serialize)]
pub struct Capture {
    /// The kind of file.
    pub format: Format,
    /// The link layers of its packets.
    pub link_types: Vec<String>,
    /// Packets in the file, TCP or not. Of a log: its rows.
    pub packets: u64,
    /// Packets whose headers are cut or contradict themselves, or whose link layer is not known here.
    pub unreadable: u64,
    /// TCP connections in the order of their first packets.
    pub connections: Vec<Connection>,
    /// What each direction of each valid connection would have needed to go in one round trip.
    pub demands: Vec<Demand>,
    /// Data between turns of the conversations, in the order of their start.
    pub transfers: Vec<Transfer>,
    /// The networks at the far side, and what could be told of the paths to them.
    pub groups: Vec<Group>,
    /// The counts.
    pub summary: Summary,
    /// How many connections bear each flag.
    pub flagged: BTreeMap<Flag, usize>,
    /// What was wrong with the file or is not to be believed.
    pub warnings: Vec<String>,
    /// What a reader of the answer should know: methods, and what this kind of file cannot tell.
    pub notes: Vec<String>,
}
