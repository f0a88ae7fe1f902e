// A server sends a megabyte over the loopback, under the startup named on the command line. The examples
// include this file after naming a stack and its adapter.

use flowstart_quinn::{Handle, Startup};
use stack::{ClientConfig, Endpoint, EndpointConfig, Runtime, ServerConfig, TokioRuntime, TransportConfig};
use std::error::Error;
use std::net::{Ipv4Addr, UdpSocket};
use std::process::ExitCode;
use std::sync::Arc;

const SIZE: usize = 1_000_000;

#[tokio::main]
async fn main() -> ExitCode {
    let name = std::env::args().nth(1);
    let startup = Startup::parse(name.as_deref().unwrap_or("hystart-plus-plus"), "cubic");
    let startup = match startup {
        Ok(startup) => startup,
        Err(e) => {
            eprintln!("error: {e}");
            return ExitCode::from(2);
        }
    };
    match transfer(startup).await {
        Ok(handle) => println!("{} packets: {}", handle.counters().sent, ended(&handle)),
        Err(e) => {
            eprintln!("error: {e}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

/// Runs the transfer, and gives the handle of the connection that sent.
pub(crate) async fn transfer(startup: Startup) -> Result<Handle, Box<dyn Error + Send + Sync>> {
    let (mut server_config, client_config) = configs()?;
    let mut transport = TransportConfig::default();
    transport.congestion_controller_factory(adapter::factory(&startup));
    server_config.transport_config(Arc::new(transport));
    let socket = TokioRuntime.wrap_udp_socket(UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?)?;
    let server = Endpoint::new_with_abstract_socket(
        EndpointConfig::default(),
        Some(server_config),
        adapter::socket(&startup, socket),
        Arc::new(TokioRuntime),
    )?;
    let address = server.local_addr()?;
    let sender = tokio::spawn(async move { send(&server).await });

    let client = Endpoint::client((Ipv4Addr::LOCALHOST, 0).into())?;
    let connection = client
        .connect_with(client_config, address, "localhost")?
        .await?;
    let read = connection.accept_uni().await?.read_to_end(SIZE).await?;
    assert_eq!(read.len(), SIZE);
    sender.await?
}

async fn send(server: &Endpoint) -> Result<Handle, Box<dyn Error + Send + Sync>> {
    let connection = server
        .accept()
        .await
        .ok_or("the endpoint is closed")?
        .await?;
    let handle = adapter::handle(&connection).ok_or("another controller")?;
    handle.begin(SIZE as u64);
    let mut stream = connection.open_uni().await?;
    stream.write_all(&vec![0; SIZE]).await?;
    stream.finish()?;
    // Until all of it is acknowledged.
    stream.stopped().await?;
    Ok(handle)
}

/// How the startup ended.
fn ended(handle: &Handle) -> String {
    match handle.exit() {
        Some(exit) => format!("{:?} at {:.0} packets", exit.reason, exit.cwnd),
        None => format!("lasts at {:.0} packets", handle.window().cwnd),
    }
}

/// A self-signed certificate of a server, and a client that trusts it.
pub(crate) fn configs() -> Result<(ServerConfig, ClientConfig), Box<dyn Error + Send + Sync>> {
    let made = rcgen::generate_simple_self_signed(["localhost".to_string()])?;
    let certificate = made.cert.der().clone();
    let key = rustls::pki_types::PrivatePkcs8KeyDer::from(made.signing_key.serialize_der());
    let server = ServerConfig::with_single_cert(vec![certificate.clone()], key.into())?;
    let mut roots = rustls::RootCertStore::empty();
    roots.add(certificate)?;
    let client = ClientConfig::with_root_certificates(Arc::new(roots))?;
    Ok((server, client))
}
