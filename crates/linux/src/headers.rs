//! What the emulator reads of an IPv4 packet, and the mark that it writes.

use flowstart_live::links::Kind;

/// Protocol number of TCP.
const TCP: u8 = 6;
/// Flags of TCP.
const SYN: u8 = 2;
const ACK: u8 = 16;

/// What a packet is to links. What is no TCP over IPv4 carries no data.
pub(crate) fn kind(packet: &[u8]) -> Kind {
    let Some((header, tcp)) = tcp(packet) else {
        return Kind::Ack;
    };
    let flags = tcp[13];
    let payload = packet.len() - header - 4 * usize::from(tcp[12] >> 4);
    match (flags & SYN != 0, flags & ACK != 0) {
        (true, false) => Kind::Syn,
        (true, true) => Kind::SynAck,
        _ if payload > 0 => Kind::Data,
        _ => Kind::Ack,
    }
}

/// The ports of sender and receiver; `None` of what is no TCP over IPv4.
pub(crate) fn ports(packet: &[u8]) -> Option<[u16; 2]> {
    let (_, tcp) = tcp(packet)?;
    Some([0, 2].map(|at| u16::from_be_bytes([tcp[at], tcp[at + 1]])))
}

/// The length of the IPv4 header, and what follows it, which has a whole TCP header.
fn tcp(packet: &[u8]) -> Option<(usize, &[u8])> {
    let first = packet.first()?;
    let header = 4 * usize::from(first & 15);
    let is_tcp = first >> 4 == 4 && header >= 20 && packet.get(9) == Some(&TCP);
    let tcp = packet.get(header..).filter(|_| is_tcp)?;
    let length = 4 * usize::from(*tcp.get(12)? >> 4);
    (length >= 20 && length <= tcp.len()).then_some((header, tcp))
}

/// Whether routers may mark a packet instead of dropping it.
pub(crate) fn is_ecn_capable(packet: &[u8]) -> bool {
    packet.get(1).is_some_and(|tos| tos & 3 != 0)
}

/// Marks a packet (CE, RFC 3168 §5) and mends the checksum of its IPv4 header.
pub(crate) fn mark(packet: &mut [u8]) {
    let header = 4 * usize::from(packet.first().copied().unwrap_or(0) & 15);
    let Some(header) = packet.get_mut(..header).filter(|header| header.len() >= 20) else {
        return;
    };
    header[1] |= 3;
    header[10..12].fill(0);
    let checksum = checksum(header);
    header[10..12].copy_from_slice(&checksum.to_be_bytes());
}

/// RFC 1071.
fn checksum(header: &[u8]) -> u16 {
    let words = header.chunks_exact(2);
    let mut sum: u32 = words
        .map(|w| u32::from(u16::from_be_bytes([w[0], w[1]])))
        .sum();
    while sum >> 16 != 0 {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    !(sum as u16)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An IPv4 header of 20 bytes, a TCP header of 32 with these flags, and so many bytes.
    fn packet(flags: u8, payload: usize) -> Vec<u8> {
        let mut packet = vec![0; 52 + payload];
        packet[0] = 0x45;
        packet[9] = TCP;
        packet[20 + 12] = 8 << 4;
        packet[20 + 13] = flags;
        packet
    }

    #[test]
    fn a_packet_is_what_its_flags_and_its_payload_say() {
        assert_eq!(kind(&packet(SYN, 0)), Kind::Syn);
        assert_eq!(kind(&packet(SYN | ACK, 0)), Kind::SynAck);
        assert_eq!(kind(&packet(ACK, 1)), Kind::Data);
        assert_eq!(kind(&packet(ACK, 0)), Kind::Ack);
        const FIN: u8 = 1;
        assert_eq!(kind(&packet(ACK | FIN, 0)), Kind::Ack);
    }

    #[test]
    fn what_is_cut_off_or_no_tcp_carries_no_data() {
        let whole = packet(ACK, 100);
        for length in 0..52 {
            assert_eq!(kind(&whole[..length]), Kind::Ack, "{length}");
        }
        let mut udp = whole;
        udp[9] = 17;
        assert_eq!(kind(&udp), Kind::Ack);
        assert_eq!(ports(&udp), None);
    }

    #[test]
    fn ports_are_those_of_sender_and_receiver() {
        let mut packet = packet(ACK, 0);
        packet[20..24].copy_from_slice(&[0x13, 0x89, 0x80, 0x01]);
        assert_eq!(ports(&packet), Some([5001, 0x8001]));
    }

    #[test]
    fn a_mark_leaves_the_header_with_a_checksum_that_holds() {
        let mut marked = packet(ACK, 10);
        marked[1] = 2;
        marked[16..20].copy_from_slice(&[10, 9, 0, 2]);
        assert!(is_ecn_capable(&marked));
        mark(&mut marked);
        assert_eq!(marked[1] & 3, 3);
        assert_eq!(checksum(&marked[..20]), 0);
        mark(&mut [0x4f, 0]);
        mark(&mut []);
    }
}
