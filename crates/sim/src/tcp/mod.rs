//! TCP endpoints: a sender and a receiver, driven from outside.

pub mod connection;
mod delivery;
pub mod ecn;
pub mod flight;
pub mod handshake;
pub mod numbers;
pub mod options;
pub mod pacer;
pub mod pacing_rate;
pub mod plan;
pub mod quick_start;
pub mod ranges;
pub mod receive_window;
pub mod receiver;
pub mod recovery;
pub mod rtt;
pub mod scoreboard;
pub mod segment;
pub mod sender;
pub mod stack;
pub mod throughput;
