//! Packets that carry data.

use crate::options::{CongestionHeader, PackedHeader, RateReport, congestion_header_bytes};
use crate::packed::{Byte, Four};
use std::fmt;

/// A part of the stream, and what travels with it.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Data {
    start: Four<u64>,
    /// The length, and in its highest bits whether the packet repeats another, whether it pushes,
    /// whether its sender is blocked, and how far a handshake is: lengths are short.
    len: u32,
    number: u32,
    options: Options,
}

const REPEATS: u32 = 1 << 31;
const PUSHES: u32 = 1 << 30;
const BLOCKED: u32 = 1 << 29;
const OPENING: u32 = 1 << 28;
const FLIGHT: u32 = 1 << 27;
const SIGNED: u32 = 1 << 26;
const VERIFIED: u32 = 1 << 25;
const LENGTH: u32 = VERIFIED - 1;

#[derive(Clone, Copy)]
enum Options {
    Ordinary {
        echo: Four<u64>,
        timestamp: u32,
        report: Option<Byte<RateReport>>,
    },
    Congestion(PackedHeader),
}

impl Data {
    /// `len` bytes from `start` on, in the packet of this number, cut off after four bytes as on the
    /// wire (RFC 9000 §17.1); zero where packets have none.
    #[inline(always)]
    pub fn new(start: u64, len: u32, number: u32) -> Data {
        Data {
            start: Four::new(start),
            len,
            number,
            options: Options::Ordinary {
                echo: Four::new(0),
                timestamp: 0,
                report: None,
            },
        }
    }

    /// The position of its first byte.
    #[inline]
    pub fn start(&self) -> u64 {
        self.start.get()
    }

    /// One past its last byte.
    #[inline]
    pub fn end(&self) -> u64 {
        self.start() + u64::from(self.len())
    }

    /// Bytes of payload.
    #[inline]
    pub fn len(&self) -> u32 {
        self.len & LENGTH
    }

    /// Whether it has no payload.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether its payload was sent before.
    #[inline]
    pub fn repeats(&self) -> bool {
        self.len & REPEATS != 0
    }

    /// Whether it has payload that is sent for the first time, and no congestion header.
    #[inline]
    pub fn is_bare(&self) -> bool {
        let first = !self.is_empty() && !self.repeats();
        first && matches!(self.options, Options::Ordinary { .. })
    }

    /// Its payload was sent before.
    pub fn set_repeats(&mut self) {
        self.len |= REPEATS;
    }

    /// PSH: nothing follows for now.
    #[inline]
    pub fn pushes(&self) -> bool {
        self.len & PUSHES != 0
    }

    /// Nothing follows for now.
    pub fn set_push(&mut self) {
        self.len |= PUSHES;
    }

    /// Whether the peer's limit stops its sender (RFC 9000 §19.12, §19.13).
    pub fn is_blocked(&self) -> bool {
        self.len & BLOCKED != 0
    }

    /// The peer's limit stops its sender.
    pub fn set_blocked(&mut self) {
        self.len |= BLOCKED;
    }

    /// Whether it left before its sender had the client's whole handshake.
    pub fn is_opening(&self) -> bool {
        self.len & OPENING != 0
    }

    /// Its sender does not have the client's whole handshake yet; the packet is part of the server's
    /// `flight`, or data before its time.
    pub fn set_opening(&mut self, flight: bool) {
        self.len |= if flight { OPENING | FLIGHT } else { OPENING };
    }

    /// Whether it is part of the server's flight in a handshake that is made of packets.
    pub fn is_flight(&self) -> bool {
        self.len & FLIGHT != 0
    }

    /// It begins the server's certificate and signature, or ends them.
    pub fn set_signature(&mut self, begins: bool, ends: bool) {
        self.len |= if begins { SIGNED } else { 0 } | if ends { VERIFIED } else { 0 };
    }

    /// Whether its sender has made a signature for it.
    pub fn is_signed(&self) -> bool {
        self.len & SIGNED != 0
    }

    /// Whether its receiver can verify the server's signature with it.
    pub fn is_verified(&self) -> bool {
        self.len & VERIFIED != 0
    }

