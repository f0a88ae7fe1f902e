//! Maximum in flight of one connection without a loss: the path holds that much.
//!
//! A flight is what has passed the monitor and is not yet acknowledged. It proves something once all of it is
//! acknowledged and none of it was sent again. A gap in what was seen ends it like a repetition: what is missing was
//! lost, or not captured.
//!
//! What it counts: bytes, not packets, since a sending host's capture shows segments before its card splits them. A
//! monitor near the receiver sees data and acknowledgement close together, so there is hardly a flight and it proves
//! nothing. Data for which the receiver delays its acknowledgement (RFC 9293, section 3.8.6.3) and what waits in the
//! receiving host count as held by the path. Acknowledgements that wait behind the other side's own data would count
//! too, so a flight proves nothing where such data passed between it and its acknowledgement. Of several connections at
//! once the sum would prove more; one alone is enough for a lower bound.

use super::waits::{Acknowledgement, REQUEST};

/// The flights of one side of a connection, in constant memory.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Flights {
    /// The largest of which everything was acknowledged.
    whole: u64,
    /// The one whose acknowledgement is waited for, and the largest since.
    watched: Option<Flight>,
    next: Option<Flight>,
    /// The end of the furthest data.
    furthest: u64,
    /// Nothing is watched until this is acknowledged: something was sent again, or not seen.
    repaired: u64,
}

#[derive(Clone, Copy, Debug)]
struct Flight {
    bytes: u64,
    end: u64,
    /// Bytes that the other side's network had sent by then.
    heard: u64,
}

/// Data that pass.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Data {
    pub start: u64,
    pub end: u64,
    /// They repeat something.
    pub repeat: bool,
    /// All up to here was acknowledged by then.
    pub acked: u64,
    /// Bytes that the other side's network had sent by then.
    pub heard: u64,
}

impl Flights {
    /// Data passed.
    pub(crate) fn sent(&mut self, data: &Data) {
        let Data {
            start,
            end,
            acked,
            heard,
            ..
        } = *data;
        let gap = start > self.furthest.max(acked);
        let advanced = end > self.furthest;
        self.furthest = self.furthest.max(end);
        if data.repeat || gap {
            (self.watched, self.next) = (None, None);
            self.repaired = self.furthest;
        }
        if !advanced || acked < self.repaired {
            return;
        }
        let bytes = end.saturating_sub(acked);
        let flight = Some(Flight { bytes, end, heard });
        if self.watched.is_none() {
            self.watched = flight;
        } else if self.next.is_none_or(|next| bytes > next.bytes) {
            self.next = flight;
        }
    }

    /// An acknowledgement passed.
    pub(crate) fn acknowledged(&mut self, ack: &Acknowledgement) {
        while let Some(flight) = self.watched.filter(|flight| flight.end <= ack.end) {
            if ack.heard.saturating_sub(flight.heard) <= REQUEST {
                self.whole = self.whole.max(flight.bytes);
            }
            self.watched = self.next.take();
        }
    }

    /// Bytes of the largest flight that came through whole.
    pub(crate) fn whole(&self) -> u64 {
        self.whole
    }
}

/// Of a path's flights those that may prove most. The longer a round trip, the less of its flight was in the queue; how
/// much less depends on the rate, which is known last.
#[derive(Clone, Debug, Default)]
pub(super) struct Largest(Vec<Held>);

/// What a path of some round trip held.
#[derive(Clone, Copy, Debug)]
pub(super) struct Held {
    pub bytes: u64,
    pub rtt: u64,
}

impl Held {
    fn proves_as_much_as(&self, other: &Held) -> bool {
        self.bytes >= other.bytes && self.rtt <= other.rtt
    }
}

impl Largest {
    /// A connection's largest flight and its round trip.
    pub(super) fn add(&mut self, held: Held) {
        if held.bytes > 0 && !self.0.iter().any(|known| known.proves_as_much_as(&held)) {
            self.0.retain(|known| !held.proves_as_much_as(known));
            self.0.push(held);
        }
    }

    /// Adds those of another path.
    pub(super) fn add_all(&mut self, others: &Largest) {
        for held in &others.0 {
            self.add(*held);
        }
    }

