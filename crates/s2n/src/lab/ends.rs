//! A server and a client, and what they say to each other.

use super::controls::Controls;
use super::notes::{Notes, wait};
use super::unskipped::{SHIFT, Unskipped};
use super::watcher::Watcher;
use crate::clock::{Watch, now};
use crate::factory::{Factory, handle};
use bytes::Bytes;
use flowstart_control::Instant;
use flowstart_live::lab::{Certificate, MTU, NAME, Observed, Side};
use s2n_quic::client::Connect;
use s2n_quic::connection::Connection;
use s2n_quic::provider::congestion_controller::Endpoint;
use s2n_quic::provider::event::Subscriber;
use s2n_quic::provider::io::testing::{self, Handle, primary, spawn};
use s2n_quic::provider::limits::Limits;
use s2n_quic::provider::{connection_id, random, tls};
use s2n_quic::{Client, Server};
use std::error::Error;
use std::future::Future;
use std::time::Duration;

/// What is handed over at once.
static ZEROS: [u8; 1 << 16] = [0; 1 << 16];
/// The largest window that s2n-quic's receivers give.
const WINDOW: u64 = u32::MAX as u64;
/// Bytes of a connection's ID, as in the simulator's `quic`.
const ID: usize = 8;
/// What the endpoints agree to speak, since s2n-quic insists on something.
const PROTOCOL: &[u8] = b"flowstart";
/// What IPv4 and UDP add to a datagram.
const UDP_IP: u16 = 20 + 8;

type Failure = Box<dyn Error + Send + Sync>;

/// A transfer over a separate connection.
#[derive(Clone)]
pub(super) struct Transfer {
    pub controls: Controls,
    pub sender: Side,
    pub size: u64,
    pub start: Instant,
    pub end: Instant,
    pub seed: u64,
    /// With s2n-quic's own windows, else with no limits.
    pub shipped: bool,
    /// Bytes of the server's flight, if they are given.
    pub flight: Option<u32>,
    pub notes: Notes,
}

impl Transfer {
    /// Opens both endpoints; the run is over when the receiver has everything, or at its end.
    pub fn open(&self, environment: &Handle) -> Result<(), Failure> {
        let shifted = |side, shift| Watcher::new(self.notes.clone(), side == self.sender, shift);
        let watcher = |side| shifted(side, 0);
        match &self.controls {
            Controls::Catalog(startup) => self.open_under(environment, |_| {
                let factory = Factory::new(startup.clone(), Watch::Virtual);
                (factory.events(), factory)
            }),
            Controls::Cubic(window) => self.open_under(environment, |side| {
                (watcher(side), Controls::cubic(*window))
            }),
            Controls::Unskipped(window) => self.open_under(environment, |side| {
                (shifted(side, SHIFT), Unskipped(Controls::cubic(*window)))
            }),
            Controls::Bbr(window) => {
                self.open_under(environment, |side| (watcher(side), Controls::bbr(*window)))
            }
        }
    }

    /// Opens them with the events and the controllers of each side.
    fn open_under<E: Subscriber, C: Endpoint>(
        &self,
        environment: &Handle,
        of: impl Fn(Side) -> (E, C),
    ) -> Result<(), Failure> {
        let mut certificate = Certificate::made(self.flight);
        certificate.server.alpn_protocols = vec![PROTOCOL.to_vec()];
        certificate.client.alpn_protocols = vec![PROTOCOL.to_vec()];
        let mut server = self.server(environment, certificate.server, of(Side::Server))?;
        let address = server.local_addr()?;
        self.notes.open().server = Some(address);
        let client = self.client(environment, certificate.client, of(Side::Client))?;
        let accepts = self.clone();
        self.spawn(Side::Server, async move {
            let connection = server.accept().await.ok_or("the server has closed")?;
            accepts.take_part(Side::Server, connection).await
        });
        let connects = self.clone();
        self.spawn(Side::Client, async move {
            bach::time::sleep(wait(connects.start.since(Instant::ZERO))).await;
            let to = Connect::new(address).with_server_name(NAME);
            let connection = client.connect(to).await?;
            connects.take_part(Side::Client, connection).await
        });
        Ok(())
    }

    fn server<E: Subscriber, C: Endpoint>(
        &self,
        environment: &Handle,
        config: rustls::ServerConfig,
        (events, controllers): (E, C),
    ) -> Result<Server, Failure> {
        let server = Server::builder()
            .with_tls(tls::rustls::Server::from(config))?
            .with_io(io(environment)?)?
            .with_limits(limits(self.shipped)?)?
            .with_connection_id(ids()?)?
            .with_random(Seeded(self.seed))?
            .with_event(events)?
            .with_congestion_controller(controllers)?;
        Ok(server.start()?)
    }

