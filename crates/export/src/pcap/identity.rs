//! What identifies the packets of a flow on their way.

use flowstart_wire::{Ack, Body, Packet};

/// What identifies a packet within its flow; none of it changes on the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Identity {
    /// A SYN by its number.
    Syn(u32),
    /// An answer to a SYN by the number of what it answers.
    SynAck(u32),
    /// A client's message in a handshake by its packet's number.
    Message(u32),
    /// Data: position, length, packet number, whether it repeats.
    Data(u64, u32, u32, bool),
    /// An acknowledgement: position or number, window, first block.
    Ack(u64, u32, Option<(u64, u64)>),
}

impl Identity {
    /// That of `packet`.
    pub(super) fn of(packet: &Packet) -> Identity {
        match &packet.body {
            Body::Syn(syn) => Identity::Syn(syn.number),
            Body::SynAck(answer) => Identity::SynAck(answer.answers),
            Body::Message(message) => Identity::Message(message.number),
            Body::Data(data) => {
                Identity::Data(data.start(), data.len(), data.number(), data.repeats())
            }
            Body::Ack(Ack::Bytes(ack)) => {
                let first = ack.sack_blocks().next();
                Identity::Ack(ack.una(), packet_window(packet), first)
            }
            Body::Ack(Ack::Numbers(ack)) => {
                Identity::Ack(ack.end(), packet_window(packet), ack.numbers().last())
            }
        }
    }
}

/// The window that an acknowledgement advertises.
fn packet_window(packet: &Packet) -> u32 {
    match &packet.body {
        Body::Ack(ack) => ack.window(),
        _ => 0,
    }
}
