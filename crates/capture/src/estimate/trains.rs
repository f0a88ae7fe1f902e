//! The rate of a bottleneck from the spacing of what has passed it.
//!
//! Packets that wait in a bottleneck's queue leave it one after the other at its rate, and so does whatever answers
//! them. A train is a number of consecutive packets (or acknowledgements); its rate is their bytes but the first's over
//! its duration. Trains within one busy period agree; those with a pause in them are slower, each differently. So the
//! bottleneck shows as a peak in the histogram of train rates. Slower ones come from windows that were not full.
//!
//! A sender that paces, or waits for a disk, makes such a peak as well. So only trains that were in a queue throughout
//! show the bottleneck's rate: each of their packets waited, and the train took longer to arrive than to leave, or waited
//! for as long as it lasts. Most of them must agree. Where they do not (Wi-Fi draws packets together, a token bucket has
//! two rates), their mean is a lower bound; without a queue, the peak is. Jitter spreads trains too, but those are then
//! slower than the peak. The dispersion of trains is that of Dovrolis, Ramanathan and Moore, "Packet-dispersion
//! techniques and a capacity-estimation methodology" (2004), section II.

use super::waits::Wait;

/// Packets in a train after its first.
pub(super) const LENGTH: usize = 8;
/// Trains count only from here on, so that small pairs of networks take no memory for a histogram. Bytes
const START: u64 = 16_384;

/// Rates from 10 kbit/s to 100 Gbit/s, each bin 5 % above the one before.
const LOWEST: f64 = 1e4;
const STEP: f64 = 0.05;
const BINS: usize = 323;

/// A peak is believed with this many bytes; without a queue also with this share of all, since packets may be drawn
/// together behind the bottleneck.
const BYTES: f64 = 24_000.0;
const SHARE: f64 = 0.2;

/// A train that took so much longer to arrive than to leave was spread by the path; its part that is spread. Pacing of
/// slow start is at twice the rate of ACKs (Linux, tcp_pacing_ss_ratio), which spreads half.
const SPREAD: f64 = 0.25;
/// No byte of an even train took this multiple of the mean: packets may pass two at a time. Where a shared medium or a
/// host draws more together, eight packets show no rate.
const EVEN: f64 = 2.2;
/// A queue may hold others' packets as well: this multiple of what is under way from one network to another.
const OTHERS: f64 = 2.0;
/// This share of what was in a queue has passed at the bottleneck's rate, and less than a part of that ([`OTHER`]) at a
/// rate below a part of it ([`SLOWER`]). A token bucket, or a rate that varies, has several.
const ALIKE: f64 = 0.5;
const OTHER: f64 = 0.2;
const SLOWER: f64 = 0.8;

/// Why there is no rate where nothing went.
pub(super) const NOTHING: &str = "too few bytes went this way";

/// Train rates of one lane.
#[derive(Clone, Debug, Default)]
pub(super) struct Trains {
    recent: [Passed; LENGTH + 1],
    filled: usize,
    next: usize,
    passed: u64,
    /// The numbers of those of the [`BINS`] that hold anything, in their order: few do, and a capture may have many
    /// networks.
    numbers: Vec<u16>,
    /// What they hold, in the same order.
    bins: Vec<Bin>,
    waited: Waited,
}

/// So many bins are made room for at a time. Twice as many each time, as a `Vec` does it, is mostly empty.
const ROOM: usize = 8;

/// What passed, and how much later than at the earliest.
#[derive(Clone, Copy, Debug, Default)]
struct Passed {
    time: u64,
    bytes: u64,
    wait: u64,
    /// Time since the packet before, and the same per byte. ns
    gap: u64,
    slowness: f32,
}

/// A wait that is not known: an `Option` would take twice the memory.
const UNKNOWN: u64 = u64::MAX;

/// What passed at similar rates.
#[derive(Clone, Copy, Debug, Default)]
struct Bin {
    /// In a queue: at the rate of what it waited for.
    queued: Passage,
    /// Otherwise: at this rate at least.
    other: Passage,
}

/// Bytes, and their rates weighted with them.
#[derive(Clone, Copy, Debug, Default)]
struct Passage {
    bytes: f64,
    rates: f64,
}

impl Bin {
    fn add(&mut self, more: &Bin) {
        self.queued.add(&more.queued);
        self.other.add(&more.other);
    }
}

impl Passage {
    fn add(&mut self, more: &Passage) {
        self.bytes += more.bytes;
        self.rates += more.rates;
    }

    fn rate(&self) -> f64 {
        self.rates / self.bytes
    }
}

