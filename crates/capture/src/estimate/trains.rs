//! The rate of a bottleneck from the spacing of what has passed it.
//!
//! Packets that wait in a bottleneck's queue leave it one after the other at its rate, and so does whatever answers
//! them. A train is a number of consecutive packets (or acknowledgements); its rate is their bytes but the first's over
//! its duration. Trains within one busy period agree; those with a pause in them are slower, each differently. So the
//! bottleneck shows as a peak in the histogram of train rates, and of several peaks it is the fastest that is not
//! just chance: slower ones come from windows that were not full.
//!
//! A sender that paces, or waits for a disk, makes such a peak as well. So a peak is the bottleneck's only if a queue
//! was seen at its rate: the train took longer to arrive than to leave, or its first and its last packet had waited for
//! as long as the train lasts. Otherwise the path has at least that rate. Jitter spreads trains too, but those are then
//! slower than the peak. The dispersion of trains is that of Dovrolis, Ramanathan and Moore, "Packet-dispersion
//! techniques and a capacity-estimation methodology" (2004), section II.

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

/// A train that took so much longer to arrive than to leave was spread by the path; its part that is spread. Pacing of
/// slow start is at twice the rate of ACKs (Linux, tcp_pacing_ss_ratio), which spreads half.
const SPREAD: f64 = 0.25;
/// A peak with this share of its trains in a queue, of those of which it is known, is the bottleneck's. An assumption:
/// a flow that its window limits queues in slow start only.
const QUEUED: f32 = 0.05;

/// Why there is no rate where nothing went.
pub(super) const NOTHING: &str = "too few bytes went this way";

/// Train rates of one lane.
#[derive(Clone, Debug, Default)]
pub(super) struct Trains {
    recent: [Passed; LENGTH + 1],
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

/// What passed, and how much later than at the earliest.
#[derive(Clone, Copy, Debug, Default)]
struct Passed {
    time: u64,
    bytes: u64,
    wait: u64,
}

/// A wait that is not known: an `Option` would take twice the memory.
const UNKNOWN: u64 = u64::MAX;

#[derive(Clone, Copy, Debug, Default)]
struct Bin {
    bytes: f64,
    /// Rates, weighted with bytes.
    rates: f64,
    /// Bytes of trains of which the waits are known, and of those in a queue.
    known: f32,
    queued: f32,
}

impl Bin {
    fn add(&mut self, more: &Bin) {
        self.bytes += more.bytes;
        self.rates += more.rates;
        self.known += more.known;
        self.queued += more.queued;
    }

    fn joined(bins: &[Bin]) -> Bin {
        let mut all = Bin::default();
        bins.iter().for_each(|bin| all.add(bin));
        all
    }

    fn is_bottleneck(&self) -> bool {
        self.queued > 0.0 && self.queued >= QUEUED * self.known
    }
}

/// A believed peak.
pub(super) struct Mode {
    pub rate: f64,
    pub share: f64,
    /// A queue was seen at this rate; otherwise the path has at least this rate.
    pub queued: bool,
}

impl Trains {
    /// Something passed: the train of which it is the last gets a rate. `wait` is its time on the way beyond the minimum
    /// of its connection, where that is known. ns
    pub fn push(&mut self, time: u64, bytes: u64, wait: Option<u64>) {
        let Some(place) = self.recent.get_mut(self.next) else {
            return;
        };
        let wait = wait.unwrap_or(UNKNOWN);
        let left = std::mem::replace(place, Passed { time, bytes, wait });
        self.next = (self.next + 1) % (LENGTH + 1);
        self.sum += bytes;
        self.passed += bytes;
        if self.filled <= LENGTH {
            self.filled += 1;
        } else {
            self.sum -= left.bytes;
        }
        // After the ring is full, the next place is the oldest: the train's first.
        if let (true, Some(&first)) = (self.filled > LENGTH, self.recent.get(self.next)) {
            if time > first.time && self.passed >= START {
                let lasted = time - first.time;
                let rate = (self.sum - first.bytes) as f64 * 8e9 / lasted as f64;
                let known = first.wait != UNKNOWN && wait != UNKNOWN;
                let queued = known.then(|| in_queue((first.wait, wait), lasted));
                self.count(rate, bytes as f64, queued);
            }
        }
    }

