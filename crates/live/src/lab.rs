//! A stack's two endpoints over the simulator's links, in virtual time.
//!
//! The run is a loop over events, as the simulator's is: what the links deliver, and what the
//! endpoints' timers and the pacer need. Nothing waits for a clock, so a transfer takes as long as
//! its packets take to encrypt, and the same scenario gives the same run.

pub mod agreement;
mod loopback;
mod native;
mod quinn_proto;

pub use crate::ends::{Datagram, MTU, Side, sender};
pub use crate::lateness::Lateness;
pub use crate::outcome::{Clock, Outcome};
pub use crate::wire::{Passage, Wire};
pub use native::{Control, Native, Observed, State};

use crate::{Shared, Startup};
use flowstart_control::signals::PathInfo;
use flowstart_control::{Duration, Exit, Instant};
use flowstart_network::moment::Moment;
use flowstart_sim::{ExternalSender, RequestError};
use loopback::Loopback;
use std::sync::Arc;

/// What the server calls itself.
pub const NAME: &str = "localhost";
/// Why making keys may not fail.
pub const RANDOM: &str = "the system gives random numbers";

/// A self-signed certificate of a server, and a client that trusts it. Keys and signatures are of
/// Ed25519, so that handshakes always have the same length.
pub struct Certificate {
    /// For the server.
    pub server: rustls::ServerConfig,
    /// For the client.
    pub client: rustls::ClientConfig,
}

impl Certificate {
    /// A fresh one, with padding where the server's flight is to have so many bytes.
    pub fn made(flight: Option<u32>) -> Certificate {
        let (der, secret) = signed(flight);
        let secret = rustls::pki_types::PrivatePkcs8KeyDer::from(secret);
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let version = &[&rustls::version::TLS13];
        let server = rustls::ServerConfig::builder_with_provider(provider.clone())
            .with_protocol_versions(version)
            .expect(RANDOM)
            .with_no_client_auth()
            .with_single_cert(vec![der.clone()], secret.into())
            .expect(RANDOM);
        let mut roots = rustls::RootCertStore::empty();
        roots.add(der).expect(RANDOM);
        let client = rustls::ClientConfig::builder_with_provider(provider)
            .with_protocol_versions(version)
            .expect(RANDOM)
            .with_root_certificates(roots)
            .with_no_client_auth();
        Certificate { server, client }
    }
}

/// Bytes of a server's other messages: ServerHello 90, EncryptedExtensions with transport parameters
/// about 100, 13 around the certificate, CertificateVerify 72, and Finished 52.
const OTHER_MESSAGES: usize = 327;
/// Bytes of a certificate without padding, and of the extension that has the padding.
const CERTIFICATE: usize = 300;

/// A self-signed certificate of Ed25519, and its key in PKCS #8. It has padding where the server's flight
/// is to have so many bytes.
pub fn signed(flight: Option<u32>) -> (rustls::pki_types::CertificateDer<'static>, Vec<u8>) {
    let key = rcgen::KeyPair::generate_for(&rcgen::PKCS_ED25519).expect(RANDOM);
    let mut params = rcgen::CertificateParams::new([NAME.to_string()]).expect(RANDOM);
    // Of a fixed length as well.
    params.serial_number = Some(rcgen::SerialNumber::from(1));
    if let Some(flight) = flight {
        let padding = (flight as usize).saturating_sub(OTHER_MESSAGES + CERTIFICATE);
        // An enterprise number for examples (RFC 5612).
        let oid = [1, 3, 6, 1, 4, 1, 32473, 1];
        let extension = rcgen::CustomExtension::from_oid_content(&oid, vec![0; padding]);
        params.custom_extensions.push(extension);
    }
    let certificate = params.self_signed(&key).expect(RANDOM);
    (certificate.der().clone(), key.serialize_der())
}

/// A paced datagram that this machine's timers make late does not make those behind it late.
const TOLERANCE: Duration = Duration::from_millis(2);

/// When a flow opens, where times count from `origin`.
pub fn start(flow: &ExternalSender, origin: std::time::Instant) -> std::time::Instant {
    origin + std::time::Duration::from_nanos(flow.start.nanos())
}

/// The two endpoints of one connection of a stack, which do nothing without calls.
pub trait Endpoints {
    /// What this side is to send now; one datagram at a time.
    fn poll_transmit(&mut self, side: Side, now: std::time::Instant) -> Option<Datagram>;
    /// A datagram reaches this side.
    fn receive(&mut self, side: Side, datagram: Datagram, now: std::time::Instant);
    /// When this side is due.
    fn deadline(&mut self, side: Side) -> Option<std::time::Instant>;
    /// That time has come.
    fn on_deadline(&mut self, side: Side, now: std::time::Instant);
    /// The controller of the congestion window of the side that sends, once it may hand over data.
    fn opened(&mut self, now: std::time::Instant) -> Option<Congestion>;
    /// The state of the stack's own controller on that side.
    fn state(&mut self) -> Option<State>;
    /// The application hands over as much of the transfer as there is room for.
    fn write(&mut self);
    /// Bytes that the receiving application has read.
    fn read(&mut self) -> u64;
    /// Why the connection is no more, if it is not.
    fn failure(&self) -> Option<String>;
}

