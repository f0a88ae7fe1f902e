#![doc = include_str!("../README.md")]
//!
//! A packet's way: `file` frames it and puts it in order of time, `layers` takes it apart, `table`
//! finds its connection, `connection` takes it into account and notifies `turns` and `estimate`. At
//! the end every connection is a row, and `summary` counts the rows.

mod answers;
mod connection;
mod copies;
mod error;
mod estimate;
mod file;
mod gathered;
mod handshake;
mod initial;
mod layers;
mod pacing;
mod quic;
mod read;
mod reading;
mod reduction;
mod repeats;
mod results;
mod rotation;
mod rounds;
mod segments;
mod sender;
mod sequence;
mod sink;
mod table;
mod ticker;
mod time;
mod turns;
mod zeek;

pub use error::Error;
pub use read::{read, read_bytes};
pub use reading::{Collected, Reading, Rows};
pub use results::{
    Connection, Control, Direction, Exit, Facts, Flag, Format, Group, Handshake, IdleRestart,
    Options, Path, Progress, QuicConnection, Transfer,
};
pub use zeek::zeek_log;
