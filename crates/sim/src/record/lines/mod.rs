//! What chosen flows did over time, in bins that are as wide as a picture's pixels: memory grows with
//! the picture's width and not with the run's length.

mod bins;
mod limit;
mod line;
mod points;
mod queue;
mod recorder;

pub use bins::Bins;
pub use limit::BinnedLimit;
pub use line::{Bin, BinnedLine, Drawn};
pub use points::BinnedPoints;
pub(crate) use recorder::LineRecorder;

use flowstart_control::Instant;
use serde::{Deserialize, Serialize};

/// What is to be recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinesRequest {
    /// Of which flows, by number.
    pub flows: Vec<u32>,
    /// Over how many columns of pixels lines are drawn, [`MOST_COLUMNS`] at most. There are at most
    /// four times as many bins.
    pub columns: u32,
    /// From when on.
    pub from: Instant,
    /// Until when; the run is stopped there. Without it, to the end.
    pub to: Option<Instant>,
}

/// More columns are refused.
pub const MOST_COLUMNS: u32 = 10_000;

/// Maximum number of kept points of a kind of event, as a multiple of the columns; during a run, of
/// the bins.
const POINTS_PER_COLUMN: usize = 2;

/// The lines of a flow, in their order in [`FlowLines::lines`].
const LINES: [&str; 7] = [
    "cwnd",
    "flight",
    "sent",
    "acked",
    "pacing",
    "delivered",
    "queue",
];

/// The events of a flow, in their order in [`FlowLines::events`].
pub const EVENTS: [&str; 4] = ["retransmit", "drop", "mark", "timeout"];

/// What chosen flows of a run did over time.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Lines {
    /// Those of each flow that was requested.
    pub flows: Vec<FlowLines>,
    bins: Bins,
    columns: u32,
    /// When the run ended, nanoseconds.
    end: u64,
}

/// What one flow did over time.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FlowLines {
    /// Which flow.
    pub flow: u32,
    /// The window (segments), bytes in flight, one past the highest position sent, the position
    /// below which all is acknowledged, the rate at which it paces (bits per second), the bytes of
    /// which acknowledgements have reported the arrival, in order or above a hole, and the packets
    /// that the bottleneck's queue holds in its direction.
    pub lines: [BinnedLine; 7],
    /// What limits it.
    pub limit: BinnedLimit,
    /// Positions of what was sent again, dropped and marked, and the windows at which timers
    /// expired.
    pub events: [BinnedPoints; 4],
}

impl Lines {
    /// The bins.
    pub fn bins(&self) -> &Bins {
        &self.bins
    }

    /// Makes the bins wider, a whole number of times.
    pub fn widen(&mut self, factor: u32) {
        self.bins.widen(factor);
        for flow in &mut self.flows {
            flow.widen(factor);
        }
    }

    /// Keeps no more points than a picture needs of bins that are no more than its columns.
    fn limit(&mut self) {
        let most = POINTS_PER_COLUMN * self.columns as usize;
        let events = self.flows.iter_mut().flat_map(|flow| &mut flow.events);
        events.for_each(|events| events.limit(most));
    }

    /// Gives those of several runs, all requested in the same way, the same bins: the narrowest
    /// with which the longest has no more of them than columns. Their width in nanoseconds.
    pub fn align(all: &mut [&mut Lines]) -> u64 {
        let widest = all.iter().map(|lines| lines.bins.width()).max();
        let widest = widest.unwrap_or(1);
        let needed = all.iter().map(|lines| {
            let bins = lines.bins.count(lines.end, widest);
            bins.div_ceil(u64::from(lines.columns))
        });
        let width = widest * needed.max().unwrap_or(1);
        for lines in all {
            lines.widen((width / lines.bins.width()) as u32);
            lines.limit();
        }
        width
    }
}

impl FlowLines {
    fn new(flow: u32, most: usize) -> FlowLines {
        FlowLines {
            flow,
            lines: Default::default(),
            limit: BinnedLimit::default(),
            events: [(); 4].map(|()| BinnedPoints::new(most)),
        }
    }

    /// Its lines by name, for drawing; `limit` has places among the values of `Limit`.
    pub fn drawn(&self) -> impl Iterator<Item = (&'static str, Drawn)> {
        let lines = LINES.into_iter().zip(&self.lines);
        let lines = lines.map(|(name, line)| (name, line.drawn()));
        lines.chain(std::iter::once(("limit", self.limit.drawn())))
    }

    fn widen(&mut self, factor: u32) {
        self.lines.iter_mut().for_each(|line| line.widen(factor));
        self.limit.widen(factor);
        self.events
            .iter_mut()
            .for_each(|events| events.widen(factor));
    }
}
