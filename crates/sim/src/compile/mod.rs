//! From a scenario to what runs: all checks are made here, and all files read.

mod checks;
mod files;
mod flows;
mod followers;
mod impairments;
mod line;
mod path;
mod recording;
mod resolved;
mod setting;
mod shared;
mod source;
mod stack;
mod stack_environment;
mod web;
mod write_dependencies;
mod writes;

use crate::flow_plan::{AfterFlow, FlowKind};
use crate::record::goodput::Measure;
use crate::record::journeys::JourneysRequest;
use crate::record::lines::LinesRequest;
use crate::spec::{RequestError, Scenario, out_of_range};
use crate::workload::FlowEntry;
use crate::workload::web::WebEntry;
pub(crate) use recording::Recording;

use checks::LONGEST_RUN;
use flowstart_control::{CustomStartups, Duration, Instant};
use flowstart_network::chain::Chain;
use flowstart_network::host::Host;
use recording::check_flows;
use setting::Setting;
use shared::{Recipes, Settings};
use std::sync::Arc;

/// A scenario that has been checked and worked out.
pub struct Prepared {
    setting: Arc<Setting>,
    /// What the flows are like, by number: a kind for each entry of flows, and two for each of
    /// web sessions.
    pub(crate) kinds: Vec<FlowKind>,
    pub(crate) flows: Vec<FlowEntry>,
    pub(crate) web: Vec<WebEntry>,
    pub(crate) seed: u64,
    /// When the run is stopped.
    pub(crate) end: Instant,
    /// After which flow it is stopped before.
    pub(crate) end_after: Option<AfterFlow>,
    /// What it records of what happens over time.
    pub(crate) recording: Recording,
    /// The flows of which it records every packet.
    pub(crate) logged: Vec<u32>,
    /// Whether it records what limits senders.
    pub(crate) records_limits: bool,
    /// The rates that it measures of every flow.
    pub(crate) measures: Vec<Measure>,
}

/// Compiles scenarios whose flows may also name a custom startup. What several of them share, such
/// as files, algorithms and the path, is read once.
pub struct Compiler {
    recipes: Recipes,
    settings: Settings,
}

impl Compiler {
    /// A compiler with these custom startups.
    pub fn new(custom: CustomStartups) -> Compiler {
        Compiler {
            recipes: Recipes::among(custom),
            settings: Settings::default(),
        }
    }

    /// Checks everything that can be wrong with a scenario.
    pub fn compile(&mut self, scenario: &Scenario) -> Result<Prepared, RequestError> {
        let setting = self.settings.of(scenario)?;
        let mut kinds = Vec::new();
        let flows = flows::entries(scenario, &setting, &self.recipes, &mut kinds)?;
        let end_after = followers::end_after(scenario, &flows)?;
        let count = flows.iter().map(|entry| entry.count as u32).sum();
        let web = web::web_entries(scenario, &setting, &self.recipes, count, &mut kinds)?;
        let measures = recording::measures(scenario)?;
        for kind in &mut kinds {
            kind.notes_deliveries = !measures.is_empty();
        }
        Ok(Prepared {
            setting,
            kinds,
            flows,
            web,
            seed: scenario.seed,
            end: end(scenario.duration)?,
            end_after,
            recording: Recording::of(scenario),
            logged: Vec::new(),
            records_limits: false,
            measures,
        })
    }
}

impl Prepared {
    /// Checks everything that can be wrong with a scenario.
    pub fn new(scenario: &Scenario) -> Result<Prepared, RequestError> {
        Prepared::among(scenario, &CustomStartups::none())
    }

    /// The same where flows may also name a custom startup.
    pub fn among(scenario: &Scenario, custom: &CustomStartups) -> Result<Prepared, RequestError> {
        Compiler::new(custom.clone()).compile(scenario)
    }

    /// The scenario from which this was made with every default written out.
    pub fn resolved(&self, scenario: &Scenario) -> Scenario {
        self.setting.fill_in(scenario)
    }

    /// Has endpoints do without their fast paths, for tests that compare the results.
    #[doc(hidden)]
    pub fn without_fast_path(&mut self) {
        for kind in &mut self.kinds {
            Arc::make_mut(&mut kind.stack).fast_path = false;
            Arc::make_mut(&mut kind.receiver).fast_path = false;
        }
    }

    /// Has the run keep every packet of these flows: see
    /// [`Outcome::packets`](crate::record::outcome::Outcome::packets).
    ///
    /// An error where the run has no such flow. How many web sessions make is not known before.
    pub fn log_packets(&mut self, flows: &[u32]) -> Result<(), RequestError> {
        if self.web.is_empty() {
            check_flows(flows, self.flow_count())?;
        }
        self.logged = flows.to_vec();
        Ok(())
    }

    /// Has the run record what limits senders: see
    /// [`Outcome::limits`](crate::record::outcome::Outcome::limits).
    pub fn record_limits(&mut self) {
        self.records_limits = true;
    }

    /// Has the run record what flows do over time, in place of the scenario's
    /// recording, and stop where nothing more is needed: see
    /// [`Outcome::lines`](crate::record::outcome::Outcome::lines).
    ///
    /// An error where the scenario lists no such flow, or there is no time between the ends.
    pub fn record_lines(&mut self, request: LinesRequest) -> Result<(), RequestError> {
        self.recording = Recording::lines(request, self.flow_count())?;
        Ok(())
    }

    /// Has the run record the ways of a flow's first packets, in place of the
    /// scenario's recording, and stop when they have arrived: see
    /// [`Outcome::journeys`](crate::record::outcome::Outcome::journeys).
    ///
    /// An error where the scenario lists no such flow.
    pub fn record_journeys(&mut self, request: JourneysRequest) -> Result<(), RequestError> {
        self.recording = Recording::journeys(request, self.flow_count())?;
        Ok(())
    }

    /// How many flows there are but for those that web sessions make.
    pub(crate) fn flow_count(&self) -> u64 {
        self.flows.iter().map(|entry| entry.count).sum()
    }

    /// The hosts of web sessions.
    pub(crate) fn web_hosts(&self) -> [Host; 2] {
        self.setting.ends.hosts
    }

    pub(crate) fn chain(&self) -> &Chain {
        &self.setting.chain
    }
}

/// When a run is stopped that lasts so long.
fn end(duration: Option<Duration>) -> Result<Instant, RequestError> {
    let Some(duration) = duration else {
        return Ok(Instant::ZERO + LONGEST_RUN);
    };
    if duration == Duration::ZERO || duration > LONGEST_RUN {
        let right = format!("above 0s to {LONGEST_RUN}");
        return Err(out_of_range("duration", duration, &right));
    }
    Ok(Instant::ZERO + duration)
}
