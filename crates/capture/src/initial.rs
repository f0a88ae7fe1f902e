//! The initial window of a sender: the segments that it sends before it can have heard of any of them.
//!
//! A flight shows the window only where the sender had more to send and waited for an ACK. So more data must follow
//! soon after the first ACK, and after a pause that is longer than any within the flight. Without that pause, either the
//! application was slow, or a bottleneck before the monitor has drawn flight and answer together.

use crate::answers::{Answer, Clock, Heard, Sending, Trip};

/// The first flight of one side's data in a connection that shows its window.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Initial {
    flight: Option<Flight>,
    measured: Option<Measured>,
    /// Segments of the flights before it; zero for none.
    earlier: [u8; 4],
    /// There were more, or one that cannot be measured: the window may no longer be the initial one.
    warm: bool,
}

/// The window that a flight has shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Measured {
    pub segments: u32,
    pub bytes: u64,
}

#[derive(Clone, Copy, Debug)]
struct Flight {
    first_byte: u64,
    /// The byte after its last one.
    end: u64,
    sent: Measured,
    /// Bytes of it that have not passed the monitor.
    missing: u64,
    /// Times of the first and the last packet, and the longest pause before one. ns
    first: u64,
    last: u64,
    pause: u64,
    answer: Option<Answer>,
    clock: Option<Clock>,
    /// The latest stamp that its data have echoed.
    echo: Option<u32>,
    /// It shows no window.
    over: bool,
}

impl Flight {
    fn new(data: &Sending, segments: u32, trip: &Trip, syn: Option<(u64, u32)>) -> Self {
        let first = data.stamp.map(|(value, _)| (data.time, value));
        let clock = syn.zip(first);
        // Segments before it may have been overtaken.
        let missing = data.start.saturating_sub(data.next);
        let unseen = u32::try_from(missing.div_ceil(data.mss)).unwrap_or(u32::MAX);
        Flight {
            first_byte: data.start - missing,
            end: data.end(),
            sent: Measured {
                segments: segments.saturating_add(unseen),
                bytes: missing + data.payload,
            },
            missing,
            first: data.time,
            last: data.time,
            pause: 0,
            answer: None,
            clock: clock.and_then(|(syn, first)| Clock::new(syn, first, trip)),
            echo: data.echo(),
            over: data.repeat,
        }
    }

    /// When data were sent, by the sender's clock if that is known.
    fn time(&self, data: &Sending) -> u64 {
        let stamped = self.clock.zip(data.stamp);
        stamped.map_or(data.time, |(clock, (value, _))| clock.time(value))
    }

    /// Whether data that seem to repeat were overtaken on their way: they have been counted as missing. The sender
    /// repeats nothing within a round trip.
    fn reordered(&mut self, data: &Sending, rtt: u64) -> bool {
        let counted = data.start >= self.first_byte && self.missing >= data.payload;
        let reordered = counted && data.time.saturating_sub(self.first) < rtt;
        if reordered {
            self.missing -= data.payload;
        }
        reordered
    }
}

impl Initial {
    /// Nothing is left to measure.
    pub(crate) fn is_over(&self) -> bool {
        self.measured.is_some() || self.warm
    }

