//! The rows that a reading gives: one per connection, per direction and per transfer.

use std::net::IpAddr;

use serde::Serialize;

pub use crate::reduction::Control;
pub use crate::rounds::Exit;
pub use crate::sender::{Facts, IdleRestart};

/// How a file is to be read.
#[derive(Clone, Debug)]
pub struct Options {
    /// Round-trip times below this are counted as this when a rate is computed, and flagged: a local connection's
    /// rate would otherwise be set by the clock. Seconds.
    pub rtt_floor_s: f64,
    /// Maximum number of transfers: a file made with malice holds more of them than memory.
    pub most_transfers: u64,
    /// The first bytes of the standard input, where they were read already to see what it is.
    pub stdin_start: Vec<u8>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            rtt_floor_s: 1e-4,
            most_transfers: 50_000_000,
            stdin_start: Vec::new(),
        }
    }
}

/// How far a reading has come.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Bytes of the file read so far, over all passes.
    pub bytes_read: u64,
    /// Bytes to be read in all, when that is known. It grows when the file turns out to need more passes.
    pub bytes_total: Option<u64>,
    /// Packets read so far, over all passes; of a log, its lines.
    pub packets: u64,
}

/// What kind of file it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// pcap, of either byte order and resolution.
    Pcap,
    /// pcapng.
    Pcapng,
    /// A Zeek `conn.log` with tabs.
    ZeekTsv,
    /// A Zeek `conn.log` of JSON lines.
    ZeekJson,
}

impl Format {
    /// Whether it has connections and no packets.
    pub fn is_log(self) -> bool {
        matches!(self, Format::ZeekTsv | Format::ZeekJson)
    }
}

/// How far a connection's handshake was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub enum Handshake {
    /// SYN, SYN-ACK and the completing ACK.
    #[serde(rename = "complete")]
    Complete,
    /// A SYN answered by a reset.
    #[serde(rename = "refused")]
    Refused,
    /// A SYN without an answer.
    #[serde(rename = "syn-only")]
    SynOnly,
    /// SYN and SYN-ACK without the completing ACK.
    #[serde(rename = "half-open")]
    HalfOpen,
    /// No SYN: the connection was older than the capture, or its SYN was missed.
    #[serde(rename = "not seen")]
    NotSeen,
}

/// One of a connection's two directions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub enum Direction {
    /// What the client sends.
    #[serde(rename = "c2s")]
    ClientToServer,
    /// What the server sends.
    #[serde(rename = "s2c")]
    ServerToClient,
}

impl Direction {
    pub(crate) const BOTH: [Direction; 2] = [Direction::ClientToServer, Direction::ServerToClient];
}

/// What to keep in mind about a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Flag {
    /// More than one SYN: the RTT counts from the last that can have been answered.
    SynRetransmitted,
    /// More than one SYN-ACK: it is not known which was answered, so the RTT is not certain.
    SynAckRetransmitted,
    /// The RTT is below the floor; rates are computed with the floor.
    RttFloor,
    /// By the clock the ACK came before the SYN: there is no RTT.
    RttNotPositive,
    /// The SYN carried data (TCP Fast Open).
    FastOpenData,
    /// The capture took every packet twice; copies are left out, but counts of retransmissions are not to be believed.
    SeenTwice,
    /// The options of a SYN were cut off, so what scaled windows mean is not known.
    WindowScaleUnknown,
    /// Bytes were sent that the capture does not hold.
    PartlyCaptured,
    /// The capture holds the packets of one side only: bytes of the other are those that were acknowledged, and the RTT
    /// is from the SYN to the client's first ACK.
    OneDirection,
    /// A byte was acknowledged beyond all that the capture holds: `*_bytes` may be too low.
    EndNotCaptured,
    /// So many holes at once that `*_seen_bytes` may be a little too low.
    SeenApproximate,
    /// The same addresses and ports as a connection that ended within the hour before.
    PortsReused,
    /// Which side is the client is a guess from the port numbers.
    RolesGuessed,
    /// A log's row that is not valid for the computation: no whole handshake or missed bytes.
    NotValid,
}