/// The controller of a connection's congestion window.
pub enum Congestion {
    /// A startup of the catalog, behind its adapter.
    Catalog(Shared),
    /// The stack's own.
    Native,
}

const BOTH: [Side; 2] = [Side::Client, Side::Server];

struct Run<'a> {
    flow: ExternalSender,
    wire: Wire,
    ends: &'a mut dyn Endpoints,
    origin: std::time::Instant,
    sender: Side,
    moment: Moment,
    /// When a side was last due. A stack that is due at that time again is so a nanosecond later, or
    /// time would stand still.
    woken: Option<Instant>,
    adapter: Option<Shared>,
    /// The sides at which something has happened: a stack looks for what to send only then, and its
    /// pacer would spend what it saves up at every look.
    awake: [bool; 2],
    /// Where the stack's own controller is in use.
    observed: Option<Observed>,
    opened: Option<Duration>,
    /// In real time.
    loopback: Option<Loopback>,
    /// A socket failed.
    broken: Option<String>,
}

/// The startup of a scenario's only flow.
pub fn startup(flow: &ExternalSender) -> Result<Startup, RequestError> {
    let made = Startup::of(flow.recipe.clone());
    let made = made.map_err(|e| RequestError::new("flows[0].startup", e.to_string()))?;
    let PathInfo {
        memory,
        interface_rate,
        ..
    } = flow.known;
    let made = interface_rate
        .into_iter()
        .fold(made, Startup::interface_rate);
    Ok(memory.into_iter().fold(made, Startup::memory))
}

/// What an endpoint's random numbers are drawn from.
pub fn seed(run: u64, side: Side) -> [u8; 32] {
    let mut seed = [side as u8; 32];
    seed[..8].copy_from_slice(&run.to_le_bytes());
    seed
}

/// Runs the transfer of a flow between these endpoints, whose times count from `origin`.
pub fn run(
    mut flow: ExternalSender,
    ends: &mut dyn Endpoints,
    origin: std::time::Instant,
    clock: Clock,
) -> Result<Outcome, RequestError> {
    let loopback = match clock {
        Clock::Virtual => None,
        Clock::Real if flow.ecn => {
            let problem = "nothing marks what passes through sockets; leave `ecn` out in real time";
            return Err(RequestError::new("stack.ecn", problem));
        }
        Clock::Real => Some(Loopback::new(origin).map_err(|e| {
            let problem = format!("no sockets on this machine's loopback: {e}");
            RequestError::new("", problem)
        })?),
    };
    let mut run = Run {
        sender: sender(&flow),
        moment: Moment {
            time: flow.start,
            cause: flow.start,
        },
        wire: Wire::of(&mut flow),
        flow,
        ends,
        origin,
        woken: None,
        adapter: None,
        awake: [true, false],
        observed: None,
        opened: None,
        loopback,
        broken: None,
    };
    Ok(run.go())
}

