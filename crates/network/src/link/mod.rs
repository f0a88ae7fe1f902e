//! A link: losses, a queue, a transmitter and a delay.
//!
//! All kinds of links have one `face`. What they share (losses before the queue, what is
//! counted) is `common`; how packets wait and leave is the business of the kind:
//!
//! * `fifo`: drop-tail, where departure is known on acceptance;
//! * `queued`: every discipline that decides later;
//! * `ack_aggregation`: no transmitter; packets pass at fixed intervals;
//! * `host`: no transmitter either, but a host's interrupts and its work;
//! * `frame_aggregation`, `delay`, `late`, `policer`: stages that a path may have besides.
//!
//! The first two ask a `clock` when their transmitter is busy: that of a fixed rate, or
//! that of one which varies.

mod ack_aggregation;
mod clock;
mod common;
mod config;
mod delay;
mod face;
mod fifo;
mod frame_aggregation;
mod host;
mod late;
mod losses;
mod policer;
mod queued;
mod stepped;
#[cfg(test)]
mod testing;
mod trace_driven;
mod transmitter;

pub use common::{LinkCounters, Verdict};
pub use config::{
    AckAggregation, DelayConfig, FrameAggregation, HostConfig, LinkConfig, LinkKind, PolicerConfig,
    Ripple,
};
pub use face::Link;
pub use losses::{Bursts, ForcedDrop, Losses, RandomLoss};
pub use transmitter::Service;
