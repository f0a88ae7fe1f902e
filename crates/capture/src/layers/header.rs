//! What the readers of headers share.

/// Headers nested deeper than this are damage.
pub(super) const DEEPEST: usize = 16;

/// A big-endian number of two bytes, where there are two.
pub(super) fn u16_at(data: &[u8], at: usize) -> Option<u16> {
    data.get(at..)?
        .first_chunk()
        .map(|bytes| u16::from_be_bytes(*bytes))
}

pub(super) fn u32_at(data: &[u8], at: usize) -> Option<u32> {
    data.get(at..)?
        .first_chunk()
        .map(|bytes| u32::from_be_bytes(*bytes))
}
