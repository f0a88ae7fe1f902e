//! QUIC connections, as far as they are visible: endpoints, time, bytes, and the round trip of the handshake.
//!
//! A connection is known by its long headers, and from then on by its addresses and ports; one that moves to others
//! (RFC 9000, section 9) is followed no further. Of data only the size of datagrams is known.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use crate::layers::{ConnectionId, Datagram, Endpoint, Other, version_name, written};
use crate::results::QuicConnection;
use crate::sink::Sink;
use crate::time::{seconds, since};

/// A connection that is silent for longer is over. Endpoints give up earlier (RFC 9000, section 10.1). ns
const PATIENCE: u64 = 300_000_000_000;
/// Time between two looks for those that are over. ns
const LOOK_EVERY: u64 = 30_000_000_000;
/// Ports below are those of well-known services.
const WELL_KNOWN: u16 = 1024;

/// The open QUIC connections.
#[derive(Default)]
pub(crate) struct QuicTable {
    /// By the two ends, the lower first.
    live: HashMap<(Endpoint, Endpoint), Live, RandomState>,
    looked: u64,
}

struct Live {
    file: usize,
    first: u64,
    last: u64,
    client: Endpoint,
    server: Endpoint,
    version: u32,
    /// Bytes of datagrams and their number: of the client's and of the server's.
    bytes: [u64; 2],
    datagrams: [u64; 2],
    shake: Shake,
}

/// The handshake as a monitor sees it. The round trip has two halves: from the client's last Initial to the server's first
/// answer, and from the server's flight to the client's first datagram that proves that it has heard it. A server may
/// acknowledge an Initial long before it has a flight.
///
/// A client that has heard the server uses the connection ID that the server has chosen (RFC 9000, section 7.2). So an
/// Initial to another one, be it a hello's second part or a repetition, is no proof.
#[derive(Default)]
struct Shake {
    /// Time of the last Initial that may have been sent without an answer, and the ID that it was sent to.
    initial: Option<(u64, ConnectionId)>,
    /// The server's first answer to it, and the first that the client acknowledges.
    answer: Option<u64>,
    flight: Option<u64>,
    /// The ID that the server has chosen.
    chosen: Option<ConnectionId>,
    rtt: Option<u64>,
    /// The client has keys for data, so the server's handshake is over (RFC 9001, section 4.1.1).
    complete: bool,
}

/// A datagram whose Initial needs an acknowledgement is at least so long (RFC 9000, section 14.1).
const PADDED: u32 = 1200;

impl Shake {
    fn client(&mut self, datagram: &Datagram) {
        let (time, packets) = (datagram.time, datagram.packets);
        let to = packets.long.map(|long| long.destination);
        let distinct = self.initial.map(|(_, first)| first) != self.chosen;
        // Where both IDs are equal, or the header is short, only later keys prove it (RFC 9001, section 4.1.4).
        let heard = self.chosen.is_some()
            && (packets.short || packets.handshake || distinct && to == self.chosen);
        if heard {
            self.complete |= packets.short;
            self.rtt = self.rtt.or_else(|| self.round_trip(time));
        } else if let (true, Some(to)) =
            (packets.initial && (distinct || self.chosen.is_none()), to)
        {
            self.initial = Some((time, to));
            (self.answer, self.flight) = (None, None);
        }
    }

    fn round_trip(&self, heard: u64) -> Option<u64> {
        let (answer, (initial, _)) = (self.answer?, self.initial?);
        let flight = self.flight.unwrap_or(answer);
        Some(answer.checked_sub(initial)? + heard.checked_sub(flight)?)
    }

    fn server(&mut self, datagram: &Datagram) {
        let packets = datagram.packets;
        if packets.retry {
            // It is answered with another Initial, to another ID, from which the time counts.
            *self = Shake::default();
        } else if self.initial.is_some() && (packets.initial || packets.handshake) {
            self.chosen = packets.long.map(|long| long.source);
            self.answer.get_or_insert(datagram.time);
            if packets.handshake || datagram.payload >= PADDED {
                self.flight.get_or_insert(datagram.time);
            }
        }
    }
}

impl QuicTable {
    /// Takes a datagram of a file; they come in the order of their times.
    pub(crate) fn take(&mut self, datagram: &Datagram, file: usize, sink: &mut Sink) {
        if datagram.time.saturating_sub(self.looked) > LOOK_EVERY {
            self.lay_aside(datagram.time, sink);
        }
        let (a, b) = (datagram.source, datagram.destination);
        let key = if a <= b { (a, b) } else { (b, a) };
        let live = match (self.live.get_mut(&key), datagram.packets.long) {
            (Some(live), _) => live,
            (None, Some(header)) => {
                let live = Live::new(datagram, header.version, file);
                self.live.entry(key).or_insert(live)
            }
            (None, None) => {
                let udp = Other::udp(a.port, b.port);
                sink.others.count(udp, datagram.payload);
                return;
            }
        };
        live.take(datagram);
    }

    fn lay_aside(&mut self, now: u64, sink: &mut Sink) {
        self.looked = now;
        let over = |live: &Live| live.last.saturating_add(PATIENCE) < now;
        let mut ended: Vec<_> = self
            .live
            .iter()
            .filter(|(_, live)| over(live))
            .map(|(key, live)| (live.first, *key))
            .collect();
        ended.sort_unstable();
        for (_, key) in ended {
            if let Some(live) = self.live.remove(&key) {
                sink.quic(live.row());
            }
        }
    }

    /// Ends everything.
    pub(crate) fn finish(&mut self, sink: &mut Sink) {
        self.lay_aside(u64::MAX, sink);
    }
}

impl Live {
    fn new(datagram: &Datagram, version: u32, file: usize) -> Self {
        let (source, destination) = (datagram.source, datagram.destination);
        let by_server = source.port < WELL_KNOWN && destination.port >= WELL_KNOWN;
        let (client, server) = match by_server {
            true => (destination, source),
            false => (source, destination),
        };
        Live {
            file,
            first: datagram.time,
            last: datagram.time,
            client,
            server,
            version,
            bytes: [0; 2],
            datagrams: [0; 2],
            shake: Shake::default(),
        }
    }

    fn take(&mut self, datagram: &Datagram) {
        let from = usize::from(datagram.source != self.client);
        self.last = self.last.max(datagram.time);
        self.bytes[from] += u64::from(datagram.payload);
        self.datagrams[from] += 1;
        match from {
            0 => self.shake.client(datagram),
            _ => self.shake.server(datagram),
        }
    }

    fn row(self) -> QuicConnection {
        QuicConnection {
            file: self.file,
            start: seconds(self.first),
            client_ip: written(self.client.address),
            client_port: self.client.port,
            server_ip: written(self.server.address),
            server_port: self.server.port,
            version: version_name(self.version),
            complete: self.shake.complete,
            rtt_s: self
                .shake
                .rtt
                .filter(|&rtt| rtt > 0)
                .map(|rtt| since(0, rtt)),
            c2s_bytes: self.bytes[0],
            s2c_bytes: self.bytes[1],
            c2s_datagrams: self.datagrams[0],
            s2c_datagrams: self.datagrams[1],
            end_s: since(self.first, self.last),
        }
    }
}
