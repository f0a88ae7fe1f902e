//! What precedes data: round trips of the handshake, and the bytes that a server may send.

mod client;
mod dialogue;
mod options;
mod server;

pub use client::{Client, ClientConfig};
pub use dialogue::Dialogue;
pub(crate) use dialogue::Layout;
pub use options::{Amplification, Flight, MessageOptions};
pub use server::Report;
pub(crate) use server::Server;

use flowstart_control::named;

/// Bytes of a UDP and an IPv4 header.
pub(crate) const UDP_IP: u32 = 8 + 20;
/// What a client's first datagram is padded to, bytes of UDP payload (RFC 9000 §14.1).
pub(crate) const SMALLEST_INITIAL: u32 = 1200;
/// A client's Initial packet that acknowledges, in its first data packet; what only acknowledges is
/// not in flight. Bytes in quinn-proto 0.11.19, whose connection IDs have eight.
pub(crate) const INITIAL_ACK: u32 = 51;
/// A server sends at most so many times what it has received until it has verified that the client
/// is at its address (RFC 9000 §8.1).
const AMPLIFICATION: u32 = 3;

named! {
    /// How a connection is opened.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Handshake {
        /// One exchange: TCP's, or QUIC's with TLS in it.
        OneRtt = "1-rtt",
        /// Data leaves right behind the packet that opens the connection, since an earlier connection
        /// left the keys for it.
        ZeroRtt = "0-rtt",
        /// TCP's exchange, then that of TLS 1.3.
        TcpTls13 = "tcp+tls13",
        /// TCP's exchange, then the two of TLS 1.2.
        TcpTls12 = "tcp+tls12",
        /// TCP's exchange, then early data of TLS 1.3 (RFC 8446 §2.3).
        TcpEarly = "tcp+0-rtt",
        /// TLS 1.3 begins in TCP's SYN (Fast Open, RFC 7413).
        TfoTls13 = "tcp+tfo+tls13",
        /// The ClientHello is in TCP's SYN, early data of TLS 1.3 behind it.
        TfoEarly = "tcp+tfo+0-rtt",
    }
}

impl Handshake {
    /// Exchanges of packets that a connection begins with, whose server has so many bytes to say
    /// first and may say so many of them at once over TCP.
    pub fn exchanges(self, server_flight: Option<u32>, window: u64) -> u32 {
        let waits = |limit: u64| u32::from(server_flight.is_some_and(|n| u64::from(n) > limit));
        match self {
            Handshake::OneRtt => 1 + waits(amplification_limit(SMALLEST_INITIAL).into()),
            Handshake::ZeroRtt | Handshake::TcpEarly | Handshake::TfoEarly => 1,
            // TCP has made sure of the client's address; the window is what limits.
            Handshake::TfoTls13 => 1 + waits(window),
            Handshake::TcpTls13 => 2 + waits(window),
            Handshake::TcpTls12 => 3 + waits(window),
        }
    }

    /// Data leaves right behind the packet that opens the connection.
    pub fn opens_with_data(self) -> bool {
        matches!(self, Handshake::ZeroRtt | Handshake::TfoEarly)
    }

    /// Data does not wait for the server's flight.
    pub fn is_early(self) -> bool {
        self.opens_with_data() || self == Handshake::TcpEarly
    }

    /// The first packet carries the client's first message.
    pub(crate) fn opens_in_syn(self) -> bool {
        matches!(self, Handshake::TfoTls13 | Handshake::TfoEarly)
    }
}

/// What may be sent to an address that is not validated, `received` bytes having come
/// from it.
pub(crate) fn amplification_limit(received: u32) -> u32 {
    AMPLIFICATION.saturating_mul(received)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ten segments of 1439 bytes.
    const WINDOW: u64 = 14_390;

    fn exchanges(handshake: Handshake, server_flight: u32) -> u32 {
        handshake.exchanges(Some(server_flight), WINDOW)
    }

    #[test]
    fn twelve_hundred_bytes_let_thirty_six_hundred_follow() {
        assert_eq!(amplification_limit(1200), 3600);
    }

    #[test]
    fn a_certificate_beyond_the_limit_costs_a_round_trip() {
        assert_eq!(exchanges(Handshake::OneRtt, 3600), 1);
        assert_eq!(exchanges(Handshake::OneRtt, 3601), 2);
    }

    #[test]
    fn behind_a_tcp_handshake_only_the_initial_window_is_in_its_way() {
        assert_eq!(exchanges(Handshake::TcpTls13, 14_390), 2);
        assert_eq!(exchanges(Handshake::TcpTls13, 14_391), 3);
    }
}
