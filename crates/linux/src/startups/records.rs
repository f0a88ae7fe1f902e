//! The records that `bpf/startups` shares with its loader, field by field (`choice.h`).

use std::net::IpAddr;

/// `PORTS` of `choice.h`.
pub(super) const PORTS: usize = 16;
/// All connections, as a share in the settings.
pub(super) const ALL: f64 = 4_294_967_296.0;
/// `TCP_CA_NAME_MAX`.
const NAME_BYTES: usize = 16;

/// Which connections get the startup: `struct settings`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Settings {
    /// Of the monotonic clock, nanoseconds; 0: none.
    pub(super) deadline: u64,
    /// Of 2^32.
    pub(super) share: u64,
    pub(super) seed: u32,
    pub(super) by_network: bool,
    /// None: all.
    pub(super) ports: Vec<u16>,
    /// The congestion control's name.
    pub(super) name: String,
}

impl Settings {
    /// Where the ports begin.
    const PORTS_AT: usize = 28;
    /// With what fills it up to whole words of eight bytes.
    pub(super) const BYTES: usize = (Settings::NAME_AT + NAME_BYTES).next_multiple_of(8);
    const NAME_AT: usize = Settings::PORTS_AT + 2 * PORTS;

    pub(super) fn write(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(Settings::BYTES);
        bytes.extend(self.deadline.to_ne_bytes());
        bytes.extend(self.share.to_ne_bytes());
        let words = [self.seed, self.by_network.into(), self.ports.len() as u32];
        words
            .iter()
            .for_each(|word| bytes.extend(word.to_ne_bytes()));
        self.ports
            .iter()
            .for_each(|port| bytes.extend(port.to_ne_bytes()));
        bytes.resize(Settings::NAME_AT, 0);
        bytes.extend(self.name.bytes());
        bytes.resize(Settings::BYTES, 0);
        bytes
    }

    /// `None` where there are fewer bytes.
    pub(super) fn read(bytes: &[u8]) -> Option<Settings> {
        let bytes: &[u8; Settings::BYTES] = bytes.try_into().ok()?;
        let long = |at: usize| u64::from_ne_bytes(std::array::from_fn(|i| bytes[at + i]));
        let word = |at: usize| u32::from_ne_bytes(std::array::from_fn(|i| bytes[at + i]));
        let port = |i: usize| {
            let at = Settings::PORTS_AT + 2 * i;
            u16::from_ne_bytes([bytes[at], bytes[at + 1]])
        };
        let name = &bytes[Settings::NAME_AT..];
        let end = name
            .iter()
            .position(|byte| *byte == 0)
            .unwrap_or(NAME_BYTES);
        Some(Settings {
            deadline: long(0),
            share: long(8),
            seed: word(16),
            by_network: word(20) != 0,
            ports: (0..PORTS.min(word(24) as usize)).map(port).collect(),
            name: String::from_utf8_lossy(&name[..end]).into_owned(),
        })
    }
}

/// Connections by what became of them: `struct counts`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Connections with the startup.
    pub treatment: u64,
    /// Connections that the share left out.
    pub control: u64,
    /// Connections whose application has chosen a congestion control.
    pub kept: u64,
    /// Connections for which the kernel refused the startup.
    pub failed: u64,
}

impl Counts {
    /// `None` where there are fewer bytes.
    pub(super) fn read(bytes: &[u8]) -> Option<Counts> {
        let mut words = bytes
            .chunks_exact(8)
            .map(|word| word.try_into().map(u64::from_ne_bytes));
        let mut next = || words.next()?.ok();
        Some(Counts {
            treatment: next()?,
            control: next()?,
            kept: next()?,
            failed: next()?,
        })
    }
}

/// A network of peers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Network {
    /// An address in it.
    pub address: IpAddr,
    /// Bits that its addresses share.
    pub bits: u8,
}

impl Network {
    /// A key of the map `networks`: IPv4 as mapped addresses.
    pub(super) fn key(&self) -> Vec<u8> {
        let (address, bits) = match self.address {
            IpAddr::V4(v4) => (v4.to_ipv6_mapped(), 96 + u32::from(self.bits)),
            IpAddr::V6(v6) => (v6, self.bits.into()),
        };
        [bits.to_ne_bytes().as_slice(), &address.octets()].concat()
    }

    pub(super) fn of_key(key: &[u8]) -> Option<Network> {
        let (bits, octets) = key.split_first_chunk()?;
        let octets: [u8; 16] = octets.try_into().ok()?;
        let (address, bits) = (std::net::Ipv6Addr::from(octets), u32::from_ne_bytes(*bits));
        let (address, bits) = match address.to_ipv4_mapped() {
            Some(v4) if bits >= 96 => (IpAddr::V4(v4), bits - 96),
            _ => (IpAddr::V6(address), bits),
        };
        Some(Network {
            address,
            bits: bits as u8,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_read_as_they_were_written() {
        let settings = Settings {
            deadline: 7,
            share: 1 << 32,
            seed: 3,
            by_network: true,
            ports: vec![80, 443],
            name: "fs_hystartpp".into(),
        };
        assert_eq!(Settings::read(&settings.write()), Some(settings));
        assert_eq!(Settings::read(&[0; 10]), None);
    }

    #[test]
    fn networks_of_both_families_have_keys_of_their_own() {
        for (address, bits) in [("192.0.2.0", 24), ("2001:db8::", 32), ("0.0.0.0", 0)] {
            let network = Network {
                address: address.parse().unwrap(),
                bits,
            };
            assert_eq!(Network::of_key(&network.key()), Some(network));
        }
    }
}
