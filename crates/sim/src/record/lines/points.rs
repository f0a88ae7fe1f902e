//! What happened at a height: positions of packets over time, a point for each place in a picture.

use super::bins::Place;
use super::line::Drawn;
use serde::{Deserialize, Serialize};

/// Events over time. Of those that fall into the same bin of time and the same height the first to
/// be recorded is kept; heights begin with one, and double whenever more points would be kept than
/// may be.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct BinnedPoints {
    /// In the order of bins, and in a bin of levels.
    points: Vec<Point>,
    /// A height is so many powers of two.
    height_bits: u32,
    most: usize,
    total: u64,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Point {
    bin: u32,
    /// Of which height it is, from the lowest.
    level: u64,
    value: f64,
}

impl Point {
    fn place(&self) -> (u32, u64) {
        (self.bin, self.level)
    }
}

impl BinnedPoints {
    /// None yet, and never more than `most` points, of which each bin that there can be has one.
    pub(super) fn new(most: usize) -> BinnedPoints {
        BinnedPoints {
            points: Vec::new(),
            height_bits: 0,
            most,
            total: 0,
        }
    }

    /// Something happened at `value`, which is not negative.
    pub(super) fn push(&mut self, place: Place, value: f64) {
        let Place::In(bin) = place else { return };
        self.total += 1;
        let level = value as u64 >> self.height_bits;
        let point = Point { bin, level, value };
        let last = self.points.last();
        if last.is_none_or(|last| last.place() < point.place()) {
            self.points.push(point);
        } else if let Err(at) = self
            .points
            .binary_search_by_key(&point.place(), Point::place)
        {
            self.points.insert(at, point);
        }
        self.limit(self.most);
    }

    /// Keeps no more than `most` points, of which each bin has one.
    pub(super) fn limit(&mut self, most: usize) {
        while self.points.len() > most {
            self.height_bits += 1;
            for point in &mut self.points {
                point.level >>= 1;
            }
            self.points.dedup_by_key(|point| point.place());
        }
    }

    /// Makes one bin of every so many.
    pub(super) fn widen(&mut self, factor: u32) {
        for point in &mut self.points {
            point.bin /= factor;
        }
        self.points.sort_by_key(Point::place);
        self.points.dedup_by_key(|point| point.place());
    }

    /// How many events there were.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Two events in a bin that are so far apart have a point each.
    pub fn height(&self) -> u64 {
        1 << self.height_bits
    }

    /// The points, by bin and then by height.
    pub fn drawn(&self) -> Drawn {
        let mut drawn = Drawn::default();
        for point in &self.points {
            drawn.push(point.bin, point.value);
        }
        drawn
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(most: usize, events: &[(u32, f64)]) -> BinnedPoints {
        let mut points = BinnedPoints::new(most);
        for (bin, value) in events {
            points.push(Place::In(*bin), *value);
        }
        points
    }

    #[test]
    fn every_event_has_its_point_while_there_is_room() {
        let found = points(4, &[(0, 7.0), (2, 9.0), (2, 8.0), (2, 9.0), (1, 5.0)]).drawn();
        assert_eq!(found.bins, [0, 1, 2, 2]);
        assert_eq!(found.values, [7.0, 5.0, 8.0, 9.0]);
    }

    #[test]
    fn points_of_a_bin_that_are_near_each_other_become_one_where_there_are_too_many() {
        let events: Vec<(u32, f64)> = (0..1000).map(|n| (n / 500, f64::from(n * 10))).collect();
        let found = points(20, &events);
        assert_eq!(found.total(), 1000);
        assert_eq!(found.height(), 1024);
        let drawn = found.drawn();
        assert_eq!(drawn.bins, [0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1]);
        assert_eq!(drawn.values[..3], [0.0, 1030.0, 2050.0]);
    }

    #[test]
    fn what_happens_outside_of_the_time_looked_at_does_not_count() {
        let mut found = points(4, &[(0, 1.0)]);
        found.push(Place::Before, 1.0);
        found.push(Place::After, 1.0);
        assert_eq!(found.total(), 1);
    }
}
