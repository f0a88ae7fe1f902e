//! A socket that wakes a connection when its next datagram is due.

use quinn::udp::{RecvMeta, Transmit};
use quinn::{AsyncUdpSocket, UdpPoller};
use std::io::{self, IoSliceMut};
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

/// A socket of quinn, whose connections are woken when a datagram is due.
#[derive(Debug)]
pub(crate) struct PacedSocket(pub Arc<dyn AsyncUdpSocket>);

impl AsyncUdpSocket for PacedSocket {
    fn create_io_poller(self: Arc<Self>) -> Pin<Box<dyn UdpPoller>> {
        Box::pin(Poller(self.0.clone().create_io_poller()))
    }

    fn try_send(&self, transmit: &Transmit) -> io::Result<()> {
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

/// One connection's, read before each datagram.
#[derive(Debug)]
struct Poller(Pin<Box<dyn UdpPoller>>);

impl UdpPoller for Poller {
    fn poll_writable(mut self: Pin<&mut Self>, context: &mut Context) -> Poll<io::Result<()>> {
        flowstart_live::sleeper::on_socket(context);
        self.0.as_mut().poll_writable(context)
    }
}
