//! IPv4 and IPv6, down to the TCP or UDP header.

use std::net::Ipv4Addr;

use super::header::{u16_at, DEEPEST};

/// A TCP or UDP header with the fields of its IP header.
pub(super) struct Packet<'a> {
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
    Tcp(Packet<'a>),
    Udp(Packet<'a>),
    Other,
    Fragment,
    Cut,
}

const TCP: u8 = 6;
const UDP: u8 = 17;

/// The packet, by the protocol in it.
fn of_protocol(protocol: u8, packet: Packet<'_>) -> Transport<'_> {
    match protocol {
        TCP => Transport::Tcp(packet),
        UDP => Transport::Udp(packet),
        _ => Transport::Other,
    }
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
    if !matches!(header[9], TCP | UDP) {
        return Transport::Other;
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
        source: address(12),
        destination: address(16),
        id: field(4),
        data,
        length,
        packet: total,
    };
    of_protocol(header[9], packet)
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
        source: address(8).unwrap_or(0),
        destination: address(24).unwrap_or(0),
        id: 0,
        data,
        length,
        packet: total,
    };
    of_protocol(protocol, packet)
}

/// Steps over the extension headers of RFC 8200 and returns where TCP or UDP begins, and which of
/// them.
fn upper_layer(packet: &[u8], mut next: u8) -> Result<(usize, u8), Transport<'static>> {
    let mut at = 40;
    for _ in 0..DEEPEST {
        if matches!(next, TCP | UDP) {
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
            _ => return Err(Transport::Other),
        };
        match (length, packet.get(at)) {
            (Some(length), Some(&following)) => (next, at) = (following, at + length),
            _ => return Err(Transport::Cut),
        }
    }
    Err(Transport::Other)
}
