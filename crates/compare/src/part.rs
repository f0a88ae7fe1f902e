//! What a run contributes to a comparison, and its form in bytes: runs of one comparison may be
//! simulated in several modules of WebAssembly.

use crate::Refusal;
use crate::rows::RunRows;
use flowstart_sim::Outcome;
use flowstart_sim::record::delay::DelayRow;
use flowstart_sim::record::flow::FlowRow;
use flowstart_sim::record::goodput::GoodputRow;
use flowstart_sim::record::journeys::Journeys;
use flowstart_sim::record::limits::LimitRow;
use flowstart_sim::record::lines::Lines;
use flowstart_sim::record::startup::StartupRow;
use serde::{Deserialize, Serialize};

/// What a run contributes to a comparison.
#[derive(Serialize, Deserialize)]
pub struct Part {
    pub(crate) flows: Vec<FlowRow>,
    pub(crate) startups: Vec<StartupRow>,
    pub(crate) limits: Vec<LimitRow>,
    pub(crate) goodputs: Vec<GoodputRow>,
    pub(crate) delays: Vec<DelayRow>,
    pub(crate) buffer: String,
    pub(crate) lines: Option<Lines>,
    /// A comparison has none.
    #[serde(skip)]
    pub(crate) journeys: Option<Journeys>,
}

/// What one run came to: what it contributes, or why it failed.
pub type Finished = Result<Part, String>;

impl Part {
    /// The rows.
    pub(crate) fn rows(&self) -> RunRows {
        RunRows {
            flows: self.flows.clone(),
            startups: self.startups.clone(),
            limits: self.limits.clone(),
            goodputs: self.goodputs.clone(),
            delays: self.delays.clone(),
            ..RunRows::default()
        }
    }
}

impl From<Outcome> for Part {
    fn from(outcome: Outcome) -> Part {
        Part {
            flows: outcome.flows.iter().collect(),
            startups: outcome.startups,
            limits: outcome.limits,
            goodputs: outcome.goodputs,
            delays: outcome.delays,
            buffer: outcome.buffer,
            lines: outcome.lines,
            journeys: outcome.journeys,
        }
    }
}

/// A finished run as bytes, of which the first is its number and the second the number of runs.
pub(crate) fn encode(number: usize, count: usize, finished: &Finished) -> Vec<u8> {
    let small = |number| u8::try_from(number).unwrap_or(u8::MAX);
    let whole = (small(number), small(count), finished);
    postcard::to_allocvec(&whole).expect("a part has nothing that bytes cannot hold")
}

/// The finished runs in the bytes of several parts, by their numbers.
///
/// # Errors
///
/// The bytes are not those of parts.
pub fn decode(mut bytes: &[u8]) -> Result<Vec<Option<Finished>>, Refusal> {
    let mut found = Vec::new();
    while !bytes.is_empty() {
        let ((number, count, finished), rest) =
            postcard::take_from_bytes::<(u8, u8, Finished)>(bytes)
                .map_err(|error| Refusal::new(format!("parts of a comparison: {error}")))?;
        found.resize_with(usize::from(count), || None);
        if let Some(place) = found.get_mut(usize::from(number)) {
            *place = Some(finished);
        }
        bytes = rest;
    }
    Ok(found)
}
