//! A link: losses, a queue, a transmitter and a delay.
//!
//! All kinds of links have one `dispatch`. What they share (losses before the queue, what is
//! counted) is `common`; how packets wait and leave is the business of the kind:
//!
//! * `fifo`: drop-tail, where departure is known on acceptance;
//! * `queued`: every discipline that decides later;
//! * `ack_aggregation`, `coalescing`, `delay`, `frame_aggregation`, `host`, `host_send`, `late`,
//!   `policer`, `socket`: stages of a path without a transmitter. Of each its file has the plan that
//!   makes it.
//!
//! The first two learn from a `clock` when their transmitter is busy: that of a fixed rate, of one
//! which varies, or of a line behind a shaper.

mod ack_aggregation;
mod bucket;
mod clock;
mod coalescing;
mod common;
mod config;
mod cpu;
mod delay;
mod dispatch;
mod fifo;
mod frame_aggregation;
mod held;
mod host;
mod host_send;
mod kind;
mod late;
mod losses;
mod policer;
mod queued;
mod shaped;
mod socket;
mod stepped;
#[cfg(test)]
mod testing;
mod trace_driven;
mod transmitter;
mod varying;

pub use ack_aggregation::ack_aggregation;
pub use coalescing::coalescing;
pub use common::{LinkCounters, Verdict};
pub use config::LinkConfig;
pub use cpu::Cpu;
pub use delay::{DelayConfig, Ripple, Skip, varying_delay};
pub use dispatch::Link;
pub use frame_aggregation::frame_aggregation;
pub use held::{Held, Shared};
pub use host::host;
pub use host_send::host_send;
pub use kind::{LinkKind, StagePlan};
pub use late::late;
pub use losses::{Bursts, ForcedDrop, Losses, RandomLoss};
pub use policer::policer;
pub use shaped::Shaper;
pub use socket::socket;
pub use transmitter::Service;
