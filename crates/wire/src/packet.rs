//! A packet: what links and routers see of it, and its body.

use crate::ack::Ack;
use crate::data::Data;
use crate::ecn::Ecn;
use crate::handshake::{Answers, Message, Syn, SynAck};
use crate::options::AckOption;
use flowstart_control::{Tags, named};

/// An advertised window that limits nothing.
pub const UNLIMITED_WINDOW: u32 = u32::MAX;

/// What a packet is, with what only that kind has.
#[derive(Clone, Copy, Debug)]
pub enum Body {
    /// Opens a connection.
    Syn(Syn),
    /// Answers a SYN.
    SynAck(SynAck),
    /// Carries data.
    Data(Data),
    /// Acknowledges data.
    Ack(Ack),
    /// Carries what a client sends in a handshake that is made of packets.
    Message(Message),
}

named! {
    /// What a packet is in a handshake that is made of packets.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum Part {
        /// TCP's SYN.
        Syn = "syn",
        /// TCP's SYN-ACK; with QUIC an acknowledgement of the client's packets, or a Retry.
        SynAck = "synack",
        /// An acknowledgement of the client.
        Ack = "ack",
        /// The client's first message, the ClientHello.
        Hello = "hello",
        /// What the server sends before its response.
        Flight = "flight",
        /// What the client sends after that: its Finished, and its request.
        Finished = "finished",
    }
}

/// A packet on its way. Its fields lie in this order, and so do those of bodies: a packet is copied
/// right after it is written, which is slower where what is written together is apart.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Packet {
    /// Which flow, and so which pair of endpoints and which route.
    pub flow: u32,
    /// Bytes on the wire.
    pub wire: u32,
    /// How many links of its route it has passed.
    pub hop: u8,
    /// The ECN bits of its headers.
    pub ecn: Ecn,
    /// Fields of its sender for routers and receiver.
    pub tags: Tags,
    /// What it is.
    pub body: Body,
}

impl Packet {
    /// A packet of `flow` that has not left yet.
    #[inline(always)]
    pub fn new(flow: u32, wire: u32, body: Body) -> Packet {
        Packet {
            flow,
            wire,
            hop: 0,
            ecn: Ecn::default(),
            tags: Tags::default(),
            body,
        }
    }

    /// A packet with `len` bytes of data from `start` on.
    #[inline]
    pub fn data(flow: u32, wire: u32, start: u64, len: u32) -> Packet {
        Packet::new(flow, wire, Body::Data(Data::new(start, len, 0)))
    }

    /// Whether it carries data.
    #[inline]
    pub fn is_data(&self) -> bool {
        matches!(self.body, Body::Data(_))
    }

    /// The position of its data's first byte; zero where it carries none.
    pub fn start(&self) -> u64 {
        match &self.body {
            Body::Data(data) => data.start(),
            _ => 0,
        }
    }

    /// How many SACK blocks it has, or ACK ranges below the first.
    #[inline]
    pub fn sack_blocks(&self) -> u8 {
        match &self.body {
            Body::Ack(ack) => ack.blocks(),
            Body::SynAck(answer) => answer.ranges.below_first(),
            Body::Syn(_) | Body::Data(_) | Body::Message(_) => 0,
        }
    }

    /// What it is in a handshake; `None` for data.
    pub fn part(&self) -> Option<Part> {
        Some(match &self.body {
            Body::Syn(_) => Part::Syn,
            Body::SynAck(_) => Part::SynAck,
            Body::Ack(_) => Part::Ack,
            Body::Message(message) if message.is_hello => Part::Hello,
            Body::Message(_) => Part::Finished,
            Body::Data(data) if data.is_flight() => Part::Flight,
            Body::Data(_) => return None,
        })
    }

    /// What addresses and ports identify: the flow and the direction.
    pub fn connection(&self) -> u64 {
        u64::from(self.flow) << 1 | u64::from(self.is_forward())
    }

    /// Up to where it acknowledges data, where it reports nothing else: a later one then makes it
    /// redundant. No node on the path can read the acknowledgement of numbered packets.
    pub fn plain_ack(&self) -> Option<u64> {
        let Body::Ack(Ack::Bytes(ack)) = &self.body else {
            return None;
        };
        let plain = ack.blocks() == 0 && ack.option() == AckOption::None && self.ecn.is_empty();
        plain.then(|| ack.una())
    }

    /// Whether it travels from the data's sender to its receiver.
    #[inline]
    pub fn is_forward(&self) -> bool {
        self.is_data() || !matches!(self.body, Body::Ack(_)) && self.opens_forward()
    }

    /// Whether a packet that opens a connection goes forward. Apart, since a jump by a table of
    /// four kinds is hard to foresee.
    #[cold]
    #[inline(never)]
    fn opens_forward(&self) -> bool {
        match &self.body {
            Body::Syn(syn) => !syn.by_receiver,
            Body::SynAck(answer) => answer.to != Answers::Sender,
            Body::Data(_) | Body::Ack(_) | Body::Message(_) => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ack::{ByteAck, NumberAck};

    #[test]
    fn a_packet_has_56_bytes_whatever_it_carries() {
        assert_eq!(std::mem::size_of::<Packet>(), 56);
    }

    #[test]
    fn only_an_acknowledgement_without_other_reports_is_plain() {
        let packet = |ack| Packet::new(0, 40, Body::Ack(ack));
        let plain = ByteAck::new(1448, UNLIMITED_WINDOW, AckOption::None);
        assert_eq!(packet(Ack::Bytes(plain)).plain_ack(), Some(1448));
        let mut echo = packet(Ack::Bytes(plain));
        echo.ecn.set(Ecn::ECE);
        assert_eq!(echo.plain_ack(), None);
        let mut sack = plain;
        sack.push_sack(2896, 4344);
        assert_eq!(packet(Ack::Bytes(sack)).plain_ack(), None);
        let numbers = NumberAck::new(3, 0, UNLIMITED_WINDOW, AckOption::None);
        assert_eq!(packet(Ack::Numbers(numbers)).plain_ack(), None);
        assert_eq!(Packet::data(0, 1500, 0, 1448).plain_ack(), None);
    }
}
