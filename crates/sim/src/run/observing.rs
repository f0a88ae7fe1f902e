//! What observers hear, where there are any. They change nothing but when flows open that wait.

use super::simulation::Simulation;
use flowstart_control::Time;
use flowstart_network::graph::LinkId;
use flowstart_wire::Packet;

impl Simulation<'_> {
    /// Whether anybody looks at packets and senders.
    #[inline]
    pub(super) fn is_observed(&self) -> bool {
        self.observers.exist
    }

    /// A flow opens.
    #[cold]
    pub(super) fn observe_opening(&mut self, flow: u32) {
        self.begin_log(flow);
        let now = self.moment();
        if let Some(measure) = self.observers.measure_of(flow) {
            let waited = self.links[measure.bottleneck as usize].waited(now);
            measure.open(now.time, waited);
        }
    }

    /// A packet has left its sender.
    #[cold]
    pub(super) fn observe_sent(&mut self, packet: &Packet) {
        if !self.observers.logs.is_empty() {
            self.log_sending(packet);
        }
        let now = self.moment();
        if let Some(measure) = self.observers.measure_of(packet.flow) {
            if measure.is_silent() && packet.is_data() {
                let transmitted = self.links[measure.bottleneck as usize].transmitted(now);
                measure.begin_sending(now.time, transmitted);
            }
        }
        self.observe_sender(packet.flow);
    }

    /// A packet leaves a receiver.
    #[cold]
    pub(super) fn observe_answer(&mut self, packet: &Packet) {
        self.sample_answer_sent(packet);
        if !self.observers.logs.is_empty() {
            self.log_sending(packet);
        }
    }

    /// The packet at the far end of a link reaches its receiver, which has not read it.
    #[cold]
    pub(super) fn observe_arrival(&mut self, link: LinkId) {
        self.sample_arrival(link);
        if !self.observers.logs.is_empty() {
            self.log_arrival(link);
        }
        let Some(packet) = self.links[link as usize].first() else {
            return;
        };
        if let Some(measure) = self.observers.measure_of(packet.flow) {
            if packet.is_data() {
                measure.arrive(self.now, packet.wire);
            }
        }
    }

    /// The packet at the far end of a link reaches its sender, which has not read it.
    #[cold]
    pub(super) fn observe_reply(&mut self, link: LinkId) {
        self.sample_arrival(link);
        if !self.observers.logs.is_empty() {
            self.log_arrival(link);
        }
    }

    /// A flow's sender has heard or sent something, or a timer of its was due.
    #[cold]
    pub(super) fn observe_sender(&mut self, flow: u32) {
        if !self.observers.logs.is_empty() {
            self.log_sender(flow);
        }
        let now = self.moment();
        let Some(ends) = self.flows.endpoints(flow) else {
            return;
        };
        if let Some(measure) = self.observers.measure_of(flow) {
            if measure.look_at(&ends.sender, now.time) {
                let waited = self.links[measure.bottleneck as usize].waited(now);
                measure.end(waited);
            }
        }
        if self.observers.followers.wait_for(flow) && ends.sender.exit().is_some() {
            self.release_followers(flow);
        }
    }

    /// A timer of a flow's sender was due; `expired` if it was that of retransmissions.
    #[cold]
    pub(super) fn observe_timer(&mut self, flow: u32, expired: bool) {
        if expired {
            self.log_timeout(flow);
        }
        self.observe_sender(flow);
    }

    /// All data of a flow has been delivered.
    #[cold]
    pub(super) fn observe_delivery(&mut self, flow: u32) {
        let now = self.moment();
        if let Some(measure) = self.observers.measure_of(flow) {
            let transmitted = self.links[measure.bottleneck as usize].transmitted(now);
            measure.deliver(now.time, transmitted);
        }
    }

    /// A packet was dropped on its way at `at`.
    #[cold]
    pub(super) fn observe_drop(&mut self, packet: &Packet, at: Time) {
        self.sample_loss(packet, at);
        self.log_drop(packet, at);
    }
}
