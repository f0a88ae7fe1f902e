//! A buffer before a transmitter: its content, and the rule that admits packets.

use flowstart_control::named;
use std::fmt;

named! {
    /// How a buffer of N is read: whether the packet in transmission takes a place in it.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum BufferAccounting {
        /// It does: N − 1 may wait next to it (ns-2).
        Ns2 = "ns2",
        /// It does not: N may wait (Linux qdiscs).
        Linux = "linux",
    }
}

impl fmt::Display for BufferAccounting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            BufferAccounting::Ns2 => "ns2 (the packet in transmission counts)",
            BufferAccounting::Linux => "linux (the packet in transmission does not count)",
        })
    }
}

/// How much a queue holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// Limit in packets.
    Packets(u64),
    /// Limit in bytes.
    Bytes(u64),
    /// No limit: every packet is accepted.
    Unlimited,
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Limit::Packets(n) => write!(f, "{n}pkt"),
            Limit::Bytes(n) => write!(f, "{n}B"),
            Limit::Unlimited => f.write_str("unlimited"),
        }
    }
}

/// What a queue holds at some moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Backlog {
    /// Number of packets that wait.
    pub packets: u64,
    /// Bytes of the packets that wait.
    pub bytes: u64,
}

impl Backlog {
    /// Adds a packet of this size.
    pub fn add(&mut self, wire: u32) {
        self.packets += 1;
        self.bytes += u64::from(wire);
    }

    /// Removes a packet of this size.
    pub fn take(&mut self, wire: u32) {
        self.packets -= 1;
        self.bytes -= u64::from(wire);
    }

    /// Without these, which are part of it.
    pub fn without(self, part: Backlog) -> Backlog {
        Backlog {
            packets: self.packets - part.packets,
            bytes: self.bytes - part.bytes,
        }
    }
}

/// Drop-tail rule of a buffer.
#[derive(Clone, Copy, Debug)]
pub struct DropTail {
    /// The size of the buffer.
    pub limit: Limit,
    /// Whether the packet in transmission counts.
    pub reading: BufferAccounting,
}

impl DropTail {
    /// Whether a packet of `wire` bytes is admitted next to what the limit counts; `idle` where
    /// nothing is being transmitted.
    #[inline]
    pub fn admits(&self, held: Backlog, idle: bool, wire: u32) -> bool {
        match self.limit {
            Limit::Unlimited => true,
            // An idle transmitter takes the packet at once; it never waits.
            _ if idle && self.reading == BufferAccounting::Linux => true,
            // ns-2.35 drop-tail.cc: refused where length + 1 >= limit, the length being
            // what waits. An idle link admits into service under the same test.
            Limit::Packets(n) => held.packets.max(u64::from(idle)) < n,
            Limit::Bytes(n) => held.bytes + u64::from(wire) <= n,
        }
    }

    /// What counts against the limit.
    pub fn held(&self, waiting: Backlog, in_service: Backlog) -> Backlog {
        match self.reading {
            BufferAccounting::Linux => waiting,
            BufferAccounting::Ns2 => Backlog {
                packets: waiting.packets + in_service.packets,
                bytes: waiting.bytes + in_service.bytes,
            },
        }
    }
}
