//! What there is to choose: the constants, each a parameter, and the parts that can be left out.

use crate::params::{Number, Params, Ratio, SpecError};
use crate::{Duration, Rate, Segments, params};

params! {
    /// The constants as they are given; slow start's parameters apply after a timeout.
    pub struct Settings {
        /// behind the initial window, until the first ACK: packets at this rate, headers included
        blind_rate: Rate = "3Mbps",
        /// and at least so many packets, spread over the round trip
        blind_packets: Segments = "6",
        /// what shared media, timers and cross traffic add to times; a shorter one shows nothing
        noise: Duration = "3ms",
        /// the ACKs of the initial window show the rate of the path where each gap is within this
        /// share of the mean one
        coherent: Ratio = "0.35",
        /// the share of the rate estimated that is paced at without having been delivered before
        trust: Ratio = "0.5",
        /// an estimate is trusted where something behind the initial window found less than this
        /// share of the window's own queue
        drained: Ratio = "0.125",
        /// the pace is at most so many times the rate estimated, until deliveries refute the
        /// estimate
        #[within(1.0..=1e3)]
        ceiling: Number = "1.2",
        /// the pace is at most so many times the rate delivered where an estimate is behind it
        #[within(1.0..=1e6)]
        leap: Number = "16",
        /// and so many times where there is none
        #[within(1.1..=10.0)]
        gain: Number = "2.9",
        /// the window holds what is paced in so many round trips, and four packets
        #[within(1.0..=10.0)]
        window: Number = "1.05",
        /// round trips longer than the minimum by more than this share of it, and by more than
        /// `noise`, show a queue
        late: Ratio = "0.125",
        /// a queue is the flow's own where less than this share of the rate sent is delivered; more
        /// than 1/`ceiling`, so that what is sent at the ceiling shows it
        full: Ratio = "0.85",
        /// where an exit was refuted and round trips are still late, so many times the rate delivered
        /// is sent, so that a full pipe shows (BBR's gain of a probe)
        #[within(1.0..=10.0)]
        test: Number = "1.25",
        /// losses are congestion where there is more than one, and more than this share; half as
        /// many where round trips are late
        losses: Ratio = "0.04",
        /// with competing flows the window left is the achieved share of the path's rate, times
        /// what it holds; at least this share
        #[name("yield")]
        yield_to: Ratio = "0.8",
        /// the application reports how much there is: where at most so many packets follow the
        /// initial window, all of them go with the blind ones
        rest: Segments = "0",
        /// blind packets go at half of the rate that an earlier connection left, where its round
        /// trip is like this one (RFC 9959)
        memory: bool = "false",
        /// the part that is left out, to see what it does
        without: Without = "nothing",
    }

    pub enum Without {
        Nothing = "nothing",
        Blind = "blind",
        Estimate = "estimate",
        Drained = "drained",
        Ceiling = "ceiling",
        Delay = "delay",
        Tolerance = "tolerance",
        Repair = "repair",
        Doubt = "doubt",
        Guard = "guard",
        YieldTo = "yield",
    }
}

/// The constants of one connection.
#[derive(Clone, Copy, Debug)]
pub(super) struct Constants {
    pub(super) blind_rate: Rate,
    pub(super) blind_packets: Segments,
    pub(super) noise: Duration,
    pub(super) coherent: f64,
    pub(super) trust: f64,
    pub(super) drained: f64,
    pub(super) ceiling: f64,
    pub(super) leap: f64,
    pub(super) gain: f64,
    pub(super) window: f64,
    pub(super) late: f64,
    pub(super) full: f64,
    pub(super) test: f64,
    /// Any loss is congestion where there is none.
    pub(super) losses: Option<f64>,
    pub(super) yield_to: f64,
    /// The flow repairs at the rate delivered; otherwise the avoidance answers the loss.
    pub(super) repairs: bool,
    /// An exit by delay is taken back where more is delivered than at the exit.
    pub(super) doubts: bool,
    /// Losses without a queue leave the window handed over.
    pub(super) guards: bool,
    pub(super) rest: Segments,
    pub(super) memory: bool,
}

impl Constants {
    /// Until a loss shows, at most `gain` - 1 of what the path holds is lost in each of two round trips.
    /// It is sent again at the rate delivered, and what is lost again a second time; one more round trip
    /// brings the last ACK.
    pub(super) fn rounds_of_repair(&self) -> u32 {
        let once = (2.0 * (self.gain - 1.0)).ceil() as u32;
        2 * once + 1
    }

    /// Those given. A part is left out by a constant with which it has no effect.
    pub(super) fn read(params: &Params) -> Result<Constants, SpecError> {
        let settings = Settings::read(params)?;
        let without = settings.without;
        let kept = |part: Without, value: f64, absent: f64| match part == without {
            true => absent,
            false => value,
        };
        let never = f64::INFINITY;
        Ok(Constants {
            blind_rate: Rate(kept(Without::Blind, settings.blind_rate.bps() as f64, 0.0) as u64),
            blind_packets: kept(Without::Blind, settings.blind_packets, 0.0),
            noise: settings.noise,
            coherent: settings.coherent,
            trust: kept(Without::Estimate, settings.trust, 0.0),
            drained: kept(Without::Drained, settings.drained, never),
            ceiling: match without {
                Without::Estimate | Without::Ceiling => never,
                _ => settings.ceiling,
            },
            leap: settings.leap,
            gain: settings.gain,
            window: settings.window,
            late: kept(Without::Delay, settings.late, never),
            full: settings.full,
            test: settings.test,
            losses: match without {
                Without::Tolerance => None,
                _ => Some(settings.losses),
            },
            yield_to: kept(Without::YieldTo, settings.yield_to, 1.0),
            repairs: without != Without::Repair,
            doubts: without != Without::Doubt,
            guards: without != Without::Guard,
            rest: settings.rest,
            memory: settings.memory,
        })
    }
}
