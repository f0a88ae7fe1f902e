//! Tunnels: packets in the payload of others, as mirrors of switches and clouds write them.

use super::header::{DEEPEST, u16_at, u32_at};
use super::ip::{self, Packet};
use super::link::{self, Network};

/// An encapsulation that was removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Tunnel {
    Vxlan,
    Geneve,
    Gre,
    Erspan,
    GtpU,
    BridgeTag,
    VnTag,
    /// One IP version in another: outer, inner.
    Ip(u8, u8),
}

impl Tunnel {
    /// Its name for people.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Tunnel::Vxlan => "VXLAN",
            Tunnel::Geneve => "Geneve",
            Tunnel::Gre => "GRE",
            Tunnel::Erspan => "ERSPAN",
            Tunnel::GtpU => "GTP-U",
            Tunnel::BridgeTag => "802.1BR",
            Tunnel::VnTag => "VN-Tag",
            Tunnel::Ip(4, 6) => "6in4",
            Tunnel::Ip(6, 4) => "4in6",
            Tunnel::Ip(6, _) => "6in6",
            Tunnel::Ip(..) => "IP in IP",
        }
    }
}

/// The tag of a port extender that a frame begins with.
pub(super) fn bridge_tag(kind: u32, data: &[u8]) -> Option<Tunnel> {
    match u16_at(data, 12).filter(|_| kind == link::ETHERNET)? {
        link::BRIDGE_TAG => Some(Tunnel::BridgeTag),
        link::VN_TAG => Some(Tunnel::VnTag),
        _ => None,
    }
}

/// What is inside of a tunnel.
pub(super) struct Inside {
    pub tunnel: Tunnel,
    /// Where the inner packet begins, counted from the tunnel's header.
    pub at: usize,
    content: Content,
    /// The identifier of one of the networks in a tunnel: a VNI, a key, a TEID.
    id: Option<u32>,
}

enum Content {
    Link(u32),
    EtherType(u16),
}

impl Inside {
    fn new(tunnel: Tunnel, at: usize, content: Content) -> Option<Self> {
        Some(Inside {
            tunnel,
            at,
            content,
            id: None,
        })
    }

    fn of_network(self, id: Option<u32>) -> Self {
        Inside { id, ..self }
    }

    /// The identifiers of an inner packet's network, which other networks with the same addresses do not have.
    pub(super) fn network_ids<'a>(
        &self,
        data: &'a [u8],
    ) -> impl Iterator<Item = u32> + 'a + use<'a> {
        let link = match self.content {
            Content::Link(link) => link,
            Content::EtherType(_) => link::RAW,
        };
        self.id.into_iter().chain(link::vlans(link, data))
    }

    /// Where in the inner packet an IP header begins.
    pub(super) fn network(&self, data: &[u8]) -> Network {
        match self.content {
            Content::Link(link) => link::network(link, data),
            Content::EtherType(kind) => link::above(data, kind, 0),
        }
    }
}

/// The tunnel that a packet is, if it is one: by the protocol above IP, and of UDP by port and header.
pub(super) fn inside(protocol: u8, packet: &Packet) -> Option<Inside> {
    let outer = packet.version;
    let raw = Content::Link(link::RAW);
    match protocol {
        ip::IPV4 => Inside::new(Tunnel::Ip(outer, 4), 0, raw),
        ip::IPV6 => Inside::new(Tunnel::Ip(outer, 6), 0, raw),
        ip::GRE => gre(packet.data),
        ip::UDP => udp(packet.data),
        _ => None,
    }
}

/// Transparent Ethernet bridging, in GRE and Geneve.
const BRIDGED: u16 = 0x6558;

fn of_type(tunnel: Tunnel, at: usize, kind: u16) -> Option<Inside> {
    let content = match kind {
        BRIDGED => Content::Link(link::ETHERNET),
        _ => Content::EtherType(kind),
    };
    Inside::new(tunnel, at, content)
}

