//! The TCP header (RFC 9293) and those of its options that a study of startup needs (RFC 7323).

use super::address::Endpoint;
use super::header::{u16_at, u32_at};
use super::ip::Packet;

pub(crate) const FIN: u8 = 0x01;
pub(crate) const SYN: u8 = 0x02;
pub(crate) const RST: u8 = 0x04;
pub(crate) const ACK: u8 = 0x10;
pub(crate) const ECE: u8 = 0x40;
pub(crate) const CWR: u8 = 0x80;

/// One segment, small enough to be handed on by value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Segment {
    /// Nanoseconds since 1970.
    pub time: u64,
    pub source: Endpoint,
    pub destination: Endpoint,
    pub sequence: u32,
    pub acknowledgement: u32,
    pub window: u16,
    pub flags: u8,
    /// Bytes of payload on the wire.
    pub payload: u32,
    /// Bytes of the whole IP packet.
    pub length: u32,
    pub options: Options,
    /// Differs between two packets unless one is a copy of the other, taken at another place of the same host.
    pub print: u64,
    /// Differs between networks whose addresses may be equal: VLANs, and networks in tunnels.
    pub domain: u32,
    /// The IP header has an identification, which differs between packets (RFC 6864).
    pub identified: bool,
}

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Options {
    pub mss: Option<u16>,
    pub scale: Option<u8>,
    /// Selective acknowledgements are permitted.
    pub sack: bool,
    /// There are selective acknowledgements.
    pub blocks: bool,
    /// Time stamp and echoed time stamp.
    pub stamp: Option<(u32, u32)>,
    /// All options were captured: what is not among them was not sent.
    pub whole: bool,
}

impl Segment {
    pub(crate) fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }
}

/// The largest shift that RFC 7323 allows (section 2.3): a larger one is to be read as this.
const LARGEST_SCALE: u8 = 14;

/// Reads a header of which at least the window was captured.
pub(super) fn segment(packet: &Packet, time: u64, domain: u32) -> Option<Segment> {
    let data = packet.data;
    let endpoint = |address, at| {
        Some(Endpoint {
            address,
            port: u16_at(data, at)?,
        })
    };
    let (offset, flags) = (usize::from(data.get(12)? >> 4) * 4, *data.get(13)?);
    if offset < 20 {
        return None;
    }
    let area = data.get(20.min(data.len())..offset.min(data.len()))?;
    let mut options = options(area);
    options.whole &= data.len() >= offset;
    let mut segment = Segment {
        time,
        source: endpoint(packet.source, 0)?,
        destination: endpoint(packet.destination, 2)?,
        sequence: u32_at(data, 4)?,
        acknowledgement: u32_at(data, 8)?,
        window: u16_at(data, 14)?,
        flags,
        payload: packet.length.checked_sub(offset)? as u32,
        length: packet.packet as u32,
        options,
        print: 0,
        domain,
        identified: packet.id != 0,
    };
    segment.print = fingerprint(&segment, packet.id, area);
    Some(segment)
}

fn options(mut area: &[u8]) -> Options {
    let mut found = Options {
        whole: true,
        ..Options::default()
    };
    while let Some(&kind) = area.first() {
        let length = match (kind, area.get(1)) {
            (0, _) => break,
            (1, _) => 1,
            (_, Some(&length)) if length >= 2 => usize::from(length),
            _ => {
                found.whole = false;
                break;
            }
        };
        match (kind, length) {
            (2, 4) => found.mss = u16_at(area, 2),
            (3, 3) => found.scale = area.get(2).map(|&scale| scale.min(LARGEST_SCALE)),
            (4, 2) => found.sack = true,
            (5, 10..) => found.blocks = true,
            (8, 10) => found.stamp = u32_at(area, 2).zip(u32_at(area, 6)),
            _ => {}
        }
        match area.get(length..) {
            Some(rest) => area = rest,
            None => {
                found.whole = false;
                break;
            }
        }
    }
    found
}

fn fingerprint(segment: &Segment, id: u16, options: &[u8]) -> u64 {
    let mix = |hash: u64, value: u64| {
        (hash ^ value)
            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            .rotate_left(29)
    };
    let numbers = (u64::from(segment.sequence) << 32) | u64::from(segment.acknowledgement);
    let rest = (u64::from(id) << 40) | (u64::from(segment.flags) << 32) | u64::from(segment.window);
    let mut hash = mix(mix(mix(1, numbers), rest), u64::from(segment.payload));
    let (words, rest) = options.as_chunks();
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    for word in words.iter().chain((!rest.is_empty()).then_some(&last)) {
        hash = mix(hash, u64::from_le_bytes(*word));
    }
    hash
}
