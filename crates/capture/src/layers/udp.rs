//! QUIC in UDP, as far as headers show it (RFC 9000, section 17; RFC 9369 for version 2).
//!
//! What follows a header is encrypted: sizes and times are all there is to see of data.

use super::address::Endpoint;
use super::header::{DEEPEST, u16_at, u32_at};
use super::ip::Packet;
use super::other::Other;

/// A UDP datagram that may be QUIC's.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Datagram {
    /// Nanoseconds since 1970.
    pub time: u64,
    pub source: Endpoint,
    pub destination: Endpoint,
    /// Bytes after the UDP header.
    pub payload: u32,
    pub packets: QuicPackets,
}

/// The headers of a datagram's packets, as far as they were captured (RFC 9000, section 12.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) struct QuicPackets {
    /// Of its first packet; `None` where that has a short header, or is no QUIC: only a known connection decides.
    pub long: Option<LongHeader>,
    pub initial: bool,
    pub handshake: bool,
    pub retry: bool,
    /// A packet with a short header.
    pub short: bool,
}

/// The fields of a long header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LongHeader {
    pub version: u32,
    pub destination: ConnectionId,
    pub source: ConnectionId,
}

/// A connection ID by its digest: whether two are equal is all that matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ConnectionId(u64);

/// The kinds of packets with long headers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Long {
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
/// The longest connection ID of versions 1 and 2 (RFC 9000, section 17.2).
const LONGEST_ID: usize = 20;

/// Reads a datagram; what else it is where it cannot be QUIC's, and nothing where its ports are cut off.
pub(super) fn datagram(packet: &Packet, time: u64) -> Result<Datagram, Option<Other>> {
    const HEADER: usize = 8;
    let data = packet.data;
    let (source, destination) = (u16_at(data, 0).ok_or(None)?, u16_at(data, 2).ok_or(None)?);
    let other = Some(Other::udp(source, destination));
    let payload = data.get(HEADER..).ok_or(other)?;
    let packets = match quic_packets(payload) {
        Ok(Some(packets)) => packets,
        Err(version) if source == HTTPS || destination == HTTPS => {
            return Err(Some(Other::QuicVersion(version)));
        }
        Ok(None) | Err(_) => return Err(other),
    };
    let length = packet.length.checked_sub(HEADER).ok_or(None)?;
    let end = |address, port| Endpoint { address, port };
    Ok(Datagram {
        time,
        source: end(packet.source, source),
        destination: end(packet.destination, destination),
        payload: u32::try_from(length).map_err(|_| None)?,
        packets,
    })
}

/// Any UDP may look like a long header of an unknown version; on this port it is one.
const HTTPS: u16 = 443;

/// The packets of a datagram: none where it cannot be QUIC's, and the version where that is not known.
fn quic_packets(data: &[u8]) -> Result<Option<QuicPackets>, u32> {
    let mut packets = QuicPackets::default();
    let mut at = 0;
    for _ in 0..DEEPEST {
        match data.get(at) {
            Some(first) if first & LONG != 0 => match long_packet(&data[at..]) {
                Ok(Some((header, kind, length))) => {
                    packets.long.get_or_insert(header);
                    packets.initial |= kind == Long::Initial;
                    packets.handshake |= kind == Long::Handshake;
                    packets.retry |= kind == Long::Retry;
                    match length {
                        Some(length) => at += length,
                        None => break,
                    }
                }
                Err(version) if at == 0 => return Err(version),
                _ => break,
            },
            Some(first) if first & FIXED != 0 => {
                packets.short = true;
                break;
            }
            // Padding behind the last packet, or the end.
            _ => break,
        }
    }
    Ok((packets.long.is_some() || packets.short).then_some(packets))
}

/// A packet with a long header, and its length where that was captured; its version where that is not known.
fn long_packet(data: &[u8]) -> Result<Option<(LongHeader, Long, Option<usize>)>, u32> {
    let (Some(&first), Some(version)) = (data.first(), u32_at(data, 1)) else {
        return Ok(None);
    };
    let kinds = match version {
        VERSION_2 => [Long::Retry, Long::Initial, Long::ZeroRtt, Long::Handshake],
        known if known == VERSION_1 || DRAFTS.contains(&known) => {
            [Long::Initial, Long::ZeroRtt, Long::Handshake, Long::Retry]
        }
        unknown => return Err(unknown),
    };
    let ids = connection_id(data, 5)
        .and_then(|(destination, at)| Some((destination, connection_id(data, at)?)));
    let (true, Some((destination, (source, at)))) = (first & FIXED != 0, ids) else {
        return Ok(None);
    };
    let kind = kinds[usize::from(first >> 4 & 3)];
    let header = LongHeader {
        version,
        destination,
        source,
    };
    Ok(Some((header, kind, length(data, at, kind))))
}

