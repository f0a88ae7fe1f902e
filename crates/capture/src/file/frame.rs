//! What the framings of capture files have in common.

/// Place of the next packet in the window. The data follow `header` bytes further on.
pub(super) struct Frame {
    pub time: Option<u64>,
    pub link: u32,
    pub original: u32,
    pub header: usize,
    pub captured: usize,
    /// The whole record or block, to be stepped over afterwards.
    pub length: u64,
}

/// How a look for the next packet ended.
pub(super) enum Found {
    Packet(Frame),
    End,
    Cut,
    Damage(String),
}

/// A packet longer than this is damage, not a packet, unless the file's own limit is higher. It is the limit that
/// capture programs set themselves.
pub(super) const LONGEST_PACKET: u32 = 256 * 1024;
/// No record of a capture is longer than this whatever its header states.
pub(super) const LONGEST_RECORD: u32 = 128 * 1024 * 1024;

#[derive(Clone, Copy, Default)]
pub(super) enum Endian {
    #[default]
    Little,
    Big,
}

impl Endian {
    /// The 32-bit number at `at`; 0 where the data end before. Callers check lengths first.
    pub(super) fn u32(self, data: &[u8], at: usize) -> u32 {
        let Some(bytes) = data.get(at..).and_then(|rest| rest.first_chunk::<4>()) else {
            return 0;
        };
        match self {
            Endian::Little => u32::from_le_bytes(*bytes),
            Endian::Big => u32::from_be_bytes(*bytes),
        }
    }

    pub(super) fn u16(self, data: &[u8], at: usize) -> u16 {
        let Some(bytes) = data.get(at..).and_then(|rest| rest.first_chunk::<2>()) else {
            return 0;
        };
        match self {
            Endian::Little => u16::from_le_bytes(*bytes),
            Endian::Big => u16::from_be_bytes(*bytes),
        }
    }
}
