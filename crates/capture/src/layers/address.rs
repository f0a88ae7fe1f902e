//! Addresses and ends of connections.

use std::net::{IpAddr, Ipv6Addr};

/// One end of a connection. IPv4 addresses are kept as IPv4-mapped ones, so that both kinds compare alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Endpoint {
    pub address: u128,
    pub port: u16,
}

/// The address as people write it.
pub(crate) fn written(address: u128) -> IpAddr {
    Ipv6Addr::from(address).to_canonical()
}

/// The address in its stored form.
pub(crate) fn mapped(address: IpAddr) -> u128 {
    match address {
        IpAddr::V4(address) => address.to_ipv6_mapped().into(),
        IpAddr::V6(address) => address.into(),
    }
}
