//! A scenario whose only flow has an external sender: a transport that is not the simulator's sends
//! over its links.

use crate::compile::Prepared;
use crate::flow_plan::FlowKind;
use crate::spec::RequestError;
use flowstart_control::catalog::Recipe;
use flowstart_control::signals::PathInfo;
use flowstart_control::{Instant, Named};
use flowstart_network::graph::{LinkId, Route};
use flowstart_network::link::Link;
use flowstart_transport::stack::{EcnMode, Stack};
use std::sync::Arc;

/// The flow, and the network that it has to itself.
pub struct ExternalSender {
    /// Every link.
    pub links: Vec<Link>,
    /// The links that it passes.
    pub route: Route,
    /// The bottleneck's two directions.
    pub bottleneck: [LinkId; 2],
    /// The startup as the scenario names it.
    pub startup: Arc<str>,
    /// The congestion control as the scenario names it.
    pub cc: Arc<str>,
    /// Makes its controller.
    pub recipe: Arc<Recipe>,
    /// What its sender is given of the path.
    pub known: PathInfo,
    /// Bytes of its transfer.
    pub size: u64,
    /// What random choices are drawn from.
    pub seed: u64,
    /// When it opens.
    pub start: Instant,
    /// When the run is stopped.
    pub end: Instant,
    /// The receiver of the data opens the connection: its sender is the server.
    pub by_receiver: bool,
    /// Its packets may be marked.
    pub ecn: bool,
    /// How its simulated endpoints behave.
    pub stack: Arc<Stack>,
}

impl Prepared {
    /// The scenario's only flow, which hands over all its data at once behind a handshake.
    ///
    /// An error where there are others, or it is otherwise.
    pub fn external_sender(&self) -> Result<ExternalSender, RequestError> {
        let flight = self
            .kinds
            .iter()
            .find_map(|kind| kind.stack.messages.flight);
        flight.map_or_else(
            || self.external_server(),
            |flight| {
                let flight = flight.name();
                let problem = format!("`{flight}`: a live run has the stack's own handshake");
                Err(RequestError::new("stack.flight", problem))
            },
        )
    }

    /// The scenario's only flow, whose handshake may be made of packets.
    ///
    /// An error as for [`external_sender`](Self::external_sender).
    pub fn external_server(&self) -> Result<ExternalSender, RequestError> {
        let plans = self.plans();
        let refused = |field: &str, problem: &str| Err(RequestError::new(field, problem));
        if !self.web.is_empty() {
            return refused("web", "a live run has one flow and no other traffic");
        }
        let [plan] = plans.as_slice() else {
            let problem = format!("a live run has one flow, not {}", plans.len());
            return refused("flows", &problem);
        };
        let kind: &FlowKind = &self.kinds[plan.kind as usize];
        let Some(size) = plan.size().filter(|_| kind.writes.is_empty()) else {
            return refused("flows[0].size", "a live run has one transfer of known size");
        };
        if !plan.handshake {
            return refused(
                "flows[0].handshake",
                "`false`: a live run opens a connection",
            );
        }
        let network = self.network(&plans);
        let links = network.links;
        let route = network.routes[network.route_of[0] as usize].clone();
        Ok(ExternalSender {
            known: known(kind, &route, &links),
            links,
            route,
            bottleneck: network.bottleneck,
            startup: kind.startup.clone(),
            cc: kind.cc.clone(),
            recipe: kind.recipe.clone(),
            size,
            seed: self.seed,
            start: plan.start.get().unwrap_or(Instant::ZERO),
            end: self.end,
            by_receiver: kind.by_receiver,
            ecn: kind.stack.ecn != EcnMode::Off,
            stack: kind.stack.clone(),
        })
    }
}

/// What a sender of this kind is given of the path before its connection opens.
pub(super) fn known(kind: &FlowKind, route: &Route, links: &[Link]) -> PathInfo {
    let line = |link: &LinkId| links[*link as usize].config().service.line();
    let own = route.data.iter().find_map(line);
    PathInfo {
        interface_rate: kind.interface_rate.or(own),
        memory: kind.memory,
        ..PathInfo::default()
    }
}
