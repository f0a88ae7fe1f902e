//! Link layers: where in a packet the IP header begins.
//!
//! Numbers are those of the registry of link-layer header types (LINKTYPE_*), and the EtherTypes of IEEE 802.

use super::header::{DEEPEST, u16_at};
use super::other::Other;

/// The protocol above the link layer.
pub(super) enum Network {
    /// An IP header at this offset, and where its packet must end, if the link layer gives it.
    Ip(usize, Option<usize>),
    Other(Other),
    Cut,
    Unknown,
}

const NULL: u32 = 0;
pub(super) const ETHERNET: u32 = 1;
pub(super) const PPP: u32 = 9;
const RAW_OLD: [u32; 2] = [12, 14];
const PPP_HDLC: u32 = 50;
const PPP_ETHER: u32 = 51;
pub(super) const RAW: u32 = 101;
const LOOP: u32 = 108;
const LINUX_COOKED: u32 = 113;
const IPV4: u32 = 228;
const IPV6: u32 = 229;
const NFLOG: u32 = 239;
const LINUX_COOKED_2: u32 = 276;

/// The name of a link type for people, and its number where there is none here.
pub(crate) fn name(link: u32) -> String {
    match link {
        NULL | LOOP => "BSD loopback".into(),
        ETHERNET => "Ethernet".into(),
        PPP | PPP_HDLC => "PPP".into(),
        PPP_ETHER => "PPPoE".into(),
        RAW | IPV4 | IPV6 => "raw IP".into(),
        link if RAW_OLD.contains(&link) => "raw IP".into(),
        LINUX_COOKED => "Linux cooked v1".into(),
        LINUX_COOKED_2 => "Linux cooked v2".into(),
        NFLOG => "NFLOG".into(),
        6 => "Token Ring".into(),
        105 => "IEEE 802.11".into(),
        119 | 127 | 163 | 192 => "IEEE 802.11 with radio headers".into(),
        147..=162 => format!("private link type {link}"),
        187 | 201 | 251 | 256 => "Bluetooth".into(),
        189 | 220 | 249 => "USB".into(),
        195 | 215 | 230 | 283 => "IEEE 802.15.4".into(),
        227 => "SocketCAN".into(),
        253 => "Linux netlink".into(),
        258 => "macOS PKTAP".into(),
        _ => format!("link type {link}"),
    }
}

pub(super) fn network(link: u32, data: &[u8]) -> Network {
    match link {
        ETHERNET => by_type(data, 12),
        LINUX_COOKED => by_type(data, 14),
        LINUX_COOKED_2 => match u16_at(data, 0) {
            Some(kind) => above(data, kind, 20),
            None => Network::Cut,
        },
        RAW | IPV4 | IPV6 => by_version(data, 0),
        link if RAW_OLD.contains(&link) => by_version(data, 0),
        // The address family before the packet has a different number for IPv6 on every system: the packet itself
        // says it better.
        NULL | LOOP => by_version(data, 4),
        PPP | PPP_HDLC => match data {
            [0xff, 0x03, ..] => ppp(data, 2),
            _ => ppp(data, 0),
        },
        PPP_ETHER => pppoe(data, 0),
        NFLOG => nflog(data),
        _ => Network::Unknown,
    }
}

/// The payload among the attributes of a netfilter log message (`nfnetlink_log.h`, NFULA_PAYLOAD).
///
/// Attributes are in the byte order of the host that wrote them. Their types are small numbers, so the order is known by
/// the byte of the first type that is zero.
fn nflog(data: &[u8]) -> Network {
    const HEADER: usize = 4;
    const PAYLOAD: u16 = 9;
    let little = data.get(HEADER + 3) == Some(&0);
    let number = |at| u16_at(data, at).map(|n| if little { n.swap_bytes() } else { n });
    let mut at = HEADER;
    while let (Some(length), Some(kind)) = (number(at), number(at + 2)) {
        if kind == PAYLOAD {
            return by_version(data, at + 4);
        }
        if length < 4 {
            return Network::Cut;
        }
        at += usize::from(length).next_multiple_of(4);
    }
    Network::Cut
}

/// IEEE 802.1BR's E-TAG, and Cisco's VN-Tag.
pub(super) const BRIDGE_TAG: u16 = 0x893f;
pub(super) const VN_TAG: u16 = 0x8926;

