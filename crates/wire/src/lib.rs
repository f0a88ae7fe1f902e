//! What travels between the endpoints of a connection: segments, what they carry beside data,
//! and the bits that routers may set on their way.
//!
//! Endpoints and links both know these values, and nothing else of each other.
#![forbid(unsafe_code)]

pub mod ecn;
pub mod options;
pub mod segment;
