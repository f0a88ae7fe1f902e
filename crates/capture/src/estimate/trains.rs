//! The rate of a bottleneck from the spacing of what has passed it.
//!
//! Packets that wait in a bottleneck's queue leave it one after the other at its rate, and so does whatever answers
//! them. A train is a number of consecutive packets (or acknowledgements); its rate is their bytes but the first's over
//! its duration. Trains within one busy period agree; those with a pause in them are slower, each differently. So the
//! bottleneck shows as a peak in the histogram of train rates, and of several peaks it is the fastest that is not
//! just chance: slower ones come from windows that were not full.

/// Packets in a train after its first.
pub(super) const LENGTH: usize = 8;
/// Trains count only from here on, so that small pairs of networks take no memory for a histogram. Bytes
const START: u64 = 16_384;

/// Rates from 10 kbit/s to 100 Gbit/s, each bin 5 % above the one before.
const LOWEST: f64 = 1e4;
const STEP: f64 = 0.05;
const BINS: usize = 323;

/// A peak is believed with this share of all bytes, this share of the highest peak, and this many bytes.
const SHARE: f64 = 0.08;
const OF_HIGHEST: f64 = 0.2;
const BYTES: f64 = 24_000.0;

/// Why there is no rate where nothing went.
pub(super) const NOTHING: &str = "too few bytes went this way";

/// Train rates of one lane.
#[derive(Clone, Debug, Default)]
pub(super) struct Trains {
    recent: [(u64, u64); LENGTH + 1],
    filled: usize,
    next: usize,
    sum: u64,
    passed: u64,
    /// The numbers of those of the [`BINS`] that hold anything, in their order: few do, and a capture may have many
    /// networks.
    numbers: Vec<u16>,
    /// What they hold, in the same order.
    bins: Vec<Bin>,
}

/// So many bins are made room for at a time. Twice as many each time, as a `Vec` does it, is mostly empty.
const ROOM: usize = 8;

#[derive(Clone, Copy, Debug, Default)]
struct Bin {
    bytes: f64,
    /// Rates, weighted with bytes.
    rates: f64,
}

/// A believed peak.
pub(super) struct Mode {
    pub rate: f64,
    pub share: f64,
}

impl Trains {
    /// Something passed: the train of which it is the last gets a rate.
    pub fn push(&mut self, time: u64, bytes: u64) {
        let Some(place) = self.recent.get_mut(self.next) else {
            return;
        };
        let left = std::mem::replace(place, (time, bytes));
        self.next = (self.next + 1) % (LENGTH + 1);
        self.sum += bytes;
        self.passed += bytes;
        if self.filled <= LENGTH {
            self.filled += 1;
        } else {
            self.sum -= left.1;
        }
        // After the ring is full, the next place is the oldest: the train's first.
        if let (true, Some(&(start, first))) = (self.filled > LENGTH, self.recent.get(self.next)) {
            if time > start && self.passed >= START {
                self.count(
                    (self.sum - first) as f64 * 8e9 / (time - start) as f64,
                    bytes as f64,
                );
            }
        }
    }

    /// What comes next has nothing to do with what came last.
    pub fn interrupt(&mut self) {
        (self.filled, self.next, self.sum) = (0, 0, 0);
    }

    fn count(&mut self, rate: f64, bytes: f64) {
        let bin = (libm::log(rate / LOWEST) / STEP).clamp(0.0, (BINS - 1) as f64) as usize;
        let more = Bin {
            bytes,
            rates: bytes * rate,
        };
        self.add_to(bin, more);
    }

    fn add_to(&mut self, number: usize, more: Bin) {
        let number = number as u16;
        match self.numbers.binary_search(&number) {
            Ok(at) => {
                let bin = &mut self.bins[at];
                bin.bytes += more.bytes;
                bin.rates += more.rates;
            }
            Err(at) => {
                if self.numbers.len() == self.numbers.capacity() {
                    self.numbers.reserve_exact(ROOM);
                    self.bins.reserve_exact(ROOM);
                }
                self.numbers.insert(at, number);
                self.bins.insert(at, more);
            }
        }
    }

    /// The bins that hold anything, by their numbers.
    fn held(&self) -> impl Iterator<Item = (usize, Bin)> + '_ {
        let numbers = self.numbers.iter().map(|&number| usize::from(number));
        numbers.zip(self.bins.iter().copied())
    }

    /// Adds the rates of another lane.
    pub fn add(&mut self, other: &Trains) {
        for (number, more) in other.held() {
            self.add_to(number, more);
        }
    }

    /// The fastest peak that can be believed, or why there is none.
    pub fn mode(&self) -> Result<Mode, &'static str> {
        let mut all_bins = [Bin::default(); BINS];
        for (number, bin) in self.held() {
            all_bins[number] = bin;
        }
        let all: f64 = all_bins.iter().map(|bin| bin.bytes).sum();
        if all < BYTES {
            return Err(NOTHING);
        }
        // A peak's own rate may lie on the border of two bins.
        let peaks = || {
            all_bins.windows(3).filter_map(|bins| match bins {
                [a, b, c] if b.bytes >= a.bytes && b.bytes >= c.bytes => {
                    let bytes = a.bytes + b.bytes + c.bytes;
                    Some((bytes, (a.rates + b.rates + c.rates) / bytes))
                }
                _ => None,
            })
        };
        let highest = peaks().map(|peak| peak.0).fold(0.0, f64::max);
        let least = BYTES.max(SHARE * all).max(OF_HIGHEST * highest);
        let believed = peaks().rfind(|peak| peak.0 >= least);
        let (bytes, rate) =
            believed.ok_or("no rate is distinct; senders never kept the path busy")?;
        Ok(Mode {
            rate,
            share: bytes / all,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bursts of packets, each packet `gap` ns after the one before it, with a pause after each burst.
    fn bursts(count: usize, length: usize, gap: u64, pause: u64) -> Trains {
        let mut trains = Trains::default();
        let mut time = 0;
        for _ in 0..count {
            for _ in 0..length {
                time += gap;
                trains.push(time, 1500);
            }
            time += pause;
        }
        trains
    }

    #[test]
    fn the_bottleneck_is_the_spacing_within_bursts() {
        let mode = bursts(10, 30, 1_200_000, 80_000_000).mode().ok().unwrap();
        assert!((mode.rate / 10e6 - 1.0).abs() < 0.01, "{}", mode.rate);
    }

    #[test]
    fn what_is_never_busy_shows_no_rate() {
        let mut trains = Trains::default();
        let mut time = 0;
        for n in 0..2000u64 {
            time += 1_000_000 * (1 + n * 7919 % 997);
            trains.push(time, 100 + n % 5);
        }
        assert!(bursts(1, 5, 1000, 0).mode().is_err());
        assert!(trains.mode().map_or(true, |mode| mode.rate < 1e5));
    }

    #[test]
    fn an_interruption_is_no_rate() {
        let mut trains = bursts(1, 8, 1000, 0);
        trains.interrupt();
        trains.push(20_000, 1500);
        assert!(trains.bins.is_empty());
    }
}