    /// Data pass the monitor. `syn` is the stamp of the sender's SYN, with its time.
    pub(crate) fn sent(&mut self, data: &Sending, trip: &Trip, syn: Option<(u64, u32)>) {
        if self.is_over() {
            return;
        }
        let segments = u32::try_from(data.payload.div_ceil(data.mss)).unwrap_or(u32::MAX);
        let Some(flight) = &mut self.flight else {
            self.flight = Some(Flight::new(data, segments, trip, syn));
            return;
        };
        let time = flight.time(data);
        let pause = time.saturating_sub(flight.last);
        flight.last = time;
        let missing = data.start.saturating_sub(flight.end);
        flight.end = flight.end.max(data.end());
        flight.over |= data.repeat && !flight.reordered(data, trip.rtt);
        if flight.over || data.repeat {
            return;
        }
        match flight.answer {
            Some(answer) if answer.is_heard(data) => {
                flight.over = true;
                let initial = !may_have_grown(&self.earlier, flight.sent.segments);
                let prompt = time.saturating_sub(answer.time) <= trip.rtt / 2;
                let waited = pause > 2 * flight.pause && prompt;
                // Data missing here may be of either flight.
                let whole = missing == 0;
                self.measured = (waited && whole && initial).then_some(flight.sent);
            }
            _ => {
                let unseen = u32::try_from(missing.div_ceil(data.mss)).unwrap_or(u32::MAX);
                let more = segments.saturating_add(unseen);
                flight.missing += missing;
                flight.sent.segments = flight.sent.segments.saturating_add(more);
                flight.sent.bytes += missing + data.payload;
                flight.pause = flight.pause.max(pause);
                flight.echo = data.echo();
            }
        }
    }

    /// The peer acknowledged data.
    pub(crate) fn acknowledged(&mut self, ack: &Heard, trip: &Trip) {
        if self.is_over() {
            return;
        }
        if let Some(flight) = &mut self.flight
            && ack.confirms(flight.first_byte)
        {
            flight
                .answer
                .get_or_insert_with(|| Answer::new(ack, trip, flight.echo));
        }
    }

    /// The peer sent data: the next flight answers a request.
    pub(crate) fn turn(&mut self) {
        let Some(flight) = self.flight.take() else {
            return;
        };
        let free = self.earlier.iter_mut().find(|segments| **segments == 0);
        match (free, u8::try_from(flight.sent.segments)) {
            (Some(free), Ok(segments)) if !flight.over => *free = segments,
            _ => self.warm = true,
        }
    }

    /// Data have passed that cannot be measured: no later flight shows the initial window.
    pub(crate) fn pass(&mut self) {
        self.warm = true;
    }

    /// The window, where a flight has shown it.
    pub(crate) fn measured(&self) -> Option<Measured> {
        self.measured
    }
}

