//! What a run keeps of the packets of chosen flows. Recording changes nothing.

use super::simulation::Simulation;
use crate::record::packets::{FlowLog, Host, What};
use flowstart_control::Time;
use flowstart_network::graph::LinkId;
use flowstart_wire::Packet;

impl Simulation<'_> {
    /// Whether the packets of any flow that has opened are kept.
    #[inline]
    pub(super) fn logs_packets(&self) -> bool {
        !self.packet_logs.is_empty()
    }

    /// A flow that is to be logged opens.
    pub(super) fn begin_log(&mut self, flow: u32) {
        if !self.prepared.logged.contains(&flow) {
            return;
        }
        let kind = self.kind(flow);
        let names = [&kind.startup, &kind.avoidance];
        let log = FlowLog::new(flow, names, &kind.stack, kind.by_receiver);
        self.packet_logs.push(log);
    }

    fn log_of(&mut self, flow: u32) -> Option<&mut FlowLog> {
        self.packet_logs.iter_mut().find(|log| log.flow == flow)
    }

    /// Something happens to a flow's packet, or to its sender.
    fn log(&mut self, flow: u32, what: What) {
        let now = self.now;
        if let Some(log) = self.log_of(flow) {
            log.push(now, what);
        }
    }

    /// A flow's sender may have found something out.
    #[cold]
    pub(super) fn log_sender(&mut self, flow: u32) {
        let now = self.now;
        let log = self.packet_logs.iter_mut().find(|log| log.flow == flow);
        if let (Some(log), Some(ends)) = (log, self.flows.endpoints(flow)) {
            log.look_at(&ends.sender, now);
        }
    }

    /// The packet at the far end of a link reaches a host, which has not read it.
    #[cold]
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
    #[cold]
    pub(super) fn log_sending(&mut self, packet: &Packet) {
        let host = match packet.is_forward() {
            true => Host::Sender,
            false => Host::Receiver,
        };
        self.log(packet.flow, What::Sent(host, *packet));
    }

    /// A timer of a flow's sender was due; `expired` if it was that of retransmissions.
    #[cold]
    pub(super) fn log_timer(&mut self, flow: u32, expired: bool) {
        if expired {
            self.log(flow, What::TimedOut);
        }
        self.log_sender(flow);
    }

    /// A packet was dropped on its way at `at`.
    #[cold]
    pub(super) fn log_drop(&mut self, packet: &Packet, at: Time) {
        if let Some(log) = self.log_of(packet.flow) {
            log.push(at, What::Dropped(*packet));
        }
    }

    /// The logs, now that the run is over.
    pub(super) fn take_packet_logs(&mut self) -> Vec<FlowLog> {
        let mut logs = std::mem::take(&mut self.packet_logs);
        for log in &mut logs {
            log.exit = self.records[log.flow as usize].exit(&self.exits);
            log.put_in_order();
        }
        logs.sort_by_key(|log| log.flow);
        logs
    }
}
