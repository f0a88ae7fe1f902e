//! What acknowledgements say of ranges comes out as it went in.

use arbitrary::{Result, Unstructured};
use flowstart_control::Duration;
use flowstart_wire::{AckOption, AckRanges, ByteAck, NumberAck};

/// Encodes and decodes ranges of packet numbers.
pub(super) fn ack_ranges(bytes: &[u8]) {
    let mut u = Unstructured::new(bytes);
    let _ = in_room::<16>(&mut u);
    let _ = in_room::<24>(&mut u);
    let _ = beside_option(&mut u);
}

fn in_room<const ROOM: usize>(u: &mut Unstructured) -> Result<()> {
    let end = u.arbitrary::<u64>()?;
    let mut ranges = AckRanges::<ROOM>::default();
    let mut expected = Expected::new(end);
    let mut taken = 0;
    while expected.ranges.len() < 2 * ROOM && !u.is_empty() {
        let (gap, more) = range(u, expected.ranges.is_empty())?;
        match ranges.push(gap, more) {
            Some(length) => {
                taken += length as usize;
                expected.push(gap, more);
            }
            None => break,
        }
    }
    assert!(taken <= ROOM);
    assert_eq!(ranges.is_empty(), expected.ranges.is_empty());
    let below_first = expected.ranges.len().saturating_sub(1);
    assert_eq!(usize::from(ranges.below_first()), below_first);
    let numbers: Vec<_> = ranges.numbers(end).collect();
    assert_eq!(numbers, expected.ranges);
    Ok(())
}

fn beside_option(u: &mut Unstructured) -> Result<()> {
    let (end, option) = (u.arbitrary()?, option(u)?);
    let mut ack = NumberAck::new(end, u.arbitrary()?, u.arbitrary()?, option);
    let mut expected = Expected::new(end);
    while expected.ranges.len() < 32 && !u.is_empty() {
        let (gap, more) = range(u, expected.ranges.is_empty())?;
        if ack.push(gap, more).is_none() {
            break;
        }
        expected.push(gap, more);
    }
    assert_eq!(ack.numbers().collect::<Vec<_>>(), expected.ranges);
    assert_eq!((ack.end(), same(ack.option())), (end, same(option)));
    Ok(())
}

/// A gap and how many packets besides one; no gap above the first range.
fn range(u: &mut Unstructured, first: bool) -> Result<(u64, u64)> {
    let size = |u: &mut Unstructured| -> Result<u64> {
        let bits = u.int_in_range(0..=64)?;
        Ok(u.arbitrary::<u64>()?.checked_shr(64 - bits).unwrap_or(0))
    };
    let gap = size(u)?;
    Ok((if first { 0 } else { gap.max(1) }, size(u)?))
}

/// What is to come out: the encoding keeps thirty bits, and numbers end at zero.
struct Expected {
    end: u64,
    ranges: Vec<(u64, u64)>,
}

impl Expected {
    fn new(end: u64) -> Expected {
        let ranges = Vec::new();
        Expected { end, ranges }
    }

    fn push(&mut self, gap: u64, more: u64) {
        const MOST: u64 = (1 << 30) - 1;
        let gap = if gap == 0 { 0 } else { (gap - 1).min(MOST) + 1 };
        let last = self.end.saturating_sub(gap);
        self.end = last.saturating_sub(more.min(MOST) + 1);
        self.ranges.push((self.end, last));
    }
}

/// Encodes and decodes SACK blocks.
pub(super) fn sack(bytes: &[u8]) {
    let _ = sack_blocks(&mut Unstructured::new(bytes));
}

fn sack_blocks(u: &mut Unstructured) -> Result<()> {
    let una = u.arbitrary::<u64>()? >> u.int_in_range(1..=63)?;
    let (window, option) = (u.arbitrary()?, option(u)?);
    let mut ack = ByteAck::new(una, window, option);
    let mut given = Vec::new();
    while given.len() < 6 && !u.is_empty() {
        let above = |u: &mut Unstructured| -> Result<u64> {
            let bits = u.int_in_range(1..=63)?;
            let most = (1 << 63) - 1 - una;
            Ok(una + (u.arbitrary::<u64>()? >> bits).min(most))
        };
        let (one, other) = (above(u)?, above(u)?);
        given.push((one.min(other), one.max(other)));
        ack.push_sack(one.min(other), one.max(other));
    }
    let kept: Vec<_> = ack.sack_blocks().collect();
    assert_eq!(kept.len(), usize::from(ack.blocks()));
    assert!(kept.len() <= flowstart_wire::MAX_SACK_BLOCKS);
    assert!(kept.is_empty() == given.is_empty());
    // Blocks without room are left out; none is changed, and none changes places.
    let mut rest = given.iter();
    assert!(kept.iter().all(|block| rest.any(|other| other == block)));
    assert_eq!((ack.una(), same(ack.option())), (una, same(option)));
    Ok(())
}

pub(super) fn option(u: &mut Unstructured) -> Result<AckOption> {
    Ok(match u.int_in_range(0..=4)? {
        0 => AckOption::Gap(Duration(u.arbitrary()?)),
        1 => AckOption::Feedback(u.arbitrary()?),
        2 => AckOption::Duplicate {
            start: u.arbitrary()?,
            len: u.arbitrary()?,
        },
        3 => AckOption::Marks(u.arbitrary()?),
        4 => AckOption::Limit(u.arbitrary()?),
        _ => AckOption::None,
    })
}

/// To compare what may be NaN.
fn same(option: AckOption) -> String {
    format!("{option:?}")
}
