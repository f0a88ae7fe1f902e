//! A server sends so many bytes to a client with any startup:
//! `transfer [STARTUP [AVOIDANCE [BYTES]]]`.

use flowstart_s2n::{Startup, handle};
use s2n_quic::client::Connect;
use s2n_quic::{Client, Server};
use std::error::Error;
use std::process::ExitCode;

type Failure = Box<dyn Error + Send + Sync>;

#[tokio::main]
async fn main() -> ExitCode {
    match transfer().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("transfer: {e}");
            ExitCode::from(2)
        }
    }
}

async fn transfer() -> Result<(), Failure> {
    let mut given = std::env::args().skip(1);
    let mut next = |usual: &str| given.next().unwrap_or(usual.to_string());
    let startup = Startup::parse(&next("hystart-plus-plus"), &next("cubic"))?;
    let bytes = next("1000000").parse()?;
    let identity = rcgen::generate_simple_self_signed(["localhost".to_string()])?;
    let (certificate, key) = (identity.cert.pem(), identity.signing_key.serialize_pem());

    let factory = startup.factory();
    let server = Server::builder()
        .with_tls((certificate.as_str(), key.as_str()))?
        .with_io("127.0.0.1:0")?
        .with_event(factory.events())?
        .with_congestion_controller(factory)?
        .start()?;
    let address = server.local_addr()?;
    let serving = tokio::spawn(serve(server, bytes));

    let client = Client::builder()
        .with_tls(certificate.as_str())?
        .with_io("127.0.0.1:0")?
        .start()?;
    let to = Connect::new(address).with_server_name("localhost");
    let mut connection = client.connect(to).await?;
    let stream = connection.accept_receive_stream().await?;
    let mut stream = stream.ok_or("the server has closed the connection")?;
    let mut read = 0;
    while let Some(chunk) = stream.receive().await? {
        read += chunk.len();
    }
    println!("{read} bytes; {}", serving.await??);
    Ok(())
}

/// Sends so many bytes to the first client, and returns what the startup did.
async fn serve(mut server: Server, bytes: usize) -> Result<String, Failure> {
    let mut connection = server.accept().await.ok_or("the server has closed")?;
    let startup = handle(&connection.handle()).ok_or("the connection has no startup")?;
    startup.begin(bytes as u64);
    let mut stream = connection.open_send_stream().await?;
    stream.send(vec![0; bytes].into()).await?;
    stream.close().await?;
    let cwnd = startup.window().cwnd;
    Ok(match startup.exit() {
        Some(exit) => format!(
            "startup over at {:.1} segments: {:?}",
            exit.cwnd, exit.reason
        ),
        None => format!("startup under way at {cwnd:.1} segments"),
    })
}
