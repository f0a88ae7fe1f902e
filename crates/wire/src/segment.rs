//! What travels: one small value for data and acknowledgements alike.

use super::options::Options;
use flowstart_control::Marks;

/// Which kind of segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Opens a connection.
    Syn,
    /// Answers a SYN.
    SynAck,
    /// Carries data.
    Data,
    /// Acknowledges data.
    Ack,
}

/// An advertised window that limits nothing.
pub const UNLIMITED_WINDOW: u32 = u32::MAX;

/// A segment on its way. Positions are byte offsets from the first byte of data.
#[derive(Clone, Copy, Debug)]
pub struct Segment {
    /// Data: position of the first byte. Ack: everything below is acknowledged; where packets
    /// are numbered, one past the largest number acknowledged.
    pub seq: u64,
    /// Which flow, and so which pair of endpoints and which route.
    pub flow: u32,
    /// SACK blocks and whatever else it carries.
    pub options: Options,
    /// Bytes on the wire.
    pub wire: u32,
    /// Payload bytes. Ack of numbered packets: ACK Delay. SynAck: the number of what it answers.
    pub len: u32,
    /// The advertised window in bytes, scaling undone; [`UNLIMITED_WINDOW`] for none. What opens
    /// a connection, and data of a sender that numbers its packets, has its number here.
    pub window: u32,
    /// What it is.
    pub kind: Kind,
    /// How many links of its route it has passed.
    pub hop: u8,
    /// Marks for routers.
    pub marks: Marks,
}

impl Segment {
    /// A segment of `flow` without payload and options that has not left yet.
    pub fn bare(kind: Kind, flow: u32, seq: u64, wire: u32) -> Segment {
        Segment {
            seq,
            flow,
            options: Options::default(),
            wire,
            len: 0,
            window: UNLIMITED_WINDOW,
            kind,
            hop: 0,
            marks: Marks::default(),
        }
    }

    /// The absolute SACK blocks it carries.
    pub fn sack_blocks(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        let ack = self.seq;
        self.options
            .sack_blocks()
            .map(move |b| (ack + b.start, ack + b.end))
    }

    /// Its packet number, cut off after four bytes as on the wire (RFC 9000 §17.1).
    pub fn number(&self) -> u32 {
        self.window
    }

    /// Gives it a packet number.
    pub fn set_number(&mut self, number: u64) {
        self.window = number as u32;
    }

    /// The packet numbers that it acknowledges as `[first, end)`, the largest first; none where
    /// it acknowledges bytes.
    pub fn number_ranges(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        let mut end = self.seq;
        self.options.number_ranges().map(move |(gap, more)| {
            let last = end.saturating_sub(gap);
            let first = last.saturating_sub(more + 1);
            end = first;
            (first, last)
        })
    }

    /// What addresses and ports tell apart: the flow and the direction.
    pub fn connection(&self) -> u64 {
        u64::from(self.flow) << 1 | u64::from(self.is_forward())
    }

    /// Whether it says nothing but how far the data has come: a later one makes it
    /// redundant.
    pub fn is_plain_ack(&self) -> bool {
        self.kind == Kind::Ack && self.options.is_empty() && self.options.ecn.is_empty()
    }

    /// Whether it travels from the data's sender to its receiver.
    pub fn is_forward(&self) -> bool {
        matches!(self.kind, Kind::Syn | Kind::Data)
    }
}
