//! A value over time, kept as what each bin of time had of it.

use super::bins::Place;
use serde::{Deserialize, Serialize};

/// A line of steps: a value holds until the next. Of each bin in which it changed, the minimum,
/// maximum and last values are kept.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct BinnedLine {
    bins: Vec<Bin>,
    /// What it was last before the first bin; not a number where it was not.
    before: f64,
    /// What it was last.
    now: f64,
}

/// What a line was within a bin, from the first change in it on. Values that are not numbers, where
/// there is nothing, are neither minimum nor maximum.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Bin {
    /// The number of the bin.
    pub number: u32,
    /// The minimum came before the maximum.
    pub least_first: bool,
    /// The minimum; infinite where there is none.
    pub least: f64,
    /// The greatest; negative where there is none.
    pub greatest: f64,
    /// The last.
    pub last: f64,
}

impl Bin {
    fn new(number: u32, value: f64) -> Bin {
        let mut bin = Bin {
            number,
            least_first: true,
            least: f64::INFINITY,
            greatest: f64::NEG_INFINITY,
            last: value,
        };
        bin.take_in(value);
        bin
    }

    #[inline]
    fn take_in(&mut self, value: f64) {
        self.last = value;
        if value < self.least {
            (self.least, self.least_first) = (value, false);
        }
        if value > self.greatest {
            (self.greatest, self.least_first) = (value, true);
        }
    }

    /// One that comes after this becomes a part of it.
    fn merge(&mut self, later: &Bin) {
        let (lower, higher) = (later.least < self.least, later.greatest > self.greatest);
        self.least_first = match (lower, higher) {
            (true, true) => later.least_first,
            (false, false) => self.least_first,
            (false, true) => true,
            (true, false) => false,
        };
        self.least = self.least.min(later.least);
        self.greatest = self.greatest.max(later.greatest);
        self.last = later.last;
    }
}

/// A line for drawing: values, and the bins in which the line came to them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Drawn {
    /// Numbers of bins, not falling.
    pub bins: Vec<u16>,
    /// As many values.
    pub values: Vec<f32>,
}

impl Drawn {
    pub(super) fn push(&mut self, bin: u32, value: f64) {
        self.bins.push(bin as u16);
        self.values.push(value as f32);
    }
}

impl Default for BinnedLine {
    fn default() -> BinnedLine {
        BinnedLine {
            bins: Vec::new(),
            before: f64::NAN,
            now: f64::NAN,
        }
    }
}

impl BinnedLine {
    /// The line is `value` from now on. Places are those of times that do not fall.
    #[inline]
    pub(super) fn push(&mut self, place: Place, value: f64) {
        if value == self.now || (value.is_nan() && self.now.is_nan()) {
            return;
        }
        match place {
            Place::Before => self.before = value,
            Place::In(number) => self.take_in(number, value),
            Place::After => return,
        }
        self.now = value;
    }

    #[inline]
    fn take_in(&mut self, number: u32, value: f64) {
        match self.bins.last_mut() {
            Some(last) if last.number == number => last.take_in(value),
            _ => self.bins.push(Bin::new(number, value)),
        }
    }

    /// Makes one bin of every so many.
    pub(super) fn widen(&mut self, factor: u32) {
        let mut kept = 0usize;
        for at in 0..self.bins.len() {
            let mut bin = self.bins[at];
            bin.number /= factor;
            match kept.checked_sub(1).map(|last| &mut self.bins[last]) {
                Some(last) if last.number == bin.number => last.merge(&bin),
                _ => {
                    self.bins[kept] = bin;
                    kept += 1;
                }
            }
        }
        self.bins.truncate(kept);
    }

    /// The bins in which it changed, in their order.
    pub fn bins(&self) -> &[Bin] {
        &self.bins
    }

    /// What it was last before the first bin; not a number where it was not.
    pub fn before(&self) -> f64 {
        self.before
    }

    /// What a picture of it needs that is a pixel wide for each bin: of each bin the minimum and
    /// the maximum in the order in which they came, where the line went further than from where it
    /// was before to where it was at the end, and the last. There is nothing where it did not
    /// change. It begins with what it was before the first bin, and a value that is not a number
    /// marks that there is nothing from then on.
    pub fn drawn(&self) -> Drawn {
        let mut drawn = Drawn::default();
        let mut from = self.before;
        if !from.is_nan() {
            drawn.push(0, from);
        }
        for bin in &self.bins {
            let (low, high) = (from.min(bin.last), from.max(bin.last));
            let mut turns = [
                (bin.least, bin.least < low || low.is_nan()),
                (bin.greatest, bin.greatest > high || high.is_nan()),
            ];
            if !bin.least_first {
                turns.reverse();
            }
            let mut drawn_last = from;
            let turns = turns
                .into_iter()
                .filter(|turn| turn.1 && turn.0.is_finite());
            let turns = turns.map(|turn| turn.0);
            for value in turns.chain([bin.last]) {
                if value != drawn_last && !(value.is_nan() && drawn_last.is_nan()) {
                    drawn.push(bin.number, value);
                    drawn_last = value;
                }
            }
            from = bin.last;
        }
        drawn
    }
}
