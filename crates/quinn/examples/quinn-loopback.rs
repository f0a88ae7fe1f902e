//! A server sends a gigabyte over the loopback in quinn, under a startup or under quinn's own CUBIC, and
//! reports the throughput, the window in use, and how often it called the socket.
//!
//! ```text
//! time cargo run --release -p flowstart-quinn --features quinn-runtime --example quinn-loopback hystart-plus-plus
//! time cargo run --release -p flowstart-quinn --features quinn-runtime --example quinn-loopback stock
//! ```

use flowstart_quinn::{Startup, quinn as adapter};
use quinn::udp::{RecvMeta, Transmit};
use quinn::{
    AsyncUdpSocket, Endpoint, EndpointConfig, Runtime, TokioRuntime, TransportConfig, UdpPoller,
};
use std::error::Error;
use std::io::{self, IoSliceMut};
use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::pin::Pin;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};
use std::time::Instant;

#[allow(dead_code)]
#[path = "quinn-transfer.rs"]
mod transfer;

const SIZE: usize = 1_000_000_000;
const WRITE: usize = 1 << 16;

#[tokio::main]
async fn main() -> ExitCode {
    let name = std::env::args().nth(1);
    let name = name.as_deref().unwrap_or("hystart-plus-plus");
    match run(name).await {
        Ok(report) => println!("{name}: {report}"),
        Err(e) => {
            eprintln!("error: {e}");
            return ExitCode::from(2);
        }
    }
    ExitCode::SUCCESS
}

async fn run(name: &str) -> Result<String, Box<dyn Error + Send + Sync>> {
    let (mut server_config, client_config) = transfer::configs()?;
    let plain = TokioRuntime.wrap_udp_socket(UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?)?;
    let counted = Arc::new(Counted(plain, AtomicU64::new(0)));
    let mut socket: Arc<dyn AsyncUdpSocket> = counted.clone();
    if name != "stock" {
        let startup = Startup::parse(name, "cubic")?;
        let mut transport = TransportConfig::default();
        transport.congestion_controller_factory(adapter::factory(&startup));
        server_config.transport_config(Arc::new(transport));
        socket = adapter::socket(&startup, socket);
    }
    let server = Endpoint::new_with_abstract_socket(
        EndpointConfig::default(),
        Some(server_config),
        socket,
        Arc::new(TokioRuntime),
    )?;
    let address = server.local_addr()?;
    let sender = tokio::spawn(async move { send(&server).await });

    let client = Endpoint::client((Ipv4Addr::LOCALHOST, 0).into())?;
    let connecting = client.connect_with(client_config, address, "localhost")?;
    let connection = connecting.await?;
    let mut stream = connection.accept_uni().await?;
    let (began, mut read) = (Instant::now(), 0);
    while let Some(chunk) = stream.read_chunk(WRITE, true).await? {
        read += chunk.bytes.len();
    }
    assert_eq!(read, SIZE);
    let rate = read as f64 * 8e-9 / began.elapsed().as_secs_f64();
    let cwnd = sender.await??;
    let sends = counted.1.load(Ordering::Relaxed);
    Ok(format!(
        "{rate:.2} Gbit/s, {sends} sends, window at the end {cwnd} bytes"
    ))
}

/// Sends it, and returns the window that quinn reports at the end.
async fn send(server: &Endpoint) -> Result<u64, Box<dyn Error + Send + Sync>> {
    let incoming = server.accept().await.ok_or("the endpoint is closed")?;
    let connection = incoming.await?;
    if let Some(handle) = adapter::handle(&connection) {
        handle.begin(SIZE as u64);
    }
    let mut stream = connection.open_uni().await?;
    let data = vec![0; WRITE];
    let mut left = SIZE;
    while left > 0 {
        left -= stream.write(&data[..left.min(WRITE)]).await?;
    }
    stream.finish()?;
    // Until all of it is acknowledged.
    stream.stopped().await?;
    Ok(connection.stats().path.cwnd)
}

/// A socket that counts calls for sending.
#[derive(Debug)]
struct Counted(Arc<dyn AsyncUdpSocket>, AtomicU64);

impl AsyncUdpSocket for Counted {
    fn create_io_poller(self: Arc<Self>) -> Pin<Box<dyn UdpPoller>> {
        self.0.clone().create_io_poller()
    }

    fn try_send(&self, transmit: &Transmit) -> io::Result<()> {
        self.1.fetch_add(1, Ordering::Relaxed);
        self.0.try_send(transmit)
    }

    fn poll_recv(
        &self,
        context: &mut Context,
        buffers: &mut [IoSliceMut<'_>],
        meta: &mut [RecvMeta],
    ) -> Poll<io::Result<usize>> {
        self.0.poll_recv(context, buffers, meta)
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.0.local_addr()
    }

    fn max_transmit_segments(&self) -> usize {
        self.0.max_transmit_segments()
    }

    fn max_receive_segments(&self) -> usize {
        self.0.max_receive_segments()
    }

    fn may_fragment(&self) -> bool {
        self.0.may_fragment()
    }
}
