//! picoquic's delay test (`cc_common.c` at d199d45, `picoquic_cc_hystart_test`): the smallest of seven
//! samples is compared with the smallest maximum of seven, so that jitter alone does not end slow
//! start.

use crate::signals::Ack;
use crate::{Duration, Instant, Window};

/// Samples that are kept, and consecutive excesses that end slow start
/// (`PICOQUIC_MIN_MAX_RTT_SCOPE`).
const SCOPE: usize = 7;
/// Samples are this far apart at least.
const INTERVAL: Duration = Duration::from_millis(1);
/// A rise by the reference over this counts.
const SHARE: u64 = 4;
/// Windows that slow start paces in a round trip (`pacing.c`, `picoquic_update_pacing_window`).
const PACING_GAIN: f64 = 1.25;

/// `picoquic_min_max_rtt_t`.
#[derive(Clone, Default)]
pub(super) struct Filtered {
    samples: [Duration; SCOPE],
    /// Samples so far.
    count: usize,
    last: Option<Instant>,
    /// The smallest maximum of seven samples.
    filtered_min: Option<Duration>,
    excesses: usize,
}

impl Filtered {
    /// The round trip of the handshake is the first sample.
    pub(super) fn open(&mut self, rtt: Duration, now: Instant) {
        (self.samples[0], self.count, self.last) = (rtt, 1, Some(now));
    }

    /// Takes a sample; whether it ends slow start.
    pub(super) fn take(&mut self, w: &Window, a: &Ack, rtt: Duration) -> bool {
        if self.last.is_some_and(|last| a.now <= last + INTERVAL) {
            return false;
        }
        self.last = Some(a.now);
        self.samples[self.count % SCOPE] = rtt;
        self.count += 1;
        self.count >= SCOPE && self.exceeds(packet_time(w, a.srtt))
    }

    /// Whether the last of seven consecutive excesses is here.
    fn exceeds(&mut self, packet_time: Duration) -> bool {
        let [least, most] = self
            .samples
            .iter()
            .fold([Duration::MAX, Duration::ZERO], |[l, m], s| {
                [l.min(*s), m.max(*s)]
            });
        let reference = self.filtered_min.map_or(most, |min| min.min(most));
        self.filtered_min = Some(reference);
        if least <= reference {
            self.excesses = 0;
        } else if least > reference + rise(reference).max(packet_time) {
            self.excesses += 1;
        }
        self.excesses >= SCOPE
    }
}

/// The rise above `reference` that counts.
pub(super) fn rise(reference: Duration) -> Duration {
    reference.over(SHARE)
}

/// Time that the pacer has for a packet in slow start.
fn packet_time(w: &Window, srtt: Duration) -> Duration {
    Duration::from_secs_f64(srtt.secs() / (PACING_GAIN * w.cwnd.max(1.0)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{at_ms, ms};

    /// The index of the sample, 2 ms apart, at which slow start ends.
    fn ends_at(rtts: impl IntoIterator<Item = f64>) -> Option<usize> {
        let mut filter = Filtered::default();
        let mut w = Window::new(1440);
        w.cwnd = 40.0;
        rtts.into_iter().enumerate().position(|(i, rtt)| {
            let ack = Ack {
                srtt: ms(rtt),
                ..Ack::of(at_ms(2.0 * i as f64), 1440)
            };
            filter.take(&w, &ack, ms(rtt))
        })
    }

    fn after_seven(rtts: impl IntoIterator<Item = f64>) -> Option<usize> {
        ends_at([100.0; SCOPE].into_iter().chain(rtts))
    }

    #[test]
    fn thirteen_samples_beyond_a_quarter_more_end_it() {
        // Six until the last low one has left the filter, and seven excesses.
        assert_eq!(after_seven([126.0; 20]), Some(SCOPE - 1 + 13));
        assert_eq!(after_seven([125.0; 20]), None);
    }

    #[test]
    fn one_sample_at_the_minimum_among_seven_is_jitter() {
        let jitter = (0..70).map(|i| if i % 7 == 6 { 100.0 } else { 180.0 });
        assert_eq!(after_seven(jitter), None);
    }

    #[test]
    fn a_smaller_rise_neither_counts_nor_starts_the_count_anew() {
        let mut rtts = [126.0; 26];
        rtts[10..13].fill(120.0);
        // The seven windows that hold a 120 do not count; six before do, so the first after ends it.
        let ends = after_seven(rtts).unwrap();
        assert_eq!(ends, SCOPE - 1 + 13 + 9);
    }

    #[test]
    fn the_reference_is_the_smallest_maximum_of_seven() {
        let spread = [100.0, 140.0, 100.0, 140.0, 100.0, 140.0, 100.0];
        assert_eq!(ends_at(spread.into_iter().chain([170.0; 20])), None);
        assert!(ends_at(spread.into_iter().chain([176.0; 20])).is_some());
    }

    #[test]
    fn samples_within_a_millisecond_are_left_out() {
        let mut filter = Filtered::default();
        let w = Window::new(1440);
        for us in [0, 500, 1000, 1001] {
            let now = Instant::ZERO + Duration::from_micros(us);
            filter.take(&w, &Ack::of(now, 1440), ms(100.0));
        }
        assert_eq!(filter.count, 2);
    }
}
