//! Options: what a body carries besides its own fields, and what that costs on the wire.

use crate::packed::Byte;
use flowstart_control::{Duration, Segments};

/// Bytes of XCP's congestion header in a packet, data or acknowledgement
/// (draft-falk-xcp-spec).
const CONGESTION_HEADER: u32 = 20;

/// What a congestion header costs where any other option costs `option_bytes`: it is larger than
/// an option, and free where options are.
pub(crate) fn congestion_header_bytes(option_bytes: u32) -> u32 {
    match option_bytes {
        0 => 0,
        _ => CONGESTION_HEADER,
    }
}

/// A Quick-Start rate request on its way through the routers (RFC 4782 §3.1), with the TTL of the
/// IP header, which changes next to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateRequest {
    /// The rate's code.
    pub code: u8,
    /// QS TTL: counted down by every router that takes part.
    pub qs_ttl: u8,
    /// The IP header's TTL: counted down by every router.
    pub ip_ttl: u8,
    /// QS Nonce, thirty bits.
    pub nonce: u32,
}

/// The receiver's answer to a rate request (RFC 4782 §4.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateResponse {
    /// The rate's code.
    pub code: u8,
    /// TTL Diff: what was left of the IP TTL less what was left of the QS TTL.
    pub ttl_diff: u8,
    /// QS Nonce as it arrived.
    pub nonce: u32,
}

/// The sender's report of the rate that it takes as approved (RFC 4782 §3.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateReport {
    /// The rate's code; zero where none was approved.
    pub code: u8,
    /// The nonce of the request.
    pub nonce: u32,
}

/// XCP's congestion header: a sender's state for the routers, and their answer
/// (Katabi, Handley, Rohrs 2002, §3.2).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CongestionHeader {
    /// H_cwnd: the sender's window.
    pub cwnd: Segments,
    /// H_rtt: the sender's estimate of the round trip; zero where it has none. It travels in 48
    /// bits of nanoseconds, 78 hours; what is longer travels as that.
    pub rtt: Duration,
    /// H_feedback: by how much the sender's throughput is to change, bytes per second.
    /// Infinite until a router has written into it: senders ask for all there is.
    pub feedback: f64,
}

/// What an acknowledgement carries besides its ranges. It takes the room of one SACK block.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum AckOption {
    /// Nothing.
    #[default]
    None,
    /// How far apart the two packets of a pair arrived at the receiver.
    Gap(Duration),
    /// What the congestion headers of the data that it acknowledges have come to: the sum of
    /// their `feedback`.
    Feedback(f64),
    /// Data that had arrived before has come again (RFC 2883): where it begins, counted from the
    /// cumulative acknowledgement, and how long it is.
    Duplicate {
        /// Mostly negative.
        start: i32,
        /// Bytes.
        len: u32,
    },
    /// Total of data packets that have arrived marked: AccECN's counter of packets (RFC 9768
    /// §3.1) or that of QUIC's ACK frames (RFC 9000 §19.3.2), whole.
    Marks(u64),
    /// A limit of flow control above TCP: WINDOW_UPDATE of HTTP/2 (RFC 9113 §6.9), here its lowest bits
    /// and its level.
    Limit(u32),
}

/// Bytes of a WINDOW_UPDATE (RFC 9113 §4.1, §6.9) in a record of TLS 1.3 (RFC 8446 §5.2).
const WINDOW_UPDATE: u32 = 9 + 4 + 5 + 1 + 16;

impl AckOption {
    /// Bytes that it adds to a packet where options take `option_bytes`.
    pub fn wire(&self, option_bytes: u32) -> u32 {
        match self {
            AckOption::None => 0,
            AckOption::Gap(_) => option_bytes,
            AckOption::Feedback(_) => congestion_header_bytes(option_bytes),
            AckOption::Duplicate { .. } | AckOption::Marks(_) => option_bytes,
            AckOption::Limit(_) => WINDOW_UPDATE,
        }
    }
}

