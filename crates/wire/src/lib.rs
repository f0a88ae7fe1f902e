#![doc = include_str!("../README.md")]

mod ack;
mod ack_ranges;
mod data;
mod ecn;
mod handshake;
mod options;
mod packed;
mod packet;
mod sack;

pub use ack::{ACK_RANGES_ROOM, Ack, ByteAck, NumberAck};
pub use ack_ranges::AckRanges;
pub use data::Data;
pub use ecn::Ecn;
pub use handshake::{Answers, Message, Syn, SynAck};
pub use options::{AckOption, CongestionHeader, RateReport, RateRequest, RateResponse};
pub use packet::{Body, Packet, Part, UNLIMITED_WINDOW};
pub use sack::MAX_SACK_BLOCKS;
