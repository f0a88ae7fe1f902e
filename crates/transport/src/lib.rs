#![doc = include_str!("../README.md")]
//!
//! The main items: [`sender::Sender`], [`receiver::Receiver`], [`stack::Stack`].

#![cfg_attr(
    not(test),
    warn(clippy::cast_possible_truncation, clippy::cast_sign_loss)
)]

mod connection;
mod ecn;
pub mod flow_control;
mod handshake;
pub mod info;
mod loss;
mod narrow;
mod numbers;
mod offload;
pub mod pacing;
pub mod prefetch;
mod profile;
mod quick_start;
mod ranges;
mod receive_window;
pub mod receiver;
mod recovery;
mod reduction;
mod rtt;
mod segment;
pub mod sender;
mod sent;
pub mod stack;
mod throughput;
mod timer;
mod timestamps;
mod undo;

pub use connection::Counters;
pub use handshake::{
    Amplification, Client, ClientConfig, Dialogue, Flight, Handshake, MessageOptions,
    Report as HandshakeReport,
};
pub use pacing::pacer::{ONE_BY_ONE, Pacer, Release};
pub use receive_window::ReceiveBuffer;
pub use rtt::{RtoParams, RttEstimator, RttRule, RttSample};
pub use throughput::Delivered;

#[doc(hidden)] // For the benchmarks.
pub use {
    segment::ByteRange,
    sent::{SentPackets, Tracking},
};
