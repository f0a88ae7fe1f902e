//! quiche's two endpoints.

use crate::clock::Virtual;
use boring::pkey::PKey;
use boring::ssl::{SslContextBuilder, SslMethod, SslSignatureAlgorithm};
use boring::x509::X509;
use flowstart_live::lab::{
    self, Clock, Congestion, Control, Datagram, Endpoints, MTU, Native, Outcome, RANDOM, Side,
    State,
};
use flowstart_sim::{ExternalSender, RequestError};
use quiche::{Config, CongestionControlAlgorithm, Connection, ConnectionId, RecvInfo};
use std::net::{Ipv4Addr, SocketAddr};
use std::time::Instant;

/// What is sent.
static ZEROS: [u8; 1 << 16] = [0; 1 << 16];

/// quiche's congestion controls, its default first. BBR is simulated in outline only.
pub const NATIVE: [Control; 3] = [
    Control {
        name: "cubic",
        startup: "hystart-plus-plus",
        cc: "cubic",
    },
    Control {
        name: "reno",
        startup: "hystart-plus-plus",
        cc: "reno",
    },
    Control {
        name: "bbr",
        startup: "bbr-startup",
        cc: "bbr",
    },
];

/// Runs a scenario's only flow under quiche's own congestion control and pacer. An initial window is
/// so many whole datagrams.
///
/// # Errors
///
/// What cannot be run in this clock.
pub fn run_native(
    native: &Native,
    flow: ExternalSender,
    clock: Clock,
) -> Result<Outcome, RequestError> {
    let time = (clock == Clock::Virtual).then(Virtual::begin);
    let origin = time.as_ref().map_or_else(Instant::now, Virtual::origin);
    if let Some(time) = &time {
        time.set(lab::start(&flow, origin));
    }
    let mut ends = Ends::new(native, &flow, time);
    lab::run(flow, &mut ends, origin, clock)
}

/// One endpoint.
struct End {
    connection: Connection,
    /// What the pacer holds back, and until when.
    paced: Option<(Instant, Datagram)>,
}

struct Ends {
    client: End,
    server: End,
    sender: Side,
    /// The stream that carries the transfer.
    stream: u64,
    /// Bytes that are still to be handed over.
    left: u64,
    read: u64,
    buffer: Vec<u8>,
    time: Option<Virtual>,
}

fn address(side: Side) -> SocketAddr {
    let port = match side {
        Side::Client => 40_000,
        Side::Server => 4433,
    };
    SocketAddr::new(Ipv4Addr::LOCALHOST.into(), port)
}

/// Connection IDs of eight bytes, as the simulator's packets have.
fn id(side: Side) -> ConnectionId<'static> {
    ConnectionId::from_vec(vec![side as u8; 8])
}

/// The first windows of quiche's applications, of a stream and of the connection: the library has none
/// (apps/src/args.rs 233-235).
const SHIPPED: (u64, u64) = (1_000_000, 10_000_000);
const UNLIMITED: (u64, u64) = (u64::MAX >> 4, u64::MAX >> 4);

fn config(native: &Native, windows: (u64, u64), tls: SslContextBuilder) -> Config {
    let mut config =
        Config::with_boring_ssl_ctx_builder(quiche::PROTOCOL_VERSION, tls).expect(RANDOM);
    config
        .set_application_protos(&[b"flowstart"])
        .expect("one short name");
    config.verify_peer(false);
    config.grease(false);
    config.set_max_idle_timeout(600_000);
    config.set_max_recv_udp_payload_size(MTU.into());
    config.set_max_send_udp_payload_size(MTU.into());
    config.set_initial_max_stream_data_uni(windows.0);
    config.set_initial_max_data(windows.1);
    config.set_initial_max_streams_uni(1);
    config.set_cc_algorithm(match native.cc.as_str() {
        "bbr" => CongestionControlAlgorithm::Bbr2Gcongestion,
        "reno" => CongestionControlAlgorithm::Reno,
        _ => CongestionControlAlgorithm::CUBIC,
    });
    if let Some(bytes) = native.initial_window {
        let datagrams = bytes / u64::from(MTU);
        config.set_initial_congestion_window_packets(datagrams.try_into().unwrap_or(usize::MAX));
    }
    config
}

/// What precedes the 32 bytes of an Ed25519 key without the public one (RFC 8410 §7). With that,
/// BoringSSL does not read it.
const VERSION_1: [u8; 16] = [
    0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20,
];

/// The TLS of both sides. Signatures are of Ed25519, so that handshakes have the same length.
fn tls(side: Side, flight: Option<u32>) -> SslContextBuilder {
    let mut tls = SslContextBuilder::new(SslMethod::tls()).expect(RANDOM);
    if flight.is_some() {
        // Without the post-quantum share, so that the ClientHello fits into a datagram.
        tls.set_curves_list("X25519").expect(RANDOM);
    }
    match side {
        Side::Client => {
            let algorithms = [SslSignatureAlgorithm::ED25519];
            tls.set_verify_algorithm_prefs(&algorithms).expect(RANDOM);
        }
        Side::Server => {
            let (certificate, key) = lab::signed(flight);
            let certificate = X509::from_der(&certificate).expect(RANDOM);
            let key = [&VERSION_1[..], &key[VERSION_1.len()..][..32]].concat();
            let key = PKey::private_key_from_der(&key).expect(RANDOM);
            tls.set_certificate(&certificate).expect(RANDOM);
            tls.set_private_key(&key).expect(RANDOM);
        }
    }
    tls
}

