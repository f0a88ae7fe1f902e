//! How flows open: what their senders know before they do.

use super::flows::Endpoints;
use super::log::{next_due, Stage};
use super::simulation::Simulation;
use crate::flow_plan::Opening;
use crate::record::recorder::{RunEvent, PROGRESS};
use crate::workload::Arrival;
use flowstart_control::signals::{PathInfo, PathMemory};
use flowstart_control::Rate;
use flowstart_network::random::stream;
use flowstart_transport::receiver::Receiver;
use flowstart_transport::sender::{Preparation, Sender};
use flowstart_transport::stack::Sharing;
use rand_core::RngCore;

impl Simulation<'_> {
    /// Opens the connection to which the first data has come.
    pub(super) fn open(&mut self, arrival: Arrival, opening: Opening) {
        let preparation = self.prepare(arrival.flow);
        self.meter.count_opening(opening);
        if self.is_recorded(PROGRESS) {
            self.record_flow(arrival.flow, RunEvent::Opened);
        }
        let (plan, kind) = self.flow(arrival.flow);
        let due =
            [Stage::Delivered, Stage::Acknowledged].map(|stage| next_due(plan, kind, stage, 0));
        let Endpoints {
            sender, receiver, ..
        } = self.flows.open(
            arrival.flow,
            Sender::new(
                kind.stack.clone(),
                arrival.flow,
                kind.recipe.build(),
                preparation,
            ),
            Receiver::new(kind.receiver.clone(), arrival.flow),
            due,
        );
        if self.recorders.trace.is_some() {
            sender.keep_sampling();
        }
        sender.push(arrival.bytes, self.now);
        let mut syn = None;
        match opening {
            Opening::Handshake => sender.open(self.now),
            Opening::ByReceiver => {
                sender.listen();
                syn = Some(receiver.connect(self.now));
            }
            Opening::Established(rtt) => {
                sender.open_established(self.now, rtt);
                receiver.open();
            }
        }
        if syn.is_some() {
            self.answer(arrival.flow, syn);
            self.arm_receiver(arrival.flow);
        }
    }

    /// What a flow's sender is given before it opens its connection.
    fn prepare(&mut self, flow: u32) -> Preparation {
        let (_, kind) = self.flow(flow);
        let (memory, interface_rate) = (kind.memory, kind.interface_rate);
        let known = PathInfo {
            interface_rate: interface_rate.or_else(|| self.interface_rate(flow)),
            memory: self.recall(flow).or(memory),
            ..PathInfo::default()
        };
        Preparation {
            known,
            secret: self.secret(flow),
        }
    }

    /// Used only by a flow with rate requests.
    fn secret(&self, flow: u32) -> u64 {
        match self.routers.is_empty() {
            true => 0,
            false => stream(self.prepared.seed, "secrets", u64::from(flow)).next_u64(),
        }
    }

    /// The rate of the first link that has one.
    fn interface_rate(&self, flow: u32) -> Option<Rate> {
        let links = self.route(flow).data.iter();
        links
            .map(|link| &self.links[*link as usize])
            .find_map(|link| link.config().service.line())
    }

    /// What earlier connections between its hosts have left, and those that are open make room.
    fn recall(&mut self, flow: u32) -> Option<PathMemory> {
        let (plan, kind) = (&self.records[flow as usize].plan, self.kind(flow));
        if kind.stack.sharing.kind == Sharing::None {
            return None;
        }
        let flows = &self.flows;
        let sender_of = |flow| flows.endpoints(flow).map(|ends| &ends.sender);
        let opened = self.memories.open(flow, (plan, kind), self.now, sender_of);
        for other in &opened.others {
            if let Some(ends) = self.flows.endpoints_mut(*other) {
                ends.sender.make_room(opened.others.len());
            }
        }
        opened.memory
    }
}
