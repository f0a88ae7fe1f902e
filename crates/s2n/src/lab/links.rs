//! The simulator's links, as s2n-quic's testing environment calls them.

use super::notes::{Notes, wait};
use crate::clock::now;
use flowstart_control::Instant;
use flowstart_live::lab::{Datagram, Side, Wire};
use flowstart_network::moment::Moment;
use flowstart_sim::ExternalSender;
use s2n_quic::provider::io::testing::network::{Buffers, Packet};
use s2n_quic::provider::io::testing::{Network, PathHandle, spawn};
use s2n_quic_core::inet::{ExplicitCongestionNotification as Mark, SocketAddress};

/// The simulator's links, as s2n-quic's network.
pub(super) struct Links {
    wire: Wire,
    client: Option<SocketAddress>,
    /// When it is to be called.
    alarm: Option<Instant>,
    notes: Notes,
}

impl Links {
    /// Those of this flow.
    pub fn of(flow: &mut ExternalSender, notes: Notes) -> Links {
        Links {
            wire: Wire::of(flow),
            client: None,
            alarm: None,
            notes,
        }
    }

    fn address(&self, side: Side) -> Option<SocketAddress> {
        match side {
            Side::Client => self.client,
            Side::Server => self.notes.open().server.map(SocketAddress::from),
        }
    }

    /// What has arrived by now.
    fn deliver(&mut self, buffers: &Buffers, now: Instant) -> usize {
        let mut events = 0;
        while let Some(next) = self.wire.next().filter(|next| next.time <= now) {
            events += 1;
            let Some((to, datagram)) = self.wire.deliver(next) else {
                continue;
            };
            let ends = self.address(to).zip(self.address(to.other()));
            let Some((local, remote)) = ends else {
                continue;
            };
            let packet = Packet {
                path: PathHandle {
                    remote_address: remote.into(),
                    local_address: local.into(),
                },
                ecn: match (datagram.ect, datagram.ce) {
                    (_, true) => Mark::Ce,
                    (true, false) => Mark::Ect0,
                    (false, false) => Mark::NotEct,
                },
                payload: datagram.payload,
            };
            buffers.rx(local, |queue| queue.enqueue(packet));
        }
        events
    }

    /// What the endpoints have sent.
    fn take(&mut self, buffers: &Buffers, time: Instant) -> usize {
        let mut events = 0;
        let server = self.address(Side::Server);
        buffers.drain_pending_transmissions(|packet| {
            events += 1;
            let from = *packet.path.local_address;
            let side = match Some(from) == server {
                true => Side::Server,
                false => Side::Client,
            };
            if side == Side::Client {
                self.client = Some(from);
            }
            let datagram = Datagram {
                payload: packet.payload,
                ect: packet.ecn != Mark::NotEct,
                ce: false,
            };
            let moment = Moment { time, cause: time };
            self.wire.send(side, datagram, moment);
            Ok(())
        });
        events
    }

    /// Requests a call when the next packet arrives.
    fn rearm(&mut self, now: Instant) {
        let Some(next) = self.wire.next().map(|next| next.time) else {
            return;
        };
        if self.alarm.is_none_or(|alarm| alarm <= now || next < alarm) {
            self.alarm = Some(next);
            let sleep = bach::time::sleep(wait(next.since(now)));
            spawn(sleep);
        }
    }
}

impl Network for Links {
    fn execute(&mut self, buffers: &Buffers) -> usize {
        let now = now();
        let mut events = self.deliver(buffers, now);
        events += self.take(buffers, now);
        events += self.deliver(buffers, now);
        self.rearm(now);
        self.notes.open().dropped = self.wire.dropped();
        events
    }
}
