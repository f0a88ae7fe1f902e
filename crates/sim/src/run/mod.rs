//! From a scenario to its outcome.

mod application;
mod arrivals;
mod clock;
mod dependent_writes;
mod endpoints;
mod external_sender;
mod flows;
mod hosts;
mod late;
mod load;
mod meter;
mod network;
mod outcome;
mod prefetch;
mod recording;
mod simulation;
mod timer;

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
use flowstart_network::graph::{self, FlowEndpoints, FlowPath, Network};
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
        let plans = self.plans();
        let network = self.network(&plans);
        let mut simulation = Simulation::new(self, plans, network, Meter::new(&mut allows));
        simulation.run(go_on);
        simulation.may_use_more(); // what the last steps have used is counted, too
        simulation.outcome()
    }

    /// One plan for each flow.
    fn plans(&self) -> Vec<FlowPlan> {
        expand(&self.flows, self.chain().hosts.shared, self.seed)
    }

    /// The links of the path, and the routes of flows with these plans and of web sessions.
    fn network(&self, plans: &[FlowPlan]) -> Network {
        let chain = self.chain();
        let path = |(n, plan)| path_of(chain, n, plan, &self.kinds);
        let hosts = self.web_hosts();
        let others = self.web.iter().flat_map(WebEntry::endpoints);
        let others = others.map(|endpoints| (endpoints, hosts));
        graph::build(chain, (0..).zip(plans).map(path), others, self.seed)
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
        handshake_drops: &kind.handshake_drops,
        delays: &kind.delays,
        hosts: kind.hosts,
    }
}
