//! The ranges of a QUIC ACK frame (RFC 9000 §19.3.1), in the bytes that they take on the wire.

/// ACK ranges from the largest number down, in at most `ROOM` bytes.
#[derive(Clone, Copy, Debug)]
pub struct AckRanges<const ROOM: usize> {
    /// How many stand below the first.
    below_first: u8,
    filled: u8,
    bytes: [u8; ROOM],
}

impl<const ROOM: usize> Default for AckRanges<ROOM> {
    fn default() -> AckRanges<ROOM> {
        AckRanges {
            below_first: 0,
            filled: 0,
            bytes: [0; ROOM],
        }
    }
}

impl<const ROOM: usize> AckRanges<ROOM> {
    /// Adds the next range below the others: `gap` packets that are missing, none above the first
    /// range, then `more` packets besides one. Returns the bytes that it takes; `None` where there
    /// is no room.
    pub fn push(&mut self, gap: u64, more: u64) -> Option<u32> {
        let first = self.is_empty();
        let (mut code, mut length) = varint(more);
        if !first {
            // A gap of one is written as zero.
            let (gap, gap_length) = varint(gap - 1);
            code |= gap << (8 * length);
            length += gap_length;
        }
        let room = self.bytes.get_mut(usize::from(self.filled)..)?;
        write(room.get_mut(..length)?, code);
        self.filled += length as u8;
        self.below_first += u8::from(!first);
        Some(length as u32)
    }

    /// Makes the first range one of `more` packets besides one. Whether it takes as many bytes as the
    /// first range that there is; otherwise nothing changes.
    #[inline]
    pub fn set_first(&mut self, more: u64) -> bool {
        let (code, length) = varint(more);
        let fits = length == self.bytes_of_first();
        if fits {
            write(&mut self.bytes[..length], code);
        }
        fits
    }

    /// Bytes that the ranges below the first take.
    #[inline]
    pub fn bytes_below_first(&self) -> u32 {
        u32::from(self.filled) - self.bytes_of_first() as u32
    }

    /// Bytes that the first range takes.
    #[inline]
    fn bytes_of_first(&self) -> usize {
        match self.is_empty() {
            true => 0,
            false => length(self.bytes[0]),
        }
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.filled == 0
    }

    /// How many ranges stand below the first.
    pub fn below_first(&self) -> u8 {
        self.below_first
    }

    /// The ranges `[first, end)` where the largest number is `end - 1`, the highest range first.
    #[inline]
    pub fn numbers(&self, end: u64) -> Numbers<'_> {
        Numbers {
            bytes: &self.bytes[..usize::from(self.filled)],
            at: 0,
            end,
        }
    }
}

/// The numbers that ranges acknowledge, as `[first, end)`.
pub struct Numbers<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Below the last range that was read.
    end: u64,
}

impl Numbers<'_> {
    #[inline]
    fn read(&mut self) -> u64 {
        let first = self.bytes[self.at];
        let rest = length(first) - 1;
        self.at += 1;
        let value = u64::from(first & 0x3F);
        if rest == 0 {
            return value;
        }
        let tail = &self.bytes[self.at..self.at + rest];
        self.at += rest;
        tail.iter()
            .fold(value, |value, byte| value << 8 | u64::from(*byte))
    }
}

impl Iterator for Numbers<'_> {
    type Item = (u64, u64);

    #[inline]
    fn next(&mut self) -> Option<(u64, u64)> {
        if self.at >= self.bytes.len() {
            return None;
        }
        let gap = match self.at {
            0 => 0,
            _ => self.read() + 1,
        };
        let last = self.end.saturating_sub(gap);
        self.end = last.saturating_sub(self.read() + 1);
        Some((self.end, last))
    }
}

/// Writes the low bytes of a number, the highest of them first.
#[inline]
fn write(room: &mut [u8], code: u64) {
    for (at, byte) in room.iter_mut().rev().enumerate() {
        *byte = (code >> (8 * at)) as u8;
    }
}

/// Bytes of the variable-length integer that begins with this one (RFC 9000 §16).
#[inline]
fn length(first: u8) -> usize {
    1 << (first >> 6)
}

/// A variable-length integer (RFC 9000 §16) and how many bytes it takes. More than four are
/// never needed: what is further down than 2^30 packets has been known for long.
#[inline]
fn varint(value: u64) -> (u64, usize) {
    match value.min((1 << 30) - 1) {
        value @ 0..=0x3F => (value, 1),
        value @ 0x40..=0x3FFF => (value | 1 << 14, 2),
        value => (value | 2 << 30, 4),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_come_out_as_they_went_in_and_take_their_bytes() {
        let mut ranges = AckRanges::<24>::default();
        let given = [(0, 20_000), (1, 63), (64, 64), (65, 0), (16_385, 1)];
        let bytes = given.map(|(gap, more)| ranges.push(gap, more));
        assert_eq!(bytes, [4, 2, 3, 3, 5].map(Some));
        let mut end = 100_000;
        let numbers = given.map(|(gap, more)| {
            let last = end - gap;
            end = last - more - 1;
            (end, last)
        });
        assert_eq!(ranges.numbers(100_000).collect::<Vec<_>>(), numbers);
        assert_eq!((ranges.below_first(), ranges.is_empty()), (4, false));
    }

    #[test]
    fn a_first_range_is_replaced_where_it_takes_as_many_bytes() {
        let ranges = |first| {
            let mut ranges = AckRanges::<24>::default();
            ranges.push(0, first);
            ranges.push(3, 70);
            ranges
        };
        let mut grown = ranges(64);
        assert_eq!(grown.bytes_below_first(), 3);
        assert!(grown.set_first(16_383));
        let numbers = |ranges: &AckRanges<24>| ranges.numbers(100_000).collect::<Vec<_>>();
        assert_eq!(numbers(&grown), numbers(&ranges(16_383)));
        assert!(!grown.set_first(16_384) && !grown.set_first(63));
        assert_eq!(numbers(&grown), numbers(&ranges(16_383)));
        assert!(!AckRanges::<24>::default().set_first(0));
    }

    #[test]
    fn a_dozen_ranges_fit_into_24_bytes_and_eight_into_16() {
        fn fitting<const ROOM: usize>() -> usize {
            let mut ranges = AckRanges::<ROOM>::default();
            (0..20).take_while(|_| ranges.push(1, 1).is_some()).count()
        }
        assert_eq!((fitting::<24>(), fitting::<16>()), (12, 8));
    }
}
