//! What travels: one small value for data and acknowledgements alike.

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

/// A SACK block, as offsets from the cumulative acknowledgement beside it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SackBlock {
    /// First byte, counted from the cumulative acknowledgement.
    pub start: u32,
    /// One past the last byte, counted likewise.
    pub end: u32,
}

/// At most three SACK blocks a segment (RFC 2018 §3, with room for timestamps).
pub const MAX_SACK_BLOCKS: usize = 3;

/// An advertised window that limits nothing.
pub const UNLIMITED_WINDOW: u32 = u32::MAX;

/// A segment on its way. Positions are byte offsets from the first byte of data.
#[derive(Clone, Copy, Debug)]
pub struct Segment {
    /// Data: position of the first byte. Ack: everything below is acknowledged.
    pub seq: u64,
    /// Selectively acknowledged blocks, newest first.
    pub sack: [SackBlock; MAX_SACK_BLOCKS],
    /// Which flow, and so which pair of endpoints and which route.
    pub flow: u32,
    /// Bytes on the wire.
    pub wire: u32,
    /// Payload bytes.
    pub len: u32,
    /// The advertised window in bytes, scaling undone; [`UNLIMITED_WINDOW`] for none.
    pub window: u32,
    /// What it is.
    pub kind: Kind,
    /// How many blocks of `sack` are set.
    pub sacks: u8,
    /// How many links of its route it has passed.
    pub hop: u8,
    /// Marks for routers.
    pub marks: Marks,
}

impl Segment {
    /// The absolute SACK blocks it carries.
    pub fn sack_blocks(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        let ack = self.seq;
        self.sack[..usize::from(self.sacks)]
            .iter()
            .map(move |b| (ack + u64::from(b.start), ack + u64::from(b.end)))
    }

    /// Whether it travels from the data's sender to its receiver.
    pub fn is_forward(&self) -> bool {
        matches!(self.kind, Kind::Syn | Kind::Data)
    }
}
