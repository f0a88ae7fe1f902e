//! What a study of flow start-up needs from a packet capture or a Zeek `conn.log`.
//!
//! [`read`] goes through a file once, front to back, and gives per TCP connection how its handshake went, the round
//! trip it showed, the bytes each way and the windows that the receivers advertised; per direction the rate that
//! would have carried it in one round trip; per turn of the conversation a transfer, to be replayed; and per network
//! at the far side an estimate of its path. Memory grows with the number of connections (and of transfers), not with
//! the length of the file.
//!
//! A packet's way: `file` frames it and puts it in order of time, `layers` takes it apart, `table` finds its
//! connection, `connection` takes it into account and tells `turns` and `estimate`. At the end every connection is a
//! row, and `summary` counts the rows.

#![forbid(unsafe_code)]

mod connection;
mod copies;
mod error;
mod estimate;
mod file;
mod gathered;
mod handshake;
mod layers;
mod quic;
mod read;
mod reading;
mod repeats;
mod results;
mod segments;
mod sequence;
mod sink;
mod strands;
mod table;
mod ticker;
mod time;
mod turns;
mod zeek;

pub use error::Error;
pub use read::read;
pub use reading::{Collected, Reading, Rows};
pub use results::{
    Connection, Direction, Flag, Format, Group, Handshake, Options, Path, Progress, QuicConnection,
    Transfer,
};
