//! From a captured packet to one TCP segment, or to a datagram that may be QUIC's.
//!
//! The headers are taken apart by hand. Captures are cut on purpose (54, 68 or 128 bytes a packet), and what this
//! crate needs of a TCP header is complete long before its options are; a parser that needs whole headers would
//! refuse such packets, and one that continues regardless does not say that the options were cut off, which is the
//! difference between "no window scaling" and "not known". Lengths come from the IP header, never from what was kept.
//! On packets that are whole, the tests compare the result with `etherparse`.

mod address;
mod header;
mod ip;
mod link;
mod other;
mod tcp;
mod tunnel;
mod udp;

pub(crate) use address::{Endpoint, mapped, written};
pub(crate) use link::name as link_name;
pub(crate) use other::{Other, Others};
pub(crate) use tcp::{ACK, CWR, ECE, FIN, RST, SYN, Segment};
pub(crate) use tunnel::Tunnel;
pub(crate) use udp::{ConnectionId, Datagram, version_name};

use std::collections::{BTreeMap, BTreeSet};

use crate::file::order::Timed;

/// What is followed, small enough to be handed on by value.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Passed {
    Tcp(Segment),
    Quic(Datagram),
}

impl Timed for Passed {
    fn same_way(&self, other: &Self) -> bool {
        match (self, other) {
            (Passed::Tcp(a), Passed::Tcp(b)) => {
                (a.source, a.destination) == (b.source, b.destination)
            }
            _ => false,
        }
    }

    fn time(&self) -> u64 {
        match self {
            Passed::Tcp(segment) => segment.time,
            Passed::Quic(datagram) => datagram.time,
        }
    }
}

/// What a packet was.
pub(crate) enum Decoded {
    Passed(Passed),
    LeftOut(LeftOut),
}

/// A packet that is not followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LeftOut {
    /// Neither TCP nor a known version of QUIC.
    Other(Other),
    /// A later fragment: TCP's payload perhaps, but not its header.
    Fragment,
    /// Its headers are not all there, or contradict each other.
    Unreadable,
    /// A link type that is not known here.
    UnknownLink,
}

impl From<LeftOut> for Decoded {
    fn from(left_out: LeftOut) -> Self {
        Decoded::LeftOut(left_out)
    }
}

/// Takes one packet apart, through the tunnels that it passed. It counts once for each kind of tunnel.
pub(crate) fn decode(
    link: u32,
    data: &[u8],
    original: u32,
    time: u64,
    removed: &mut BTreeMap<Tunnel, u64>,
) -> Decoded {
    let on_wire = (original as usize).max(data.len());
    if let Some(tag) = tunnel::bridge_tag(link, data) {
        *removed.entry(tag).or_default() += 1;
    }
    let mut passed = BTreeSet::new();
    let mut domain = link::vlans(link, data).fold(0, mixed);
    let mut layer = (link::network(link, data), data, on_wire);
    for _ in 0..header::DEEPEST {
        let (network, data, on_wire) = layer;
        let (protocol, packet) = match above_ip(network, data, on_wire) {
            Ok(found) => found,
            Err(left_out) => return left_out.into(),
        };
        let Some(inside) = tunnel::inside(protocol, &packet) else {
            return transport(protocol, &packet, time, domain);
        };
        let (Some(inner), Some(length)) = (
            packet.data.get(inside.at..),
            packet.length.checked_sub(inside.at),
        ) else {
            return LeftOut::Unreadable.into();
        };
        if passed.insert(inside.tunnel) {
            *removed.entry(inside.tunnel).or_default() += 1;
        }
        domain = inside.network_ids(inner).fold(domain, mixed);
        layer = (inside.network(inner), inner, length);
    }
    LeftOut::Unreadable.into()
}

/// The header above IP and its protocol, or what the packet is instead.
fn above_ip(
    network: link::Network,
    data: &[u8],
    on_wire: usize,
) -> Result<(u8, ip::Packet<'_>), LeftOut> {
    let (at, end) = match network {
        link::Network::Ip(at, end) => (at, end),
        link::Network::Other(other) => return Err(LeftOut::Other(other)),
        link::Network::Cut => return Err(LeftOut::Unreadable),
        link::Network::Unknown => return Err(LeftOut::UnknownLink),
    };
    let packet = data.get(at..).ok_or(LeftOut::Unreadable)?;
    let limit = end.map(|end| end.saturating_sub(at));
    match ip::transport(packet, on_wire.saturating_sub(at), limit) {
        ip::Transport::Packet(protocol, packet) => Ok((protocol, packet)),
        ip::Transport::Other(protocol) => Err(LeftOut::Other(Other::Protocol(protocol))),
        ip::Transport::Fragment => Err(LeftOut::Fragment),
        ip::Transport::Cut => Err(LeftOut::Unreadable),
    }
}

