//! From 5-tuples to connections: which connection a segment belongs to, when a new one begins, and
//! when an old one is over.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, VecDeque};

use foldhash::fast::RandomState;

use crate::connection::{Listeners, Live};
use crate::layers::{ACK, Endpoint, SYN, Segment};
use crate::results::Flag;

/// The two ends, the lower first, and the network that they are in, among others with the same addresses (VLAN, tunnel).
/// It is packed, since every packet is looked up; whole numbers are hashed faster than a slice of them.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Key {
    low: u128,
    high: u128,
    /// Both ports, then the network.
    rest: u64,
}

impl Key {
    fn of(a: Endpoint, b: Endpoint, domain: u32) -> Key {
        let (low, high) = if a <= b { (a, b) } else { (b, a) };
        let ports = u64::from(low.port) << 48 | u64::from(high.port) << 32;
        Key {
            low: low.address,
            high: high.address,
            rest: ports | u64::from(domain),
        }
    }

    fn domain(self) -> u32 {
        self.rest as u32
    }

    /// The same ends in another network.
    fn within(self, domain: u32) -> Key {
        let ports = self.rest >> 32 << 32;
        Key {
            rest: ports | u64::from(domain),
            ..self
        }
    }
}

/// The latest connection of a pair of ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Latest {
    /// It continues, in this slot.
    Live(usize),
    /// Its row is out. A closed one does not begin again with a packet that comes late.
    Over { closed: bool, forgotten: u64 },
}

/// A connection that is over at once is laid aside after this. ns
const FIRST_LOOK: u64 = 60_000_000_000;
/// So long after its row is out a connection's ends are stored. ns
const REMEMBERED: u64 = 3_600_000_000_000;

/// The connections of a capture. Memory grows with those that continue at the same time, and by
/// their ends with those of the last hour.
#[derive(Default)]
pub(crate) struct Table {
    latest: HashMap<Key, Latest, RandomState>,
    /// The networks with an identifier in which two ends were seen: the directions of a connection may be in different
    /// ones, as in GTP-U, and copies are.
    domains: HashMap<Key, Vec<u32>, RandomState>,
    slots: Vec<Option<Box<Live>>>,
    free: Vec<usize>,
    /// When to look again whether a connection has been silent for long enough; one entry for each
    /// live one.
    looks: BinaryHeap<Reverse<(u64, usize)>>,
    /// Ends to be forgotten, in the order of their times.
    over: VecDeque<(u64, Key)>,
}

impl Table {
    /// Takes a segment of a file; they come in the order of their times.
    pub(crate) fn take(&mut self, segment: &Segment, file: usize, listeners: &mut Listeners) {
        self.lay_aside(segment.time, listeners);
        let key = Key::of(segment.source, segment.destination, segment.domain);
        let earlier = self.latest.get(&key).copied();
        let slot = match earlier {
            Some(Latest::Live(slot)) if self.continues(slot, segment) => slot,
            Some(Latest::Over { closed: true, .. }) if !opens(segment) => {
                listeners.late += 1;
                return;
            }
            _ => {
                let reused = earlier.is_some();
                let several = key.domain() != 0 || !self.domains.is_empty();
                let known = several.then(|| self.in_another_domain(key, segment));
                let slot = known
                    .flatten()
                    .unwrap_or_else(|| self.begin(segment, file, reused, listeners));
                self.latest.insert(key, Latest::Live(slot));
                self.note_domain(key);
                slot
            }
        };
        if let Some(Some(live)) = self.slots.get_mut(slot) {
            live.take(segment, listeners);
        }
    }

    fn continues(&self, slot: usize, segment: &Segment) -> bool {
        let live = self.slots.get(slot).and_then(Option::as_ref);
        live.is_some_and(|live| {
            (live.domain == segment.domain || live.fits(segment))
                && !(opens(segment) && live.is_reused_by(segment))
        })
    }

    /// The connection between the same ends in another network that a segment is of.
    #[cold]
    fn in_another_domain(&self, key: Key, segment: &Segment) -> Option<usize> {
        let others = self.known_domains(key);
        let mut others = others.filter(|other| *other != key.domain());
        others.find_map(|domain| match self.latest.get(&key.within(domain)) {
            Some(&Latest::Live(slot)) => {
                let live = self.slots.get(slot).and_then(Option::as_ref);
                live.is_some_and(|live| live.fits(segment)).then_some(slot)
            }
            _ => None,
        })
    }

