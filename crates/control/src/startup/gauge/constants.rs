//! What there is to choose: the constants, each a parameter, and the parts that can be left out.

use crate::params::{ParamSpec, Params, SpecError, Unit};
use crate::{Rate, Segments, Time};

/// A constant's declaration.
const fn constant(
    name: &'static str,
    unit: Unit,
    default: &'static str,
    meaning: &'static str,
) -> ParamSpec {
    ParamSpec {
        name,
        unit,
        default,
        meaning,
    }
}

pub(super) const BLIND_RATE: ParamSpec = constant(
    "blind_rate",
    Unit::Rate,
    "3Mbps",
    "behind the initial window, until the first ACK: packets at this rate, headers included",
);
pub(super) const BLIND_PACKETS: ParamSpec = constant(
    "blind_packets",
    Unit::Segments,
    "6",
    "and at least so many packets, spread over the round trip",
);
pub(super) const NOISE: ParamSpec = constant(
    "noise",
    Unit::Time,
    "4ms",
    "what shared media, timers and cross traffic add to times; a shorter one shows nothing",
);
pub(super) const COHERENT: ParamSpec = constant(
    "coherent",
    Unit::Ratio,
    "0.35",
    "the ACKs of the initial window show the rate of the path where each gap is within this share \
     of the mean one",
);
pub(super) const TRUST: ParamSpec = constant(
    "trust",
    Unit::Ratio,
    "0.5",
    "the share of the rate estimated that is paced at without having been delivered before",
);
pub(super) const DRAINED: ParamSpec = constant(
    "drained",
    Unit::Ratio,
    "0.25",
    "an estimate is trusted where something behind the initial window found less than this share \
     of the window's own queue",
);
pub(super) const CEILING: ParamSpec = constant(
    "ceiling",
    Unit::Number,
    "1.2",
    "the pace is at most so many times the rate estimated, until deliveries refute the estimate",
);
pub(super) const LEAP: ParamSpec = constant(
    "leap",
    Unit::Number,
    "16",
    "the pace is at most so many times the rate delivered where an estimate is behind it",
);
pub(super) const GAIN: ParamSpec = constant(
    "gain",
    Unit::Number,
    "2.9",
    "and so many times where there is none",
);
pub(super) const WINDOW: ParamSpec = constant(
    "window",
    Unit::Number,
    "1.1",
    "the window holds what is paced in so many round trips, and four packets",
);
pub(super) const LATE: ParamSpec = constant(
    "late",
    Unit::Ratio,
    "0.125",
    "round trips longer than the minimum by more than this share of it, and by more than `noise`, \
     show a queue",
);
pub(super) const FULL: ParamSpec = constant(
    "full",
    Unit::Ratio,
    "0.85",
    "a queue is the flow's own where less than this share of the rate sent is delivered",
);
pub(super) const LOSSES: ParamSpec = constant(
    "losses",
    Unit::Ratio,
    "0.02",
    "losses are congestion where there is more than one, and more than this share",
);
pub(super) const YIELD: ParamSpec = constant(
    "yield",
    Unit::Ratio,
    "0.8",
    "with competing flows the window left is the achieved share of the path's rate, times what it \
     holds; at least this share",
);
pub(super) const REST: ParamSpec = constant(
    "rest",
    Unit::Segments,
    "0",
    "the application reports how much there is: where at most so many packets follow the initial \
     window, all of them go with the blind ones",
);
pub(super) const MEMORY: ParamSpec = constant(
    "memory",
    Unit::Bool,
    "false",
    "blind packets go at half of the rate that an earlier connection left, where its round trip \
     is like this one (RFC 9959)",
);
pub(super) const WITHOUT: ParamSpec = constant(
    "without",
    Unit::Choice(&[
        "nothing",
        "blind",
        "estimate",
        "drained",
        "ceiling",
        "delay",
        "tolerance",
        "repair",
        "yield",
    ]),
    "nothing",
    "the part that is left out, to see what it does",
);

/// The constants of one connection.
#[derive(Clone, Copy, Debug)]
pub(super) struct Constants {
    pub(super) blind_rate: Rate,
    pub(super) blind_packets: Segments,
    pub(super) noise: Time,
    pub(super) coherent: f64,
    pub(super) trust: f64,
    pub(super) drained: f64,
    pub(super) ceiling: f64,
    pub(super) leap: f64,
    pub(super) gain: f64,
    pub(super) window: f64,
    pub(super) late: f64,
    pub(super) full: f64,
    /// Any loss is congestion where there is none.
    pub(super) losses: Option<f64>,
    pub(super) yield_to: f64,
    /// The flow repairs at the rate delivered; otherwise the avoidance answers the loss.
    pub(super) repairs: bool,
    pub(super) rest: Segments,
    pub(super) memory: bool,
}

impl Constants {
    /// Those given. A part is left out by a constant with which it has no effect.
    pub(super) fn read(params: &Params) -> Result<Constants, SpecError> {
        let without = params.choice("without");
        let kept =
            |part: &str, value: f64, absent: f64| if without == part { absent } else { value };
        let never = f64::INFINITY;
        Ok(Constants {
            blind_rate: Rate(kept("blind", params.rate("blind_rate").bps() as f64, 0.0) as u64),
            blind_packets: kept("blind", params.segments("blind_packets"), 0.0),
            noise: params.time("noise"),
            coherent: params.ratio("coherent"),
            trust: kept("estimate", params.ratio("trust"), 0.0),
            drained: kept("drained", params.ratio("drained"), never),
            ceiling: match without {
                "estimate" | "ceiling" => never,
                _ => params.within("ceiling", 1.0..=1e3)?,
            },
            leap: params.within("leap", 1.0..=1e6)?,
            gain: params.within("gain", 1.1..=10.0)?,
            window: params.within("window", 1.0..=10.0)?,
            late: kept("delay", params.ratio("late"), never),
            full: params.ratio("full"),
            losses: match without {
                "tolerance" => None,
                _ => Some(params.ratio("losses")),
            },
            yield_to: kept("yield", params.ratio("yield"), 1.0),
            repairs: without != "repair",
            rest: params.segments("rest"),
            memory: params.bool("memory"),
        })
    }
}
