//! From 5-tuples to connections: which connection a segment belongs to, when a new one begins, and when an old one
//! is laid aside.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use foldhash::fast::RandomState;

use crate::connection::{Listeners, Live};
use crate::estimate::Lanes;
use crate::layers::{Endpoint, Segment, ACK, RST, SYN};
use crate::results::{Connection, Flag, Group, Transfer};
use crate::turns::Sink;

/// The two ends, the lower first.
type Key = (Endpoint, Endpoint);

enum Slot {
    Live(Box<Live>),
    Over(Box<Connection>),
}

/// A connection that is over at once is laid aside after this. ns
const FIRST_LOOK: u64 = 60_000_000_000;

/// All connections of a capture.
pub(crate) struct Table {
    /// The latest connection of each pair of ends.
    latest: HashMap<Key, usize, RandomState>,
    slots: Vec<Slot>,
    /// When to look again whether a connection has been silent for long enough; one entry for each live one.
    looks: BinaryHeap<Reverse<(u64, usize)>>,
    sink: Sink,
    lanes: Lanes,
}

/// What all packets came to.
pub(crate) struct Tables {
    pub connections: Vec<Connection>,
    pub transfers: Vec<Transfer>,
    pub dropped_transfers: u64,
    pub groups: Vec<Group>,
}

impl Table {
    pub fn new(most_transfers: usize) -> Self {
        Table {
            latest: HashMap::default(),
            slots: Vec::new(),
            looks: BinaryHeap::new(),
            sink: Sink::new(most_transfers),
            lanes: Lanes::default(),
        }
    }

    /// Takes a segment; they come in the order of their times.
    pub fn take(&mut self, segment: &Segment) {
        self.lay_aside(segment.time);
        let (a, b) = (segment.source, segment.destination);
        let key = if a <= b { (a, b) } else { (b, a) };
        let index = match self.latest.get(&key).copied() {
            Some(index) if !self.begins_anew(index, segment) => index,
            earlier => {
                let index = self.begin(segment, earlier.is_some());
                self.latest.insert(key, index);
                index
            }
        };
        let mut listeners = Listeners {
            sink: &mut self.sink,
            lanes: &mut self.lanes,
        };
        match self.slots.get_mut(index) {
            Some(Slot::Live(live)) => live.take(segment, &mut listeners),
            Some(Slot::Over(row)) => straggler(row, segment),
            None => {}
        }
    }

    fn begins_anew(&self, index: usize, segment: &Segment) -> bool {
        let opens = segment.has(SYN) && !segment.has(ACK);
        match self.slots.get(index) {
            Some(Slot::Live(live)) => opens && live.is_reused_by(segment),
            // What was laid aside in mid-life goes on as a connection of its own; what was closed does not.
            Some(Slot::Over(row)) => opens || !is_closed(row),
            None => true,
        }
    }

    fn begin(&mut self, segment: &Segment, reused: bool) -> usize {
        let (client, server, guessed) = roles(segment);
        let flags = [(Flag::PortsReused, reused), (Flag::RolesGuessed, guessed)];
        let flags = flags
            .into_iter()
            .filter(|(_, set)| *set)
            .map(|(flag, _)| flag)
            .collect();
        let index = self.slots.len();
        let mut live = Live::new(index, client, server, segment.time, flags);
        live.pair = self.lanes.pair(client.address, server.address, index);
        self.looks
            .push(Reverse((segment.time.saturating_add(FIRST_LOOK), index)));
        self.slots.push(Slot::Live(Box::new(live)));
        index
    }

    /// Turns connections that have been silent for long into rows.
    fn lay_aside(&mut self, now: u64) {
        while let Some(&Reverse((due, index))) = self.looks.peek() {
            if due > now {
                return;
            }
            self.looks.pop();
            let Some(slot) = self.slots.get_mut(index) else {
                continue;
            };
            let Slot::Live(live) = &*slot else { continue };
            let due = live.last().saturating_add(live.patience());
            if due > now {
                self.looks.push(Reverse((due, index)));
            } else {
                let mut listeners = Listeners {
                    sink: &mut self.sink,
                    lanes: &mut self.lanes,
                };
                end(slot, &mut listeners);
            }
        }
    }

    /// Ends everything.
    pub fn finish(mut self) -> Tables {
        let mut listeners = Listeners {
            sink: &mut self.sink,
            lanes: &mut self.lanes,
        };
        for slot in &mut self.slots {
            end(slot, &mut listeners);
        }
        let connections: Vec<Connection> = self
            .slots
            .into_iter()
            .filter_map(|slot| match slot {
                Slot::Over(row) => Some(*row),
                Slot::Live(_) => None,
            })
            .collect();
        let mut transfers = self.sink.transfers;
        transfers.sort_by(|a, b| {
            a.start
                .total_cmp(&b.start)
                .then(a.connection.cmp(&b.connection))
        });
        let groups = self.lanes.groups();
        Tables {
            connections,
            transfers,
            dropped_transfers: self.sink.dropped,
            groups,
        }
    }
}

fn end(slot: &mut Slot, listeners: &mut Listeners) {
    if let Slot::Live(live) = slot {
        let nobody = Endpoint {
            address: 0,
            port: 0,
        };
        let live = std::mem::replace(live.as_mut(), Live::new(0, nobody, nobody, 0, Vec::new()));
        *slot = Slot::Over(Box::new(live.row(listeners)));
    }
}

fn is_closed(row: &Connection) -> bool {
    row.resets.unwrap_or(0) > 0 || row.fins.unwrap_or(0) >= 2
}

fn straggler(row: &mut Connection, segment: &Segment) {
    if !row.flags.contains(&Flag::LatePackets) {
        row.flags.push(Flag::LatePackets);
    }
    row.resets = row
        .resets
        .map(|resets| resets + u32::from(segment.has(RST)));
}

/// Ports from here on are given to clients by their systems.
const EPHEMERAL: u16 = 32768;
/// Ports below are those of well-known services.
const WELL_KNOWN: u16 = 1024;

/// Client and server by a connection's first packet, and whether that was a guess.
fn roles(segment: &Segment) -> (Endpoint, Endpoint, bool) {
    let (from, to) = (segment.source, segment.destination);
    if segment.has(SYN) {
        return if segment.has(ACK) {
            (to, from, false)
        } else {
            (from, to, false)
        };
    }
    let serves = |limit: u16| from.port < limit && to.port >= limit;
    match serves(EPHEMERAL) || serves(WELL_KNOWN) && to.port < EPHEMERAL {
        true => (to, from, true),
        false => (from, to, true),
    }
}
