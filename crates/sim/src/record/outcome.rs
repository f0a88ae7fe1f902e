//! All that a run leaves behind.

use super::delay::DelayRow;
use super::flow::TransferRow;
use super::flow_table::FlowTable;
use super::goodput::GoodputRow;
use super::journeys::Journeys;
use super::limits::LimitRow;
use super::lines::Lines;
use super::link::LinkRow;
use super::object::ObjectTable;
use super::packets::FlowLog;
use super::startup::StartupRow;
use super::trace::Trace;
use serde::Serialize;

/// What a run leaves behind.
#[derive(Clone, Debug, Serialize)]
pub struct Outcome {
    /// One row for each flow.
    pub flows: FlowTable,
    /// One row for each write of flows that have several.
    pub transfers: Vec<TransferRow>,
    /// One row for each object of web sessions that was requested.
    pub objects: ObjectTable,
    /// One row for each link.
    pub links: Vec<LinkRow>,
    /// One row for each flow with an `available_rate`.
    pub startups: Vec<StartupRow>,
    /// What limited each flow, where requested.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub limits: Vec<LimitRow>,
    /// The rates of each flow within times and of speed tests, where the scenario names some.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub goodputs: Vec<GoodputRow>,
    /// The delays of the writes of each flow with a `source`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub delays: Vec<DelayRow>,
    /// How buffers were read, in words.
    pub buffer_accounting: String,
    /// The bottleneck's buffer, in words.
    pub buffer: String,
    /// Events handled.
    pub events: u64,
    /// Time simulated, seconds.
    pub simulated_s: f64,
    /// Columns over time, where requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<Trace>,
    /// What chosen flows did over time, where requested.
    #[serde(skip)]
    pub lines: Option<Lines>,
    /// The ways of a flow's first packets, where requested.
    #[serde(skip)]
    pub journeys: Option<Journeys>,
    /// Packets of flows, where requested, in the order of the flows' numbers.
    #[serde(skip)]
    pub packets: Vec<FlowLog>,
}
