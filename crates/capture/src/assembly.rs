//! One answer of what a file of either kind gave.

use std::collections::BTreeMap;

use crate::capture::Capture;
use crate::results::{Connection, Format, Options};
use crate::summary::{self, Summary};

/// What one kind of file or the other gave.
pub(crate) struct Found {
    pub connections: Vec<Connection>,
    pub transfers: Vec<crate::Transfer>,
    pub groups: Vec<crate::Group>,
    pub packets: u64,
    pub warnings: Vec<String>,
}

/// Flags, demands and the summary follow from the rows.
pub(crate) fn assemble(format: Format, found: Found, options: &Options) -> Capture {
    let Found {
        mut connections,
        transfers,
        groups,
        packets,
        warnings,
    } = found;
    summary::flag_floor(&mut connections, options);
    let demands = summary::demands(&connections, options);
    let summary = Summary::of(&connections, &demands);
    let mut flagged = BTreeMap::new();
    for flag in connections.iter().flat_map(|row| &row.flags) {
        *flagged.entry(*flag).or_default() += 1;
    }
    Capture {
        format,
        link_types: Vec::new(),
        packets,
        unreadable: 0,
        connections,
        demands,
        transfers,
        groups,
        summary,
        flagged,
        warnings,
        notes: Vec::new(),
    }
}
