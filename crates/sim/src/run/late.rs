//! What arrives when its flow is over. It was sent twice, and what acknowledges it loads the
//! reverse path, as long as the receiver of the flow's stack continues answering.

use super::simulation::Simulation;
use flowstart_wire::Packet;

impl Simulation<'_> {
    /// A packet has arrived whose flow is over.
    #[cold]
    pub(super) fn on_late_packet(&mut self, packet: &Packet) {
        if !packet.is_data() {
            return;
        }
        let (flow, now) = (packet.flow, self.clock.now);
        self.flows.records[flow as usize].packets_arrived += 1;
        let Some(late) = self.flows.late_mut(flow) else {
            return;
        };
        late.to_come = late.to_come.saturating_sub(1);
        let answer = late.receiver.on_packet(packet, now);
        self.answer_late(flow, answer);
    }

    /// The timer of a flow that is over is due.
    #[cold]
    pub(super) fn on_late_timer(&mut self, flow: u32, receiver: bool) {
        let now = self.clock.now;
        let late = self.flows.late_mut(flow).filter(|_| receiver);
        let Some(late) = late else { return };
        if !late.timer.expire(now) {
            return;
        }
        let answer = late.receiver.on_timer(now);
        self.answer_late(flow, answer);
    }

    /// The receiver of a flow that is over may have something to send.
    fn answer_late(&mut self, flow: u32, answer: Option<Packet>) {
        let now = self.clock.now;
        let late = self.flows.late_mut(flow);
        let timer = late.and_then(|late| late.timer.arm(late.receiver.deadline(), now));
        self.answer(flow, answer);
        self.schedule_timer(flow, true, timer);
        self.flows.forget_late(flow);
    }
}
