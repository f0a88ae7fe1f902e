//! Looking ahead: with many open flows nothing of the next one is in a cache when its packet
//! arrives. Which flows are next is known from the link that delivers their packets, so their memory
//! is requested some packets before.
//!
//! It changes no result, and can be left out (the feature `prefetch`).

use super::flows::Flows;
use super::simulation::Simulation;
use flowstart_network::graph::LinkId;
use flowstart_transport::prefetch::{ENABLED, prefetch};

/// With fewer open flows than this, prefetching costs more than it brings.
const MANY: usize = 20_000;

/// How many packets before its own a flow's state is requested, how many before it the endpoint
/// that the state names, and how many before it what the endpoint keeps elsewhere.
const STATE_AHEAD: usize = 24;
const ENDPOINT_AHEAD: usize = 12;
const PARTS_AHEAD: usize = 6;

impl Simulation<'_> {
    /// A packet has arrived at its endpoint over this link.
    #[inline]
    pub(super) fn look_ahead(&self, link: LinkId) {
        if ENABLED && self.flows.open_count() > MANY {
            look_ahead(self, link);
        }
    }
}

#[inline(never)]
fn look_ahead(run: &Simulation, link: LinkId) {
    let link = &run.network.links[link as usize];
    if let Some(packet) = link.upcoming(STATE_AHEAD) {
        run.flows.ask_for_state(packet.flow);
    }
    if let Some(packet) = link.upcoming(ENDPOINT_AHEAD) {
        run.flows.ask_for_endpoint(packet.flow, packet.is_forward());
    }
    if let Some(packet) = link.upcoming(PARTS_AHEAD) {
        run.flows.ask_for_parts(packet.flow, packet.is_forward());
    }
}

impl Flows<'_> {
    fn ask_for_state(&self, flow: u32) {
        prefetch(self.state(flow));
    }

    fn ask_for_endpoint(&self, flow: u32, receiver: bool) {
        let Some(ends) = self.endpoints(flow) else {
            return;
        };
        if receiver {
            prefetch(&ends.receiver);
            prefetch(&ends.receiver_timer);
            prefetch(&ends.due);
        } else {
            prefetch(&ends.sender);
            prefetch(&ends.sender_timer);
        }
    }

    fn ask_for_parts(&self, flow: u32, receiver: bool) {
        match self.endpoints(flow) {
            Some(ends) if receiver => ends.receiver.prefetch(),
            Some(ends) => ends.sender.prefetch(),
            None => {}
        }
    }
}
