#![doc = include_str!("../README.md")]
//!
//! The main items: [`sender::Sender`], [`receiver::Receiver`], [`stack::Stack`].

#![cfg_attr(
    not(test),
    warn(clippy::cast_possible_truncation, clippy::cast_sign_loss)
)]

pub mod connection;
pub mod ecn;
pub mod handshake;
pub mod info;
pub mod loss;
mod narrow;
pub mod numbers;
pub mod offload;
pub mod pacer;
pub mod pacing_rate;
pub mod persist;
pub mod plan;
pub mod prefetch;
mod profile;
pub mod quick_start;
pub mod ranges;
pub mod receive_window;
pub mod receiver;
pub mod recovery;
pub mod reduction;
pub mod rtt;
pub mod send_buffer;
pub mod sender;
pub mod sent;
pub mod stack;
pub mod throughput;
pub mod timer;
pub mod timestamps;
pub mod undo;
