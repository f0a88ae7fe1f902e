//! What travels between endpoints: packets, each with a body of its own kind.
//!
//! A [`Packet`] is copied from link to link, so it is small: 56 bytes, whatever it carries. Its
//! body says what it is; no field means one thing in one body and another thing in another.
//! Positions are bytes from the first byte of data, in 64 bits.
#![forbid(unsafe_code)]

mod ack;
mod ack_ranges;
mod data;
mod ecn;
mod handshake;
mod options;
mod packed;
mod packet;
mod sack;

pub use ack::{Ack, ByteAck, NumberAck};
pub use ack_ranges::AckRanges;
pub use data::Data;
pub use ecn::Ecn;
pub use handshake::{Syn, SynAck};
pub use options::{AckOption, CongestionHeader, RateReport, RateRequest, RateResponse};
pub use packet::{Body, Packet, UNLIMITED_WINDOW};
pub use sack::MAX_SACK_BLOCKS;
