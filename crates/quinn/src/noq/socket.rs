//! A socket that wakes a connection when its next datagram is due.

use noq::udp::{RecvMeta, Transmit};
use noq::{AsyncUdpSocket, UdpSender};
use std::io::{self, IoSliceMut};
use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::pin::Pin;
use std::task::{Context, Poll};

/// A socket of noq, whose connections are woken when a datagram is due.
#[derive(Debug)]
pub(crate) struct PacedSocket(pub Box<dyn AsyncUdpSocket>);

impl AsyncUdpSocket for PacedSocket {
    fn create_sender(&self) -> Pin<Box<dyn UdpSender>> {
        Box::pin(Sender(self.0.create_sender()))
    }

    fn poll_recv(
        &mut self,
        context: &mut Context<'_>,
        buffers: &mut [IoSliceMut<'_>],
        meta: &mut [RecvMeta],
    ) -> Poll<io::Result<usize>> {
        self.0.poll_recv(context, buffers, meta)
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.0.local_addr()
    }

    fn max_receive_segments(&self) -> NonZeroUsize {
        self.0.max_receive_segments()
    }

    fn may_fragment(&self) -> bool {
        self.0.may_fragment()
    }
}

/// One connection's.
#[derive(Debug)]
struct Sender(Pin<Box<dyn UdpSender>>);

impl UdpSender for Sender {
    fn poll_send(
        mut self: Pin<&mut Self>,
        transmit: &Transmit<'_>,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<()>> {
        flowstart_live::sleeper::on_socket(context);
        self.0.as_mut().poll_send(transmit, context)
    }

    fn max_transmit_segments(&self) -> NonZeroUsize {
        self.0.max_transmit_segments()
    }
}