    fn client<E: Subscriber, C: Endpoint>(
        &self,
        environment: &Handle,
        config: rustls::ClientConfig,
        (events, controllers): (E, C),
    ) -> Result<Client, Failure> {
        let client = Client::builder()
            .with_tls(tls::rustls::Client::from(config))?
            .with_io(io(environment)?)?
            .with_limits(limits(self.shipped)?)?
            .with_connection_id(ids()?)?
            .with_random(Seeded(!self.seed))?
            .with_event(events)?
            .with_congestion_controller(controllers)?;
        Ok(client.start()?)
    }

    /// One end's part. The run waits for the receiver's.
    fn spawn<F>(&self, side: Side, part: F)
    where
        F: Future<Output = Result<(), Failure>> + Send + 'static,
    {
        let (notes, end) = (self.notes.clone(), wait(self.end.since(Instant::ZERO)));
        let task = async move {
            if let Ok(Err(e)) = bach::time::timeout(end, part).await {
                notes.open().failure = Some(e.to_string());
            }
        };
        match side == self.sender {
            true => spawn(task),
            false => primary::spawn(task),
        };
    }

    async fn take_part(self, side: Side, connection: Connection) -> Result<(), Failure> {
        match side == self.sender {
            true => self.send(connection).await,
            false => self.receive(connection).await,
        }
    }

    /// The sender may hand over data.
    fn begin(&self, connection: &Connection) -> Result<(), Failure> {
        let mut notes = self.notes.open();
        notes.opened = Some(now().since(self.start));
        if matches!(self.controls, Controls::Catalog(_)) {
            let found = handle(&connection.handle()).ok_or("the connection has no startup")?;
            let adapter = found.shared().clone();
            adapter.lock().record();
            adapter.lock().begin(Some(self.size), now());
            notes.adapter = Some(adapter);
        } else {
            notes.observed = Some(Observed::new(notes.state, now()));
        }
        Ok(())
    }

    async fn send(self, mut connection: Connection) -> Result<(), Failure> {
        self.begin(&connection)?;
        let mut stream = connection.open_send_stream().await?;
        let mut left = self.size;
        while left > 0 {
            let part = left.min(ZEROS.len() as u64);
            stream
                .send(Bytes::from_static(&ZEROS[..part as usize]))
                .await?;
            left -= part;
        }
        stream.finish()?;
        // The connection stays open until the run is over.
        std::future::pending().await
    }

    async fn receive(self, mut connection: Connection) -> Result<(), Failure> {
        let stream = connection.accept_receive_stream().await?;
        let mut stream = stream.ok_or("the sender has closed the connection")?;
        let mut read = 0;
        while read < self.size {
            let chunk = stream
                .receive()
                .await?
                .ok_or("the sender has ended early")?;
            read += chunk.len() as u64;
        }
        self.notes.open().fct = Some(now().since(self.start));
        Ok(())
    }
}

/// Random numbers that are the same in every run.
struct Random(u64);

impl random::Generator for Random {
    fn public_random_fill(&mut self, dest: &mut [u8]) {
        for byte in dest {
            // Knuth's multiplier (MMIX).
            self.0 = self
                .0
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            *byte = (self.0 >> 56) as u8;
        }
    }

    fn private_random_fill(&mut self, dest: &mut [u8]) {
        self.public_random_fill(dest);
    }
}

struct Seeded(u64);

impl random::Provider for Seeded {
    type Generator = Random;
    type Error = std::convert::Infallible;

    fn start(self) -> Result<Random, Self::Error> {
        Ok(Random(self.0))
    }
}

/// With s2n-quic's own windows where flow control is simulated too, else with the largest.
fn limits(shipped: bool) -> Result<Limits, Failure> {
    let limits = Limits::new()
        .with_max_idle_timeout(Duration::from_secs(600))?
        .with_max_handshake_duration(Duration::from_secs(600))?;
    if shipped {
        return Ok(limits);
    }
    Ok(limits
        .with_data_window(WINDOW)?
        .with_unidirectional_data_window(WINDOW)?
        .with_max_send_buffer_size(u32::MAX)?)
}

fn io(handle: &Handle) -> Result<testing::Io, Failure> {
    let whole = MTU + UDP_IP;
    let builder = handle.builder().with_max_mtu(whole).with_initial_mtu(whole);
    Ok(builder.with_base_mtu(whole).build()?)
}

fn ids() -> Result<connection_id::default::Format, Failure> {
    let ids = connection_id::default::Format::builder()
        .with_handshake_connection_id_rotation(false)?
        .with_len(ID);
    Ok(ids.map_err(|e| format!("{e:?}"))?.build()?)
}
