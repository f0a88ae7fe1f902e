//! QUIC in UDP, as far as headers show it (RFC 9000, section 17; RFC 9369 for version 2).
//!
//! What follows a header is encrypted: sizes and times are all there is to see of data.

use super::address::Endpoint;
use super::header::{u16_at, u32_at};
use super::ip::Packet;

/// A UDP datagram that may be QUIC's.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Datagram {
    /// Nanoseconds since 1970.
    pub time: u64,
    pub source: Endpoint,
    pub destination: Endpoint,
    /// Bytes after the UDP header.
    pub payload: u32,
    /// Its first packet.
    pub packet: QuicPacket,
}

/// The fields of a QUIC packet's header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum QuicPacket {
    /// A long header of a known version.
    Long { version: u32, kind: Long },
    /// Perhaps a short header: only a known connection decides.
    Short,
}

/// The kinds of packets with long headers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Long {
    Initial,
    ZeroRtt,
    Handshake,
    Retry,
}

const VERSION_1: u32 = 1;
/// RFC 9369, section 3.
const VERSION_2: u32 = 0x6b33_43cf;
/// The drafts of version 1 whose long headers are as the RFC's: draft-17 to draft-34.
const DRAFTS: std::ops::RangeInclusive<u32> = 0xff00_0011..=0xff00_0022;

const LONG: u8 = 0x80;
const FIXED: u8 = 0x40;

/// Reads a datagram; nothing when it cannot be QUIC's.
pub(super) fn datagram(packet: &Packet, time: u64) -> Option<Datagram> {
    const HEADER: usize = 8;
    let data = packet.data;
    let endpoint = |address, at| {
        Some(Endpoint {
            address,
            port: u16_at(data, at)?,
        })
    };
    Some(Datagram {
        time,
        source: endpoint(packet.source, 0)?,
        destination: endpoint(packet.destination, 2)?,
        payload: u32::try_from(packet.length.checked_sub(HEADER)?).ok()?,
        packet: quic_packet(data.get(HEADER..)?)?,
    })
}

fn quic_packet(data: &[u8]) -> Option<QuicPacket> {
    let first = *data.first()?;
    if first & FIXED == 0 {
        return None;
    }
    if first & LONG == 0 {
        return Some(QuicPacket::Short);
    }
    let version = u32_at(data, 1)?;
    let kinds = match version {
        VERSION_2 => [Long::Retry, Long::Initial, Long::ZeroRtt, Long::Handshake],
        VERSION_1 => [Long::Initial, Long::ZeroRtt, Long::Handshake, Long::Retry],
        draft if DRAFTS.contains(&draft) => {
            [Long::Initial, Long::ZeroRtt, Long::Handshake, Long::Retry]
        }
        _ => return None,
    };
    let kind = kinds[usize::from(first >> 4 & 3)];
    Some(QuicPacket::Long { version, kind })
}

/// A version as people write it.
pub(crate) fn version_name(version: u32) -> String {
    match version {
        VERSION_1 => "v1".into(),
        VERSION_2 => "v2".into(),
        draft if DRAFTS.contains(&draft) => format!("draft-{}", draft & 0xff),
        other => format!("{other:08x}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_headers_are_known_by_their_version_and_numbered_as_it_numbers_them() {
        let packet = |first, version: u32| {
            quic_packet(&[&[first][..], &version.to_be_bytes(), &[8, 1]].concat())
        };
        let long = |version, kind| Some(QuicPacket::Long { version, kind });
        assert_eq!(packet(0xc3, 1), long(1, Long::Initial));
        assert_eq!(packet(0xe0, 1), long(1, Long::Handshake));
        assert_eq!(packet(0xd0, VERSION_2), long(VERSION_2, Long::Initial));
        assert_eq!(packet(0xc0, 0xff00_001d), long(0xff00_001d, Long::Initial));
        assert_eq!(packet(0xc0, 0x1234_5678), None);
        assert_eq!(packet(0x80, 1), None);
        assert_eq!(packet(0x45, 77), Some(QuicPacket::Short));
        assert_eq!(quic_packet(&[0xc0, 0, 0]), None);
    }

    #[test]
    fn versions_are_named_as_people_write_them() {
        assert_eq!(
            [1, VERSION_2, 0xff00_001d].map(version_name),
            ["v1", "v2", "draft-29"]
        );
    }
}
