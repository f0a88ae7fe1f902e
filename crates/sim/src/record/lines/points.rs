//! What happened at a height: positions of packets over time, a point for each place in a picture.

use super::bins::Place;
use super::line::Drawn;
use std::collections::BTreeMap;

/// Events over time. Of those that fall into the same bin of time and the same height the first to
/// be recorded is kept; heights begin with one, and double whenever more points would be kept than
/// may be.
#[derive(Clone, Debug)]
pub struct BinnedPoints {
    /// By bin and height.
    points: BTreeMap<(u32, u64), f64>,
    height: u64,
    most: usize,
    total: u64,
}

impl BinnedPoints {
    /// None yet, and never more than `most` points, of which each bin that there can be has one.
    pub(super) fn new(most: usize) -> BinnedPoints {
        BinnedPoints {
            points: BTreeMap::new(),
            height: 1,
            most,
            total: 0,
        }
    }

    /// Something happened at `value`, which is not negative.
    pub(super) fn push(&mut self, place: Place, value: f64) {
        let Place::In(bin) = place else { return };
        self.total += 1;
        let key = (bin, value as u64 / self.height);
        self.points.entry(key).or_insert(value);
        self.limit(self.most);
    }

    /// Keeps no more than `most` points, of which each bin has one.
    pub(super) fn limit(&mut self, most: usize) {
        while self.points.len() > most {
            self.height *= 2;
            self.sort_anew(1);
        }
    }

    /// Makes one bin of every so many.
    pub(super) fn widen(&mut self, factor: u32) {
        self.sort_anew(factor);
    }

    fn sort_anew(&mut self, factor: u32) {
        for ((bin, _), value) in std::mem::take(&mut self.points) {
            let key = (bin / factor, value as u64 / self.height);
            self.points.entry(key).or_insert(value);
        }
    }

    /// How many events there were.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Two events in a bin that are so far apart have a point each.
    pub fn height(&self) -> u64 {
        self.height
    }

    /// The points, by bin and then by height.
    pub fn drawn(&self) -> Drawn {
        let mut drawn = Drawn::default();
        for ((bin, _), value) in &self.points {
            drawn.push(*bin, *value);
        }
        drawn
    }
}
