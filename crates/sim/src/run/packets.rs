//! What a run keeps of the packets of chosen flows. Recording changes nothing.

use super::simulation::Simulation;
use crate::record::packets::{FlowLog, Host, What};
use flowstart_control::Time;
use flowstart_network::graph::LinkId;
use flowstart_wire::Packet;

impl Simulation<'_> {
    /// A flow that is to be logged opens.
    pub(super) fn begin_log(&mut self, flow: u32) {
        if !self.prepared.logged.contains(&flow) {
            return;
        }
        let kind = self.kind(flow);
        let names = [&kind.startup, &kind.cc];
        let log = FlowLog::new(flow, names, &kind.stack, kind.by_receiver);
        self.observers.logs.push(log);
    }

    fn log_of(&mut self, flow: u32) -> Option<&mut FlowLog> {
        self.observers.logs.iter_mut().find(|log| log.flow == flow)
    }

    /// Something happens to a flow's packet, or to its sender.
    fn log(&mut self, flow: u32, what: What) {
        let now = self.now;
        if let Some(log) = self.log_of(flow) {
            log.push(now, what);
        }
    }

    /// A flow's sender may have found something out.
    pub(super) fn log_sender(&mut self, flow: u32) {
        let now = self.now;
        let log = self.observers.logs.iter_mut().find(|log| log.flow == flow);
        if let (Some(log), Some(ends)) = (log, self.flows.endpoints(flow)) {
            log.look_at(&ends.sender, now);
        }
    }

    /// The packet at the far end of a link reaches a host, which has not read it.
    pub(super) fn log_arrival(&mut self, link: LinkId) {
        let Some(packet) = self.links[link as usize].first().copied() else {
            return;
        };
        let host = match packet.is_forward() {
            true => Host::Receiver,
            false => Host::Sender,
        };
        self.log(packet.flow, What::Received(host, packet));
    }

    /// A packet leaves its host.
    pub(super) fn log_sending(&mut self, packet: &Packet) {
        let host = match packet.is_forward() {
            true => Host::Sender,
            false => Host::Receiver,
        };
        self.log(packet.flow, What::Sent(host, *packet));
    }

    /// The retransmission timer of a flow's sender has expired.
    pub(super) fn log_timeout(&mut self, flow: u32) {
        self.log(flow, What::TimedOut);
    }

    /// A packet was dropped on its way at `at`.
    pub(super) fn log_drop(&mut self, packet: &Packet, at: Time) {
        if let Some(log) = self.log_of(packet.flow) {
            log.push(at, What::Dropped(*packet));
        }
    }

    /// The logs, now that the run is over.
    pub(super) fn take_packet_logs(&mut self) -> Vec<FlowLog> {
        let mut logs = std::mem::take(&mut self.observers.logs);
        for log in &mut logs {
            log.exit = self.records[log.flow as usize].exit(&self.exits);
            log.put_in_order();
        }
        logs.sort_by_key(|log| log.flow);
        logs
    }
}
