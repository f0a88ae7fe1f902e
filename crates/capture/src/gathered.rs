//! Counts besides the connections, over all files.

use std::collections::BTreeMap;

use crate::layers::{self, Others, Tunnel};

/// Counts over all files, and what there is to say of them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Gathered {
    pub packets: u64,
    /// Of all packets on the wire.
    pub bytes: u64,
    pub links: BTreeMap<u32, u64>,
    pub unknown_links: BTreeMap<u32, u64>,
    /// Packets that hold neither TCP nor a known version of QUIC.
    pub others: Others,
    /// Rows of logs that are not TCP, by protocol.
    pub not_tcp: BTreeMap<&'static str, u64>,
    /// Packets from which an encapsulation was removed.
    pub tunnels: BTreeMap<Tunnel, u64>,
    /// The furthest that a packet's time is before the one ahead of it. ns
    pub set_back: u64,
    /// The same within one direction of a connection. ns
    pub set_back_within: u64,
    /// Packets whose headers contradict themselves, or are cut.
    pub cut: u64,
    /// Packets of which the snap length has cut off the headers.
    pub snapped: u64,
    pub fragments: u64,
    pub timeless: u64,
    pub warnings: Vec<String>,
}

/// Packets of several interfaces or queues are less out of order than this; a clock that was set is more. ns
const CLOCK_STEP: u64 = 250_000_000;
/// The same within one direction of a connection, which one queue of a card has in order (receive side scaling).
/// Processors that share a queue disorder it by microseconds. ns
const STEP_WITHIN: u64 = 1_000_000;

impl Gathered {
    pub(crate) fn unreadable(&self) -> u64 {
        self.cut + self.snapped + self.unknown_links.values().sum::<u64>()
    }

    pub(crate) fn link_types(&self) -> Vec<String> {
        let mut names: Vec<String> = self
            .links
            .keys()
            .map(|&link| layers::link_name(link))
            .collect();
        names.dedup();
        names
    }

    /// The encapsulations that were removed.
    pub(crate) fn removals(&self) -> impl Iterator<Item = String> + '_ {
        let counts = self.tunnels.iter();
        counts.map(|(tunnel, count)| format!("{} was removed from {count} packets", tunnel.name()))
    }

    /// What was not read, and why.
    pub(crate) fn losses(&self) -> Vec<String> {
        let unknown = self.unknown_links.iter().map(|(link, count)| {
            format!(
                "{count} packets of {} were not read: it is not known here",
                layers::link_name(*link)
            )
        });
        let within = self.set_back_within;
        let step = match self.set_back >= CLOCK_STEP {
            true => Some(format!(
                "the clock went back by {} s: connections at that moment may be split",
                (self.set_back as f64 / 1e8).round() / 10.0
            )),
            false => (within >= STEP_WITHIN).then(|| {
                format!(
                    "the clock went back by {} ms within a connection: packets at that moment are \
                     out of order, and their times are not to be believed",
                    (within as f64 / 1e6).round()
                )
            }),
        };
        let counts = [
            (
                self.snapped,
                "packets end before their TCP or UDP header and were not counted: record more of \
                 each, such as with tcpdump -s 256 (tunnels have several headers)",
            ),
            (
                self.cut,
                "packets have headers that are cut or contradict themselves; they were not counted",
            ),
            (
                self.fragments,
                "IP fragments without a TCP header were left out",
            ),
            (
                self.timeless,
                "packets carry no time; each was given that of the packet before",
            ),
        ];
        let rows: u64 = self.not_tcp.values().sum();
        let kinds = self.not_tcp.iter().map(|(name, n)| format!("{n} {name}"));
        let kinds: Vec<String> = kinds.collect();
        let not_tcp = (rows > 0).then(|| {
            format!(
                "{rows} of {} rows are not TCP and were left out: {}",
                self.packets,
                kinds.join(", ")
            )
        });
        let counted = counts
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, what)| format!("{count} {what}"));
        unknown.chain(step).chain(not_tcp).chain(counted).collect()
    }
}
