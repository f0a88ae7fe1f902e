//! IPv4 headers and the checksum that IP, TCP and UDP share.

use flowstart_sim::record::packets::Host;
use flowstart_wire::Ecn;

/// Bytes of a header without options.
pub(super) const HEADER: u32 = 20;

/// Addresses of the two hosts: prefixes for documentation (RFC 5737).
pub(super) fn address(host: Host) -> [u8; 4] {
    match host {
        Host::Sender => [192, 0, 2, 1],
        Host::Receiver => [198, 51, 100, 1],
    }
}

/// The other host.
pub(super) fn peer(host: Host) -> Host {
    match host {
        Host::Sender => Host::Receiver,
        Host::Receiver => Host::Sender,
    }
}

/// The header of a packet from `host` that is `length` bytes long with it (RFC 791 §3.1).
pub(super) fn header(host: Host, protocol: u8, length: u32, id: u16, ecn: Ecn) -> [u8; 20] {
    const VERSION_AND_WORDS: u8 = 0x45;
    const DONT_FRAGMENT: u8 = 0x40;
    const TTL: u8 = 64;
    let mut header = [0; 20];
    header[0] = VERSION_AND_WORDS;
    header[1] = code_point(ecn);
    header[2..4].copy_from_slice(&(length as u16).to_be_bytes());
    header[4..6].copy_from_slice(&id.to_be_bytes());
    header[6] = DONT_FRAGMENT;
    header[8] = TTL;
    header[9] = protocol;
    header[12..16].copy_from_slice(&address(host));
    header[16..20].copy_from_slice(&address(peer(host)));
    let sum = checksum(&[&header]);
    header[10..12].copy_from_slice(&sum.to_be_bytes());
    header
}

/// The ECN field (RFC 3168 §5, RFC 9331 §4.1).
fn code_point(ecn: Ecn) -> u8 {
    if ecn.has(Ecn::CE) {
        0b11
    } else if ecn.has(Ecn::ECT1) {
        0b01
    } else if ecn.has(Ecn::ECT) {
        0b10
    } else {
        0
    }
}

/// The checksum of a transport's header and of a payload of zeros, which add nothing: over the
/// pseudo-header too (RFC 9293 §3.1). `length` is that of both.
pub(super) fn transport_checksum(host: Host, protocol: u8, length: u32, header: &[u8]) -> u16 {
    let length = (length as u16).to_be_bytes();
    let pseudo = [0, protocol, length[0], length[1]];
    checksum(&[&address(host), &address(peer(host)), &pseudo, header])
}

/// The Internet checksum (RFC 1071) of parts that each have an even length.
fn checksum(parts: &[&[u8]]) -> u16 {
    let words = parts.iter().flat_map(|part| part.chunks(2));
    let word = |pair: &[u8]| u32::from(pair[0]) << 8 | pair.get(1).map_or(0, |b| u32::from(*b));
    let mut sum: u32 = words.map(word).sum();
    while sum > 0xFFFF {
        sum = (sum & 0xFFFF) + (sum >> 16);
    }
    !(sum as u16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_with_its_checksum_adds_up_to_nothing() {
        let header = header(Host::Sender, 6, 1500, 7, Ecn::ECT);
        assert_eq!(checksum(&[&header]), 0);
        assert_ne!(header[10..12], [0, 0]);
    }

    #[test]
    fn the_checksum_is_the_one_that_rfc_1071_works_out() {
        // §3: 0001 f203 f4f5 f6f7 add up to ddf2.
        let bytes = [0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7];
        assert_eq!(checksum(&[&bytes]), !0xddf2);
    }

    #[test]
    fn a_mark_takes_the_place_of_either_capability() {
        let marked = |mut ecn: Ecn| {
            ecn.set(Ecn::CE);
            code_point(ecn)
        };
        assert_eq!((code_point(Ecn::ECT), code_point(Ecn::ECT1)), (0b10, 0b01));
        assert_eq!((marked(Ecn::ECT), marked(Ecn::ECT1)), (0b11, 0b11));
        assert_eq!(code_point(Ecn::default()), 0);
    }
}
