//! One row for each run.

use super::outcome::Outcome;
use schemars::JsonSchema;
use serde::Serialize;

/// A run as a whole.
#[derive(Clone, Copy, Debug, Default, JsonSchema, Serialize)]
pub struct RunRow<'a> {
    /// Why it failed.
    #[schemars(extend("null" = "it did not"))]
    pub error: Option<&'a str>,
    /// Time simulated.
    #[schemars(extend("unit" = "seconds", "null" = "it failed"))]
    pub simulated_s: Option<f64>,
    /// Events handled.
    #[schemars(extend("null" = "it failed"))]
    pub events: Option<u64>,
    /// The bottleneck's buffer, in words.
    #[schemars(extend("null" = "it failed"))]
    pub buffer: Option<&'a str>,
    /// How buffers were read, in words.
    #[schemars(extend("null" = "it failed"))]
    pub buffer_accounting: Option<&'a str>,
}

impl<'a> RunRow<'a> {
    /// That of a run which came to this.
    pub fn of(outcome: &'a Outcome) -> RunRow<'a> {
        RunRow {
            error: None,
            simulated_s: Some(outcome.simulated_s),
            events: Some(outcome.events),
            buffer: Some(&outcome.buffer),
            buffer_accounting: Some(&outcome.buffer_accounting),
        }
    }

    /// That of a run which failed.
    pub fn failed(error: &'a str) -> RunRow<'a> {
        RunRow {
            error: Some(error),
            ..RunRow::default()
        }
    }
}