    /// The networks that two ends may have been seen in.
    fn known_domains(&self, key: Key) -> impl Iterator<Item = u32> + '_ {
        let identified = self.domains.get(&key.within(0)).into_iter().flatten();
        std::iter::once(0).chain(identified.copied())
    }

    fn note_domain(&mut self, key: Key) {
        let domain = key.domain();
        if domain != 0 {
            let known = self.domains.entry(key.within(0)).or_default();
            if !known.contains(&domain) {
                known.push(domain);
            }
        }
    }

    fn forget(&mut self, key: Key) {
        self.latest.remove(&key);
        if let Some(known) = self.domains.get_mut(&key.within(0)) {
            known.retain(|other| *other != key.domain());
            if known.is_empty() {
                self.domains.remove(&key.within(0));
            }
        }
    }

    fn begin(
        &mut self,
        segment: &Segment,
        file: usize,
        reused: bool,
        listeners: &mut Listeners,
    ) -> usize {
        let (client, server, guessed) = roles(segment);
        let flags = [(Flag::PortsReused, reused), (Flag::RolesGuessed, guessed)];
        let flags = flags
            .into_iter()
            .filter(|(_, set)| *set)
            .map(|(flag, _)| flag)
            .collect();
        let stream = listeners.sink.number();
        let mut live = Live::new(stream, client, server, segment.time, flags);
        live.file = file;
        live.domain = segment.domain;
        live.pair = listeners.lanes.pair(client.address, server.address);
        let slot = self.free.pop().unwrap_or(self.slots.len());
        if slot == self.slots.len() {
            self.slots.push(None);
        }
        self.slots[slot] = Some(Box::new(live));
        self.looks
            .push(Reverse((segment.time.saturating_add(FIRST_LOOK), slot)));
        slot
    }

    /// Turns connections that have been silent for long into rows.
    fn lay_aside(&mut self, now: u64, listeners: &mut Listeners) {
        while let Some(&Reverse((due, slot))) = self.looks.peek() {
            if due > now {
                break;
            }
            self.looks.pop();
            let Some(live) = self.slots.get(slot).and_then(Option::as_ref) else {
                continue;
            };
            let due = live.last().saturating_add(live.patience());
            if due > now {
                self.looks.push(Reverse((due, slot)));
            } else {
                self.end(slot, now, listeners);
            }
        }
        while let Some(&(due, key)) = self.over.front() {
            if due > now {
                break;
            }
            self.over.pop_front();
            let latest = self.latest.get(&key);
            if matches!(latest, Some(Latest::Over { forgotten, .. }) if *forgotten == due) {
                self.forget(key);
            }
        }
    }

    fn end(&mut self, slot: usize, now: u64, listeners: &mut Listeners) {
        let Some(live) = self.slots.get_mut(slot).and_then(Option::take) else {
            return;
        };
        self.free.push(slot);
        let [client, server] = live.ends();
        let ends = Key::of(client, server, 0);
        let forgotten = now.saturating_add(REMEMBERED);
        let closed = live.is_over();
        for domain in self.known_domains(ends).collect::<Vec<_>>() {
            // The ends may have begun another connection meanwhile.
            let key = ends.within(domain);
            if self.latest.get(&key) == Some(&Latest::Live(slot)) {
                self.latest.insert(key, Latest::Over { closed, forgotten });
                self.over.push_back((forgotten, key));
            }
        }
        let row = live.row(listeners);
        listeners.sink.connection(row);
    }

    /// Ends everything.
    pub(crate) fn finish(self, listeners: &mut Listeners) {
        let mut left: Vec<Box<Live>> = self.slots.into_iter().flatten().collect();
        left.sort_by_key(|live| live.stream());
        for live in left {
            let row = live.row(listeners);
            listeners.sink.connection(row);
        }
    }
}

fn opens(segment: &Segment) -> bool {
    segment.has(SYN) && !segment.has(ACK)
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