impl Ends {
    fn new(native: &Native, flow: &ExternalSender, time: Option<Virtual>) -> Ends {
        let (client, server) = (address(Side::Client), address(Side::Server));
        let windows = match flow.stack.flow_control() {
            Some(_) => SHIPPED,
            None => UNLIMITED,
        };
        let sides = [Side::Client, Side::Server];
        let mut configs =
            sides.map(|side| config(native, windows, tls(side, flow.stack.flight_bytes())));
        let [of_client, of_server] = &mut configs;
        let end = |connection: quiche::Result<Connection>| End {
            connection: connection.expect(RANDOM),
            paced: None,
        };
        let sender = lab::sender(flow);
        Ends {
            client: end(quiche::connect(
                Some(lab::NAME),
                &id(Side::Client),
                client,
                server,
                of_client,
            )),
            server: end(quiche::accept(
                &id(Side::Server),
                None,
                server,
                client,
                of_server,
            )),
            sender,
            // The first unidirectional one (RFC 9000 §2.1).
            stream: 2 + sender as u64,
            left: flow.size,
            read: 0,
            buffer: vec![0; ZEROS.len()],
            time,
        }
    }

    /// One side, at this time.
    fn at(&mut self, side: Side, now: Instant) -> &mut End {
        if let Some(time) = &self.time {
            time.set(now);
        }
        self.end(side)
    }

    fn end(&mut self, side: Side) -> &mut End {
        match side {
            Side::Client => &mut self.client,
            Side::Server => &mut self.server,
        }
    }
}

impl Endpoints for Ends {
    fn poll_transmit(&mut self, side: Side, now: Instant) -> Option<Datagram> {
        let end = self.at(side, now);
        let (due, datagram) = end.paced.take().or_else(|| {
            let mut payload = vec![0; MTU.into()];
            let (length, info) = end.connection.send(&mut payload).ok()?;
            payload.truncate(length);
            let datagram = Datagram {
                payload,
                ect: false,
                ce: false,
            };
            Some((info.at, datagram))
        })?;
        if due > now {
            end.paced = Some((due, datagram));
            return None;
        }
        Some(datagram)
    }

    fn receive(&mut self, side: Side, mut datagram: Datagram, now: Instant) {
        let info = RecvInfo {
            from: address(side.other()),
            to: address(side),
        };
        // An error closes the connection, which `failure` reports.
        let _ = self
            .at(side, now)
            .connection
            .recv(&mut datagram.payload, info);
    }

    fn deadline(&mut self, side: Side) -> Option<Instant> {
        let end = self.end(side);
        let paced = end.paced.as_ref().map(|(due, _)| *due);
        end.connection
            .timeout_instant()
            .into_iter()
            .chain(paced)
            .min()
    }

    fn on_deadline(&mut self, side: Side, now: Instant) {
        self.at(side, now).connection.on_timeout();
    }

    fn opened(&mut self, _now: Instant) -> Option<Congestion> {
        let sender = self.sender;
        let open = self.end(sender).connection.is_established();
        open.then_some(Congestion::Native)
    }

    fn state(&mut self) -> Option<State> {
        let (sender, stream) = (self.sender, self.stream);
        let handed_over = self.left == 0;
        let connection = &mut self.end(sender).connection;
        let path = connection.path_stats().next()?;
        Some(State {
            window: path.cwnd as u64,
            ssthresh: path.startup_exit.map(|exit| exit.cwnd as u64),
            by_delay: path.startup_exit.is_some_and(|exit| {
                exit.reason == quiche::StartupExitReason::ConservativeSlowStartRounds
            }),
            srtt: flowstart_control::Duration::from_nanos(path.rtt.as_nanos() as u64),
            lost: path.lost as u64,
            // A stream is forgotten once all of it is acknowledged.
            finished: handed_over && connection.stream_capacity(stream).is_err(),
        })
    }

    fn write(&mut self) {
        let (sender, stream, mut left) = (self.sender, self.stream, self.left);
        let connection = &mut self.end(sender).connection;
        while left > 0 {
            let part = left.min(ZEROS.len() as u64) as usize;
            match connection.stream_send(stream, &ZEROS[..part], part as u64 == left) {
                Ok(written) => left -= written as u64,
                Err(_) => break,
            }
        }
        self.left = left;
    }

    fn read(&mut self) -> u64 {
        let (receiver, stream) = (self.sender.other(), self.stream);
        let mut buffer = std::mem::take(&mut self.buffer);
        let mut read = 0;
        let connection = &mut self.end(receiver).connection;
        while let Ok((bytes, _)) = connection.stream_recv(stream, &mut buffer) {
            read += bytes as u64;
        }
        self.buffer = buffer;
        self.read += read;
        self.read
    }

    fn failure(&self) -> Option<String> {
        let ends = [&self.client.connection, &self.server.connection];
        let error = ends.iter().find_map(|connection| {
            let error = connection.local_error().or(connection.peer_error())?;
            Some(format!(
                "error {}: {}",
                error.error_code,
                String::from_utf8_lossy(&error.reason)
            ))
        });
        let idle = ends.iter().any(|connection| connection.is_timed_out());
        error.or_else(|| idle.then(|| "the connection was idle for too long".to_string()))
    }
}
