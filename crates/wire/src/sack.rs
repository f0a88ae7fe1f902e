//! SACK blocks in an acknowledgement (RFC 2018).
//!
//! The edges of a block are offsets from the cumulative acknowledgement, in four bytes each. A
//! block that ends 4 GiB or more above it has edges of eight bytes and so the room of two blocks;
//! only the first block may be such a one. An [`AckOption`] takes the room of one block.

use crate::options::{AckOption, PackedOption};
use crate::packed::Four;

/// At most three SACK blocks a packet (RFC 2018 §3, with room for timestamps).
pub const MAX_SACK_BLOCKS: usize = 3;

/// A SACK block, as offsets from the cumulative acknowledgement next to it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct SackBlock {
    /// First byte, counted from the cumulative acknowledgement.
    pub start: u64,
    /// One past the last byte, counted likewise.
    pub end: u64,
}

/// A block that ends below 4 GiB.
#[derive(Clone, Copy, Default)]
pub(crate) struct Near {
    start: u32,
    end: u32,
}

/// A block that does not.
#[derive(Clone, Copy)]
pub(crate) struct Far {
    start: Four<u64>,
    end: Four<u64>,
}

/// The blocks of one acknowledgement, and its option.
#[derive(Clone, Copy)]
pub(crate) enum Sack {
    Blocks {
        count: u8,
        blocks: [Near; MAX_SACK_BLOCKS],
    },
    BlocksAndOption {
        count: u8,
        option: PackedOption,
        blocks: [Near; MAX_SACK_BLOCKS - 1],
    },
    FarFirst {
        count: u8,
        first: Far,
        second: Near,
    },
    FarFirstAndOption {
        option: PackedOption,
        first: Far,
    },
}

impl Sack {
    /// No blocks yet.
    #[inline(always)]
    pub(crate) fn new(option: AckOption) -> Sack {
        match PackedOption::new(option) {
            None => Sack::Blocks {
                count: 0,
                blocks: Default::default(),
            },
            Some(option) => Sack::BlocksAndOption {
                count: 0,
                option,
                blocks: Default::default(),
            },
        }
    }

    #[inline]
    pub(crate) fn option(&self) -> AckOption {
        match self {
            Sack::Blocks { .. } => AckOption::None,
            _ => self.rare_option(),
        }
    }

    #[cold]
    #[inline(never)]
    fn rare_option(&self) -> AckOption {
        match self {
            Sack::Blocks { .. } | Sack::FarFirst { .. } => AckOption::None,
            Sack::BlocksAndOption { option, .. } | Sack::FarFirstAndOption { option, .. } => {
                option.get()
            }
        }
    }

    /// Whether there are neither blocks nor an option.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        matches!(self, Sack::Blocks { count: 0, .. })
    }

    pub(crate) fn count(&self) -> u8 {
        match self {
            Sack::Blocks { count, .. }
            | Sack::BlocksAndOption { count, .. }
            | Sack::FarFirst { count, .. } => *count,
            Sack::FarFirstAndOption { .. } => 1,
        }
    }

    /// Adds a block where there is room.
    #[inline]
    pub(crate) fn push(&mut self, block: SackBlock) {
        let Ok(end) = u32::try_from(block.end) else {
            return self.push_far(block);
        };
        let start = block.start as u32;
        let (count, room) = match self {
            Sack::Blocks { count, blocks } => (count, &mut blocks[..]),
            Sack::BlocksAndOption { count, blocks, .. } => (count, &mut blocks[..]),
            Sack::FarFirst { count, second, .. } if *count == 1 => {
                *second = Near { start, end };
                *count = 2;
                return;
            }
            Sack::FarFirst { .. } | Sack::FarFirstAndOption { .. } => return,
        };
        if let Some(free) = room.get_mut(usize::from(*count)) {
            *free = Near { start, end };
            *count += 1;
        }
    }

    #[cold]
    fn push_far(&mut self, block: SackBlock) {
        let first = Far {
            start: Four::new(block.start),
            end: Four::new(block.end),
        };
        match *self {
            Sack::Blocks { count: 0, .. } => {
                *self = Sack::FarFirst {
                    count: 1,
                    first,
                    second: Near::default(),
                };
            }
            Sack::BlocksAndOption {
                count: 0, option, ..
            } => *self = Sack::FarFirstAndOption { option, first },
            _ => {}
        }
    }

    /// The blocks, in the order in which they were added.
    #[inline]
    pub(crate) fn blocks(&self) -> impl Iterator<Item = SackBlock> + '_ {
        (0..usize::from(self.count())).map(|i| self.block(i))
    }

    #[inline]
    fn block(&self, i: usize) -> SackBlock {
        match self {
            Sack::Blocks { blocks, .. } => blocks[i].into(),
            Sack::BlocksAndOption { blocks, .. } => blocks[i].into(),
            Sack::FarFirst { second, .. } if i > 0 => (*second).into(),
            Sack::FarFirst { first, .. } | Sack::FarFirstAndOption { first, .. } => (*first).into(),
        }
    }
}

impl From<Near> for SackBlock {
    fn from(near: Near) -> SackBlock {
        SackBlock {
            start: near.start.into(),
            end: near.end.into(),
        }
    }
}

impl From<Far> for SackBlock {
    fn from(far: Far) -> SackBlock {
        SackBlock {
            start: far.start.get(),
            end: far.end.get(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flowstart_control::Duration;

    const GAP: AckOption = AckOption::Gap(Duration(5));

    fn block(start: u64, end: u64) -> SackBlock {
        SackBlock { start, end }
    }

    fn kept(option: AckOption, blocks: &[SackBlock]) -> Vec<SackBlock> {
        let mut sack = Sack::new(option);
        blocks.iter().for_each(|block| sack.push(*block));
        let found: Vec<_> = sack.blocks().collect();
        assert_eq!(
            (found.len(), sack.option()),
            (usize::from(sack.count()), option)
        );
        found
    }

    #[test]
    fn three_blocks_find_room_and_two_next_to_an_option() {
        let four = [1, 3, 5, 7].map(|n| block(n * 1448, (n + 1) * 1448));
        assert_eq!(kept(AckOption::None, &four), four[..3]);
        assert_eq!(kept(GAP, &four), four[..2]);
    }

    #[test]
    fn a_block_beyond_four_gigabytes_comes_out_whole_and_leaves_room_for_one_more() {
        let far = block(1448, 5 << 30);
        let near = [block(1448, 2896), block(4344, 5792), block(7240, 8688)];
        let none = AckOption::None;
        assert_eq!(kept(none, &[far, near[0], near[1]]), [far, near[0]]);
        assert_eq!(kept(none, &[near[0], far, near[1]]), near[..2]);
        assert_eq!(kept(GAP, &[far, near[0]]), [far]);
    }
}
