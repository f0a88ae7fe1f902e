//! A set of byte ranges, kept sorted and disjoint.
//!
//! Both ends of a connection need one: the receiver for data above a hole, the sender
//! for what has been selectively acknowledged. Data arrives almost in order, so nearly
//! every change happens at the last range or at the first; both are constant time, and
//! anything else is a binary search.

use std::collections::VecDeque;

/// Sorted, disjoint, non-adjacent half-open ranges.
#[derive(Clone, Debug, Default)]
pub struct RangeSet {
    ranges: VecDeque<(u64, u64)>,
}

impl RangeSet {
    /// Bytes that the ranges take.
    pub fn bytes_held(&self) -> usize {
        self.ranges.len() * size_of::<(u64, u64)>()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// How many separate ranges there are.
    pub fn len(&self) -> usize {
        self.ranges.len()
    }

    /// The `i`-th range from the top, the highest first.
    pub fn nth_from_top(&self, i: usize) -> Option<(u64, u64)> {
        self.ranges
            .len()
            .checked_sub(i + 1)
            .map(|at| self.ranges[at])
    }

    /// All ranges, the lowest first.
    pub fn iter(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.ranges.iter().copied()
    }

    /// The lowest range.
    pub fn first(&self) -> Option<(u64, u64)> {
        self.ranges.front().copied()
    }

    /// One past the highest byte in the set.
    pub fn end(&self) -> Option<u64> {
        self.ranges.back().map(|r| r.1)
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.ranges.clear();
    }

    /// Index of the first range that ends at or after `position`: looked for at both
    /// ends first, where nearly every question is about.
    fn search(&self, position: u64) -> usize {
        const NEAR: usize = 4;
        let len = self.ranges.len();
        for at in (len.saturating_sub(NEAR)..len).rev() {
            if self.ranges[at].1 < position {
                return at + 1;
            }
        }
        for at in 0..len.min(NEAR) {
            if self.ranges[at].1 >= position {
                return at;
            }
        }
        self.ranges.partition_point(|r| r.1 < position)
    }

    /// Adds `[start, end)` and calls `fresh` for each piece that was not there before.
    #[inline]
    pub fn insert(&mut self, start: u64, end: u64, mut fresh: impl FnMut(u64, u64)) {
        if start >= end {
            return;
        }
        match self.ranges.back_mut() {
            Some(last) if start < last.0 => self.insert_below(start, end, fresh),
            Some(last) if start <= last.1 => {
                if end > last.1 {
                    fresh(last.1, end);
                    last.1 = end;
                }
            }
            _ => {
                fresh(start, end);
                self.ranges.push_back((start, end));
            }
        }
    }

    /// Adds one to the highest range if `grows` of its end; that range then.
    #[inline]
    pub fn grow_top(&mut self, grows: impl FnOnce(u64) -> bool) -> Option<(u64, u64)> {
        let top = self.ranges.back_mut().filter(|top| grows(top.1))?;
        top.1 += 1;
        Some(*top)
    }

    /// Adds `[start, end)`, which begins below the last range.
    fn insert_below(&mut self, start: u64, end: u64, mut fresh: impl FnMut(u64, u64)) {
        let at = self.search(start);
        let Some(&(low, high)) = self.ranges.get(at).filter(|r| r.0 <= end) else {
            fresh(start, end);
            return self.ranges.insert(at, (start, end));
        };
        if low <= start && end <= high {
            return;
        }
        let mut merged = (start.min(low), end.max(high));
        let mut covered = start;
        let mut last = at;
        while let Some(&(low, high)) = self.ranges.get(last).filter(|r| r.0 <= end) {
            if covered < low {
                fresh(covered, low);
            }
            covered = covered.max(high);
            merged.1 = merged.1.max(high);
            last += 1;
        }
        if covered < end {
            fresh(covered, end);
        }
        self.ranges[at] = merged;
        if last > at + 1 {
            self.ranges.drain(at + 1..last);
        }
    }

    /// Removes everything below `position` and calls `gone` for each piece removed.
    pub fn remove_below(&mut self, position: u64, mut gone: impl FnMut(u64, u64)) {
        while let Some(first) = self.ranges.front_mut() {
            if first.0 >= position {
                return;
            }
            if first.1 > position {
                gone(first.0, position);
                first.0 = position;
                return;
            }
            gone(first.0, first.1);
            self.ranges.pop_front();
        }
    }

    /// Removes `[start, end)` and calls `gone` for each piece removed.
    pub fn remove(&mut self, start: u64, end: u64, mut gone: impl FnMut(u64, u64)) {
        let mut at = self.search(start + 1);
        while let Some(&(low, high)) = self.ranges.get(at).filter(|r| r.0 < end) {
            gone(low.max(start), high.min(end));
            match (low < start, end < high) {
                (true, true) => {
                    self.ranges[at].1 = start;
                    return self.ranges.insert(at + 1, (end, high));
                }
                (true, false) => {
                    self.ranges[at].1 = start;
                    at += 1;
                }
                (false, true) => self.ranges[at].0 = end,
                (false, false) => {
                    self.ranges.remove(at);
                }
            }
        }
    }

    /// Whether any byte of `[start, end)` is in the set.
    pub fn meets(&self, start: u64, end: u64) -> bool {
        let at = self.search(start + 1);
        self.ranges.get(at).is_some_and(|r| r.0 < end)
    }

    /// The range that holds `position`, if any.
    pub fn containing(&self, position: u64) -> Option<(u64, u64)> {
        let at = self.search(position + 1);
        self.ranges.get(at).copied().filter(|r| r.0 <= position)
    }

    /// The first hole at or after `position` that is below some range: `[start, end)`.
    pub fn hole_at_or_after(&self, position: u64) -> Option<(u64, u64)> {
        let at = self.search(position + 1);
        let &(low, high) = self.ranges.get(at)?;
        if position < low {
            return Some((position, low));
        }
        self.ranges.get(at + 1).map(|next| (high, next.0))
    }

    /// Calls `hole` for each piece of `[start, end)` that is not in the set.
    pub fn holes_within(&self, start: u64, end: u64, mut hole: impl FnMut(u64, u64)) {
        let mut from = start;
        let above = self.ranges.range(self.search(start + 1)..);
        for (low, high) in above.take_while(|r| r.0 < end) {
            if from < *low {
                hole(from, *low);
            }
            from = *high;
        }
        if from < end {
            hole(from, end);
        }
    }

    /// Bytes of the set within `[start, end)`, looked up from the top: constant time
    /// where `start` is near the end of the set.
    pub fn bytes_within(&self, start: u64, end: u64) -> u64 {
        self.ranges
            .iter()
            .rev()
            .skip_while(|r| r.0 >= end)
            .take_while(|r| r.1 > start)
            .map(|r| r.1.min(end) - r.0.max(start))
            .sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn members(set: &RangeSet) -> BTreeSet<u64> {
        set.ranges.iter().flat_map(|r| r.0..r.1).collect()
    }

    proptest! {
        #[test]
        fn it_agrees_with_a_set_of_bytes(ops in prop::collection::vec((0u64..60, 1u64..12, 0u8..4), 1..60)) {
            let mut set = RangeSet::default();
            let mut model = BTreeSet::new();
            for (start, len, what) in ops {
                let mut reported = BTreeSet::new();
                if what == 0 {
                    let gone: BTreeSet<u64> = model.range(start..start + len).copied().collect();
                    set.remove(start, start + len, |a, b| reported.extend(a..b));
                    prop_assert_eq!(&reported, &gone);
                    model.retain(|b| !gone.contains(b));
                } else if what == 1 {
                    let gone: BTreeSet<u64> = model.iter().copied().filter(|b| *b < start).collect();
                    set.remove_below(start, |a, b| reported.extend(a..b));
                    prop_assert_eq!(&reported, &gone);
                    model.retain(|b| *b >= start);
                } else {
                    let fresh: BTreeSet<u64> = (start..start + len).filter(|b| !model.contains(b)).collect();
                    set.insert(start, start + len, |a, b| reported.extend(a..b));
                    prop_assert_eq!(&reported, &fresh);
                    model.extend(start..start + len);
                }
                prop_assert_eq!(&members(&set), &model);
                prop_assert!(set.ranges.iter().zip(set.ranges.iter().skip(1)).all(|(a, b)| a.1 < b.0));
                for p in 0..75 {
                    prop_assert_eq!(set.containing(p).is_some(), model.contains(&p));
                    let hole = (p..75).find(|b| !model.contains(b) && model.range(b..).next().is_some());
                    prop_assert_eq!(set.hole_at_or_after(p).map(|h| h.0), hole);
                    prop_assert_eq!(set.bytes_within(p, p + 9), model.range(p..p + 9).count() as u64);
                    let mut holes = Vec::new();
                    set.holes_within(p, p + 9, |a, b| holes.extend(a..b));
                    let missing: Vec<u64> = (p..p + 9).filter(|b| !model.contains(b)).collect();
                    prop_assert_eq!(holes, missing);
                    prop_assert_eq!(set.meets(p, p + 3), model.range(p..p + 3).next().is_some());
                }
            }
        }
    }
}
