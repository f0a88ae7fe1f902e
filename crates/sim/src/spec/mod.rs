//! The description of a run, as people write it.
//!
//! This is the single source of truth for what a scenario may contain: the Python models,
//! the command line and the JSON Schema all go through it. What it comes to, and which values
//! are refused, is [`compile`](crate::compile)'s business.

pub(crate) mod bounds;
mod definition;
mod drawn;
mod ecn;
mod error;
mod flow;
mod path;
mod quantity;
mod stack;
mod texts;
mod web;

pub use definition::{Described, Field};
pub use drawn::DrawnText;
pub use error::RequestError;
pub(crate) use error::{out_of_range, unknown};
pub use flow::*;
pub use path::*;
pub use stack::*;
pub use web::*;

pub use crate::speed_test::SpeedTest;

use flowstart_control::Duration;
use quantity::quantity;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One run: a path, the endpoints' stack, and the flows that cross the path.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// A name for reports.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Seed of all random streams.
    #[serde(default = "one")]
    pub seed: u64,
    /// Stop here, such as `60s`. By default the run ends when every flow has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    #[serde(deserialize_with = "quantity")]
    pub duration: Option<Duration>,
    /// The flow that is waited for: stop `pause` after all of it is acknowledged, or given up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end_after: Option<AfterFlowSpec>,
    /// Record windows, sequence numbers and queues over time.
    #[serde(default)]
    pub trace: bool,
    /// Times from the opening of each flow, such as `["1s", "10s"]`: how much is delivered in each.
    ///
    /// It does not change the run. The table `goodputs` then has the rate of each flow.
    #[serde(default, skip_serializing_if = "Vec::is_empty", with = "texts")]
    #[schemars(with = "Vec<String>")]
    pub within: Vec<Duration>,
    /// Speed tests whose rates are reported likewise: `iperf3`, `iperf3:omit=1s`, `ndt7`, `ookla`,
    /// `cloudflare`, `librespeed`.
    #[serde(default, skip_serializing_if = "Vec::is_empty", with = "texts")]
    #[schemars(with = "Vec<String>")]
    pub speed_tests: Vec<SpeedTest>,
    /// The network between the hosts.
    pub path: PathSpec,
    /// The endpoints' behaviours.
    #[serde(default)]
    pub stack: StackSpec,
    /// The flows.
    #[serde(default)]
    pub flows: Vec<FlowSpec>,
    /// Web sessions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub web: Vec<WebSpec>,
}

/// The parts of a scenario, and every field of theirs.
pub fn parts() -> Vec<Described> {
    vec![
        PathSpec::described(),
        HopSpec::described(),
        RateStep::described(),
        QuickStartSpec::described(),
        StackSpec::described(),
        FlowSpec::described(),
        WriteSpec::described(),
        AfterSpec::described(),
        AfterFlowSpec::described(),
        WebSpec::described(),
    ]
}

fn one() -> u64 {
    1
}

impl Scenario {
    /// Reads a scenario from JSON.
    pub fn from_json(text: &str) -> Result<Scenario, RequestError> {
        let value = serde_json::from_str(text).map_err(|e| {
            let place = format!("line {}, column {}", e.line(), e.column());
            RequestError::new(place, without_place(&e.to_string()))
        })?;
        Scenario::from_value(value)
    }

    /// Reads a scenario from TOML.
    pub fn from_toml(text: &str) -> Result<Scenario, RequestError> {
        let table: toml::Table = text.parse().map_err(|e| syntax(text, &e))?;
        let value = serde_json::to_value(table);
        Scenario::from_value(value.map_err(|e| RequestError::new("", e.to_string()))?)
    }

    /// Reads a scenario from a value of JSON.
    pub fn from_value(value: serde_json::Value) -> Result<Scenario, RequestError> {
        if !value.is_object() {
            let problem = "a scenario is a table with `path` and `flows`";
            return Err(RequestError::new("", problem));
        }
        let is_silent = value.get("flows").or(value.get("web")).is_none();
        let scenario = serde_path_to_error::deserialize(value).map_err(|e| {
            RequestError::from_reader(&e.path().to_string(), &e.inner().to_string())
        })?;
        match is_silent {
            true => Err(RequestError::from_reader("", "missing field `flows`")),
            false => Ok(scenario),
        }
    }
}

/// The JSON Schema of a scenario, for editors.
pub fn schema() -> serde_json::Value {
    schemars::schema_for!(Scenario).to_value()
}

/// A JSON reader's message without the place, which precedes it.
fn without_place(message: &str) -> &str {
    message
        .rsplit_once(" at line ")
        .map_or(message, |(message, _)| message)
}

fn syntax(text: &str, error: &toml::de::Error) -> RequestError {
    let at = error.span().map_or(0, |span| span.start.min(text.len()));
    let line = text[..at].matches('\n').count() + 1;
    RequestError::new(format!("line {line}"), error.message().replace('\n', ", "))
}
