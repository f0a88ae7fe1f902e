//! Sequence numbers without end, and which of them were seen.

/// 32-bit sequence numbers set on a line of 64 bits.
///
/// Each number is placed next to the furthest that was heard of, from data or from an
/// acknowledgement: so it counts on past 2^32, and even when most packets were not captured, as
/// long as no gap is longer than 2^31.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Line {
    furthest: Option<u64>,
}

/// Room below the first number, for those that are a little earlier.
const ORIGIN: u64 = 1 << 32;

impl Line {
    /// Position of a number, without taking it for progress.
    pub(crate) fn place(&self, number: u32) -> u64 {
        match self.furthest {
            None => ORIGIN + u64::from(number),
            Some(furthest) => {
                let ahead = number.wrapping_sub(furthest as u32) as i32;
                furthest.saturating_add_signed(ahead.into())
            }
        }
    }

    /// How far a number is from the furthest; nothing before there is one.
    pub(crate) fn distance(&self, number: u32) -> Option<u32> {
        let furthest = self.furthest? as u32;
        Some((number.wrapping_sub(furthest) as i32).unsigned_abs())
    }

    /// Position of a number; later ones will be placed next to it.
    pub(crate) fn advance(&mut self, number: u32) -> u64 {
        let place = self.place(number);
        self.furthest = Some(self.furthest.map_or(place, |furthest| furthest.max(place)));
        place
    }
}

/// The union of captured ranges, in bounded memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Seen {
    /// All below is settled: seen, or given up.
    floor: u64,
    /// Ranges above the floor: ascending, apart from each other.
    islands: Vec<(u64, u64)>,
    /// A hole was given up; if it was filled later, that was not counted.
    pub approximate: bool,
}

/// Holes that are stored at a time: a slow start that overflows a queue leaves one for every second
/// packet.
const MOST_ISLANDS: usize = 2048;

impl Seen {
    pub(crate) fn starting(floor: u64) -> Self {
        Seen {
            floor,
            ..Seen::default()
        }
    }

    /// Adds a range and returns how many of its bytes are new.
    pub(crate) fn add(&mut self, from: u64, to: u64) -> u64 {
        let from = from.max(self.floor);
        if from >= to {
            return 0;
        }
        if self.islands.is_empty() && from == self.floor {
            self.floor = to;
            return to - from;
        }
        self.insert(from, to)
    }

    /// Whether every byte of a range is settled.
    pub(crate) fn holds(&self, from: u64, to: u64) -> bool {
        let island = self.islands.partition_point(|island| island.1 < to);
        to <= self.floor
            || self
                .islands
                .get(island)
                .is_some_and(|&(start, _)| start <= from.max(self.floor))
    }

    fn insert(&mut self, from: u64, to: u64) -> u64 {
        let first = self.islands.partition_point(|island| island.1 < from);
        let last = self.islands.partition_point(|island| island.0 <= to);
        let touched = self.islands.get(first..last).unwrap_or_default();
        let known: u64 = touched
            .iter()
            .map(|&(start, end)| end.min(to).saturating_sub(start.max(from)))
            .sum();
        let joined = touched
            .iter()
            .fold((from, to), |(low, high), &(start, end)| {
                (low.min(start), high.max(end))
            });
        self.islands.splice(first..last, [joined]);
        if self.islands.len() > MOST_ISLANDS {
            self.approximate = true;
            self.settle();
        } else if self
            .islands
            .first()
            .is_some_and(|island| island.0 <= self.floor)
        {
            self.settle();
        }
        (to - from) - known
    }

    /// Takes the lowest island, and any hole below it, as settled.
    fn settle(&mut self) {
        if !self.islands.is_empty() {
            self.floor = self.islands.remove(0).1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn numbers_run_on_past_the_end_of_their_32_bits() {
        let mut line = Line::default();
        let start = line.advance(0xffff_fff0);
        assert_eq!(line.advance(0x10) - start, 0x20);
        assert_eq!(line.place(0xffff_fff8) - start, 8);
        let mut line = Line::default();
        let start = line.advance(5);
        let mut number = 5u32;
        for _ in 0..10 {
            number = number.wrapping_add(2_000_000_000);
            line.advance(number);
        }
        assert_eq!(line.place(number) - start, 20_000_000_000);
    }

    proptest! {
        #[test]
        fn the_union_of_ranges_counts_each_byte_once(
            ranges in prop::collection::vec((0u64..400, 1u64..40), 0..60),
        ) {
            let mut seen = Seen::starting(100);
            let mut bytes = [false; 500];
            let mut count = 0;
            for (from, length) in ranges {
                count += seen.add(from, from + length);
                for byte in &mut bytes[from as usize..(from + length) as usize] { *byte = true }
            }
            let expected = bytes[100..].iter().filter(|&&byte| byte).count();
            prop_assert_eq!(count as usize, expected);
        }
    }

    #[test]
    fn holes_that_are_never_filled_take_no_memory_without_end() {
        let mut seen = Seen::starting(0);
        let count: u64 = (0..10_000).map(|n| seen.add(n * 10 + 1, n * 10 + 10)).sum();
        assert_eq!(count, 90_000);
        assert!(seen.islands.len() <= MOST_ISLANDS && seen.approximate);
    }
}
