//! A server's handshake that is made of packets: its flight leaves as data does, within the limit of
//! three times what has come until the client's address is validated (RFC 9000 §8.1), and the response
//! follows once the client's request is there.

use super::{Sender, State};
use crate::connection::AckMeta;
use crate::handshake::{Report, Server, UDP_IP};
use crate::segment::{ByteRange, SegmentRange, Why};
use flowstart_control::Instant;
use flowstart_wire::{Ack, Body, Packet};

impl Sender {
    /// Whether it is a server whose handshake is made of packets, and is not over.
    #[inline]
    pub(super) fn serves(&self) -> bool {
        (self.opening.as_ref()).is_some_and(|opening| opening.server.is_some())
    }

    fn server(&self) -> Option<&Server> {
        self.opening.as_ref()?.server.as_deref()
    }

    fn server_mut(&mut self) -> Option<&mut Server> {
        self.opening.as_mut()?.server.as_deref_mut()
    }

    /// Whether the limit of three times what has come keeps a packet from leaving.
    #[cold]
    pub(super) fn is_blocked(&self) -> bool {
        let server = self.server();
        server.is_some_and(Server::is_blocked)
    }

    /// What a handshake that is made of packets has cost so far.
    pub fn handshake(&self) -> Option<&Report> {
        let server = self.server();
        server
            .map(|server| &server.report)
            .or(self.served.as_deref())
    }

    /// Whether the application's data waits for the client's request.
    pub(super) fn holds_response(&mut self, bytes: u64) -> bool {
        let server = self.server_mut();
        server.map(|server| server.hold(bytes)).is_some()
    }

    /// A packet of the client has come that is no acknowledgement on an open connection.
    #[cold]
    #[inline(never)]
    pub(super) fn on_client_packet(&mut self, packet: &Packet, now: Instant) {
        if !self.serves() {
            return;
        }
        if let Some(server) = self.server_mut() {
            server.on_bytes(packet.wire);
        }
        match (self.state, &packet.body) {
            (State::Closed, Body::Message(_) | Body::Syn(_)) => {
                self.connection.take_open_window();
                self.establish(now, None, 1);
                self.confirm(false, now);
            }
            // The acknowledgement of the SYN-ACK is lost, or on its way.
            (State::SynSent { at, tries, .. }, Body::Message(_)) => {
                self.on_third_ack(None, at, tries, now);
            }
            (State::Serving, Body::Ack(ack)) => self.on_ack_of_flight(ack, now),
            _ => {}
        }
        match (self.state, &packet.body, self.server_mut()) {
            (State::Serving, Body::Message(message), Some(server)) => {
                server.on_message(message, now);
            }
            (State::Serving, Body::Syn(syn), Some(server)) => server.on_syn(syn.message),
            _ => {}
        }
        self.advance(now);
    }

    #[inline(never)]
    fn on_ack_of_flight(&mut self, ack: &Ack, now: Instant) {
        let meta = AckMeta {
            option: ack.option(),
            ece: false,
        };
        self.on_ack(ack, meta, now);
        let una = self.connection.una();
        let server = self.server_mut();
        // Whoever can read a Handshake packet has read the ServerHello.
        if let Some(server) = server.filter(|server| una >= server.keys()) {
            server.validate();
        }
    }

    /// Hands over what is due of the flight or the response, and ends the handshake.
    pub(super) fn advance(&mut self, now: Instant) {
        if self.state != State::Serving {
            return;
        }
        let Some(server) = self.server_mut() else {
            return;
        };
        let (due, complete) = (server.take_due(), server.is_complete());
        server.unblock(now);
        if due > 0 {
            self.hand_over(due, now);
        }
        // A deadline that has passed at the limit holds now (RFC 9002 §6.2.2.1).
        if self.recovery.deadline().is_some_and(|at| at <= now)
            && !self.recovery.on_timer(&mut self.connection, now)
        {
            return self.fail();
        }
        if complete {
            self.end_serving();
        }
    }

    /// The handshake is complete and confirmed. What is owed to the client leaves with the response.
    fn end_serving(&mut self) {
        let server = self
            .opening
            .as_mut()
            .and_then(|opening| opening.server.take());
        self.served = server.map(|server| Box::new(server.report));
        self.recovery.on_serving(None);
        self.state = State::Open;
        (self.opening, self.held_back) = (None, None);
    }

    /// The next packet of a server whose handshake is not over.
    #[cold]
    #[inline(never)]
    pub(super) fn poll_serving(&mut self, now: Instant) -> Option<Packet> {
        if let Some(answer) = self.server_mut()?.take_answer() {
            let (flow, wire) = (self.connection.flow(), self.connection.stack().framing.bare);
            let packet = Packet::new(flow, wire, Body::SynAck(answer));
            self.server_mut()?.on_sent(&packet);
            return Some(packet);
        }
        self.held_back = None;
        let (packet, padded) = match self.recovery.plan(&self.connection) {
            Some(segment) => {
                let (segment, padded) = self.within_limit(segment, now)?;
                (self.send(segment, now)?, Some(padded))
            }
            None => (self.poll_unplanned(now)?, None),
        };
        Some(self.as_server(packet, padded))
    }

    /// Marks a packet of the flight, which reports less to the client than one of the response; with
    /// the bytes on the wire of a padded datagram.
    fn as_server(&mut self, mut packet: Packet, padded: Option<u32>) -> Packet {
        let numbers = self.connection.stack().numbers_packets();
        let Some(server) = self.server_mut() else {
            return packet;
        };
        if let Body::Data(data) = &mut packet.body {
            server.mark(data);
            if numbers {
                data.set_timestamp(server.numbers_end());
            }
            // A datagram with an Initial packet is padded (RFC 9000 §14.1).
            let is_padded = padded.filter(|_| data.start() < server.keys());
            packet.wire = is_padded.unwrap_or(packet.wire);
        }
        server.on_sent(&packet);
        packet
    }

    /// As much of a segment as the limit of three times what has come has room for, and the bytes on the
    /// wire of a padded datagram.
    fn within_limit(&mut self, segment: SegmentRange, now: Instant) -> Option<(SegmentRange, u32)> {
        let stack = self.connection.stack();
        if !stack.numbers_packets() {
            return Some((segment, 0));
        }
        let full = stack.packet() - UDP_IP;
        let header = full - stack.framing.mss;
        let room = self.server_mut()?.room(full).filter(|room| *room > header);
        let Some(room) = room else {
            if !self.is_blocked() {
                self.server_mut()?.block(now);
                self.recovery.on_amplification_limit(&mut self.connection);
            }
            return None;
        };
        let segment = self.shorten(segment, u64::from(room - header));
        Some((segment, room + UDP_IP))
    }

    /// A segment of at most so many bytes. A probe for one packet number space only ends where the
    /// ServerHello does.
    fn shorten(&self, segment: SegmentRange, most: u64) -> SegmentRange {
        let ByteRange { start, end } = segment.range;
        let mut end = end.min(start + most);
        let keys = self.keys();
        let of_one_space = !self.connection.stack().messages.probes_all_spaces;
        if of_one_space && segment.why == Why::Probe && start < keys {
            end = end.min(keys);
        }
        ByteRange { start, end }.because(segment.why)
    }

    /// Where the ServerHello ends in the stream.
    pub(super) fn keys(&self) -> u64 {
        let server = self.server();
        server.map_or(0, Server::keys)
    }
}