/// The digest of a network's identifiers with one more.
fn mixed(domain: u32, id: u32) -> u32 {
    (domain.rotate_left(13) ^ id.wrapping_add(1)).wrapping_mul(0x9e37_79b1)
}

fn transport(protocol: u8, packet: &ip::Packet, time: u64, domain: u32) -> Decoded {
    match protocol {
        ip::TCP => match tcp::segment(packet, time, domain) {
            Some(segment) => Decoded::Passed(Passed::Tcp(segment)),
            None => LeftOut::Unreadable.into(),
        },
        ip::UDP => match udp::datagram(packet, time) {
            Ok(datagram) => Decoded::Passed(Passed::Quic(datagram)),
            Err(Some(other)) => LeftOut::Other(other).into(),
            Err(None) => LeftOut::Unreadable.into(),
        },
        protocol => LeftOut::Other(Other::Protocol(protocol)).into(),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use etherparse::{PacketBuilder, TcpOptionElement};
    use proptest::prelude::*;

    fn decode(link: u32, data: &[u8], original: u32) -> Decoded {
        super::decode(link, data, original, 0, &mut BTreeMap::new())
    }

    /// A segment without flags but ACK.
    pub(crate) fn plain() -> Segment {
        Segment {
            flags: ACK,
            ..segment(1, &ethernet())
        }
    }

    fn segment(link: u32, data: &[u8]) -> Segment {
        match decode(link, data, data.len() as u32) {
            Decoded::Passed(Passed::Tcp(segment)) => segment,
            _ => panic!("no segment in {data:02x?}"),
        }
    }

    /// A SYN with the usual options and 5 bytes of payload, over Ethernet.
    fn ethernet() -> Vec<u8> {
        let options = [
            TcpOptionElement::MaximumSegmentSize(1460),
            TcpOptionElement::SelectiveAcknowledgementPermitted,
            TcpOptionElement::Timestamp(7, 8),
            TcpOptionElement::Noop,
            TcpOptionElement::WindowScale(9),
        ];
        let mut data = Vec::new();
        PacketBuilder::ethernet2([1; 6], [2; 6])
            .ipv4([10, 0, 0, 1], [10, 0, 0, 2], 64)
            .tcp(1000, 80, 0xffff_0000, 512)
            .syn()
            .options(&options)
            .unwrap()
            .write(&mut data, b"hello")
            .unwrap();
        data
    }

    fn check(segment: &Segment) {
        assert_eq!((segment.source.port, segment.destination.port), (1000, 80));
        assert_eq!(written(segment.source.address).to_string(), "10.0.0.1");
        assert_eq!(
            (segment.sequence, segment.window, segment.payload),
            (0xffff_0000, 512, 5)
        );
        assert_eq!(segment.flags, SYN);
        let options = segment.options;
        assert!(options.whole);
        assert_eq!(
            (options.mss, options.scale, options.stamp),
            (Some(1460), Some(9), Some((7, 8)))
        );
    }

    #[test]
    fn the_same_segment_is_found_under_every_link_layer() {
        let plain = ethernet();
        let ip = &plain[14..];
        let with = |header: &[u8]| [header, ip].concat();
        let tagged = |tags: &[u8]| [&plain[..12], tags, &plain[12..]].concat();
        let mpls = |labels: &[u8]| [&plain[..12], labels, ip].concat();
        check(&segment(1, &plain));
        check(&segment(1, &tagged(&[0x81, 0, 0, 100])));
        check(&segment(1, &tagged(&[0x88, 0xa8, 0, 200, 0x81, 0, 0, 100])));
        check(&segment(1, &tagged(&[0x89, 0x3f, 0, 0, 0, 1, 0, 0])));
        check(&segment(1, &tagged(&[0x89, 0x26, 0, 1, 0, 2])));
        check(&segment(1, &mpls(&[0x88, 0x47, 0, 1, 0, 64, 0, 2, 1, 64])));
        check(&segment(
            1,
            &mpls(&[0x88, 0x64, 0x11, 0, 0, 1, 0, 67, 0, 0x21]),
        ));
        check(&segment(
            113,
            &with(&[0, 4, 0, 1, 0, 6, 0, 0, 0, 0, 0, 0, 0, 0, 8, 0]),
        ));
        check(&segment(
            276,
            &with(&[8, 0, 0, 0, 0, 0, 0, 5, 0, 1, 0, 6, 0, 0, 0, 0, 0, 0, 0, 0]),
        ));
        for raw in [12, 14, 101, 228] {
            check(&segment(raw, ip));
        }
        check(&segment(0, &with(&[2, 0, 0, 0])));
        check(&segment(108, &with(&[0, 0, 0, 2])));
        check(&segment(9, &with(&[0xff, 3, 0, 0x21])));
        check(&segment(9, &with(&[0, 0x21])));
        let length = (ip.len() + 4) as u16;
        let little = [8, 0, 1, 0, 8, 0, 3, 0]; // a packet header
        let prefix = [5, 0, 10, 0, 0, 0, 0, 0]; // an empty prefix, filled up to 8 bytes
        let payload = [length.to_le_bytes(), 9u16.to_le_bytes()].concat();
        check(&segment(
            239,
            &with(&[&[2, 0, 0, 30][..], &little, &prefix, &payload].concat()),
        ));
        let big = [
            &[0, 8, 0, 1, 8, 0, 3, 0][..],
            &length.to_be_bytes(),
            &[0, 9],
        ]
        .concat();
        check(&segment(239, &with(&[&[2, 0, 0, 30][..], &big].concat())));
    }

    /// An IPv4 packet over Ethernet with this protocol and payload.
    fn over_ipv4(protocol: u8, payload: &[u8]) -> Vec<u8> {
        let mut data = ethernet()[..34].to_vec();
        data[16..18].copy_from_slice(&(20 + payload.len() as u16).to_be_bytes());
        data[23] = protocol;
        data.extend(payload);
        data
    }

    /// A UDP datagram to a port with this header and payload.
    fn over_udp(port: u16, header: &[u8], payload: &[u8]) -> Vec<u8> {
        let length = (8 + header.len() + payload.len()) as u16;
        let udp = [50_000u16, port, length, 0].map(u16::to_be_bytes).concat();
        over_ipv4(17, &[&udp, header, payload].concat())
    }

    #[test]
    fn the_same_segment_is_found_in_every_tunnel() {
        let frame = &ethernet()[..];
        let ip = &frame[14..];
        let gre = |header: &[u8], payload: &[u8]| over_ipv4(47, &[header, payload].concat());
        let mut six = vec![0x60, 0, 0, 0, 0, ip.len() as u8, 4, 64];
        six.extend([0; 32]);
        six.extend(ip);
        let bridged = [0x65, 0x58];
        let erspan = |bytes: &[u8], fields: &[u8]| gre(&[bytes, fields].concat(), frame);
        let tunnels = [
            (
                over_udp(4789, &[8, 0, 0, 0, 0, 0, 7, 0], frame),
                Tunnel::Vxlan,
            ),
            (
                over_udp(8472, &[0x88, 0, 0, 5, 0, 0, 7, 0], frame),
                Tunnel::Vxlan,
            ),
            (
                over_udp(6081, &[0, 0, 0x65, 0x58, 0, 0, 7, 0], frame),
                Tunnel::Geneve,
            ),
            (
                over_udp(6081, &[1, 0, 8, 0, 0, 0, 7, 0, 1, 2, 3, 4], ip),
                Tunnel::Geneve,
            ),
            (
                over_udp(2152, &[0x30, 0xff, 0, 45, 0, 0, 0, 1], ip),
                Tunnel::GtpU,
            ),
            (
                // With a sequence number and the extension header of 5G.
                over_udp(
                    2152,
                    &[0x36, 0xff, 0, 53, 0, 0, 0, 1, 0, 9, 0, 0x85, 1, 0, 9, 0],
                    ip,
                ),
                Tunnel::GtpU,
            ),
            (gre(&[0, 0, 8, 0], ip), Tunnel::Gre),
            (
                gre(&[0xb0, 0, 8, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 9, 9, 9], ip),
                Tunnel::Gre,
            ),
            (
                gre(&[[0x20, 0], bridged, [0, 1], [2, 3]].concat(), frame),
                Tunnel::Gre,
            ),
            (
                gre(&[0x30, 1, 0x88, 0x0b, 0, 1, 2, 3, 0, 0, 0, 9, 0, 0x21], ip),
                Tunnel::Gre,
            ),
            (erspan(&[0, 0, 0x88, 0xbe], &[]), Tunnel::Erspan),
            (erspan(&[0x10, 0, 0x88, 0xbe], &[0; 12]), Tunnel::Erspan),
            (erspan(&[0x10, 0, 0x22, 0xeb], &[0; 16]), Tunnel::Erspan),
            (
                erspan(
                    &[0x10, 0, 0x22, 0xeb],
                    &[&[0; 15][..], &[1], &[0; 8]].concat(),
                ),
                Tunnel::Erspan,
            ),
            (over_ipv4(4, ip), Tunnel::Ip(4, 4)),
            (over_ipv4(41, &six), Tunnel::Ip(4, 6)),
        ];
        for (data, expected) in tunnels {
            let mut removed = BTreeMap::new();
            let decoded = super::decode(1, &data, data.len() as u32, 0, &mut removed);
            let Decoded::Passed(Passed::Tcp(segment)) = decoded else {
                panic!("{expected:?}: {data:02x?}");
            };
            check(&segment);
            assert_eq!(removed.get(&expected), Some(&1), "{expected:?}");
        }
    }

    #[test]
    fn a_packet_in_several_tunnels_of_a_kind_counts_once() {
        let data = over_ipv4(4, &over_ipv4(4, &ethernet()[14..])[14..]);
        let mut removed = BTreeMap::new();
        super::decode(1, &data, data.len() as u32, 0, &mut removed);
        assert_eq!(removed, BTreeMap::from([(Tunnel::Ip(4, 4), 1)]));
    }

    #[test]
    fn a_packet_that_only_looks_like_a_tunnel_is_what_its_outer_header_says() {
        let frame = &ethernet()[..];
        for (port, header) in [
            (4789, [0, 1, 2, 3]),
            (6081, [0x80, 0, 8, 0]),
            (2152, [0x32, 1, 0, 4]),
        ] {
            let data = over_udp(port, &header, frame);
            let decoded = decode(1, &data, data.len() as u32);
            assert!(
                matches!(decoded, Decoded::LeftOut(LeftOut::Other(Other::Udp(found))) if found == port)
            );
        }
    }

    #[test]
    fn an_ethernet_trailer_is_not_payload() {
        let mut data = ethernet();
        data.extend([0; 20]);
        check(&segment(1, &data));
    }

    #[test]
    fn a_total_length_of_zero_means_the_length_on_the_wire() {
        let mut data = ethernet();
        data[16..18].fill(0);
        check(&segment(1, &data));
    }

    #[test]
    fn cut_options_are_known_to_be_cut() {
        let data = ethernet();
        let Decoded::Passed(Passed::Tcp(segment)) = decode(1, &data[..68], data.len() as u32)
        else {
            panic!()
        };
        assert_eq!(
            (segment.payload, segment.options.mss, segment.options.scale),
            (5, Some(1460), None)
        );
        assert!(!segment.options.whole);
    }

    #[test]
    fn a_cut_header_is_unreadable_and_udp_is_something_else() {
        let data = ethernet();
        assert!(matches!(
            decode(1, &data[..44], data.len() as u32),
            Decoded::LeftOut(LeftOut::Unreadable)
        ));
        let mut udp = data.clone();
        udp[23] = 17;
        let others = [
            (udp, Other::Udp(80)),
            (vec![0; 14], Other::EtherType(0)),
            ([&data[..12], &[8, 6, 0]].concat(), Other::EtherType(0x0806)),
        ];
        for (data, expected) in others {
            let Decoded::LeftOut(LeftOut::Other(other)) = decode(1, &data, data.len() as u32)
            else {
                panic!("{expected:?}");
            };
            assert_eq!(other, expected);
        }
        assert!(matches!(
            decode(9999, &data, data.len() as u32),
            Decoded::LeftOut(LeftOut::UnknownLink)
        ));
    }

    /// IPv6 with hop-by-hop, destination options and a fragment header before TCP.
    fn with_extensions(offset: u8) -> Vec<u8> {
        let plain = ethernet();
        let tcp = &plain[34..];
        let chain = [0u8, 60, 44];
        let mut extensions = vec![chain[1], 0, 0, 0, 0, 0, 0, 0];
        extensions.extend([chain[2], 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
        extensions.extend([6, 0, 0, offset, 0, 0, 0, 1]);
        let mut data = vec![0x60, 0, 0, 0];
        data.extend(((extensions.len() + tcp.len()) as u16).to_be_bytes());
        data.extend([chain[0], 64]);
        data.extend([0; 15].iter().chain(&[1]).chain(&[0; 15]).chain(&[2]));
        data.extend(extensions);
        data.extend(tcp);
        data
    }

    #[test]
    fn extension_headers_are_not_payload_and_later_fragments_are_no_segments() {
        let data = with_extensions(0);
        let read = segment(229, &data);
        assert_eq!((read.payload, read.source.port), (5, 1000));
        assert_eq!(written(read.source.address).to_string(), "::1");
        let data = with_extensions(8);
        assert!(matches!(
            decode(229, &data, data.len() as u32),
            Decoded::LeftOut(LeftOut::Fragment)
        ));
    }

    const LINKS: [u32; 15] = [
        0, 1, 9, 12, 14, 50, 51, 101, 108, 113, 228, 229, 239, 276, 9999,
    ];

    proptest! {
        #[test]
        fn no_bytes_make_the_headers_panic(
            link in prop::sample::select(LINKS.to_vec()),
            data in prop::collection::vec(any::<u8>(), 0..200),
            original: u32,
        ) {
            decode(link, &data, original);
        }

        #[test]
        fn no_bytes_in_a_tunnel_make_the_headers_panic(
            data in prop::collection::vec(any::<u8>(), 0..100),
            protocol in prop::sample::select(vec![4u8, 41, 47]),
            port in prop::sample::select(vec![4789u16, 6081, 2152]),
        ) {
            for packet in [over_ipv4(protocol, &data), over_udp(port, &[], &data)] {
                decode(1, &packet, packet.len() as u32);
            }
        }

        #[test]
        fn no_change_of_a_good_packet_makes_them_panic(
            changes in prop::collection::vec((0usize..80, any::<u8>()), 0..8),
            length in 0usize..90,
            v6: bool,
        ) {
            let (link, mut data) = if v6 { (101, with_extensions(0)) } else { (1, ethernet()) };
            for (at, value) in changes {
                if let Some(byte) = data.get_mut(at) { *byte = value }
            }
            data.truncate(length);
            decode(link, &data, 1500);
        }

        #[test]
        fn a_whole_packet_reads_as_etherparse_reads_it(
            ports: (u16, u16), numbers: (u32, u32), window: u16, ttl: u8,
            bits: (bool, bool, bool, bool), mss: Option<u16>, stamp: Option<(u32, u32)>,
            payload in prop::collection::vec(any::<u8>(), 0..100),
        ) {
            let mut builder = PacketBuilder::ethernet2([1; 6], [2; 6])
                .ipv4([1, 2, 3, 4], [5, 6, 7, 8], ttl).tcp(ports.0, ports.1, numbers.0, window);
            if bits.0 { builder = builder.syn() }
            if bits.1 { builder = builder.fin() }
            if bits.2 { builder = builder.rst() }
            if bits.3 { builder = builder.ack(numbers.1) }
            let mut options = Vec::new();
            options.extend(mss.map(TcpOptionElement::MaximumSegmentSize));
            options.extend(stamp.map(|(value, echo)| TcpOptionElement::Timestamp(value, echo)));
            let mut data = Vec::new();
            builder.options(&options).unwrap().write(&mut data, &payload).unwrap();
            let peer = etherparse::SlicedPacket::from_ethernet(&data).unwrap();
            let Some(etherparse::TransportSlice::Tcp(peer)) = peer.transport else { panic!() };
            let ours = segment(1, &data);
            prop_assert_eq!(ours.sequence, peer.sequence_number());
            prop_assert_eq!(ours.acknowledgement, peer.acknowledgment_number());
            prop_assert_eq!((ours.source.port, ours.destination.port), (peer.source_port(), peer.destination_port()));
            prop_assert_eq!(ours.payload as usize, peer.payload().len());
            prop_assert_eq!((ours.options.mss, ours.options.stamp), (mss, stamp));
            let flags = [(SYN, peer.syn()), (FIN, peer.fin()), (RST, peer.rst()), (ACK, peer.ack())];
            for (flag, set) in flags {
                prop_assert_eq!(ours.flags & flag != 0, set);
            }
        }
    }
}