/// The connection ID whose length is at `at`, and where it ends.
fn connection_id(data: &[u8], at: usize) -> Option<(ConnectionId, usize)> {
    let length = usize::from(*data.get(at)?);
    let id = data.get(at + 1..at + 1 + length)?;
    (length <= LONGEST_ID).then_some(())?;
    // FNV-1a.
    let digest = id.iter().fold(0xcbf2_9ce4_8422_2325, |hash: u64, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    Some((ConnectionId(digest), at + 1 + length))
}

/// Where a packet with a long header ends (RFC 9000, section 17.2): behind token and length.
fn length(data: &[u8], mut at: usize, kind: Long) -> Option<usize> {
    if kind == Long::Retry {
        return None;
    }
    if kind == Long::Initial {
        let (token, behind) = variable(data, at)?;
        at = behind.checked_add(usize::try_from(token).ok()?)?;
    }
    let (length, behind) = variable(data, at)?;
    behind.checked_add(usize::try_from(length).ok()?)
}

/// A number of variable length (RFC 9000, section 16), and where it ends.
fn variable(data: &[u8], at: usize) -> Option<(u64, usize)> {
    let first = *data.get(at)?;
    let end = at + (1 << (first >> 6));
    let rest = data.get(at + 1..end)?;
    let number = rest.iter().fold(u64::from(first & 0x3f), |number, &byte| {
        number << 8 | u64::from(byte)
    });
    Some((number, end))
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
    use proptest::prelude::*;

    /// A long header with connection IDs of these bytes, an empty token where there is one, and a payload.
    fn long(first: u8, version: u32, ids: [u8; 2], payload: &[u8]) -> Vec<u8> {
        let mut data = vec![first];
        data.extend(version.to_be_bytes());
        data.extend(ids.iter().flat_map(|&id| [1, id]));
        if first >> 4 & 3 == u8::from(version == VERSION_2) {
            data.push(0);
        }
        data.push(payload.len() as u8);
        data.extend(payload);
        data
    }

    fn packets(data: &[u8]) -> QuicPackets {
        quic_packets(data).unwrap().unwrap()
    }

    #[test]
    fn long_headers_are_known_by_their_version_and_numbered_as_it_numbers_them() {
        let of = |first, version| packets(&long(first, version, [1, 2], &[9; 4]));
        assert!(of(0xc3, 1).initial);
        assert!(of(0xe0, 1).handshake);
        assert!(of(0xf0, 1).retry);
        assert!(of(0xd0, VERSION_2).initial);
        assert!(of(0xc0, 0xff00_001d).initial);
        assert_eq!(of(0xc0, 1).long.map(|header| header.version), Some(1));
        assert_eq!(
            quic_packets(&long(0xc0, 0x1234_5678, [1, 2], &[])),
            Err(0x1234_5678)
        );
        assert_eq!(quic_packets(&long(0x80, 1, [1, 2], &[])), Ok(None));
        assert!(packets(&[0x45, 77]).short);
        assert_eq!(quic_packets(&[0xc0, 0, 0]), Ok(None));
        assert_eq!(quic_packets(&[0x17, 0, 0]), Ok(None));
    }

    #[test]
    fn every_packet_of_a_datagram_is_read() {
        let mut data = long(0xc0, 1, [1, 2], &[9; 40]);
        data.extend(long(0xe0, 1, [1, 2], &[9; 30]));
        data.extend([0x41, 1, 2, 3]);
        let all = packets(&data);
        assert!(all.initial && all.handshake && all.short && !all.retry);
        // A snap length hides what is behind it.
        let cut = packets(&data[..30]);
        assert!(cut.initial && !cut.handshake && !cut.short);
        // Padding behind the last packet is no packet.
        let mut padded = long(0xc0, 1, [1, 2], &[9; 40]);
        padded.extend([0; 1000]);
        assert!(!packets(&padded).short);
    }

    #[test]
    fn connection_ids_are_compared_by_their_bytes() {
        let ids = |ids| {
            let header = packets(&long(0xc0, 1, ids, &[9; 4])).long.unwrap();
            (header.destination, header.source)
        };
        assert_eq!(ids([1, 2]).0, ids([2, 1]).1);
        assert_ne!(ids([1, 2]).0, ids([1, 2]).1);
    }

    proptest! {
        #[test]
        fn no_bytes_make_the_packets_panic(data in prop::collection::vec(any::<u8>(), 0..100), first in 0xc0u8..) {
            let _ = quic_packets(&data);
            let mut long = vec![first, 0, 0, 0, 1];
            long.extend(data);
            let _ = quic_packets(&long);
        }
    }

    #[test]
    fn versions_are_named_as_people_write_them() {
        assert_eq!(
            [1, VERSION_2, 0xff00_001d].map(version_name),
            ["v1", "v2", "draft-29"]
        );
    }
}
