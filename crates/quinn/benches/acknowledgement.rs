//! What a packet costs at quinn's interface: sent, the window read twice, and acknowledged.
//!
//! Every second packet is acknowledged with the one before, as RFC 9000 §13.2.2 recommends, in a flight of
//! 100 packets.

// The macros of Criterion make functions without comments.
#![allow(missing_docs)]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use flowstart_quinn::{Startup, quinn as adapter};
use quinn::{Endpoint, TransportConfig};
use quinn_proto::RttEstimator;
use quinn_proto::congestion::{Controller, ControllerFactory, CubicConfig};
use std::any::Any;
use std::hint::black_box;
use std::net::Ipv4Addr;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

#[allow(dead_code)]
#[path = "../examples/quinn-transfer.rs"]
mod transfer;

const MTU: u64 = 1452;
const FLIGHT: u64 = 100;
const PACKETS: u64 = 10_000;

/// quinn makes no [`RttEstimator`] for others: a controller keeps one of a handshake.
static ESTIMATOR: OnceLock<RttEstimator> = OnceLock::new();

struct Keeps;

impl Controller for Keeps {
    fn on_ack(&mut self, _: Instant, _: Instant, _: u64, _: bool, rtt: &RttEstimator) {
        ESTIMATOR.get_or_init(|| *rtt);
    }

    fn on_congestion_event(&mut self, _: Instant, _: Instant, _: bool, _: u64) {}

    fn on_mtu_update(&mut self, _: u16) {}

    fn window(&self) -> u64 {
        1 << 20
    }

    fn clone_box(&self) -> Box<dyn Controller> {
        Box::new(Keeps)
    }

    fn initial_window(&self) -> u64 {
        1 << 20
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}

struct KeepsFactory;

impl ControllerFactory for KeepsFactory {
    fn build(self: Arc<Self>, _: Instant, _: u16) -> Box<dyn Controller> {
        Box::new(Keeps)
    }
}

async fn handshake() {
    let (server_config, mut client_config) = transfer::configs().expect("a certificate");
    let mut transport = TransportConfig::default();
    transport.congestion_controller_factory(Arc::new(KeepsFactory));
    client_config.transport_config(Arc::new(transport));
    let server = Endpoint::server(server_config, (Ipv4Addr::LOCALHOST, 0).into()).expect("a port");
    let address = server.local_addr().expect("an address");
    let accepted = tokio::spawn(async move { server.accept().await?.await.ok() });
    let client = Endpoint::client((Ipv4Addr::LOCALHOST, 0).into()).expect("a port");
    let connecting = client.connect_with(client_config, address, "localhost");
    let connection = connecting.expect("a configuration").await;
    assert!(connection.is_ok() && accepted.await.is_ok());
}

/// Sends and acknowledges packets over a round trip of 10 ms.
fn drive(controller: &mut dyn Controller, rtt: &RttEstimator, origin: Instant) {
    let at = |packet: u64| origin + Duration::from_micros(100 * packet);
    for packet in 0..PACKETS + FLIGHT {
        let now = at(packet);
        if packet < PACKETS {
            black_box((controller.window(), controller.window()));
            controller.on_sent(now, MTU, packet);
        }
        if packet >= FLIGHT && packet % 2 == 1 {
            for acked in [packet - FLIGHT - 1, packet - FLIGHT] {
                controller.on_ack(now, at(acked), MTU, false, rtt);
            }
            let in_flight = (PACKETS.min(packet + 1) + FLIGHT - packet - 1) * MTU;
            controller.on_end_acks(now, in_flight, false, Some(packet - FLIGHT));
        }
    }
}

fn acknowledgement(c: &mut Criterion) {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(handshake());
    let rtt = ESTIMATOR.get().expect("the handshake was acknowledged");
    let mut group = c.benchmark_group("sent and acknowledged in quinn");
    group.throughput(Throughput::Elements(PACKETS));
    let origin = Instant::now();
    let mut measure = |name: &str, factory: Arc<dyn ControllerFactory>| {
        group.bench_function(name, |b| {
            b.iter_batched(
                || factory.clone().build(origin, MTU as u16),
                |mut controller| drive(&mut *controller, rtt, origin),
                criterion::BatchSize::SmallInput,
            );
        });
    };
    measure("quinn's CUBIC", Arc::new(CubicConfig::default()));
    for name in ["hystart-plus-plus", "slow-start", "bbr-startup"] {
        let startup = Startup::parse(name, "cubic").expect("a startup of the catalog");
        measure(name, adapter::factory(&startup));
    }
}

criterion_group!(benches, acknowledgement);
criterion_main!(benches);
