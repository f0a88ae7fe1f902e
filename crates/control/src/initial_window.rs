//! The window before any acknowledgement has come back.
//!
//! It decides how much the first round trip carries, and so how many rounds of slow
//! start a transfer needs. RFC 2581 allowed two segments; RFC 3390 and RFC 5681 allow
//! two to four, about 4380 bytes; RFC 6928 allows ten, about 14 600 bytes; QUIC
//! (RFC 9002 §7.2) ten datagrams with a slightly larger byte bound. The byte-bounded
//! rules differ from "ten segments" only where segments are unusually large.

use std::fmt;
use std::str::FromStr;

use crate::units::{ParseError, serde_as_text};
use crate::{Bytes, Segments};

/// A rule for the initial window.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum InitialWindow {
    /// Two segments (RFC 2581 §3.1).
    Rfc2581,
    /// `min(4*MSS, max(2*MSS, 4380 bytes))` (RFC 3390 §1).
    Rfc3390,
    /// Two, three or four segments by the size of a segment (RFC 5681 §3.1).
    Rfc5681,
    /// `min(10*MSS, max(2*MSS, 14600 bytes))` (RFC 6928 §2).
    #[default]
    Rfc6928,
    /// `min(10*MSS, max(2*MSS, 14720 bytes))`, MSS being QUIC's datagram size
    /// (RFC 9002 §7.2).
    Rfc9002,
    /// So many segments whatever their size, as Linux counts (`initcwnd`).
    Segments(u32),
    /// So many bytes, as QUIC stacks have it: there of UDP payload.
    Bytes(u64),
}

impl InitialWindow {
    /// The window in segments of `mss` bytes of payload. The rules that speak of bytes may
    /// give a fraction.
    pub fn segments(self, mss: u32) -> Segments {
        match self {
            InitialWindow::Rfc2581 => 2.0,
            InitialWindow::Rfc3390 => bounded(4, 4_380, mss),
            InitialWindow::Rfc5681 => match mss {
                0..=1095 => 4.0,
                1096..=2190 => 3.0,
                _ => 2.0,
            },
            InitialWindow::Rfc6928 => bounded(10, 14_600, mss),
            InitialWindow::Rfc9002 => bounded(10, 14_720, mss),
            InitialWindow::Segments(n) => f64::from(n),
            InitialWindow::Bytes(n) => n as f64 / f64::from(mss),
        }
    }

    /// Converts the window to bytes.
    pub fn bytes(self, mss: u32) -> u64 {
        (self.segments(mss) * f64::from(mss)).round() as u64
    }
}

/// `min(count*mss, max(2*mss, bytes))`, in segments.
fn bounded(count: u32, bytes: u32, mss: u32) -> Segments {
    let mss = u64::from(mss);
    let window = (u64::from(count) * mss).min((2 * mss).max(u64::from(bytes)));
    window as f64 / mss as f64
}

/// What a lost SYN does to the initial window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AfterSynLoss {
    /// One segment after any retransmission of a SYN or SYN-ACK (RFC 5681 §3.1).
    #[default]
    OneSegment,
    /// One segment only after more than one retransmission: a single one may be a
    /// timer shorter than the path (RFC 6928 §3; Linux).
    TolerateOne,
    /// No exception: the loss of the packet that opens a connection is a congestion event like
    /// any other, and the window responds to that (RFC 9002 §7.3.2).
    CongestionEvent,
}

impl AfterSynLoss {
    /// The initial window `iw` after `retransmissions` of the SYN.
    pub fn apply(self, iw: Segments, retransmissions: u32) -> Segments {
        let tolerated = match self {
            AfterSynLoss::OneSegment => 0,
            AfterSynLoss::TolerateOne => 1,
            AfterSynLoss::CongestionEvent => u32::MAX,
        };
        if retransmissions > tolerated {
            iw.min(1.0)
        } else {
            iw
        }
    }
}

impl fmt::Display for InitialWindow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InitialWindow::Rfc2581 => f.write_str("rfc2581"),
            InitialWindow::Rfc3390 => f.write_str("rfc3390"),
            InitialWindow::Rfc5681 => f.write_str("rfc5681"),
            InitialWindow::Rfc6928 => f.write_str("rfc6928"),
            InitialWindow::Rfc9002 => f.write_str("rfc9002"),
            InitialWindow::Segments(n) => write!(f, "{n}pkt"),
            InitialWindow::Bytes(n) => Bytes(*n).fmt(f),
        }
    }
}

impl InitialWindow {
    pub(crate) const EXPECTED: &str = "an initial window: a number of segments from 1 to 1000000, \
         such as `10` or `10pkt`, bytes such as `12kB`, or one of `rfc2581`, `rfc3390`, `rfc5681`, \
         `rfc6928`, `rfc9002`";
    /// Maximum in bytes: a million segments of 1500.
    const MOST_BYTES: u64 = 1_500_000_000;