/// The local maxima of what the bins hold, each with its neighbours: its own rate may lie on the border of two bins.
fn peaks(bins: &[Passage; BINS]) -> impl DoubleEndedIterator<Item = Passage> + Clone + '_ {
    bins.windows(3).filter_map(|bins| {
        let mut peak = bins[1];
        let highest = bins.iter().all(|bin| bin.bytes <= peak.bytes);
        peak.add(&bins[0]);
        peak.add(&bins[2]);
        (highest && bins[1].bytes > 0.0).then_some(peak)
    })
}

/// The peak with most bytes.
fn highest(peaks: impl Iterator<Item = Passage>) -> Option<Passage> {
    peaks.max_by(|a, b| a.bytes.total_cmp(&b.bytes))
}

/// Trains that waited throughout, evenly spaced or not.
#[derive(Clone, Copy, Debug, Default)]
struct Waited {
    bytes: f64,
    /// Time that they took. ns
    time: f64,
}

/// A rate, and the share of all bytes that have passed at it.
pub(super) struct Mode {
    pub rate: f64,
    pub share: f64,
    pub shows: Shows,
}

/// What a rate shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shows {
    /// The bottleneck's rate.
    Bottleneck,
    /// The mean at which packets left queues, at rates that differ: the bottleneck has at least this.
    Mean,
    /// What has passed without a queue: the bottleneck has at least this.
    Passed,
}

impl Trains {
    /// Something passed: the train of which it is the last gets a rate. `wait` is its time on the way beyond the minimum
    /// of its connection, where that is known.
    pub(super) fn push(&mut self, time: u64, bytes: u64, wait: Option<Wait>) {
        let before = self.recent[(self.next + LENGTH) % self.recent.len()];
        let gap = time.saturating_sub(before.time);
        self.recent[self.next] = Passed {
            time,
            bytes,
            wait: wait.map_or(UNKNOWN, |wait| wait.time),
            gap,
            slowness: gap as f32 / bytes.max(1) as f32,
        };
        self.next = (self.next + 1) % self.recent.len();
        self.passed += bytes;
        self.filled = self.recent.len().min(self.filled + 1);
        if self.filled > LENGTH && self.passed >= START {
            let under_way = wait.map_or(0, |wait| wait.under_way);
            if let Some(train) = Train::of(self.in_order(), under_way) {
                self.count(&train, bytes as f64);
            }
        }
    }

    /// The packets of the latest train. After the ring is full, the next place is the oldest: the train's first.
    fn in_order(&self) -> impl Iterator<Item = &Passed> {
        let (latest, oldest) = self.recent.split_at(self.next);
        oldest.iter().chain(latest)
    }

    /// What comes next has nothing to do with what came last.
    pub(super) fn interrupt(&mut self) {
        (self.filled, self.next) = (0, 0);
    }

    fn count(&mut self, train: &Train, bytes: f64) {
        let waited = train.waited_throughout();
        let queued = waited && train.is_even();
        let rate = train.rate(queued);
        let bin = (libm::log(rate / LOWEST) / STEP).clamp(0.0, (BINS - 1) as f64) as usize;
        let passage = Passage {
            bytes,
            rates: bytes * rate,
        };
        let none = Passage::default();
        let (queued, other) = if queued {
            (passage, none)
        } else {
            (none, passage)
        };
        if waited {
            self.waited.bytes += bytes;
            self.waited.time += bytes * train.lasted as f64 / train.bytes.max(1) as f64;
        }
        self.add_to(bin, Bin { queued, other });
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

    /// What the bins hold of one kind.
    fn spread_out(&self, kind: fn(&Bin) -> Passage) -> [Passage; BINS] {
        let mut all = [Passage::default(); BINS];
        for (number, bin) in self.held() {
            all[number] = kind(&bin);
        }
        all
    }

    /// Adds the rates of another lane.
    pub(super) fn add(&mut self, other: &Trains) {
        self.waited.bytes += other.waited.bytes;
        self.waited.time += other.waited.time;
        for (number, more) in other.held() {
            self.add_to(number, more);
        }
    }

    /// The rate at which packets left a queue, or else what bounds it: their mean, or what most have passed at without a
    /// queue; or why there is none.
    pub(super) fn mode(&self) -> Result<Mode, &'static str> {
        let all: f64 = self
            .bins
            .iter()
            .map(|bin| bin.queued.bytes + bin.other.bytes)
            .sum();
        if all < BYTES {
            return Err(NOTHING);
        }
        let mode = |rate, bytes, shows| Mode {
            rate,
            share: bytes / all,
            shows,
        };
        if let Some(peak) = self.bottleneck() {
            return Ok(mode(peak.rate(), peak.bytes, Shows::Bottleneck));
        }
        if self.waited.bytes >= BYTES {
            return Ok(mode(self.mean(), self.waited.bytes, Shows::Mean));
        }
        let other = self.spread_out(|bin| bin.other);
        let peak = highest(peaks(&other))
            .filter(|peak| peak.bytes >= BYTES.max(SHARE * all))
            .ok_or("no rate is distinct; senders never kept the path busy")?;
        Ok(mode(peak.rate(), peak.bytes, Shows::Passed))
    }

