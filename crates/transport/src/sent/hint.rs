//! Searches in what is in order of position, each of which is mostly for what is right above
//! what the last was for.

use std::collections::VecDeque;

/// Where the last search ended.
#[derive(Clone, Copy, Debug, Default)]
pub struct Hint(usize);

impl Hint {
    /// As if the last search had ended there.
    #[cfg(test)]
    pub(super) fn at(place: usize) -> Hint {
        Hint(place)
    }

    /// The first entry that is not `below` what is looked for, near the last one first; the length
    /// where all are.
    #[inline]
    pub(super) fn search<T>(&mut self, queue: &VecDeque<T>, below: impl Fn(&T) -> bool) -> usize {
        const NEAR: usize = 4;
        let len = queue.len();
        let mut at = self.0.min(len);
        for _ in 0..NEAR {
            if at > 0 && !below(&queue[at - 1]) {
                at -= 1;
            } else if at < len && below(&queue[at]) {
                at += 1;
            } else {
                self.0 = at;
                return at;
            }
        }
        self.0 = queue.partition_point(below);
        self.0
    }
}