impl Run<'_> {
    fn instant(&self) -> std::time::Instant {
        self.origin + std::time::Duration::from_nanos(self.moment.time.nanos())
    }

    fn go(&mut self) -> Outcome {
        let mut fct = None;
        loop {
            self.transmit();
            if fct.is_none() && self.ends.read() >= self.flow.size {
                fct = Some(self.moment.time.since(self.flow.start));
            }
            if fct.is_some() && self.is_acknowledged() || self.broken.is_some() {
                break;
            }
            let Some(next) = self.next().filter(|next| next.time <= self.flow.end) else {
                break;
            };
            if let Some(loopback) = &self.loopback {
                loopback.wait_until(next.time);
            }
            self.moment = next;
            self.step();
        }
        self.outcome(fct)
    }

    /// Whether all is acknowledged.
    fn is_acknowledged(&self) -> bool {
        match (&self.adapter, &self.observed) {
            (Some(adapter), _) => adapter.lock().in_flight() == 0,
            (None, Some(observed)) => observed.state.finished,
            (None, None) => true,
        }
    }

    /// What happens next, and when.
    fn next(&mut self) -> Option<Moment> {
        let due = BOTH.map(|side| self.due(side)).into_iter().flatten().min();
        let at = |time: Instant| Moment {
            time: time.max(self.moment.time),
            cause: Instant::MAX,
        };
        let again = self.woken.map(|woken| woken + Duration::from_nanos(1));
        let due = due.map(|due| at(again.map_or(due, |again| due.max(again))));
        let paced = self.adapter.as_ref().and_then(|a| a.lock().paced_until());
        let paced = paced.map(|due| at(due + self.later()));
        let delivery = self.wire.next().into_iter();
        delivery.chain(due).chain(paced).min()
    }

    /// When a side is due.
    fn due(&mut self, side: Side) -> Option<Instant> {
        let due = self.ends.deadline(side)?;
        let wait = due.saturating_duration_since(self.origin);
        Some(Instant::from_nanos(wait.as_nanos() as u64))
    }

    /// How much later than the run's the adapter's time begins.
    fn later(&self) -> Duration {
        let since = |adapter: &Shared| adapter.origin().saturating_duration_since(self.origin);
        let since = self
            .adapter
            .as_ref()
            .map_or(std::time::Duration::ZERO, since);
        Duration::from_nanos(since.as_nanos() as u64)
    }

    fn step(&mut self) {
        let due = self.moment;
        if self.wire.next() != Some(due) {
            self.moment.cause = due.time;
            self.look_at_clock();
            return self.wake(due.time);
        }
        let Some((to, mut datagram)) = self.wire.deliver(due) else {
            return;
        };
        if let Some(loopback) = &mut self.loopback {
            loopback.note_delivery(due.time);
            match loopback.to_end(to, &datagram.payload) {
                Ok(payload) => datagram.payload = payload,
                Err(e) => self.broken = Some(e.to_string()),
            }
        }
        self.look_at_clock();
        let now = self.instant();
        self.ends.receive(to, datagram, now);
        self.awake[to as usize] = true;
    }

    /// The sides that are due at this time run their timers, and the adapter's pacer may release
    /// the sender.
    fn wake(&mut self, time: Instant) {
        let now = self.instant();
        self.woken = Some(time);
        for side in BOTH {
            if self.due(side).is_some_and(|due| due <= time) {
                self.ends.on_deadline(side, now);
                self.awake[side as usize] = true;
            }
        }
        if self.adapter.is_some() {
            self.awake[self.sender as usize] = true;
        }
    }

    /// Takes the time from the clock, in real time.
    fn look_at_clock(&mut self) {
        if let Some(loopback) = &self.loopback {
            let now = loopback.now().max(self.moment.time);
            self.moment = Moment {
                time: now,
                cause: now,
            };
        }
    }

    /// Both sides send what they have to send now.
    fn transmit(&mut self) {
        self.look_at_clock();
        let now = self.instant();
        if self.opened.is_none()
            && let Some(congestion) = self.ends.opened(now)
        {
            self.opened = Some(self.moment.time.since(self.flow.start));
            if let Congestion::Catalog(adapter) = congestion {
                self.begin(adapter, now);
            }
        }
        if self.opened.is_some() {
            if self.adapter.is_none() {
                self.observe();
            }
            self.ends.write();
        }
        let awake = std::mem::take(&mut self.awake);
        for side in [self.sender, self.sender.other()] {
            if !awake[side as usize] {
                continue;
            }
            while self.broken.is_none() {
                self.look_at_clock();
                let now = self.instant();
                if let (true, Some(adapter)) = (side == self.sender, &self.adapter) {
                    adapter.lock().set_clock(adapter.time(now));
                }
                let Some(datagram) = self.ends.poll_transmit(side, now) else {
                    break;
                };
                self.send(side, datagram);
            }
            if let (true, Some(adapter)) = (side == self.sender, &self.adapter) {
                adapter.lock().on_sent_all();
            }
        }
    }

    /// The startup of the catalog begins.
    fn begin(&mut self, adapter: Shared, now: std::time::Instant) {
        let mut locked = adapter.lock();
        locked.record();
        if self.loopback.is_some() {
            locked.tolerate(TOLERANCE);
        }
        locked.begin(Some(self.flow.size), adapter.time(now));
        drop(locked);
        self.adapter = Some(adapter);
    }

    /// Records the state of the stack's own controller.
    fn observe(&mut self) {
        let Some(state) = self.ends.state() else {
            return;
        };
        let time = self.moment.time;
        match &mut self.observed {
            Some(observed) => observed.update(state, time),
            None => self.observed = Some(Observed::new(state, time)),
        }
    }

    fn send(&mut self, side: Side, mut datagram: Datagram) {
        if let Some(loopback) = &self.loopback {
            match loopback.to_relay(side, &datagram.payload) {
                Ok(payload) => datagram.payload = payload,
                Err(e) => self.broken = Some(e.to_string()),
            }
        }
        if let Some(observed) = self.observed.as_mut().filter(|_| side == self.sender) {
            observed.sent(datagram.payload.len());
        }
        self.wire.send(side, datagram, self.moment);
    }

    fn outcome(&mut self, fct: Option<Duration>) -> Outcome {
        let failure = match fct {
            Some(_) => None,
            None => self.broken.take().or_else(|| self.ends.failure()),
        };
        let dropped = self.wire.dropped();
        let later = self.later();
        let mut outcome = Outcome::of(self.adapter.as_ref(), fct, dropped, failure);
        if let Some(observed) = self.observed.take() {
            observed.into_outcome(&mut outcome);
        }
        outcome.datagrams = self.wire.passages().to_vec();
        outcome.opened = self.opened;
        outcome.lateness = self.loopback.as_mut().map(Loopback::lateness);
        outcome.exit = outcome.exit.map(|exit| Exit {
            at: exit.at + later,
            ..exit
        });
        let samples = outcome.trace.iter_mut();
        samples.for_each(|sample| sample.at += later);
        outcome
    }
}
