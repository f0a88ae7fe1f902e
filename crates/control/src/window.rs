//! Output of a controller: how much, how fast, and how packets are tagged.

use crate::units::real;
use crate::{Duration, Instant, Rate, Segments};

/// Tags that a controller sets on outgoing data segments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tags {
    /// The segment belongs to an oversized startup flight that a router may drop first
    /// (Jump Start §IV.E).
    pub startup_excess: bool,
    /// The segment is one of a pair whose spacing the peer is to measure (Modified Swift
    /// Start).
    pub pair: Pair,
}

/// The part of a segment in a pair.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pair {
    /// The segment is in no pair.
    #[default]
    None,
    /// The first of two that leave back to back.
    First,
    /// The second segment of a pair.
    Second,
}

/// Segments that may be sent a second time before a sign of their loss, from the
/// last backwards (Halfback).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProactiveRetransmissions {
    /// The next ends here; what is above has had its turn.
    pub below: u64,
    /// So many have their turn now: those that have arrived use it up without being sent.
    pub segments: u64,
}

/// The state a transport obeys and a controller edits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window {
    /// Congestion window in segments.
    pub cwnd: Segments,
    /// Slow-start threshold in segments; infinite until something is known.
    pub ssthresh: Segments,
    /// At most this rate, headers included; `None` sends as the window allows.
    pub pacing: Option<Rate>,
    /// With a pacing rate: nothing leaves before this time.
    pub pacing_from: Instant,
    /// So many segments may leave together where they are paced, at least one.
    pub quantum: u32,
    /// And no more than so many, however many segmentation offload would take.
    pub most_together: u32,
    /// A retransmission timeout that holds instead of the transport's, and without back-off,
    /// while a startup needs an early answer.
    pub timeout: Option<Duration>,
    /// Tags for the data segments that leave from now on.
    pub tags: Tags,
    /// Segments to send a second time; the transport counts them off.
    pub proactive: ProactiveRetransmissions,
    /// Data segments carry a congestion header that requests more of XCP's routers, and reports
    /// this round-trip time, zero where none is known yet; `None` sends them without.
    pub congestion_header: Option<Duration>,
    /// So many bytes more than `cwnd` may be in flight: nothing but an error of rounding, or less
    /// than none where what is in flight stays below the window.
    pub margin: f64,
    /// Maximum segment size, bytes of payload.
    pub mss: u32,
    /// Bytes that a full-size segment has on the wire beyond its payload.
    pub header: u32,
}

/// A window that routers' feedback has made endless counts as this many segments: positions plus
/// its bytes stay within 64 bits.
const ENDLESS: Segments = 4_294_967_296.0;

/// Byte-counted rules add fractions such as 365/1460 segments, exact only to about 1e-13: this many
/// bytes keep a window of 9999.999… bytes from losing a byte.
const ROUNDING: f64 = 1e-6;
/// Bytes in flight are whole: half a byte less than the window is below it.
const BELOW: f64 = -0.5;

impl Window {
    /// What is in flight stays below the window, rather than reach it.
    pub fn stay_below(&mut self) {
        self.margin = BELOW;
    }

    /// One segment, no threshold, no pacing: the state before the handshake.
    pub fn new(mss: u32) -> Window {
        Window {
            cwnd: 1.0,
            ssthresh: f64::INFINITY,
            pacing: None,
            pacing_from: Instant::ZERO,
            quantum: 1,
            most_together: u32::MAX,
            timeout: None,
            tags: Tags::default(),
            proactive: ProactiveRetransmissions::default(),
            congestion_header: None,
            margin: ROUNDING,
            mss,
            header: 40,
        }
    }

    /// Returns the window in bytes.
    pub fn cwnd_bytes(&self) -> u64 {
        (self.exact_bytes() + ROUNDING) as u64
    }

    /// The window in bytes, as a real number.
    fn exact_bytes(&self) -> f64 {
        self.bounded_cwnd() * f64::from(self.mss)
    }

    /// The window in whole segments.
    pub fn cwnd_segments(&self) -> u64 {
        self.bounded_cwnd() as u64
    }

    /// Of one that is negative or not a number the casts make zero, and then nothing leaves.
    fn bounded_cwnd(&self) -> Segments {
        match self.cwnd > ENDLESS {
            true => ENDLESS,
            false => self.cwnd,
        }
    }

    /// Whether so many bytes fit into the window: no more than [`cwnd_bytes`](Self::cwnd_bytes), and
    /// less after [`stay_below`](Self::stay_below), but for a single segment: with nothing in flight
    /// no ACK would ever enlarge a window of one.
    /// Compared as real numbers, which costs less than a conversion.
    #[inline]
    pub fn holds(&self, bytes: u64) -> bool {
        let margin = match bytes <= u64::from(self.mss) {
            true => self.margin.max(0.0),
            false => self.margin,
        };
        bytes as i64 as f64 <= self.exact_bytes() + margin
    }

    /// Whether a full-size segment has room with so many bytes in flight.
    #[inline]
    pub fn has_room(&self, in_flight: u64) -> bool {
        self.holds(in_flight + u64::from(self.mss))
    }

    /// Bytes that a full-size segment has on the wire.
    pub fn wire(&self) -> u32 {
        self.mss + self.header
    }

    /// Bytes on the wire for each byte of payload, in full-size segments.
    pub fn wire_per_payload(&self) -> f64 {
        f64::from(self.wire()) / f64::from(self.mss)
    }

    /// The rate, headers included, that sends so many segments in so long; `None` where it is
    /// too low to be one.
    pub fn rate_over(&self, segments: Segments, time: Duration) -> Option<Rate> {
        let rate = Rate::of((segments * f64::from(self.wire())) as u64, time);
        (rate.bps() > 0).then_some(rate)
    }

    /// So many bytes, in segments.
    #[inline]
    pub fn segments(&self, bytes: u64) -> Segments {
        real(bytes) / f64::from(self.mss)
    }

    /// Whether slow start is the rule: below the threshold, equality excluded
    /// (RFC 5681 §3.1 allows either).
    pub fn in_slow_start(&self) -> bool {
        self.cwnd < self.ssthresh
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stays_below_the_window_is_one_segment_in_a_window_of_one() {
        let mut window = Window::new(1000);
        window.stay_below();
        assert!(window.holds(1000) && window.has_room(0));
        window.cwnd = 2.0;
        assert!(window.holds(1999) && !window.holds(2000) && !window.has_room(1000));
        window.cwnd = 0.9;
        assert!(!window.holds(1000));
    }

    #[test]
    fn a_window_that_is_no_number_or_negative_lets_nothing_leave() {
        for (cwnd, segments) in [
            (f64::NAN, 0),
            (-1.0, 0),
            (2.5, 2),
            (f64::INFINITY, ENDLESS as u64),
        ] {
            let window = Window {
                cwnd,
                ..Window::new(1000)
            };
            assert_eq!(window.cwnd_segments(), segments);
            assert_eq!(window.cwnd_bytes() / 1000, segments);
            let bytes = window.cwnd_bytes();
            assert_eq!(
                (window.holds(bytes), window.holds(bytes + 1)),
                (cwnd >= 0.0, false)
            );
        }
    }
}