    /// The flight that exceeds what the path holds at a rate (bytes/s) by the largest amount; and
    /// this amount.
    pub(super) fn beyond(&self, rate: f64) -> Option<(Held, f64)> {
        let rest = |held: &Held| held.bytes as f64 - rate * held.rtt as f64 / 1e9;
        let all = self.0.iter().map(|held| (*held, rest(held)));
        all.filter(|(_, rest)| *rest > 0.0)
            .max_by(|a, b| a.1.total_cmp(&b.1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn send(flights: &mut Flights, start: u64, end: u64, acked: u64, repeat: bool) {
        let heard = 0;
        flights.sent(&Data {
            start,
            end,
            repeat,
            acked,
            heard,
        });
    }

    fn acknowledge(flights: &mut Flights, end: u64, heard: u64) {
        let (time, advanced, stamp) = (0, 0, None);
        flights.acknowledged(&Acknowledgement {
            time,
            end,
            advanced,
            stamp,
            heard,
        });
    }

    /// Ten segments of 1000 bytes, none of them acknowledged.
    fn ten() -> Flights {
        let mut flights = Flights::default();
        for n in 0..10 {
            send(&mut flights, n * 1000, (n + 1) * 1000, 0, false);
        }
        flights
    }

    #[test]
    fn a_flight_counts_when_all_of_it_is_acknowledged() {
        let mut flights = ten();
        acknowledge(&mut flights, 9000, 0);
        assert_eq!(flights.whole(), 1000);
        acknowledge(&mut flights, 10_000, REQUEST);
        assert_eq!(flights.whole(), 10_000);
    }

    #[test]
    fn a_flight_whose_acknowledgement_waited_behind_other_data_proves_nothing() {
        let mut flights = ten();
        acknowledge(&mut flights, 10_000, REQUEST + 1);
        assert_eq!(flights.whole(), 0);
    }

    #[test]
    fn a_flight_of_which_something_is_sent_again_proves_nothing() {
        let mut flights = ten();
        send(&mut flights, 3000, 4000, 0, true);
        acknowledge(&mut flights, 10_000, 0);
        assert_eq!(flights.whole(), 0);
    }

    #[test]
    fn what_is_sent_during_a_repair_proves_nothing_and_what_follows_does() {
        let mut flights = ten();
        send(&mut flights, 3000, 4000, 3000, true);
        send(&mut flights, 10_000, 11_000, 3000, false);
        acknowledge(&mut flights, 11_000, 0);
        assert_eq!(flights.whole(), 0);
        send(&mut flights, 11_000, 13_000, 11_000, false);
        acknowledge(&mut flights, 13_000, 0);
        assert_eq!(flights.whole(), 2000);
    }

    #[test]
    fn a_gap_ends_a_flight() {
        let mut flights = ten();
        send(&mut flights, 12_000, 13_000, 0, false);
        acknowledge(&mut flights, 13_000, 0);
        assert_eq!(flights.whole(), 0);
    }

    #[test]
    fn of_a_window_that_grows_until_it_loses_an_earlier_one_remains() {
        let mut flights = Flights::default();
        let (mut sent, mut acked) = (0, 0);
        while sent < 100_000 {
            send(&mut flights, sent, sent + 1000, acked, false);
            sent += 1000;
            if sent % 2000 == 0 {
                acked += 1000;
                acknowledge(&mut flights, acked, 0);
            }
        }
        send(&mut flights, acked, acked + 1000, acked, true);
        acknowledge(&mut flights, sent, 0);
        // All up to 50 kB was acknowledged, of which 25 kB had been under way at once.
        assert!((12_500..=25_000).contains(&flights.whole()), "{flights:?}");
    }

    #[test]
    fn the_flight_that_proves_most_depends_on_the_rate() {
        let mut largest = Largest::default();
        for (bytes, rtt) in [
            (50_000, 1_000_000),
            (40_000, 2_000_000),
            (90_000, 9_000_000),
        ] {
            largest.add(Held { bytes, rtt });
        }
        assert_eq!(largest.0.len(), 2);
        let most = |rate| largest.beyond(rate).map(|(held, rest)| (held.bytes, rest));
        assert_eq!(most(1e6), Some((90_000, 81_000.0)));
        assert_eq!(most(1e7), Some((50_000, 40_000.0)));
        assert_eq!(most(1e8), None);
    }
}
