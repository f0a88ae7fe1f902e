//! What has to be said before data may leave: round trips, and how much a server may say.

use super::stack::Stack;

/// What a client's first datagram is padded to, bytes of UDP payload (RFC 9000 §14.1).
pub const SMALLEST_INITIAL: u32 = 1200;
/// A server sends at most so many times what it has received until it knows that the client is
/// where it says (RFC 9000 §8.1).
const AMPLIFICATION: u32 = 3;

/// How a connection is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Handshake {
    /// One exchange: TCP's, or QUIC's with TLS in it.
    OneRtt,
    /// Data leaves right behind the packet that opens the connection, since an earlier connection
    /// left the keys for it.
    ZeroRtt,
    /// TCP's exchange, then that of TLS 1.3.
    TcpTls13,
}

impl Handshake {
    /// Exchanges of packets that a connection of this stack begins with.
    pub fn exchanges(self, stack: &Stack) -> u32 {
        let limit = u64::from(amplification_limit(SMALLEST_INITIAL));
        match self {
            Handshake::OneRtt => 1 + waits(stack, limit),
            Handshake::ZeroRtt => 1,
            // TCP has made sure of the client's address; the window is what limits.
            Handshake::TcpTls13 => 2 + waits(stack, stack.iw.bytes(stack.mss)),
        }
    }

    /// How many of them end before data leaves.
    pub fn round_trips(self, stack: &Stack) -> u32 {
        match self {
            Handshake::ZeroRtt => 0,
            _ => self.exchanges(stack),
        }
    }
}

/// Whether what the server has to say waits for the client to be heard of again.
fn waits(stack: &Stack, limit: u64) -> u32 {
    u32::from(
        stack
            .server_flight
            .is_some_and(|flight| u64::from(flight) > limit),
    )
}

/// What may be sent to an address that nobody has vouched for, `received` bytes having come
/// from it.
pub fn amplification_limit(received: u32) -> u32 {
    AMPLIFICATION.saturating_mul(received)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round_trips(handshake: Handshake, server_flight: u32) -> u32 {
        let stack = Stack {
            server_flight: Some(server_flight),
            ..Stack::quic()
        };
        handshake.round_trips(&stack)
    }

    #[test]
    fn twelve_hundred_bytes_let_thirty_six_hundred_follow() {
        assert_eq!(amplification_limit(1200), 3600);
    }

    #[test]
    fn a_certificate_beyond_the_limit_costs_a_round_trip() {
        assert_eq!(round_trips(Handshake::OneRtt, 3600), 1);
        assert_eq!(round_trips(Handshake::OneRtt, 3601), 2);
    }

    #[test]
    fn behind_a_tcp_handshake_only_the_initial_window_is_in_its_way() {
        assert_eq!(round_trips(Handshake::TcpTls13, 14_390), 2);
        assert_eq!(round_trips(Handshake::TcpTls13, 14_391), 3);
    }

    #[test]
    fn early_data_waits_for_nothing() {
        assert_eq!(Handshake::ZeroRtt.round_trips(&Stack::quic()), 0);
    }
}