    /// The initial window that a text has, if it is one.
    pub(crate) fn parse(text: &str) -> Option<InitialWindow> {
        Some(match text.trim() {
            "rfc2581" => InitialWindow::Rfc2581,
            "rfc3390" => InitialWindow::Rfc3390,
            "rfc5681" => InitialWindow::Rfc5681,
            "rfc6928" => InitialWindow::Rfc6928,
            "rfc9002" => InitialWindow::Rfc9002,
            text => {
                let number = text
                    .strip_suffix("pkts")
                    .or_else(|| text.strip_suffix("pkt"));
                match number.unwrap_or(text).trim_end().parse() {
                    Ok(n @ 1..=1_000_000) => InitialWindow::Segments(n),
                    Ok(_) => return None,
                    Err(_) => match text.parse() {
                        Ok(Bytes(n @ 1..=InitialWindow::MOST_BYTES)) => InitialWindow::Bytes(n),
                        _ => return None,
                    },
                }
            }
        })
    }
}

impl FromStr for InitialWindow {
    type Err = ParseError;
    fn from_str(text: &str) -> Result<InitialWindow, ParseError> {
        InitialWindow::parse(text).ok_or_else(|| ParseError {
            value: text.trim().into(),
            expected: InitialWindow::EXPECTED,
            meant: None,
            is_negative: false,
        })
    }
}

serde_as_text!(InitialWindow);

#[cfg(test)]
mod tests {
    use super::*;
    use InitialWindow::*;

    #[test]
    fn bytes_by_rule_and_segment_size() {
        let expected = [
            (536, 2_144, 2_144, 5_360),
            (1_095, 4_380, 4_380, 10_950),
            (1_096, 3_288, 4_380, 10_960),
            (1_220, 3_660, 4_380, 12_200),
            (1_460, 4_380, 4_380, 14_600),
            (2_190, 6_570, 4_380, 14_600),
            (2_191, 4_382, 4_382, 14_600),
            (8_960, 17_920, 17_920, 17_920),
            (9_000, 18_000, 18_000, 18_000),
        ];
        for (mss, rfc5681, rfc3390, rfc6928) in expected {
            assert_eq!(Rfc5681.bytes(mss), rfc5681, "RFC 5681, MSS {mss}");
            assert_eq!(Rfc3390.bytes(mss), rfc3390, "RFC 3390, MSS {mss}");
            assert_eq!(Rfc6928.bytes(mss), rfc6928, "RFC 6928, MSS {mss}");
            assert_eq!(Rfc2581.bytes(mss), 2 * u64::from(mss));
        }
    }

    #[test]
    fn quic_datagrams() {
        for (mss, bytes) in [
            (1_200, 12_000),
            (1_252, 12_520),
            (1_472, 14_720),
            (9_000, 18_000),
        ] {
            assert_eq!(Rfc9002.bytes(mss), bytes, "datagrams of {mss}");
        }
    }

    #[test]
    fn segments_of_the_usual_size() {
        assert_eq!(Rfc3390.segments(1_460), 3.0);
        assert_eq!(Rfc5681.segments(1_460), 3.0);
        assert_eq!(Rfc6928.segments(1_460), 10.0);
        assert_eq!(Rfc3390.segments(536), 4.0);
        assert_eq!(Rfc3390.segments(9_000), 2.0);
        assert_eq!(Segments(32).segments(9_000), 32.0);
    }

    #[test]
    fn a_lost_syn_costs_the_window_by_the_stacks_rule() {
        assert_eq!(AfterSynLoss::OneSegment.apply(10.0, 0), 10.0);
        assert_eq!(AfterSynLoss::OneSegment.apply(10.0, 1), 1.0);
        assert_eq!(AfterSynLoss::TolerateOne.apply(10.0, 1), 10.0);
        assert_eq!(AfterSynLoss::TolerateOne.apply(10.0, 2), 1.0);
        assert_eq!(AfterSynLoss::CongestionEvent.apply(10.0, 6), 10.0);
    }

    #[test]
    fn text_both_ways() {
        for text in [
            "rfc2581", "rfc3390", "rfc5681", "rfc6928", "rfc9002", "10pkt", "12kB",
        ] {
            assert_eq!(text.parse::<InitialWindow>().unwrap().to_string(), text);
        }
        assert_eq!("10".parse(), Ok(Segments(10)));
        assert_eq!(serde_json::to_string(&Rfc6928).unwrap(), "\"rfc6928\"");
        assert_eq!(
            serde_json::from_str::<InitialWindow>("\"3\"").unwrap(),
            Segments(3)
        );
        for wrong in ["", "0", "-3", "1.5", "rfc1", "0B", "9999999"] {
            let error = wrong.parse::<InitialWindow>().unwrap_err().to_string();
            assert!(
                error.starts_with(&format!("`{wrong}` is not an initial window")),
                "{error}"
            );
        }
    }
}