    /// The mean rate of what left queues, or the slowest of several rates: a token bucket passes bursts faster.
    fn mean(&self) -> f64 {
        let Waited { bytes, time } = self.waited;
        let queued = self.spread_out(|bin| bin.queued);
        let most = highest(peaks(&queued)).map_or(0.0, |peak| peak.bytes);
        let slowest = peaks(&queued).find(|peak| peak.bytes >= BYTES.max(OTHER * most));
        slowest
            .map_or(f64::INFINITY, |peak| peak.rate())
            .min(bytes * 8e9 / time)
    }

    /// The rate at which most of what was in a queue has left it, unless some left a queue at a slower one.
    fn bottleneck(&self) -> Option<Passage> {
        let queued = self.spread_out(|bin| bin.queued);
        let peak = highest(peaks(&queued))?;
        let is_slower = |other: &Passage| {
            other.rate() < SLOWER * peak.rate() && other.bytes >= OTHER * peak.bytes
        };
        let most = peak.bytes >= BYTES.max(ALIKE * self.waited.bytes);
        (most && !peaks(&queued).any(|other| is_slower(&other))).then_some(peak)
    }
}

/// Consecutive packets.
#[derive(Clone, Copy, Debug)]
struct Train {
    /// Bytes of all but the first, and the time from the first to the last. ns
    bytes: u64,
    lasted: u64,
    /// The longest spacing per byte, and the longest one. ns
    slowest: f32,
    longest: u64,
    /// Bytes that were under way when the last one was sent.
    under_way: u64,
    /// Waits of the first and the last packet, and the shortest but the first's, where all are known.
    waited: Option<[u64; 3]>,
}

