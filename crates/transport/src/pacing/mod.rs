//! Spacing packets out: the pacer, the rates at which a stack paces, and the buckets of QUIC stacks.

pub mod bucket;
pub mod pacer;
pub mod rate;
pub mod token_bucket;
mod tokens;
