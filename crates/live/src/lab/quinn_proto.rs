//! The two endpoints of a stack with the interface of `quinn-proto`.
//!
//! `quinn-proto` and `noq-proto` have the same names for the same things, but not one type in common,
//! so what is written once for both is a macro. Their differences are in a module `api` each.

/// Defines `run`, which runs a scenario's only flow over this protocol crate.
///
/// Where it is used there is a module `api` with what differs: `endpoint`, `transmit`, `receive`,
/// `congestion`, `statistics` and `Bbr`; and the crate has `Factory`, `Live`, and `bytes`.
#[macro_export]
macro_rules! quinn_proto_lab {
    ($proto:ident) => {
        use bytes::BytesMut;
        use flowstart_sim::{ExternalSender, RequestError};
        use std::collections::VecDeque;
        use std::net::{Ipv4Addr, SocketAddr};
        use std::sync::Arc;
        use std::time::Instant;
        use $crate::lab::{
            self, Certificate, Clock, Congestion, Control, Datagram, Endpoints, MTU, Native,
            Outcome, RANDOM, Side, State,
        };
        use $proto::congestion::{ControllerFactory, CubicConfig, NewRenoConfig};
        use $proto::crypto::rustls::{QuicClientConfig, QuicServerConfig};
        use $proto::{
            ClientConfig, Connection, ConnectionHandle, DatagramEvent, Dir, EcnCodepoint, Endpoint,
            EndpointConfig, Event, IdleTimeout, RecvStream, ServerConfig, StreamEvent, StreamId,
            Transmit, TransportConfig, VarInt,
        };

        /// What is sent.
        static ZEROS: [u8; 1 << 16] = [0; 1 << 16];

        /// Runs a scenario's only flow under its startup.
        pub fn run(flow: ExternalSender, clock: Clock) -> Result<Outcome, RequestError> {
            let factory = Arc::new(Factory::new(lab::startup(&flow)?));
            run_under(factory, flow, clock)
        }

        /// Runs a scenario's only flow under the stack's own congestion control and pacer.
        ///
        /// # Errors
        ///
        /// What cannot be run in this clock.
        pub fn run_native(
            native: &Native,
            flow: ExternalSender,
            clock: Clock,
        ) -> Result<Outcome, RequestError> {
            run_under(controllers(native), flow, clock)
        }

        /// What makes the controllers of the side that sends.
        type Controllers = Arc<dyn ControllerFactory + Send + Sync>;

        fn run_under(
            controllers: Controllers,
            flow: ExternalSender,
            clock: Clock,
        ) -> Result<Outcome, RequestError> {
            let sender = lab::sender(&flow);
            let certificate = Certificate::made(flow.stack.flight_bytes());
            let origin = Instant::now();
            let start = lab::start(&flow, origin);
            let mut ends = Ends::new(controllers, certificate, sender, &flow, start);
            lab::run(flow, &mut ends, origin, clock)
        }

        /// The stack's congestion controls, its default first.
        pub const NATIVE: [Control; 3] = [
            Control {
                name: "cubic",
                startup: "slow-start",
                cc: "cubic",
            },
            Control {
                name: "newreno",
                startup: "slow-start",
                cc: "reno",
            },
            Control {
                name: "bbr",
                startup: "bbr-startup",
                cc: "bbr",
            },
        ];

        fn controllers(native: &Native) -> Controllers {
            match native.cc.as_str() {
                "bbr" => configured(native, api::Bbr::initial_window),
                "newreno" => configured(native, NewRenoConfig::initial_window),
                _ => configured(native, CubicConfig::initial_window),
            }
        }

        /// A configuration with the initial window that is given.
        fn configured<C: ControllerFactory + Default + Send + Sync + 'static>(
            native: &Native,
            initial_window: fn(&mut C, u64) -> &mut C,
        ) -> Controllers {
            let mut config = C::default();
            if let Some(bytes) = native.initial_window {
                initial_window(&mut config, bytes);
            }
            Arc::new(config)
        }

        /// One endpoint, and its connection once it has one.
        struct End {
            endpoint: Endpoint,
            connection: Option<(ConnectionHandle, Connection)>,
            /// Answers that the endpoint gives without the application.
            answers: VecDeque<Datagram>,
            open: bool,
            /// All that was to be sent is acknowledged.
            finished: bool,
            lost: Option<String>,
        }

        struct Ends {
            client: End,
            server: End,
            sender: Side,
            /// Bytes that are still to be handed over.
            left: u64,
            out: Option<StreamId>,
            into: Option<StreamId>,
            read: u64,
            buffer: Vec<u8>,
        }

        fn address(side: Side) -> SocketAddr {
            let port = match side {
                Side::Client => 40_000,
                Side::Server => 4433,
            };
            SocketAddr::new(Ipv4Addr::LOCALHOST.into(), port)
        }

        /// With the stack's own windows where flow control is simulated too, else with no limits.
        fn transport(controllers: Option<Controllers>, shipped: bool) -> Arc<TransportConfig> {
            let mut config = TransportConfig::default();
            config
                .initial_mtu(MTU)
                .mtu_discovery_config(None)
                .max_idle_timeout(Some(IdleTimeout::from(VarInt::from_u32(600_000))))
                .allow_spin(false);
            if !shipped {
                config
                    .stream_receive_window(VarInt::MAX)
                    .receive_window(VarInt::MAX)
                    .send_window(u64::MAX / 2);
            }
            if let Some(controllers) = controllers {
                config.congestion_controller_factory(controllers);
            }
            Arc::new(config)
        }

        fn endpoint(server: Option<ServerConfig>, side: Side, seed: u64) -> Endpoint {
            let mut config = EndpointConfig::default();
            let seed = lab::seed(seed, side);
            config.rng_seed(Some(seed)).grease_quic_bit(false);
            api::endpoint(Arc::new(config), server.map(Arc::new))
        }

        impl Ends {
            fn new(
                controllers: Controllers,
                Certificate { server, client }: Certificate,
                sender: Side,
                flow: &ExternalSender,
                now: Instant,
            ) -> Ends {
                let shipped = flow.stack.flow_control().is_some();
                let of = |side| transport((side == sender).then(|| controllers.clone()), shipped);
                let crypto = QuicServerConfig::try_from(server).expect(RANDOM);
                let mut server = ServerConfig::with_crypto(Arc::new(crypto));
                server.transport_config(of(Side::Server));
                let crypto = QuicClientConfig::try_from(client).expect(RANDOM);
                let mut client_config = ClientConfig::new(Arc::new(crypto));
                client_config.transport_config(of(Side::Client));
                let mut client = endpoint(None, Side::Client, flow.seed);
                let connection = client
                    .connect(now, client_config, address(Side::Server), lab::NAME)
                    .expect("the address is one");
                let end = |endpoint, connection| End {
                    endpoint,
                    connection,
                    answers: VecDeque::new(),
                    open: false,
                    finished: false,
                    lost: None,
                };
                Ends {
                    client: end(client, Some(connection)),
                    server: end(endpoint(Some(server), Side::Server, flow.seed), None),
                    sender,
                    left: flow.size,
                    out: None,
                    into: None,
                    read: 0,
                    buffer: Vec::with_capacity(usize::from(MTU)),
                }
            }

            fn end(&mut self, side: Side) -> &mut End {
                match side {
                    Side::Client => &mut self.client,
                    Side::Server => &mut self.server,
                }
            }

            /// Passes a connection's events to its endpoint, and returns what has happened to it.
            fn settle(&mut self, side: Side) {
                let end = self.end(side);
                let Some((handle, connection)) = &mut end.connection else {
                    return;
                };
                while let Some(event) = connection.poll_endpoint_events() {
                    if let Some(event) = end.endpoint.handle_event(*handle, event) {
                        connection.handle_event(event);
                    }
                }
                while let Some(event) = connection.poll() {
                    match event {
                        Event::Connected => end.open = true,
                        Event::Stream(StreamEvent::Finished { .. }) => end.finished = true,
                        Event::ConnectionLost { reason } => end.lost = Some(reason.to_string()),
                        _ => {}
                    }
                }
            }
        }

        /// The bytes that have come in order.
        fn read_all(mut stream: RecvStream<'_>) -> u64 {
            let Ok(mut chunks) = stream.read(true) else {
                return 0;
            };
            let mut read = 0;
            while let Ok(Some(chunk)) = chunks.next(usize::MAX) {
                read += chunk.bytes.len() as u64;
            }
            let _ = chunks.finalize();
            read
        }

        fn datagram(transmit: &Transmit, buffer: &mut Vec<u8>) -> Datagram {
            let payload = buffer[..transmit.size].to_vec();
            buffer.clear();
            Datagram {
                payload,
                ect: transmit.ecn.is_some(),
                ce: false,
            }
        }

        impl Endpoints for Ends {
            fn poll_transmit(&mut self, side: Side, now: Instant) -> Option<Datagram> {
                let mut buffer = std::mem::take(&mut self.buffer);
                let end = self.end(side);
                let sent = end.answers.pop_front().or_else(|| {
                    let (_, connection) = end.connection.as_mut()?;
                    let transmit = api::transmit(connection, now, &mut buffer)?;
                    Some(datagram(&transmit, &mut buffer))
                });
                self.buffer = buffer;
                self.settle(side);
                sent
            }

            fn receive(&mut self, side: Side, datagram: Datagram, now: Instant) {
                let from = address(side.other());
                let ecn = match (datagram.ect, datagram.ce) {
                    (_, true) => Some(EcnCodepoint::Ce),
                    (true, false) => Some(EcnCodepoint::Ect0),
                    (false, false) => None,
                };
                let data = BytesMut::from(&datagram.payload[..]);
                let mut buffer = std::mem::take(&mut self.buffer);
                let end = self.end(side);
                match api::receive(&mut end.endpoint, from, (ecn, data), &mut buffer, now) {
                    Some(DatagramEvent::ConnectionEvent(_, event)) => {
                        if let Some((_, connection)) = &mut end.connection {
                            connection.handle_event(event);
                        }
                    }
                    Some(DatagramEvent::NewConnection(incoming)) => {
                        match end.endpoint.accept(incoming, now, &mut buffer, None) {
                            Ok(connection) => end.connection = Some(connection),
                            Err(e) => end.lost = Some(e.cause.to_string()),
                        }
                    }
                    Some(DatagramEvent::Response(transmit)) => {
                        end.answers
                            .push_back(self::datagram(&transmit, &mut buffer));
                    }
                    None => {}
                }
                buffer.clear();
                self.buffer = buffer;
                self.settle(side);
            }

            fn deadline(&mut self, side: Side) -> Option<Instant> {
                let (_, connection) = self.end(side).connection.as_mut()?;
                connection.poll_timeout()
            }

            fn on_deadline(&mut self, side: Side, now: Instant) {
                if let Some((_, connection)) = &mut self.end(side).connection {
                    connection.handle_timeout(now);
                }
                self.settle(side);
            }

            fn opened(&mut self, _now: Instant) -> Option<Congestion> {
                let sender = self.sender;
                let end = self.end(sender);
                let (_, connection) = end.connection.as_mut().filter(|_| end.open)?;
                let controller = api::congestion(connection)?.clone_box();
                Some(match controller.into_any().downcast::<Live>() {
                    Ok(live) => Congestion::Catalog(live.gate().adapter().clone()),
                    Err(_) => Congestion::Native,
                })
            }

            fn state(&mut self) -> Option<State> {
                let sender = self.sender;
                let end = self.end(sender);
                let (_, connection) = end.connection.as_mut()?;
                let metrics = api::congestion(connection)?.metrics();
                let (srtt, lost) = api::statistics(connection)?;
                Some(State {
                    window: metrics.congestion_window,
                    ssthresh: metrics.ssthresh.filter(|bytes| *bytes < u64::MAX),
                    by_delay: false,
                    srtt: flowstart_control::Duration::from_nanos(srtt.as_nanos() as u64),
                    lost,
                    finished: end.finished,
                })
            }

            fn write(&mut self) {
                let (sender, mut left, mut out) = (self.sender, self.left, self.out);
                if left == 0 {
                    return;
                }
                let Some((_, connection)) = &mut self.end(sender).connection else {
                    return;
                };
                out = out.or_else(|| connection.streams().open(Dir::Uni));
                let Some(stream) = out else { return };
                let mut stream = connection.send_stream(stream);
                while left > 0 {
                    let part = left.min(ZEROS.len() as u64) as usize;
                    match stream.write(&ZEROS[..part]) {
                        Ok(written) => left -= written as u64,
                        Err(_) => break,
                    }
                }
                if left == 0 {
                    // It fails only where the connection is no more.
                    let _ = stream.finish();
                }
                (self.left, self.out) = (left, out);
            }

            fn read(&mut self) -> u64 {
                let receiver = self.sender.other();
                let (mut into, mut read) = (self.into, 0);
                if let Some((_, connection)) = &mut self.end(receiver).connection {
                    into = into.or_else(|| connection.streams().accept(Dir::Uni));
                    if let Some(stream) = into {
                        read = read_all(connection.recv_stream(stream));
                    }
                }
                self.into = into;
                self.read += read;
                self.read
            }

            fn failure(&self) -> Option<String> {
                self.client
                    .lost
                    .clone()
                    .or_else(|| self.server.lost.clone())
            }
        }
    };
}
