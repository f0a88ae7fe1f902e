//! What the flows of a scenario share: the endpoints' stack, the path, and its surroundings.

use super::files::Files;
use super::path::chain;
use super::stack_environment::StackEnvironment;
use crate::spec::{RequestError, Scenario};
use flowstart_control::params::split;
use flowstart_control::startup;
use flowstart_network::chain::Chain;
use flowstart_network::host::Host;
use flowstart_network::queue::QueueSpec;
use flowstart_transport::receiver::ReceiverConfig;
use flowstart_transport::stack::Stack;
use std::sync::Arc;

/// A scenario without its flows, worked out.
pub(super) struct Setting {
    /// The endpoints.
    pub(super) ends: Ends,
    /// The hosts of flows that name none.
    pub(super) hosts: [Host; 2],
    /// What these mean for the path.
    pub(super) around: StackEnvironment,
    /// The path.
    pub(super) chain: Chain,
}

/// The two ends of a flow.
#[derive(Clone)]
pub(super) struct Ends {
    /// Their behaviours.
    pub(super) stack: Arc<Stack>,
    /// What the receiving one needs of them.
    pub(super) receiver: Arc<ReceiverConfig>,
    /// The hosts on which they run, the sender's first.
    pub(super) hosts: [Host; 2],
}

impl Ends {
    /// Those with a stack on these hosts.
    pub(super) fn new(mut stack: Stack, mut hosts: [Host; 2]) -> Ends {
        let [sender, receiver] = &mut hosts;
        (stack.pacing.batch, stack.pacing.credit) = (sender.together(), sender.credit);
        stack.receiver.batches = receiver.receive_batch > 1;
        if !stack.numbers_packets() {
            receiver.receive_buffer = 0;
        }
        Ends {
            receiver: Arc::new(stack.receiver()),
            stack: Arc::new(stack),
            hosts,
        }
    }
}

impl Setting {
    /// That of a scenario, every field of it checked.
    pub(super) fn of(scenario: &Scenario, files: &mut Files) -> Result<Setting, RequestError> {
        let stack = scenario.stack()?;
        let around = scenario.stack.environment(stack.preset)?;
        let hosts = scenario
            .stack
            .hosts([Host::IDEAL; 2], stack.numbers_packets())?;
        let usual = usual_queue(scenario);
        let chain = chain(&scenario.path, stack.packet(), &around, usual, files)?;
        Ok(Setting {
            ends: Ends::new(stack, hosts),
            hosts,
            around,
            chain,
        })
    }
}

impl Scenario {
    /// The endpoints' stack with every override applied.
    pub fn stack(&self) -> Result<Stack, RequestError> {
        self.stack.resolve(None)
    }
}

/// The discipline of queues that the path does not name.
fn usual_queue(scenario: &Scenario) -> QueueSpec {
    match starts_with_xcp(scenario) {
        true => QueueSpec::xcp(),
        false => QueueSpec::default(),
    }
}

/// Whether a flow has a startup that cannot do without XCP's queues.
pub(super) fn starts_with_xcp(scenario: &Scenario) -> bool {
    let flows = scenario.flows.iter().map(|flow| &flow.startup);
    let web = scenario.web.iter().map(|web| &web.startup);
    let mut startups = flows.chain(web).filter_map(|startup| startup.as_deref());
    startups.any(|spec| split(spec).0 == startup::xcp::ENTRY.name)
}
