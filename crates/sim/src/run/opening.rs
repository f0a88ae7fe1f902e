//! How flows open: what their senders know before they do.

use super::simulation::Simulation;
use crate::flow_plan::Opening;
use crate::record::recorder::{RunEvent, PROGRESS};
use crate::workload::Arrival;
use flowstart_control::signals::PathInfo;
use flowstart_network::random::stream;
use flowstart_transport::receiver::Receiver;
use flowstart_transport::sender::{Preparation, Sender};
use rand_core::RngCore;

impl Simulation<'_> {
    /// Opens the connection to which the first data has come.
    pub(super) fn open(&mut self, arrival: Arrival, opening: Opening) {
        let (flow, now) = (arrival.flow, self.clock.now);
        let preparation = self.prepare(flow);
        self.meter.count_opening(opening);
        if self.recorders.take(PROGRESS) {
            self.record_flow(flow, RunEvent::Opened);
        }
        let kind = self.flows.kind(flow);
        let ends = self.flows.open(
            flow,
            Sender::new(kind.stack.clone(), flow, kind.recipe.build(), preparation),
            Receiver::new(kind.receiver.clone(), flow),
        );
        if self.recorders.trace.is_some() {
            ends.sender.keep_sampling();
        }
        ends.sender.push(arrival.bytes, now);
        match opening {
            Opening::Handshake => ends.sender.open(now),
            Opening::ByReceiver => {
                ends.sender.listen();
                let syn = ends.receiver.connect(now);
                let timer = ends.arm_receiver(now);
                self.answer(flow, Some(syn));
                self.schedule_timer(flow, true, timer);
            }
            Opening::Established(rtt) => {
                ends.sender.open_established(now, rtt);
                ends.receiver.open();
            }
        }
    }

    /// What a flow's sender is given before it opens its connection.
    fn prepare(&mut self, flow: u32) -> Preparation {
        let kind = self.flows.kind(flow);
        let route = self.flows.state(flow).route;
        let own = || self.network.interface_rate(route);
        let known = PathInfo {
            interface_rate: kind.interface_rate.or_else(own),
            memory: self.flows.recall(flow, self.clock.now).or(kind.memory),
            ..PathInfo::default()
        };
        Preparation {
            known,
            secret: self.secret(flow),
        }
    }

    /// Used only by a flow with rate requests.
    fn secret(&self, flow: u32) -> u64 {
        match self.network.has_routers() {
            false => 0,
            true => stream(self.prepared.seed, "secrets", u64::from(flow)).next_u64(),
        }
    }
}