/// RFC 2784 and RFC 2890; version 1 is PPTP's (RFC 2637, section 4.1).
fn gre(data: &[u8]) -> Option<Inside> {
    const CHECKSUM: u16 = 0x8000;
    const ROUTING: u16 = 0x4000;
    const KEY: u16 = 0x2000;
    const SEQUENCE: u16 = 0x1000;
    const ACKNOWLEDGEMENT: u16 = 0x0080;
    let (flags, kind) = (u16_at(data, 0)?, u16_at(data, 2)?);
    let length = |fields: &[u16]| {
        let present = fields.iter().filter(|&&field| flags & field != 0);
        4 + 4 * present.count()
    };
    if flags & 7 == 1 {
        let at = length(&[KEY, SEQUENCE, ACKNOWLEDGEMENT]);
        return Inside::new(Tunnel::Gre, at, Content::Link(link::PPP));
    }
    let at = length(&[CHECKSUM | ROUTING, KEY, SEQUENCE]);
    match kind {
        0x88be | 0x22eb => erspan(data, at, kind, flags & SEQUENCE != 0),
        _ => {
            let key = u32_at(data, length(&[CHECKSUM | ROUTING]));
            let key = key.filter(|_| flags & KEY != 0);
            Some(of_type(Tunnel::Gre, at, kind)?.of_network(key))
        }
    }
}

/// The three types of draft-foschiano-erspan-03: type I has no header, type II is announced by GRE's sequence number.
fn erspan(data: &[u8], at: usize, kind: u16, numbered: bool) -> Option<Inside> {
    const TYPE_III: u16 = 0x22eb;
    let header = match kind {
        // The last bit announces a subheader of the platform.
        TYPE_III if data.get(at + 11)? & 1 == 1 => 20,
        TYPE_III => 12,
        _ if numbered => 8,
        _ => 0,
    };
    Inside::new(Tunnel::Erspan, at + header, Content::Link(link::ETHERNET))
}

fn udp(data: &[u8]) -> Option<Inside> {
    const HEADER: usize = 8;
    let payload = data.get(HEADER..)?;
    match u16_at(data, 2)? {
        // The second is Linux's older default.
        4789 | 8472 => vxlan(payload, HEADER),
        6081 => geneve(payload, HEADER),
        2152 => gtp_u(payload, HEADER),
        _ => None,
    }
}

/// RFC 7348, section 5: the flag I is set; the first bit is the group policy extension's.
fn vxlan(data: &[u8], at: usize) -> Option<Inside> {
    (data.first()? & 0x7f == 0x08).then_some(())?;
    let inside = Inside::new(Tunnel::Vxlan, at + 8, Content::Link(link::ETHERNET))?;
    Some(inside.of_network(u32_at(data, 4)))
}

/// RFC 8926, section 3.4.
fn geneve(data: &[u8], at: usize) -> Option<Inside> {
    let first = *data.first()?;
    (first >> 6 == 0).then_some(())?;
    let options = usize::from(first & 0x3f) * 4;
    let inside = of_type(Tunnel::Geneve, at + 8 + options, u16_at(data, 2)?)?;
    Some(inside.of_network(u32_at(data, 4)))
}

/// 3GPP TS 29.281, section 5.1: version 1 with a user packet.
fn gtp_u(data: &[u8], start: usize) -> Option<Inside> {
    const USER_PACKET: u8 = 0xff;
    const OPTIONAL: u8 = 0x07;
    const EXTENDED: u8 = 0x04;
    let flags = *data.first()?;
    (flags >> 4 == 3 && *data.get(1)? == USER_PACKET).then_some(())?;
    let mut at = 8;
    if flags & OPTIONAL != 0 {
        at += 4;
        if flags & EXTENDED != 0 {
            at = beyond_extensions(data, at)?;
        }
    }
    let inside = Inside::new(Tunnel::GtpU, start + at, Content::Link(link::RAW))?;
    Some(inside.of_network(u32_at(data, 4)))
}

/// Each extension header has its length in units of four bytes first and the next one's type last.
fn beyond_extensions(data: &[u8], mut at: usize) -> Option<usize> {
    for _ in 0..DEEPEST {
        if *data.get(at - 1)? == 0 {
            return Some(at);
        }
        let units = usize::from(*data.get(at)?);
        at += 4 * (units > 0).then_some(units)?;
    }
    None
}
