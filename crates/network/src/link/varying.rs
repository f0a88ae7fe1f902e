//! The clock of a line that does more than transmit at a fixed rate what it has room for.

use super::clock::Clock;
use super::shaped::Shaped;
use super::stepped::Stepped;
use super::trace_driven::TraceDriven;
use super::transmitter::Transmitter;
use crate::queue::Backlog;
use crate::variation::Variation;
use flowstart_control::Instant;

/// The clock of a line whose rate varies, or that is behind a shaper.
#[derive(Clone)]
pub(super) enum Varying {
    /// Transmits at a fixed rate.
    Fixed(Transmitter),
    /// Transmits what a shaper lets pass.
    Shaped(Box<Shaped<Varying>>),
    /// Transmits at the opportunities of a trace.
    TraceDriven(TraceDriven),
    /// Transmits at rates that change in steps.
    Stepped(Stepped),
}

impl Varying {
    /// A clock at the beginning of its variation.
    pub(super) fn new(variation: Variation) -> Varying {
        match variation {
            Variation::Trace(trace) => Varying::TraceDriven(TraceDriven::new(trace)),
            Variation::Steps(steps) => Varying::Stepped(Stepped::new(steps)),
        }
    }
}

impl Clock for Varying {
    fn rest(&mut self, now: Instant) {
        match self {
            // An opportunity that was not taken is gone; nothing is left of it.
            Varying::TraceDriven(_) => {}
            Varying::Fixed(clock) => clock.rest(now),
            Varying::Shaped(clock) => clock.rest(now),
            Varying::Stepped(clock) => clock.rest(now),
        }
    }

    fn transmit(&mut self, wire: u32, now: Instant) -> (Instant, Instant) {
        match self {
            Varying::Fixed(clock) => clock.transmit(wire, now),
            Varying::Shaped(clock) => clock.transmit(wire, now),
            Varying::TraceDriven(clock) => clock.transmit(wire.into(), now),
            Varying::Stepped(clock) => clock.transmit(wire.into(), now),
        }
    }

    fn free_after(&self, packets: Backlog) -> Instant {
        // What is to come must not be changed: a copy of the clock finds it out.
        match self {
            Varying::Fixed(clock) => clock.free_after(packets),
            Varying::Shaped(clock) => clock.free_after(packets),
            Varying::TraceDriven(clock) => clock.clone().transmit(packets.bytes, Instant::ZERO).1,
            Varying::Stepped(clock) => clock.clone().transmit(packets.bytes, Instant::ZERO).1,
        }
    }
}