/// An [`AckOption`] that is there, without gaps.
#[derive(Clone, Copy)]
pub(crate) enum PackedOption {
    Gap(Byte<u64>),
    Feedback(Byte<f64>),
    Duplicate(Byte<i32>, Byte<u32>),
    Marks(Byte<u64>),
    Limit(Byte<u32>),
}

impl PackedOption {
    /// `None` where there is no option.
    #[inline(always)]
    pub(crate) fn new(option: AckOption) -> Option<PackedOption> {
        match option {
            AckOption::None => None,
            AckOption::Gap(gap) => Some(PackedOption::Gap(Byte::new(gap.0))),
            AckOption::Feedback(change) => Some(PackedOption::Feedback(Byte::new(change))),
            AckOption::Marks(count) => Some(PackedOption::Marks(Byte::new(count))),
            AckOption::Limit(limit) => Some(PackedOption::Limit(Byte::new(limit))),
            AckOption::Duplicate { start, len } => {
                Some(PackedOption::Duplicate(Byte::new(start), Byte::new(len)))
            }
        }
    }

    pub(crate) fn get(self) -> AckOption {
        match self {
            PackedOption::Gap(gap) => AckOption::Gap(Duration(gap.get())),
            PackedOption::Feedback(change) => AckOption::Feedback(change.get()),
            PackedOption::Marks(count) => AckOption::Marks(count.get()),
            PackedOption::Limit(limit) => AckOption::Limit(limit.get()),
            PackedOption::Duplicate(start, len) => AckOption::Duplicate {
                start: start.get(),
                len: len.get(),
            },
        }
    }
}

/// A [`CongestionHeader`] without gaps.
#[derive(Clone, Copy)]
pub(crate) struct PackedHeader {
    cwnd: Byte<f64>,
    feedback: Byte<f64>,
    rtt: [u8; 6],
}

impl PackedHeader {
    pub(crate) fn new(header: CongestionHeader) -> PackedHeader {
        const LONGEST: u64 = (1 << 48) - 1;
        let [a, b, c, d, e, f, _, _] = header.rtt.0.min(LONGEST).to_le_bytes();
        PackedHeader {
            cwnd: Byte::new(header.cwnd),
            feedback: Byte::new(header.feedback),
            rtt: [a, b, c, d, e, f],
        }
    }

    pub(crate) fn get(self) -> CongestionHeader {
        let [a, b, c, d, e, f] = self.rtt;
        CongestionHeader {
            cwnd: self.cwnd.get(),
            rtt: Duration(u64::from_le_bytes([a, b, c, d, e, f, 0, 0])),
            feedback: self.feedback.get(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_of_acknowledgements_come_out_as_they_went_in() {
        for option in [
            AckOption::Gap(Duration::from_secs(100)),
            AckOption::Feedback(-1.25e6),
            AckOption::Marks(1 << 40),
            AckOption::Limit(u32::MAX),
            AckOption::Duplicate {
                start: -1448,
                len: 1448,
            },
        ] {
            assert_eq!(
                PackedOption::new(option).map(PackedOption::get),
                Some(option)
            );
        }
        assert!(PackedOption::new(AckOption::None).is_none());
    }

    #[test]
    fn a_congestion_header_comes_out_as_it_went_in_but_for_a_round_trip_of_weeks() {
        let header = |rtt| CongestionHeader {
            cwnd: 12.5,
            rtt,
            feedback: f64::INFINITY,
        };
        let through = |rtt| PackedHeader::new(header(rtt)).get();
        let ordinary = Duration::from_secs(100);
        assert_eq!(through(ordinary), header(ordinary));
        let longest = Duration((1 << 48) - 1);
        assert_eq!(through(Duration::MAX), header(longest));
    }

    #[test]
    fn a_congestion_header_costs_its_bytes_where_options_cost_any() {
        let feedback = AckOption::Feedback(0.0);
        assert_eq!((feedback.wire(8), feedback.wire(0)), (20, 0));
        assert_eq!(
            (congestion_header_bytes(8), congestion_header_bytes(0)),
            (20, 0)
        );
        assert_eq!(AckOption::Gap(Duration(5)).wire(8), 8);
        assert_eq!(AckOption::None.wire(8), 0);
    }
}
