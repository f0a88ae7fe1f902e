//! From a scenario to its outcome.

mod dependent_writes;
mod external_sender;
mod flows;
mod followers;
mod following;
mod late;
mod load;
mod log;
mod meter;
mod metering;
mod opening;
mod outcome;
mod prefetch;
mod recorders;
mod recording;
mod routers;
mod simulation;
mod web;
mod write_dependencies;

pub use external_sender::ExternalSender;
pub use load::{Load, Request, Requests};
pub use meter::Usage;

use crate::compile::Prepared;
use crate::flow_plan::{FlowKind, FlowPlan};
use crate::record::outcome::Outcome;
use crate::spec::{RequestError, Scenario};
use crate::workload::expand;
use crate::workload::web::WebEntry;
use flowstart_network::chain::Chain;
use flowstart_network::graph::{self, FlowEndpoints, FlowPath};
use meter::Meter;
use simulation::Simulation;

/// Runs a scenario.
pub fn run(scenario: &Scenario) -> Result<Outcome, RequestError> {
    Ok(Prepared::new(scenario)?.run())
}

impl Prepared {
    /// Simulates.
    pub fn run(&self) -> Outcome {
        self.run_while(|| true)
    }

    /// Simulates for as long as `go_on`, which is checked after every event, is true.
    pub fn run_while(&self, go_on: impl FnMut() -> bool) -> Outcome {
        self.run_within(go_on, |_| true)
    }

    /// Simulates while `go_on` is true and `allows` accepts what the run has used, which is checked
    /// every few thousand events and packets.
    pub fn run_within(
        &self,
        go_on: impl FnMut() -> bool,
        mut allows: impl FnMut(Usage) -> bool,
    ) -> Outcome {
        let chain = self.chain();
        let plans = expand(&self.flows, chain.hosts.shared, self.seed);
        let path = |(n, plan)| path_of(chain, n, plan, &self.kinds);
        let flows = (0..).zip(&plans).map(path);
        let others = self.web.iter().flat_map(WebEntry::endpoints);
        let network = graph::build(chain, flows, others, self.seed);
        let mut simulation = Simulation::new(self, plans, network, Meter::new(&mut allows));
        simulation.run(go_on);
        simulation.may_use_more(); // what the last steps have used is counted, too
        simulation.outcome()
    }
}

/// A flow's path over the chain.
fn path_of<'a>(chain: &Chain, flow: u32, plan: &FlowPlan, kinds: &'a [FlowKind]) -> FlowPath<'a> {
    let kind = &kinds[plan.kind as usize];
    let pair = chain.pair_of(flow).unwrap_or(flow);
    FlowPath {
        endpoints: FlowEndpoints {
            left: pair,
            right: pair,
            reverse: plan.reverse,
            from_hop: kind.from_hop,
            to_hop: kind.to_hop,
        },
        extra_delay: kind.extra_delay,
        forced_drops: &kind.forced_drops,
        delays: &kind.delays,
    }
}