impl Train {
    fn of<'a>(mut passed: impl Iterator<Item = &'a Passed>, under_way: u64) -> Option<Self> {
        let first = passed.next()?;
        let (mut last, mut bytes, mut slowest, mut longest) = (first, 0, 0.0, 0);
        let (mut least, mut most) = (UNKNOWN, first.wait);
        for packet in passed {
            slowest = f32::max(slowest, packet.slowness);
            longest = longest.max(packet.gap);
            least = least.min(packet.wait);
            most = most.max(packet.wait);
            bytes += packet.bytes;
            last = packet;
        }
        let lasted = last.time.checked_sub(first.time).filter(|&time| time > 0)?;
        Some(Train {
            bytes,
            lasted,
            slowest,
            longest,
            under_way,
            waited: (most != UNKNOWN).then_some([first.wait, last.wait, least]),
        })
    }

    /// Bits a second at which it left a queue, or at which it has passed at least: between the first packet's departure and
    /// the last one's arrival. Where waits are not known, a burst may have waited for as long as the next one.
    fn rate(&self, queued: bool) -> f64 {
        let beyond = match self.waited {
            _ if queued => 0,
            Some([first, ..]) => first,
            None if self.is_even() => 0,
            None => self.longest,
        };
        self.bytes as f64 * 8e9 / (self.lasted + beyond) as f64
    }

    /// Whether its packets were evenly spaced, by their bytes.
    fn is_even(&self) -> bool {
        f64::from(self.slowest) * self.bytes as f64 <= EVEN * self.lasted as f64
    }

    /// Whether each packet waited for those before it, as far as what is under way explains it. What took less time to
    /// arrive than to leave was drawn together behind the bottleneck.
    fn waited_throughout(&self) -> bool {
        let Some([first, last, least]) = self.waited else {
            return false;
        };
        let lasted = self.lasted as f64;
        let spread = last.saturating_sub(first) as f64 >= SPREAD * lasted;
        let together = first.saturating_sub(last) > self.lasted;
        let queue = last as f64 * self.bytes as f64 / lasted;
        least >= self.lasted / (2 * LENGTH as u64)
            && !together
            && (spread || first.min(last) >= self.lasted)
            && queue <= OTHERS * self.under_way as f64
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

    const MS: u64 = 1_000_000;

    /// Packets at 10 Mbit/s, each with its wait.
    fn waiting(wait: impl Fn(u64) -> Option<u64>) -> Mode {
        passing(1000, |n| n * 1_200_000, wait)
    }

    /// Spacing of packets at 100 Mbit/s, and at 10. ns
    const FAST: u64 = 120_000;
    const SLOW: u64 = 1_200_000;

    /// Spacing of so many packets, then another one of as many, and so on.
    fn alternating(count: u64, first: u64, second: u64) -> impl Fn(u64) -> u64 + Copy {
        move |n| {
            if (n / count).is_multiple_of(2) {
                first
            } else {
                second
            }
        }
    }

    /// Packets with such times before each.
    fn spaced(count: u64, gap: impl Fn(u64) -> u64, wait: impl Fn(u64) -> Option<u64>) -> Mode {
        let passed = |time: &mut u64, n| {
            *time += gap(n);
            Some(*time)
        };
        let times: Vec<u64> = (0..count).scan(0, passed).collect();
        passing(count, |n| times[n as usize], wait)
    }

    fn passing(count: u64, time: impl Fn(u64) -> u64, wait: impl Fn(u64) -> Option<u64>) -> Mode {
        let mut trains = Trains::default();
        let under_way = 200_000;
        let wait = |n| wait(n).map(|time| Wait { time, under_way });
        (0..count).for_each(|n| trains.push(time(n), 1500, wait(n)));
        trains.mode().ok().unwrap()
    }

    #[test]
    fn a_rate_is_the_bottleneck_s_where_a_queue_was_seen() {
        use Shows::{Bottleneck, Passed};
        let cases = [
            ("no waits known", waiting(|_| None), Passed),
            ("paced", waiting(|_| Some(0)), Passed),
            (
                "paced, jitter",
                waiting(|n| Some(n * 7919 % 997 * 200)),
                Passed,
            ),
            ("a long queue", waiting(|_| Some(20 * MS)), Bottleneck),
            // Bursts of twenty that leave at once: each packet waits for those before it.
            ("bursts", waiting(|n| Some(n % 20 * 1_200_000)), Bottleneck),
        ];
        for (name, mode, shows) in cases {
            assert_eq!(mode.shows, shows, "{name}");
            // A lower bound may be lower by the jitter.
            assert!(
                (9.8e6..10.1e6).contains(&mode.rate),
                "{name}: {}",
                mode.rate
            );
        }
    }

    #[test]
    fn of_a_paced_sender_the_bursts_show_the_bottleneck() {
        // Ten packets at once on a path of 100 Mbit/s, then one in 1.2 ms.
        let time = |n: u64| {
            n / 40 * 48 * MS + (n % 40).saturating_sub(9) * 1_200_000 + (n % 40).min(9) * 120_000
        };
        let wait = |n: u64| Some(if n % 40 < 10 { n % 40 * 120_000 } else { 0 });
        let mode = passing(1000, time, wait);
        assert_eq!(mode.shows, Shows::Bottleneck);
        assert!((mode.rate / 100e6 - 1.0).abs() < 0.01, "{}", mode.rate);
    }

    #[test]
    fn packets_that_are_drawn_together_show_their_mean_rate() {
        // 17.5 packets in 20 ms, which a shared medium delivers every 4 ms.
        let arrived = |n: u64| (n * 8 * MS / 7).div_ceil(4 * MS) * 4 * MS;
        let mode = passing(1000, arrived, |_| Some(30 * MS));
        assert_eq!(mode.shows, Shows::Mean);
        assert!((mode.rate / 10.5e6 - 1.0).abs() < 0.03, "{}", mode.rate);
    }

    #[test]
    fn two_rates_of_a_queue_show_a_lower_bound() {
        // A token bucket: half of each burst passes at 100 Mbit/s.
        let mode = spaced(1000, alternating(100, FAST, SLOW), |_| Some(15 * MS));
        assert_eq!(mode.shows, Shows::Mean);
        assert!((9.9e6..10.1e6).contains(&mode.rate), "{}", mode.rate);
    }

    #[test]
    fn acknowledgements_that_are_drawn_together_on_their_way_are_no_queue() {
        // At 1 Gbit/s the wait would mean more than was under way.
        let mode = passing(1000, |n| n * 12_000, |_| Some(20 * MS));
        assert_eq!(mode.shows, Shows::Passed);
    }

    #[test]
    fn of_two_peaks_the_one_with_a_queue_is_the_bottleneck_s() {
        // Half of the acknowledgements are drawn together on their way back.
        let gap = alternating(500, SLOW, FAST);
        let wait = |n: u64| Some(if gap(n) == SLOW { n % 20 * SLOW } else { 0 });
        let mode = spaced(2000, gap, wait);
        assert!(mode.shows == Shows::Bottleneck && (mode.rate / 10e6 - 1.0).abs() < 0.01);
    }
}