/// Whether some initial window would have grown to `segments` by the earlier flights. Linux enlarges a window in slow
/// start, by the segments acknowledged, only where more than half of it was in flight (tcp_is_cwnd_limited).
fn may_have_grown(earlier: &[u8; 4], segments: u32) -> bool {
    let grown = |initial: u32| {
        earlier.iter().fold(initial, |window, &flight| {
            let flight = u32::from(flight);
            window + if window < 2 * flight { flight } else { 0 }
        })
    };
    // A flight has 255 segments at most, so windows far above have not grown.
    (1..segments.min(2048)).any(|initial| grown(initial) == segments)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;
    const MSS: u64 = 1448;
    const RTT: u64 = 40 * MS;

    fn send(initial: &mut Initial, time: u64, segment: u64, repeat: bool) {
        let data = Sending {
            time,
            start: segment * MSS,
            payload: MSS,
            next: segment * MSS,
            mss: MSS,
            repeat,
            ..Sending::default()
        };
        initial.sent(&data, &Trip { rtt: RTT, half: 0 }, None);
    }

    fn hear(initial: &mut Initial, time: u64, acked: u64, half: u64) {
        let heard = Heard {
            time,
            acked,
            ..Heard::default()
        };
        initial.acknowledged(&heard, &Trip { rtt: RTT, half });
    }

    /// The flights of a sender with a window of 10 segments: `spacing` apart, the next after the first ACK and `late`.
    fn window(spacing: u64, half: u64, late: u64) -> Option<u32> {
        let mut initial = Initial::default();
        for segment in 0..10 {
            send(&mut initial, segment * spacing, segment, false);
        }
        let ack = RTT - half;
        hear(&mut initial, ack, MSS, half);
        for segment in 10..12 {
            let after = (segment - 10) * spacing;
            send(&mut initial, ack + half + late + after, segment, false);
        }
        initial.measured().map(|measured| measured.segments)
    }

    #[test]
    fn a_flight_that_waits_for_an_ack_shows_the_window_wherever_the_monitor_is() {
        assert_eq!(window(1000, 0, 0), Some(10));
        assert_eq!(window(MS, 20 * MS, 0), Some(10));
        assert_eq!(window(2 * MS, 39 * MS, 0), Some(10));
    }

    #[test]
    fn answers_may_be_faster_than_the_handshake_was() {
        let mut initial = Initial::default();
        (0..4).for_each(|segment| send(&mut initial, segment, segment, false));
        hear(&mut initial, RTT, MSS, MS);
        send(&mut initial, RTT + MS / 2, 4, false);
        assert_eq!(
            initial.measured().map(|measured| measured.segments),
            Some(4)
        );
    }

    #[test]
    fn a_slow_application_and_a_bottleneck_before_the_monitor_show_none() {
        assert_eq!(window(1000, 0, 25 * MS), None);
        assert_eq!(window(4 * MS, 39 * MS, 0), None);
    }

    #[test]
    fn nothing_is_known_of_a_flight_without_a_second_one_or_with_a_repetition() {
        let mut initial = Initial::default();
        send(&mut initial, 0, 0, false);
        hear(&mut initial, RTT, MSS, 0);
        assert_eq!(initial.measured(), None);
        let mut initial = Initial::default();
        send(&mut initial, 0, 0, false);
        send(&mut initial, 10, 0, true);
        hear(&mut initial, RTT, MSS, 0);
        send(&mut initial, RTT, 1, false);
        assert_eq!(initial.measured(), None);
    }

    #[test]
    fn segments_that_were_lost_before_the_monitor_count_where_their_flight_is_known() {
        for (lost, expected) in [(4, Some(10)), (9, None), (10, None)] {
            let mut initial = Initial::default();
            for segment in (0..12).filter(|&segment| segment != lost) {
                let time = if segment < 10 { segment * 1000 } else { RTT };
                if segment >= 10 {
                    hear(&mut initial, RTT, MSS, 0);
                }
                send(&mut initial, time, segment, false);
            }
            let measured = initial.measured().map(|measured| measured.segments);
            assert_eq!(measured, expected, "{lost}");
        }
    }

    #[test]
    fn reordered_segments_count_once_and_repetitions_end_the_measurement() {
        for (time, expected) in [(9500, Some(10)), (RTT + 1, None)] {
            let mut initial = Initial::default();
            for segment in (0..10).filter(|&segment| segment != 4) {
                send(&mut initial, segment * 1000, segment, false);
            }
            send(&mut initial, time, 4, true);
            hear(&mut initial, RTT, MSS, 0);
            send(&mut initial, RTT + 2, 10, false);
            let measured = initial.measured().map(|measured| measured.segments);
            assert_eq!(measured, expected, "{time}");
        }
    }

    #[test]
    fn a_later_flight_counts_unless_earlier_ones_may_have_enlarged_the_window() {
        // Four segments would have enlarged a window of six to ten.
        let cases: [(&[u64], Option<u32>); 4] = [
            (&[3], Some(10)),
            (&[3, 2], Some(10)),
            (&[4], None),
            (&[1, 1, 1, 1, 1], None),
        ];
        for (earlier, expected) in cases {
            let mut initial = Initial::default();
            let (mut time, mut next) = (0, 0);
            for flight in earlier {
                (next..next + flight).for_each(|segment| send(&mut initial, time, segment, false));
                (time, next) = (time + RTT, next + flight);
                hear(&mut initial, time, next * MSS, 0);
                initial.turn();
            }
            (next..next + 10).for_each(|segment| send(&mut initial, time, segment, false));
            time += RTT;
            hear(&mut initial, time, (next + 2) * MSS, 0);
            send(&mut initial, time, next + 10, false);
            let measured = initial.measured().map(|measured| measured.segments);
            assert_eq!(measured, expected, "{earlier:?}");
        }
    }
}