/// One TCP connection. `None`: not known, or not applicable.
///
/// Bytes are payload; `c2s` is what the client sends, `s2c` what the server sends.
#[derive(Clone, Debug, Serialize)]
pub struct Connection {
    /// Number of the connection, from 0, in the order of first packets.
    pub stream: usize,
    /// Number of the file that holds its first packet, from 0.
    pub file: usize,
    /// Its pair of networks, and whether its client is in the second of them: see [`Reading::far_side`](crate::Reading::far_side).
    #[serde(skip)]
    pub pair: (usize, bool),
    /// Time of the first packet, seconds since 1970.
    pub start: f64,
    /// The side that opened the connection.
    pub client_ip: IpAddr,
    /// Its port.
    pub client_port: u16,
    /// The side that was called.
    pub server_ip: IpAddr,
    /// Its port.
    pub server_port: u16,
    /// How far the handshake was seen.
    pub handshake: Handshake,
    /// Round trip by the handshake: the client's first ACK after the SYN-ACK, less the last SYN not later than the
    /// last SYN-ACK before that ACK.
    pub rtt_s: Option<f64>,
    /// The part of it between the monitor and the server: from that SYN to the SYN-ACK.
    pub server_rtt_s: Option<f64>,
    /// SYNs of the client.
    pub syns: Option<u32>,
    /// SYN-ACKs of the server.
    pub syn_acks: Option<u32>,
    /// Highest sequence number less initial one less 1; the FIN does not count.
    pub c2s_bytes: Option<u64>,
    /// `c2s_bytes` of the server.
    pub s2c_bytes: Option<u64>,
    /// Union of the sequence ranges that were captured.
    pub c2s_seen_bytes: Option<u64>,
    /// `c2s_seen_bytes` of the server.
    pub s2c_seen_bytes: Option<u64>,
    /// Payload of all packets, repetitions included.
    pub c2s_payload_sum: Option<u64>,
    /// `c2s_payload_sum` of the server.
    pub s2c_payload_sum: Option<u64>,
    /// Largest window that the server advertised before it acknowledged any client data.
    pub c2s_window: Option<u64>,
    /// Largest window that the client advertised before it acknowledged any server data.
    pub s2c_window: Option<u64>,
    /// Window of the SYN-ACK.
    pub c2s_handshake_window: Option<u64>,
    /// Window of the completing ACK.
    pub s2c_handshake_window: Option<u64>,
    /// Largest window that the server advertised at any time.
    pub c2s_widest_window: Option<u64>,
    /// Largest window that the client advertised at any time.
    pub s2c_widest_window: Option<u64>,
    /// What the client's data show of it as a sender.
    pub c2s_facts: Facts,
    /// `c2s_facts` of the server.
    pub s2c_facts: Facts,
    /// Window scale that the client announced.
    pub client_wscale: Option<u8>,
    /// Window scale that the server announced.
    pub server_wscale: Option<u8>,
    /// Segment size that the client announced.
    pub client_mss: Option<u16>,
    /// Segment size that the server announced.
    pub server_mss: Option<u16>,
    /// Whether both sides' SYNs had time stamps.
    pub timestamps: Option<bool>,
    /// Whether both sides permitted selective acknowledgements.
    pub sack: Option<bool>,
    /// Data packets that repeat what was sent, as far as a monitor can see; unknown where packets were captured twice.
    pub c2s_retransmissions: Option<u32>,
    /// `c2s_retransmissions` of the server.
    pub s2c_retransmissions: Option<u32>,
    /// Data packets that filled a hole so soon after later data that they may have been overtaken.
    pub c2s_out_of_order: Option<u32>,
    /// `c2s_out_of_order` of the server.
    pub s2c_out_of_order: Option<u32>,
    /// Packets of the client.
    pub c2s_packets: Option<u64>,
    /// Packets of the server.
    pub s2c_packets: Option<u64>,
    /// Packets by which the server said that its window is closed.
    pub c2s_zero_windows: Option<u32>,
    /// Packets by which the client said that its window is closed.
    pub s2c_zero_windows: Option<u32>,
    /// Sides that said goodbye, 0 to 2.
    pub fins: Option<u32>,
    /// Packets with RST.
    pub resets: Option<u32>,
    /// Time of the last packet, seconds after `start`.
    pub end_s: Option<f64>,
    /// Copies of packets that were left out.
    pub copies: u64,
    /// Zeek's `conn_state`, when the connection is a log's row.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// Zeek's `history`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub history: Option<String>,
    /// Zeek's `missed_bytes`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missed_bytes: Option<u64>,
    /// What to keep in mind.
    pub flags: Vec<Flag>,
}

