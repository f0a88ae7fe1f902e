//! Acknowledgements: of bytes (TCP) or of packet numbers (QUIC).

use crate::ack_ranges::{AckRanges, Numbers};
use crate::options::{AckOption, PackedOption};
use crate::packed::Four;
use crate::sack::{Sack, SackBlock};
use std::fmt;

/// What an acknowledgement acknowledges.
#[derive(Clone, Copy, Debug)]
pub enum Ack {
    /// Bytes of the stream.
    Bytes(ByteAck),
    /// Packets by their numbers.
    Numbers(NumberAck),
}

impl Ack {
    /// The advertised window in bytes, scaling undone; [`UNLIMITED_WINDOW`](crate::UNLIMITED_WINDOW)
    /// for none.
    pub fn window(&self) -> u32 {
        match self {
            Ack::Bytes(ack) => ack.window,
            Ack::Numbers(ack) => ack.window,
        }
    }

    /// What it carries besides its ranges.
    #[inline]
    pub fn option(&self) -> AckOption {
        match self {
            Ack::Bytes(ack) => ack.option(),
            Ack::Numbers(ack) => ack.option(),
        }
    }

    /// How many SACK blocks it has, or ACK ranges below the first.
    pub fn blocks(&self) -> u8 {
        match self {
            Ack::Bytes(ack) => ack.blocks(),
            Ack::Numbers(ack) => ack.ranges_below_first(),
        }
    }
}

const OF_REPETITION: u64 = 1 << 63;

/// Acknowledges bytes (RFC 9293 §3.4, RFC 2018).
#[derive(Clone, Copy)]
#[repr(C)]
pub struct ByteAck {
    /// The cumulative acknowledgement, and in its highest bit what it answers: positions are below.
    una: Four<u64>,
    window: u32,
    sack: Sack,
}

impl ByteAck {
    /// Everything below `una` has arrived.
    #[inline(always)]
    pub fn new(una: u64, window: u32, option: AckOption) -> ByteAck {
        ByteAck {
            una: Four::new(una),
            window,
            sack: Sack::new(option),
        }
    }

    /// Everything below this position is acknowledged.
    #[inline]
    pub fn una(&self) -> u64 {
        self.una.get() & !OF_REPETITION
    }

    /// Whether a retransmission was what last moved the cumulative acknowledgement, or came after
    /// it: this and the position stand for the timestamp that is echoed (RFC 7323 §4.3).
    pub fn answers_repetition(&self) -> bool {
        self.una.get() & OF_REPETITION != 0
    }

    /// A retransmission did.
    pub fn set_answers_repetition(&mut self) {
        self.una = Four::new(self.una.get() | OF_REPETITION);
    }

    /// What it carries besides SACK blocks.
    #[inline]
    pub fn option(&self) -> AckOption {
        self.sack.option()
    }

    /// Adds a SACK block of these positions, where there is room.
    #[inline]
    pub fn push_sack(&mut self, start: u64, end: u64) {
        let una = self.una();
        self.sack.push(SackBlock {
            start: start - una,
            end: end - una,
        });
    }

    /// How many SACK blocks it has.
    pub fn blocks(&self) -> u8 {
        self.sack.count()
    }

    /// Whether it has neither SACK blocks nor an option.
    #[inline]
    pub fn is_bare(&self) -> bool {
        self.sack.is_empty()
    }

    /// The positions of its SACK blocks as `(start, end)`, newest first.
    #[inline]
    pub fn sack_blocks(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        let una = self.una();
        self.sack
            .blocks()
            .map(move |b| (una + b.start, una + b.end))
    }
}

impl fmt::Debug for ByteAck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let blocks: Vec<_> = self.sack_blocks().collect();
        write!(
            f,
            "ack {} sack {blocks:?} window {}",
            self.una(),
            self.window
        )
    }
}

/// Bytes for ACK ranges: those of [`MAX_SACK_BLOCKS`](crate::MAX_SACK_BLOCKS) blocks.
pub const ACK_RANGES_ROOM: usize = 24;
/// And besides an option.
const ROOM_BESIDE_OPTION: usize = 16;

/// Aligned so that its tag is first in a [`NumberAck`], where the tags of [`Ack`] and of a
/// packet's body find room in it.
#[derive(Clone, Copy)]
#[repr(align(4))]
enum Ranges {
    Alone(AckRanges<ACK_RANGES_ROOM>),
    AndOption(PackedOption, AckRanges<ROOM_BESIDE_OPTION>),
}

