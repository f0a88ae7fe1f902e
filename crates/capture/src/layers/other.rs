//! Packets that hold neither TCP nor a known version of QUIC, by what they are.

use std::collections::BTreeMap;

/// What such a packet is, as far as its headers say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Other {
    /// A link layer's payload that is not IP.
    EtherType(u16),
    /// No IP header where one should be.
    NotIp,
    /// A protocol above IP.
    Protocol(u8),
    /// UDP to a port of a service.
    Udp(u16),
    /// UDP between two ports of which none is known to be a service's, the lower first.
    UdpBetween(u16, u16),
    /// A long header of QUIC whose version is not known here.
    QuicVersion(u32),
}

/// Ports from here on are given to clients by their systems; below the other limit are those of well-known services.
const EPHEMERAL: u16 = 32768;
const WELL_KNOWN: u16 = 1024;

impl Other {
    /// UDP between two ports.
    pub(crate) fn udp(a: u16, b: u16) -> Other {
        let (low, high) = (a.min(b), a.max(b));
        match low < WELL_KNOWN || low < EPHEMERAL && high >= EPHEMERAL || low == high {
            true => Other::Udp(low),
            false => Other::UdpBetween(low, high),
        }
    }

    /// Its name for people.
    pub(crate) fn name(self) -> String {
        match self {
            Other::EtherType(0x0806) => "ARP".into(),
            Other::EtherType(0x88cc) => "LLDP".into(),
            Other::EtherType(0x888e) => "EAPOL".into(),
            Other::EtherType(0x88e5) => "MACsec (encrypted)".into(),
            Other::EtherType(..=1500) => "IEEE 802.3 without IP".into(),
            Other::EtherType(kind) => format!("EtherType 0x{kind:04x}"),
            Other::NotIp => "not IP".into(),
            Other::Protocol(1) => "ICMP".into(),
            Other::Protocol(2) => "IGMP".into(),
            Other::Protocol(50) => "IPsec ESP (encrypted)".into(),
            Other::Protocol(58) => "ICMPv6".into(),
            Other::Protocol(89) => "OSPF".into(),
            Other::Protocol(132) => "SCTP".into(),
            Other::Protocol(protocol) => format!("IP protocol {protocol}"),
            Other::Udp(port) => format!("UDP to port {port}"),
            Other::UdpBetween(low, high) => format!("UDP between ports {low} and {high}"),
            Other::QuicVersion(0) => "QUIC version negotiation".into(),
            Other::QuicVersion(version) => format!("QUIC of the unknown version 0x{version:08x}"),
        }
    }
}

/// Counts of such packets.
#[derive(Clone, Debug, Default)]
pub(crate) struct Others {
    kinds: BTreeMap<Other, u64>,
    /// Of all of them on the wire.
    pub bytes: u64,
}

/// Kinds that are counted apart: a file made with malice holds more of them than memory.
const MOST_KINDS: usize = 100_000;

impl Others {
    /// Counts a packet of so many bytes.
    pub(crate) fn count(&mut self, other: Other, bytes: u32) {
        self.add(other, 1);
        self.bytes += u64::from(bytes);
    }

    /// Counts what others have counted.
    pub(crate) fn merge(&mut self, others: &Others) {
        for (&other, &count) in &others.kinds {
            self.add(other, count);
        }
        self.bytes += others.bytes;
    }

    fn add(&mut self, other: Other, count: u64) {
        let full = self.kinds.len() >= MOST_KINDS && !self.kinds.contains_key(&other);
        let other = if full { Other::NotIp } else { other };
        *self.kinds.entry(other).or_default() += count;
    }

    /// How many there are, and what most of them are: `119 are UDP to port 4789, 2 ARP`.
    pub(crate) fn summary(&self) -> Option<(u64, String)> {
        const NAMED: usize = 4;
        let mut kinds: Vec<(u64, Other)> = self.kinds.iter().map(|(&kind, &n)| (n, kind)).collect();
        kinds.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
        let all = kinds.iter().map(|(count, _)| count).sum();
        let mut names: Vec<String> = kinds
            .iter()
            .take(NAMED)
            .map(|(count, kind)| format!("{count} {}", kind.name()))
            .collect();
        let rest: u64 = kinds.iter().skip(NAMED).map(|(count, _)| count).sum();
        if rest > 0 {
            names.push(format!("{rest} others"));
        }
        (all > 0).then(|| (all, names.join(", ")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_is_a_service_s_only_where_the_other_is_a_client_s() {
        let name = |a, b| Other::udp(a, b).name();
        assert_eq!(name(50_000, 4789), "UDP to port 4789");
        assert_eq!(name(53, 5353), "UDP to port 53");
        assert_eq!(name(6000, 5000), "UDP between ports 5000 and 6000");
        assert_eq!(name(50_000, 40_000), "UDP between ports 40000 and 50000");
    }
}