fn by_type(data: &[u8], at: usize) -> Network {
    match u16_at(data, at) {
        Some(kind) => above(data, kind, at + 2),
        None => Network::Cut,
    }
}

/// The numbers of the VLANs in a frame's tags, outer ones first.
pub(super) fn vlans(link: u32, data: &[u8]) -> impl Iterator<Item = u32> + '_ {
    let mut at = match link {
        ETHERNET => 12,
        LINUX_COOKED => 14,
        _ => usize::MAX - 4,
    };
    std::iter::from_fn(move || {
        let is_tag = matches!(u16_at(data, at), Some(0x8100 | 0x88a8 | 0x9100 | 0x9200));
        let number = u16_at(data, at + 2).filter(|_| is_tag)?;
        at += 4;
        Some(u32::from(number & 0x0fff))
    })
}

/// Follows tags and tunnels from one EtherType to the next.
pub(super) fn above(data: &[u8], mut kind: u16, mut at: usize) -> Network {
    for _ in 0..DEEPEST {
        match kind {
            0x0800 | 0x86dd => return by_version(data, at),
            // 802.1Q, 802.1ad, and the numbers used for the outer tag before there was a standard.
            0x8100 | 0x88a8 | 0x9100 | 0x9200 => match u16_at(data, at + 2) {
                Some(inner) => (kind, at) = (inner, at + 4),
                None => return Network::Cut,
            },
            BRIDGE_TAG => match u16_at(data, at + 6) {
                Some(inner) => (kind, at) = (inner, at + 8),
                None => return Network::Cut,
            },
            VN_TAG => match u16_at(data, at + 4) {
                Some(inner) => (kind, at) = (inner, at + 6),
                None => return Network::Cut,
            },
            0x8864 => return pppoe(data, at),
            0x8847 | 0x8848 => return mpls(data, at),
            // 802.3 length, then LLC with SNAP.
            0..=1500 if data.get(at..at + 6) == Some(&[0xaa, 0xaa, 3, 0, 0, 0]) => {
                match u16_at(data, at + 6) {
                    Some(inner) => (kind, at) = (inner, at + 8),
                    None => return Network::Cut,
                }
            }
            _ => return Network::Other(Other::EtherType(kind)),
        }
    }
    Network::Other(Other::EtherType(kind))
}

fn by_version(data: &[u8], at: usize) -> Network {
    match data.get(at).map(|byte| byte >> 4) {
        Some(4 | 6) => Network::Ip(at, None),
        Some(_) => Network::Other(Other::NotIp),
        None => Network::Cut,
    }
}

/// PPPoE names its own length (RFC 2516), and some access concentrators leave Ethernet's padding in that of IP.
fn pppoe(data: &[u8], at: usize) -> Network {
    match (ppp(data, at + 6), u16_at(data, at + 4)) {
        (Network::Ip(ip, None), Some(length)) => {
            Network::Ip(ip, Some(at + 6 + usize::from(length)))
        }
        (network, _) => network,
    }
}

fn ppp(data: &[u8], at: usize) -> Network {
    match (data.get(at), u16_at(data, at)) {
        (_, Some(0x0021 | 0x0057)) => by_version(data, at + 2),
        // Compressed to one byte, which is then odd (RFC 1661, section 6.5).
        (Some(0x21 | 0x57), _) => by_version(data, at + 1),
        (None, _) => Network::Cut,
        _ => Network::Other(Other::NotIp),
    }
}

/// A label stack does not name its payload: the first half-byte after it decides (RFC 4928), 0 being the
/// control word before an Ethernet frame (RFC 4448).
fn mpls(data: &[u8], start: usize) -> Network {
    for label in 0..DEEPEST {
        let at = start + 4 * label;
        match data.get(at + 2) {
            Some(byte) if byte & 1 == 1 => {
                return match data.get(at + 4).map(|byte| byte >> 4) {
                    Some(4 | 6) => Network::Ip(at + 4, None),
                    Some(0) => match u16_at(data, at + 8 + 12) {
                        Some(0x0800 | 0x86dd) => by_version(data, at + 8 + 14),
                        _ => Network::Other(Other::NotIp),
                    },
                    Some(_) => Network::Other(Other::NotIp),
                    None => Network::Cut,
                };
            }
            Some(_) => {}
            None => return Network::Cut,
        }
    }
    Network::Other(Other::NotIp)
}
