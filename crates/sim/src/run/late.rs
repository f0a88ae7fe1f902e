//! What arrives when its flow is over. It was sent twice, and what acknowledges it loads the
//! reverse path, as long as the receiver of the flow's stack continues answering.

use super::endpoints::{Endpoints, Timer};
use super::simulation::Simulation;
use crate::record::flow_record::FlowRecord;
use flowstart_transport::receiver::Receiver;
use flowstart_wire::Packet;

/// The receiver of a flow that is over, while packets of its are on their way.
pub(super) struct LateReceiver {
    receiver: Receiver,
    timer: Timer,
    /// How many.
    to_come: u64,
}

impl LateReceiver {
    /// The receiver of a flow that is over, if packets of it are still in flight. The record
    /// has the packets that arrived before.
    pub(super) fn of(ends: &Endpoints, record: &FlowRecord) -> Option<LateReceiver> {
        let gone = record.packets_arrived + record.packets_dropped;
        let to_come = ends.sender.counters().packets_sent.saturating_sub(gone);
        (to_come > 0).then(|| LateReceiver {
            receiver: ends.receiver.clone(),
            timer: ends.receiver_timer,
            to_come,
        })
    }

    /// Bytes that it takes.
    pub(super) fn bytes_held(&self) -> usize {
        size_of::<LateReceiver>() + self.receiver.bytes_held()
    }

    /// Whether it has nothing more to answer.
    pub(super) fn is_done(&self) -> bool {
        self.to_come == 0 && self.receiver.deadline().is_none()
    }
}

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
