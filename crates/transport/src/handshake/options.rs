//! A handshake that is made of packets: sizes of its messages, and rules of stacks for them.

use flowstart_control::{Duration, named};

named! {
    /// Messages of a TLS handshake by kind: their usual sizes.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Flight {
        /// X25519 and a chain of three ECDSA certificates: 3200 bytes of the server.
        Classic = "classic",
        /// The median chain of 75 000 web sites: 4400 bytes.
        Chain = "chain",
        /// The same, compressed (RFC 8879): 3600 bytes.
        Compressed = "compressed",
        /// No certificate, since an earlier connection left a ticket: 300 bytes.
        Resumed = "resumed",
        /// X25519MLKEM768 and certificates of ML-DSA-44: 16 000 bytes (an estimate).
        PostQuantum = "post-quantum",
    }
}

impl Flight {
    /// Bytes of the ClientHello, the ServerHello, and all of the server's messages.
    fn sizes(self) -> [u32; 3] {
        match self {
            Flight::Classic => [300, 90, 3200],
            Flight::Chain => [300, 90, 4400],
            Flight::Compressed => [300, 90, 3600],
            Flight::Resumed => [500, 90, 300],
            Flight::PostQuantum => [1525, 1178, 16_000],
        }
    }
}

named! {
    /// How a server reads the limit of three times what it has received (RFC 9000 §8.1).
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Amplification {
        /// No byte beyond it leaves; the last datagram is shortened.
        Exact = "exact",
        /// A datagram leaves while any byte is left, and may exceed it.
        DatagramStarts = "datagram-starts",
        /// A datagram leaves where all of it fits.
        Fits = "fits",
    }
}

/// The messages of a handshake that is made of packets, and a stack's rules for them.
#[derive(Clone, Debug, PartialEq)]
pub struct MessageOptions {
    /// The kind of messages; `None` for a handshake that is counted in round trips.
    pub flight: Option<Flight>,
    /// Bytes of the ClientHello, where they are not those of the kind.
    pub client_hello: Option<u32>,
    /// Bytes of the ServerHello, likewise.
    pub server_hello: Option<u32>,
    /// Bytes of the client's last message, its Finished; more with a client certificate.
    pub client_flight: u32,
    /// Bytes of the request.
    pub request: u32,
    /// The server requires another key share first (HelloRetryRequest, RFC 8446 §4.1.4).
    pub hello_retry: bool,
    /// The server requires a token first (Retry, RFC 9000 §8.1.2).
    pub retry: bool,
    /// The client has a token of an earlier connection: its address is validated.
    pub token: bool,
    /// How the server reads its limit before that.
    pub amplification: Amplification,
    /// Packets that an end keeps which it has no keys for yet (RFC 9001 §5.7).
    pub keeps_early: u32,
    /// A probe repeats what is missing of every packet number space, not of the first only (RFC 9002
    /// §6.2.4).
    pub probes_all_spaces: bool,
    /// A probe of a server carries new data, where a packet number space has any (RFC 9002 §6.2.4).
    pub probes_new_data: bool,
    /// A probe timeout of the client sends two packets, also where one is missing.
    pub probes_in_pairs: bool,
    /// The longest probe timeout before the handshake is over, where it is not that of the stack.
    pub timeout_max: Option<Duration>,
    /// SYNs that are repeated before their timer doubles (Linux's `tcp_syn_linear_timeouts`).
    pub syn_linear: u32,
}

impl MessageOptions {
    /// No packets, and the rules of standards.
    pub const NONE: MessageOptions = MessageOptions {
        flight: None,
        client_hello: None,
        server_hello: None,
        client_flight: 80,
        request: 200,
        hello_retry: false,
        retry: false,
        token: false,
        amplification: Amplification::Exact,
        keeps_early: 10,
        probes_all_spaces: true,
        probes_new_data: false,
        probes_in_pairs: false,
        timeout_max: None,
        syn_linear: 0,
    };

    /// Bytes of the ClientHello, the ServerHello, and all of the server's messages, whose
    /// size may be given; `None` without packets.
    pub(crate) fn sizes(&self, server_flight: Option<u32>) -> Option<[u32; 3]> {
        let [client_hello, server_hello, flight] = self.flight?.sizes();
        let flight = server_flight.unwrap_or(flight);
        Some([
            self.client_hello.unwrap_or(client_hello),
            self.server_hello.unwrap_or(server_hello).min(flight),
            flight,
        ])
    }
}
