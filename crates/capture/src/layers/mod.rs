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
mod tcp;
mod udp;

pub(crate) use address::{mapped, written, Endpoint};
pub(crate) use link::name as link_name;
pub(crate) use tcp::{Segment, ACK, FIN, RST, SYN};
pub(crate) use udp::{version_name, Datagram, Long, QuicPacket};

use crate::file::order::Timed;

/// What is followed, small enough to be handed on by value.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Passed {
    Tcp(Segment),
    Quic(Datagram),
}

impl Timed for Passed {
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
    /// Something else: ARP, ICMP, other UDP, ...
    Other,
    /// A later fragment: TCP's payload perhaps, but not its header.
    Fragment,
    /// Its headers are not all there, or contradict each other.
    Unreadable,
    /// A link type that is not known here.
    UnknownLink,
}

/// Takes one packet apart.
pub(crate) fn decode(link: u32, data: &[u8], original: u32, time: u64) -> Decoded {
    let (network, end) = match link::network(link, data) {
        link::Network::Ip(at, end) => (at, end),
        link::Network::Other => return Decoded::Other,
        link::Network::Cut => return Decoded::Unreadable,
        link::Network::Unknown => return Decoded::UnknownLink,
    };
    let Some(packet) = data.get(network..) else {
        return Decoded::Unreadable;
    };
    let on_wire = (original as usize).max(data.len()) - network;
    let limit = end.map(|end| end.saturating_sub(network));
    match ip::transport(packet, on_wire, limit) {
        ip::Transport::Tcp(header) => match tcp::segment(&header, time) {
            Some(segment) => Decoded::Passed(Passed::Tcp(segment)),
            None => Decoded::Unreadable,
        },
        ip::Transport::Udp(packet) => match udp::datagram(&packet, time) {
            Some(datagram) => Decoded::Passed(Passed::Quic(datagram)),
            None => Decoded::Other,
        },
        ip::Transport::Other => Decoded::Other,
        ip::Transport::Fragment => Decoded::Fragment,
        ip::Transport::Cut => Decoded::Unreadable,
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use etherparse::{PacketBuilder, TcpOptionElement};
    use proptest::prelude::*;

    fn segment(link: u32, data: &[u8]) -> Segment {
        match decode(link, data, data.len() as u32, 0) {
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
        let Decoded::Passed(Passed::Tcp(segment)) = decode(1, &data[..68], data.len() as u32, 0)
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
            decode(1, &data[..44], data.len() as u32, 0),
            Decoded::Unreadable
        ));
        let mut udp = data.clone();
        udp[23] = 17;
        assert!(matches!(
            decode(1, &udp, udp.len() as u32, 0),
            Decoded::Other
        ));
        assert!(matches!(decode(1, &[0; 14], 14, 0), Decoded::Other));
        assert!(matches!(
            decode(9999, &data, data.len() as u32, 0),
            Decoded::UnknownLink
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
            decode(229, &data, data.len() as u32, 0),
            Decoded::Fragment
        ));
    }

    const LINKS: [u32; 14] = [0, 1, 9, 12, 14, 50, 51, 101, 108, 113, 228, 229, 276, 9999];

    proptest! {
        #[test]
        fn no_bytes_make_the_headers_panic(
            link in prop::sample::select(LINKS.to_vec()),
            data in prop::collection::vec(any::<u8>(), 0..200),
            original: u32,
        ) {
            decode(link, &data, original, 0);
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
            decode(link, &data, 1500, 0);
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
