//! IPv4 and IPv6, down to the TCP or UDP header.

use std::net::Ipv4Addr;

use super::header::{DEEPEST, u16_at};

/// A header above IP with the fields of its IP header.
pub(super) struct Packet<'a> {
    /// 4 or 6.
    pub version: u8,
    pub source: u128,
    pub destination: u128,
    /// IPv4's identification; 0 in IPv6.
    pub id: u16,
    /// The captured part of header and payload.
    pub data: &'a [u8],
    /// Length of header and payload on the wire.
    pub length: usize,
    /// Length of the IP packet on the wire.
    pub packet: usize,
}

pub(super) enum Transport<'a> {
    /// What the IP header carries, and the number of its protocol.
    Packet(u8, Packet<'a>),
    /// A protocol that is not read here.
    Other(u8),
    Fragment,
    Cut,
}

pub(super) const IPV4: u8 = 4;
pub(super) const TCP: u8 = 6;
pub(super) const UDP: u8 = 17;
pub(super) const IPV6: u8 = 41;
pub(super) const GRE: u8 = 47;

/// Whether a protocol's header is read here: a transport's or a tunnel's.
fn is_read(protocol: u8) -> bool {
    matches!(protocol, TCP | UDP | IPV4 | IPV6 | GRE)
}

/// `on_wire`: bytes from here on by the capture's account; `limit`: by that of the link layer.
pub(super) fn transport(packet: &[u8], on_wire: usize, limit: Option<usize>) -> Transport<'_> {
    let limit = limit.unwrap_or(usize::MAX);
    match packet.first().map(|byte| byte >> 4) {
        Some(4) => v4(packet, on_wire, limit),
        Some(6) => v6(packet, on_wire, limit),
        _ => Transport::Cut,
    }
}

fn v4(packet: &[u8], on_wire: usize, limit: usize) -> Transport<'_> {
    let Some(header) = packet.first_chunk::<20>() else {
        return Transport::Cut;
    };
    if !is_read(header[9]) {
        return Transport::Other(header[9]);
    }
    let field = |at| u16_at(header, at).unwrap_or(0);
    if field(6) & 0x1fff != 0 {
        return Transport::Fragment;
    }
    let own = usize::from(header[0] & 0x0f) * 4;
    // A sender that leaves segmentation to its card hands over packets that are too long for the
    // field.
    let total = match usize::from(field(2)) {
        0 => on_wire,
        total => total.min(limit),
    };
    let (Some(data), Some(length), 20..) = (packet.get(own..), total.checked_sub(own), own) else {
        return Transport::Cut;
    };
    let address = |at: usize| {
        let octets = [header[at], header[at + 1], header[at + 2], header[at + 3]];
        u128::from(Ipv4Addr::from(octets).to_ipv6_mapped())
    };
    let packet = Packet {
        version: 4,
        source: address(12),
        destination: address(16),
        id: field(4),
        data,
        length,
        packet: total,
    };
    Transport::Packet(header[9], packet)
}

fn v6(packet: &[u8], on_wire: usize, limit: usize) -> Transport<'_> {
    let Some(header) = packet.first_chunk::<40>() else {
        return Transport::Cut;
    };
    let total = match usize::from(u16_at(header, 4).unwrap_or(0)) {
        0 => on_wire,
        payload => (payload + 40).min(limit),
    };
    let (at, protocol) = match upper_layer(packet, header[6]) {
        Ok(at) => at,
        Err(other) => return other,
    };
    let (Some(data), Some(length)) = (packet.get(at..), total.checked_sub(at)) else {
        return Transport::Cut;
    };
    let address = |at: usize| {
        packet
            .get(at..)
            .and_then(|rest| rest.first_chunk().copied())
            .map(u128::from_be_bytes)
    };
    let packet = Packet {
        version: 6,
        source: address(8).unwrap_or(0),
        destination: address(24).unwrap_or(0),
        id: 0,
        data,
        length,
        packet: total,
    };
    Transport::Packet(protocol, packet)
}

/// Steps over the extension headers of RFC 8200 and returns where the upper layer begins, and its
/// protocol.
fn upper_layer(packet: &[u8], mut next: u8) -> Result<(usize, u8), Transport<'static>> {
    let mut at = 40;
    for _ in 0..DEEPEST {
        if is_read(next) {
            return Ok((at, next));
        }
        let length = match next {
            // Hop-by-hop, routing, destination, mobility, host identity, shim.
            0 | 43 | 60 | 135 | 139 | 140 => packet
                .get(at + 1)
                .map(|&units| (usize::from(units) + 1) * 8),
            51 => packet
                .get(at + 1)
                .map(|&units| (usize::from(units) + 2) * 4),
            44 => match u16_at(packet, at + 2) {
                Some(offset) if offset & 0xfff8 != 0 => return Err(Transport::Fragment),
                Some(_) => Some(8),
                None => None,
            },
            _ => return Err(Transport::Other(next)),
        };
        match (length, packet.get(at)) {
            (Some(length), Some(&following)) => (next, at) = (following, at + length),
            _ => return Err(Transport::Cut),
        }
    }
    Err(Transport::Other(next))
}
