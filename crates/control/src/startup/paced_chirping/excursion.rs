//! The gap that a path just carries, from the queueing delays of a chirp's packets: the mean over
//! its gaps, each counted as itself where the delay rises for long, and as the gap at which it
//! began to rise for good where it is still up at the chirp's end.
//!
//! An *excursion* begins where the delay rises and continues while it is above five eighths of its
//! height. One that lasts less than `L` packets is noise.

/// What keeps an excursion going, of its greatest height.
const SHARE: (u64, u64) = (5, 8);

/// Whether a delay that has come to this height above the start, of at most `highest` so far, is
/// above the share.
fn is_above(height: u64, highest: u64) -> bool {
    height * SHARE.1 > highest * SHARE.0
}

/// How long a rise that begins at `start` lasts: the first packet after it, or one past the last.
fn end_of(delays: &[u64], start: usize) -> usize {
    let mut highest = 0;
    for (at, delay) in delays.iter().enumerate().skip(start + 1) {
        let height = delay.saturating_sub(delays[start]);
        if !is_above(height, highest) {
            return at;
        }
        highest = highest.max(height);
    }
    delays.len()
}

/// A chirp that is known whole, as `pc2018` looks at it. `gaps[i]` precedes packet i; that of
/// the first packet is no part of the chirp.
pub(super) fn whole(delays: &[u64], gaps: &[u64], l: usize) -> u64 {
    let packets = delays.len();
    let mut found = vec![None; packets];
    // Where nothing is found the last gap stands.
    let mut rest = packets - 1;
    let mut at = 1;
    while at + 1 < packets {
        if delays[at] >= delays[at + 1] {
            at += 1;
            continue;
        }
        let end = end_of(delays, at);
        if end == packets {
            found[at..].fill(Some(gaps[at]));
            rest = at;
            break;
        }
        if end - at >= l {
            let rising = (at..end).filter(|k| delays[*k] < delays[*k + 1]);
            rising.for_each(|k| found[k] = Some(gaps[k]));
        }
        at = end;
    }
    let sum: u64 = found[1..].iter().map(|gap| gap.unwrap_or(gaps[rest])).sum();
    sum / (packets as u64 - 1)
}

/// Finds excursions packet by packet, as `pc-split` and `pc2020` do it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Online {
    /// Sum of the gaps that count as themselves.
    total: u64,
    /// Gaps that do not yet, and of the excursion under way those that may.
    uncounted: u64,
    pending: u64,
    pending_count: u64,
    excursion: Option<Excursion>,
    /// What uncounted gaps count as.
    reference: u64,
}

#[derive(Clone, Copy, Debug)]
struct Excursion {
    start: u64,
    highest: u64,
    length: usize,
}

impl Online {
    /// From one packet's delay to the next one's, `gap` being theirs. At the chirp's last step no
    /// excursion begins any more.
    pub(super) fn step(&mut self, last: u64, now: u64, gap: u64, l: usize, is_last: bool) {
        self.uncounted += 1;
        let rises = last < now && !is_last;
        if self.excursion.is_none() && rises {
            self.begin(last, gap, 0);
        }
        if let Some(excursion) = &mut self.excursion {
            let height = last.saturating_sub(excursion.start);
            if height * SHARE.1 >= excursion.highest * SHARE.0 {
                excursion.highest = excursion.highest.max(height);
                excursion.length += 1;
                if rises {
                    self.pending += gap;
                    self.pending_count += 1;
                }
            } else {
                if excursion.length >= l {
                    self.total += self.pending;
                    self.uncounted -= self.pending_count;
                }
                (self.pending, self.pending_count) = (0, 0);
                self.excursion = None;
                if rises {
                    self.begin(last, gap, 1);
                    (self.pending, self.pending_count) = (gap, 1);
                }
            }
        }
        if is_last && self.excursion.is_none() {
            self.reference = gap;
        }
    }

    fn begin(&mut self, start: u64, gap: u64, length: usize) {
        self.excursion = Some(Excursion {
            start,
            highest: 0,
            length,
        });
        self.reference = gap;
    }

    /// The sum over all gaps, after the last step.
    pub(super) fn sum(&self) -> u64 {
        self.total + self.uncounted * self.reference
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const US: u64 = 1_000;

    /// Gaps of 16 packets, from twice the average down by equal steps.
    fn gaps(average: u64) -> Vec<u64> {
        let step = average * 2 / 16;
        let shrinking = (0..15).map(|k| 2 * average - k * step);
        std::iter::once(0).chain(shrinking).collect()
    }

    /// Nothing queues for so many packets, then each waits 50 us longer.
    fn rising_from(packet: usize) -> Vec<u64> {
        let delay = |at: usize| at.saturating_sub(packet) as u64 * 50 * US;
        (0..16).map(delay).collect()
    }

    /// As `pc-split` steps: the gap before the packet from which the delay rises.
    fn online(delays: &[u64], gaps: &[u64], l: usize) -> u64 {
        let mut online = Online::default();
        let packets = delays.len();
        for at in 2..packets {
            online.step(delays[at - 1], delays[at], gaps[at - 1], l, false);
        }
        let last = packets - 1;
        online.step(delays[last], 0, gaps[last], l, true);
        online.sum() / last as u64
    }

    #[test]
    fn the_gap_at_which_the_delay_begins_to_rise_for_good_is_the_paths() {
        let gaps = gaps(200 * US);
        // 275 us before the seventh packet, behind which the delay rises.
        assert_eq!(whole(&rising_from(6), &gaps, 5), 275 * US);
        assert_eq!(online(&rising_from(6), &gaps, 5), 275 * US);
    }

    #[test]
    fn no_delay_at_all_leaves_the_last_gap() {
        let gaps = gaps(200 * US);
        assert_eq!(whole(&[0; 16], &gaps, 5), 50 * US);
        assert_eq!(online(&[0; 16], &gaps, 5), 50 * US);
    }

    #[test]
    fn a_short_rise_is_noise() {
        let gaps = gaps(400 * US);
        let mut delays = [0; 16];
        delays[3] = 100 * US;
        assert_eq!(whole(&delays, &gaps, 5), 100 * US);
        assert_eq!(online(&delays, &gaps, 5), 100 * US);
    }

    #[test]
    fn a_long_rise_that_ends_counts_for_itself() {
        let gaps = gaps(400 * US);
        let mut delays = [0; 16];
        for (rise, at) in (3..8).enumerate() {
            delays[at] = (rise as u64 + 1) * 100 * US;
        }
        // It rises behind packets 2 to 6, before which are gaps of 750 to 550 us; ten others take
        // the last, 100 us.
        let mean = (750 + 700 + 650 + 600 + 550 + 10 * 100) * US / 15;
        assert_eq!(whole(&delays, &gaps, 5), mean);
        assert_eq!(online(&delays, &gaps, 5), mean);
        assert_eq!(end_of(&delays, 2), 8);
    }

    #[test]
    fn a_delay_at_five_eighths_of_its_height_ends_an_excursion_offline_only() {
        let delays = [0, 0, 80 * US, 50 * US, 50 * US, 50 * US, 50 * US, 0];
        assert_eq!(end_of(&delays, 1), 3);
        let mut excursion = Online::default();
        for at in 2..6 {
            excursion.step(delays[at - 1], delays[at], US, 5, false);
        }
        assert!(excursion.excursion.is_some());
    }
}