/// Acknowledges packets (RFC 9000 §19.3).
#[derive(Clone, Copy)]
pub struct NumberAck {
    end: Four<u64>,
    delay: u32,
    window: u32,
    ranges: Ranges,
}

impl NumberAck {
    /// The largest number acknowledged is `end - 1`; `delay` is the field ACK Delay, in the units
    /// of the stack.
    pub fn new(end: u64, delay: u32, window: u32, option: AckOption) -> NumberAck {
        NumberAck {
            end: Four::new(end),
            delay,
            window,
            ranges: match PackedOption::new(option) {
                None => Ranges::Alone(AckRanges::default()),
                Some(option) => Ranges::AndOption(option, AckRanges::default()),
            },
        }
    }

    /// An acknowledgement of these ranges, without an option.
    pub fn of(end: u64, delay: u32, window: u32, ranges: AckRanges<ACK_RANGES_ROOM>) -> NumberAck {
        NumberAck {
            end: Four::new(end),
            delay,
            window,
            ranges: Ranges::Alone(ranges),
        }
    }

    /// Its ranges, where it carries no option.
    pub fn ranges(&self) -> Option<&AckRanges<ACK_RANGES_ROOM>> {
        match &self.ranges {
            Ranges::Alone(ranges) => Some(ranges),
            Ranges::AndOption(..) => None,
        }
    }

    /// One past the largest number acknowledged.
    pub fn end(&self) -> u64 {
        self.end.get()
    }

    /// The field ACK Delay.
    pub fn delay(&self) -> u32 {
        self.delay
    }

    /// What it carries besides its ranges.
    pub fn option(&self) -> AckOption {
        match self.ranges {
            Ranges::Alone(_) => AckOption::None,
            Ranges::AndOption(option, _) => option.get(),
        }
    }

    /// Adds the next range below the others; see [`AckRanges::push`].
    pub fn push(&mut self, gap: u64, more: u64) -> Option<u32> {
        match &mut self.ranges {
            Ranges::Alone(ranges) => ranges.push(gap, more),
            Ranges::AndOption(_, ranges) => ranges.push(gap, more),
        }
    }

    /// How many ranges stand below the first.
    pub fn ranges_below_first(&self) -> u8 {
        match &self.ranges {
            Ranges::Alone(ranges) => ranges.below_first(),
            Ranges::AndOption(_, ranges) => ranges.below_first(),
        }
    }

    /// The numbers acknowledged as `[first, end)`, the largest first.
    #[inline]
    pub fn numbers(&self) -> Numbers<'_> {
        match &self.ranges {
            Ranges::Alone(ranges) => ranges.numbers(self.end()),
            Ranges::AndOption(_, ranges) => ranges.numbers(self.end()),
        }
    }
}

impl fmt::Debug for NumberAck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let numbers: Vec<_> = self.numbers().collect();
        write!(f, "ack of packets {numbers:?} delay {}", self.delay)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flowstart_control::Duration;

    #[test]
    fn blocks_are_reported_by_position() {
        let mut ack = ByteAck::new(10 << 30, 65_535, AckOption::None);
        ack.push_sack(15 << 30, 16 << 30);
        ack.push_sack((10 << 30) + 1448, (10 << 30) + 2896);
        let blocks: Vec<_> = ack.sack_blocks().collect();
        let near = ((10 << 30) + 1448, (10 << 30) + 2896);
        assert_eq!(blocks, [(15 << 30, 16 << 30), near]);
    }

    #[test]
    fn what_an_acknowledgement_answers_is_next_to_its_position() {
        let mut ack = ByteAck::new(10 << 30, 65_535, AckOption::None);
        assert!(!ack.answers_repetition());
        ack.set_answers_repetition();
        assert!(ack.answers_repetition());
        assert_eq!(ack.una(), 10 << 30);
    }

    #[test]
    fn an_option_leaves_room_for_eight_ack_ranges_instead_of_twelve() {
        let fitting = |option| {
            let mut ack = NumberAck::new(100, 0, 0, option);
            let fitting = (0..20).take_while(|_| ack.push(1, 1).is_some()).count();
            assert_eq!((ack.numbers().count(), ack.option()), (fitting, option));
            fitting
        };
        assert_eq!(fitting(AckOption::None), 12);
        assert_eq!(fitting(AckOption::Gap(Duration(5))), 8);
    }
}
