//! Chirps in rounds: `M` of them a round trip, for the two forms that count so.

use super::settings::Settings;
use super::train::{Plan, Shape};
use crate::Duration;

/// Packets of the longest chirp.
const LONGEST: usize = 16;
/// Chirps after which their number grows.
const PATIENCE: u64 = 6;
/// An estimate is taken to be within these, nanoseconds.
const ESTIMATES: (u64, u64) = (30_000, 10_000_000);

/// A number in 1024ths, as the code counts (`G_G_SHIFT`).
#[derive(Clone, Copy, Debug)]
struct Fixed(u64);

impl Fixed {
    const ONE: u64 = 1024;

    fn new(number: f64) -> Fixed {
        Fixed((number * Fixed::ONE as f64) as u64)
    }

    fn times(self, n: u64) -> u64 {
        n.saturating_mul(self.0) / Fixed::ONE
    }

    fn whole(self) -> u64 {
        self.0 / Fixed::ONE
    }
}

/// Packets in a chirp by its number, counted from 0.
fn packets_of(chirp: u64) -> usize {
    match chirp {
        0 | 1 => 5,
        2 | 3 => 8,
        _ => LONGEST,
    }
}

/// The average gap, and the round's chirps.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rounds {
    /// Average gap in nanoseconds (`gap_avg`).
    pub(super) gap: u64,
    m: Fixed,
    gain: Fixed,
    geometry: Fixed,
    /// The number of the next chirp.
    next: u64,
    /// The number of the chirp that opens the round.
    start: u64,
    /// Chirps of the round, and for how long they are.
    sent: u64,
    length: u64,
}

impl Rounds {
    pub(super) fn new(settings: &Settings) -> Rounds {
        Rounds {
            gap: settings.gap.nanos(),
            m: Fixed::new(settings.chirps),
            gain: Fixed::new(settings.gain),
            geometry: Fixed::new(settings.geometry),
            next: 0,
            start: 0,
            sent: 0,
            length: 0,
        }
    }

    /// Whether all chirps of the round have been sent.
    pub(super) fn is_full(&self) -> bool {
        self.sent >= self.m.whole()
    }

    /// Packets of the next chirp.
    pub(super) fn packets(&self) -> usize {
        packets_of(self.next)
    }

    fn shape(&self, packets: usize) -> Shape {
        let range = 2 * (self.geometry.0 - Fixed::ONE) * self.gap;
        Shape {
            packets,
            first: self.geometry.times(self.gap),
            step: range.div_ceil(packets as u64) / Fixed::ONE,
        }
    }

    /// From a chirp's last packet to the next chirp: what shares the round trip among `M`.
    fn guard(&self, srtt: Duration, shape: &Shape) -> u64 {
        let share = srtt.nanos() / self.m.whole();
        share.saturating_sub(shape.length()).max(self.gap)
    }

    /// The next chirp. It fills `besides` of the round trip in addition to its own length.
    pub(super) fn chirp(&mut self, srtt: Duration, besides: u64) -> Plan {
        let shape = self.shape(self.packets());
        self.length += shape.length() + besides;
        self.sent += 1;
        self.next += 1;
        Plan {
            number: self.next - 1,
            shape,
            guard: self.guard(srtt, &shape),
            room: shape.packets,
        }
    }

    /// Whether the acknowledgement of this chirp's first packet begins a round. The first two
    /// chirps are a round, which the analysis of the first ends.
    pub(super) fn is_opened_by(&self, chirp: u64) -> bool {
        chirp >= 2 && chirp == self.start
    }

    /// A round begins; `M` grows where it may and enough chirps have been sent.
    pub(super) fn begin(&mut self, grows: bool) {
        if grows && self.next >= PATIENCE {
            self.m = Fixed(self.gain.times(self.m.0));
        }
        (self.start, self.sent, self.length) = (self.next, 0, 0);
    }

    /// Moves the average gap half way.
    pub(super) fn take(&mut self, estimate: u64) {
        self.gap = u64::midpoint(self.gap, estimate.clamp(ESTIMATES.0, ESTIMATES.1));
    }

    /// Whether the round's chirps fill the round trip.
    pub(super) fn fill(&self, srtt: Duration) -> bool {
        srtt > Duration::ZERO && self.length >= srtt.nanos()
    }

    /// How many packets at the average gap a round trip holds.
    pub(super) fn packets_in(&self, rtt: Duration) -> u64 {
        rtt.nanos() / self.gap.max(1)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::settings::settings_of;
    use super::*;

    pub(in super::super) const US: u64 = 1_000;
    pub(in super::super) const RTT: Duration = Duration::from_millis(20);

    fn rounds(spec: &str) -> Rounds {
        Rounds::new(&settings_of(&format!("form=pc2018,{spec}")))
    }

    #[test]
    fn gaps_shrink_from_twice_the_average_by_equal_steps() {
        let rounds = rounds("gap=200us");
        for (packets, step, length) in [(16, 25, 3_375), (8, 50, 1_750), (5, 80, 1_120)] {
            let shape = rounds.shape(packets);
            let found = (shape.first / US, shape.step / US, shape.length() / US);
            assert_eq!(found, (400, step, length));
        }
        assert_eq!([0, 1, 2, 3, 4, 5].map(packets_of), [5, 5, 8, 8, 16, 16]);
    }

    #[test]
    fn chirps_are_as_far_apart_as_shares_the_round_trip_among_them() {
        for (chirps, guard) in [(2, 6_625), (8, 200)] {
            let rounds = rounds(&format!("chirps={chirps}"));
            assert_eq!(rounds.guard(RTT, &rounds.shape(16)) / US, guard);
        }
        let rounds = rounds("gap=200us");
        assert_eq!(rounds.guard(Duration::ZERO, &rounds.shape(5)), 200 * US);
    }

    #[test]
    fn each_chirp_moves_the_average_half_way_and_estimates_are_bounded() {
        let mut rounds = rounds("gap=200us");
        rounds.take(100 * US);
        assert_eq!(rounds.gap, 150 * US);
        rounds.take(1);
        assert_eq!(rounds.gap, 90 * US);
        rounds.take(u64::MAX);
        assert_eq!(rounds.gap, 5_045 * US);
    }

    /// `M` when a round begins in which so many of so many chirps were sent.
    pub(in super::super) fn m_after(next: u64, sent: u64, grows: impl Fn(&Rounds) -> bool) -> u64 {
        let mut rounds = rounds("gap=200us");
        (rounds.next, rounds.sent) = (next, sent);
        let grows = grows(&rounds);
        rounds.begin(grows);
        rounds.m.whole()
    }

    #[test]
    fn there_are_as_many_chirps_a_round_until_six_have_been_sent() {
        assert_eq!(m_after(4, 2, |_| true), 2);
        assert_eq!(m_after(6, 2, |_| true), 4);
    }
}