    /// What comes next has nothing to do with what came last.
    pub fn interrupt(&mut self) {
        (self.filled, self.next, self.sum) = (0, 0, 0);
    }

    fn count(&mut self, rate: f64, bytes: f64, queued: Option<bool>) {
        let bin = (libm::log(rate / LOWEST) / STEP).clamp(0.0, (BINS - 1) as f64) as usize;
        let counted = |is: bool| if is { bytes as f32 } else { 0.0 };
        let more = Bin {
            bytes,
            rates: bytes * rate,
            known: counted(queued.is_some()),
            queued: counted(queued == Some(true)),
        };
        self.add_to(bin, more);
    }

    fn add_to(&mut self, number: usize, more: Bin) {
        let number = number as u16;
        match self.numbers.binary_search(&number) {
            Ok(at) => {
                self.bins[at].add(&more);
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
                [a, b, c] if b.bytes >= a.bytes && b.bytes >= c.bytes => Some(Bin::joined(bins)),
                _ => None,
            })
        };
        let highest = peaks().map(|peak| peak.bytes).fold(0.0, f64::max);
        let least = BYTES.max(SHARE * all).max(OF_HIGHEST * highest);
        let mut believed = peaks().filter(|peak| peak.bytes >= least);
        let queued = believed.clone().rfind(Bin::is_bottleneck);
        let peak = queued
            .or_else(|| believed.next_back())
            .ok_or("no rate is distinct; senders never kept the path busy")?;
        Ok(Mode {
            rate: peak.rates / peak.bytes,
            share: peak.bytes / all,
            queued: queued.is_some(),
        })
    }
}

/// Whether a train that lasted so long was in a queue, by the waits of its first and its last packet.
fn in_queue((first, last): (u64, u64), lasted: u64) -> bool {
    let spread = last.saturating_sub(first) as f64 >= SPREAD * lasted as f64;
    spread || first.min(last) >= lasted
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
                trains.push(time, 1500, None);
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
            trains.push(time, 100 + n % 5, None);
        }
        assert!(bursts(1, 5, 1000, 0).mode().is_err());
        assert!(trains.mode().map_or(true, |mode| mode.rate < 1e5));
    }

    #[test]
    fn an_interruption_is_no_rate() {
        let mut trains = bursts(1, 8, 1000, 0);
        trains.interrupt();
        trains.push(20_000, 1500, None);
        assert!(trains.bins.is_empty());
    }

    /// A thousand packets at 10 Mbit/s, each with its wait.
    fn waiting(wait: impl Fn(u64) -> Option<u64>) -> Mode {
        let mut trains = Trains::default();
        for n in 0..1000 {
            trains.push(n * 1_200_000, 1500, wait(n));
        }
        trains.mode().ok().unwrap()
    }

    #[test]
    fn a_rate_is_the_bottleneck_s_where_a_queue_was_seen() {
        const MS: u64 = 1_000_000;
        let cases = [
            ("no waits known", waiting(|_| None), false),
            ("paced", waiting(|_| Some(0)), false),
            (
                "paced, jitter",
                waiting(|n| Some(n * 7919 % 997 * 200)),
                false,
            ),
            ("a long queue", waiting(|_| Some(20 * MS)), true),
            // Bursts of twenty that leave at once: each packet waits for those before it.
            ("bursts", waiting(|n| Some(n % 20 * 1_200_000)), true),
        ];
        for (name, mode, queued) in cases {
            assert_eq!(mode.queued, queued, "{name}");
            assert!((mode.rate / 10e6 - 1.0).abs() < 0.01, "{name}");
        }
    }

    #[test]
    fn of_two_peaks_the_one_with_a_queue_is_the_bottleneck_s() {
        let mut trains = Trains::default();
        let mut time = 0;
        for n in 0..2000 {
            // Half of the acknowledgements are drawn together on their way back.
            let gap = if n / 500 % 2 == 0 { 1_200_000 } else { 120_000 };
            time += gap;
            let wait = if gap == 1_200_000 { n % 20 * gap } else { 0 };
            trains.push(time, 1500, Some(wait));
        }
        let mode = trains.mode().ok().unwrap();
        assert!(mode.queued && (mode.rate / 10e6 - 1.0).abs() < 0.01);
    }
}