impl Connection {
    /// A connection of which nothing is known.
    pub(crate) fn unknown() -> Self {
        let nowhere = IpAddr::V4(std::net::Ipv4Addr::UNSPECIFIED);
        Connection {
            stream: 0,
            file: 0,
            pair: (0, false),
            start: 0.0,
            client_ip: nowhere,
            client_port: 0,
            server_ip: nowhere,
            server_port: 0,
            handshake: Handshake::NotSeen,
            rtt_s: None,
            server_rtt_s: None,
            syns: None,
            syn_acks: None,
            c2s_bytes: None,
            s2c_bytes: None,
            c2s_seen_bytes: None,
            s2c_seen_bytes: None,
            c2s_payload_sum: None,
            s2c_payload_sum: None,
            c2s_window: None,
            s2c_window: None,
            c2s_handshake_window: None,
            s2c_handshake_window: None,
            c2s_widest_window: None,
            s2c_widest_window: None,
            c2s_facts: Facts::default(),
            s2c_facts: Facts::default(),
            client_wscale: None,
            server_wscale: None,
            client_mss: None,
            server_mss: None,
            timestamps: None,
            sack: None,
            c2s_retransmissions: None,
            s2c_retransmissions: None,
            c2s_out_of_order: None,
            s2c_out_of_order: None,
            c2s_packets: None,
            s2c_packets: None,
            c2s_zero_windows: None,
            s2c_zero_windows: None,
            fins: None,
            resets: None,
            end_s: None,
            copies: 0,
            state: None,
            history: None,
            missed_bytes: None,
            flags: Vec::new(),
        }
    }

    /// Bytes of a direction.
    pub fn bytes(&self, direction: Direction) -> Option<u64> {
        match direction {
            Direction::ClientToServer => self.c2s_bytes,
            Direction::ServerToClient => self.s2c_bytes,
        }
    }

    /// Whether the connection counts in the computation: its handshake was seen whole and nothing is missing by the
    /// log's own account.
    pub fn is_valid(&self) -> bool {
        self.handshake == Handshake::Complete && !self.flags.contains(&Flag::NotValid)
    }
}

/// One direction's data between turns of a conversation.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Transfer {
    /// The connection's number.
    pub connection: usize,
    /// Which way.
    pub direction: Direction,
    /// Time of its first data packet at the monitor, seconds since 1970.
    pub start: f64,
    /// Payload bytes.
    pub bytes: u64,
    /// Seconds from `start` to the last packet with bytes of it that the monitor had not seen before.
    pub end_s: f64,
    /// Seconds from `start` until its last byte was acknowledged, if that was seen.
    pub acked_s: Option<f64>,
}

/// One QUIC connection, as far as it can be seen from outside. Bytes are those of UDP datagrams.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct QuicConnection {
    /// Number of the file that holds its first datagram.
    pub file: usize,
    /// Time of the first datagram, seconds since 1970.
    pub start: f64,
    /// The side that opened the connection.
    pub client_ip: IpAddr,
    /// Its port.
    pub client_port: u16,
    /// The side that was called.
    pub server_ip: IpAddr,
    /// Its port.
    pub server_port: u16,
    /// The version of the first long header: `v1`, `v2`, `draft-29`.
    pub version: String,
    /// Whether the client has used keys for data, as it does after a complete handshake.
    pub complete: bool,
    /// Round trip by the handshake: the client's first datagram that proves that it has heard the server, less its last
    /// Initial before the server's answer.
    pub rtt_s: Option<f64>,
    /// Bytes that the client sent.
    pub c2s_bytes: u64,
    /// Bytes that the server sent.
    pub s2c_bytes: u64,
    /// Datagrams of the client.
    pub c2s_datagrams: u64,
    /// Datagrams of the server.
    pub s2c_datagrams: u64,
    /// Time of the last datagram, seconds after `start`.
    pub end_s: f64,
}

/// One network at the far side of the monitor.
#[derive(Clone, Debug, Serialize)]
pub struct Group {
    /// The network: /24 for IPv4, /48 for IPv6.
    pub network: String,
    /// How many connections there are with it.
    pub connections: usize,
    /// The minimum RTT of their handshakes.
    pub min_rtt_s: Option<f64>,
    /// The path that data take towards the network.
    pub to_remote: Path,
    /// The path that data take from it.
    pub from_remote: Path,
}

/// Estimates of a path in one direction.
#[derive(Clone, Debug, Serialize)]
pub struct Path {
    /// Payload bytes that went this way.
    pub bytes: u64,
    /// Packets with data that went this way; 0 for a log, which has no count.
    pub data_packets: u64,
    /// Of these, the packets that repeat data, as far as a monitor can see.
    pub retransmitted_packets: u64,
    /// Rate of the bottleneck, bits of IP packets a second.
    pub rate_bps: Option<f64>,
    /// What passed at least, where no queue shows that it was the bottleneck's rate.
    pub rate_low_bps: Option<f64>,
    /// How the rate was found, or why not.
    pub rate_method: String,
    /// The longest wait in the bottleneck's queue.
    pub queueing_s: Option<f64>,
    /// The buffer in full-size packets that such a wait means, or the largest flight that came through whole.
    pub buffer_packets: Option<u64>,
    /// The queue is not known to have been full: the buffer is at least this.
    pub buffer_at_least: bool,
    /// How the buffer was found, or why not.
    pub buffer_method: String,
}