    /// Its packet's number, cut off after four bytes; zero where packets have none.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// Up to where its sender knew of arrivals when it left, which replaces
    /// the timestamp that it echoes (RFC 7323 §3.2); zero where it echoes none.
    pub fn echo(&self) -> u64 {
        match self.options {
            Options::Ordinary { echo, .. } => echo.get(),
            Options::Congestion(_) => 0,
        }
    }

    /// Sets the echo, where no congestion header takes its room.
    pub fn set_echo(&mut self, una: u64) {
        if let Options::Ordinary { echo, .. } = &mut self.options {
            *echo = Four::new(una);
        }
    }

    /// TSval (RFC 7323 §3.2), where no congestion header takes its room; zero where its sender has
    /// no timestamps.
    pub fn timestamp(&self) -> Option<u32> {
        match self.options {
            Options::Ordinary { timestamp, .. } => Some(timestamp),
            Options::Congestion(_) => None,
        }
    }

    /// Sets TSval, where no congestion header takes its room.
    pub fn set_timestamp(&mut self, ticks: u32) {
        if let Options::Ordinary { timestamp, .. } = &mut self.options {
            *timestamp = ticks;
        }
    }

    /// The report of an approved rate, if it carries one.
    pub fn report(&self) -> Option<RateReport> {
        match self.options {
            Options::Ordinary { report, .. } => report.map(Byte::get),
            Options::Congestion(_) => None,
        }
    }

    /// It carries the report of an approved rate. Returns the bytes that this adds where options
    /// take `option_bytes`.
    pub fn set_report(&mut self, report: RateReport, option_bytes: u32) -> u32 {
        self.options = Options::Ordinary {
            echo: Four::new(self.echo()),
            timestamp: self.timestamp().unwrap_or(0),
            report: Some(Byte::new(report)),
        };
        option_bytes
    }

    /// Its congestion header, if it has one.
    #[inline]
    pub fn congestion(&self) -> Option<CongestionHeader> {
        match self.options {
            Options::Ordinary { .. } => None,
            Options::Congestion(header) => Some(header.get()),
        }
    }

    /// It has this congestion header, in the place of every other option.
    pub fn set_congestion(&mut self, header: CongestionHeader) {
        self.options = Options::Congestion(PackedHeader::new(header));
    }

    /// Bytes that a congestion header adds where options take `option_bytes`.
    pub fn congestion_bytes(option_bytes: u32) -> u32 {
        congestion_header_bytes(option_bytes)
    }
}

impl fmt::Debug for Data {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "data {}..{} number {}",
            self.start(),
            self.end(),
            self.number
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flowstart_control::Duration;

    #[test]
    fn a_report_a_timestamp_and_an_echo_travel_together() {
        let report = RateReport {
            code: 15,
            nonce: 0x3FFF_FFFF,
        };
        let mut data = Data::new(7 << 40, 1448, 0);
        data.set_echo(6 << 40);
        data.set_timestamp(1234);
        assert_eq!(data.set_report(report, 8), 8);
        assert_eq!((data.report(), data.echo()), (Some(report), 6 << 40));
        assert_eq!(data.timestamp(), Some(1234));
        assert_eq!((data.start(), data.end()), (7 << 40, (7 << 40) + 1448));
        assert_eq!(data.congestion(), None);
    }

    #[test]
    fn a_repetition_and_a_push_say_so_beside_its_length() {
        let mut data = Data::new(7 << 40, 1448, 0);
        assert!(!data.repeats());
        assert!(!data.pushes());
        data.set_push();
        assert!(data.pushes() && !data.repeats());
        data.set_repeats();
        assert!(data.repeats() && data.pushes());
        assert_eq!((data.len(), data.end()), (1448, (7 << 40) + 1448));
    }

    #[test]
    fn a_congestion_header_takes_the_room_of_all_else() {
        let header = CongestionHeader {
            cwnd: 2.5,
            rtt: Duration::from_millis(64),
            feedback: -7.0,
        };
        let mut data = Data::new(0, 1448, 0);
        data.set_echo(5);
        data.set_congestion(header);
        data.set_echo(6);
        data.set_timestamp(7);
        assert_eq!((data.congestion(), data.echo()), (Some(header), 0));
        assert_eq!(data.timestamp(), None);
    }
}
