//! The two endpoints of a flow, and the events of their timers.

use super::hosts::EndHosts;
use super::timer::Timer;
use crate::record::flow_record::FlowRecord;
use crate::record::write_log::Stage;
use flowstart_control::{Duration, Exit, Instant};
use flowstart_transport::receiver::Receiver;
use flowstart_transport::sender::Sender;

/// A flow's two endpoints while it lasts.
pub(super) struct Endpoints {
    pub(super) sender: Sender,
    pub(super) receiver: Receiver,
    pub(super) sender_timer: Timer,
    pub(super) receiver_timer: Timer,
    /// The next position whose delivery, and whose acknowledgement, is to be noted: until
    /// then a packet has no business with the record.
    pub(super) due: [u64; 2],
    /// Where data begins in the stream, behind a server's flight.
    pub(super) flight: u64,
    /// Their hosts, where these are not ideal.
    pub(super) hosts: Option<Box<EndHosts>>,
}

impl Endpoints {
    /// When an event is needed for the sender's deadline, which may have changed.
    pub(super) fn arm_sender(&mut self, now: Instant) -> Option<Instant> {
        let deadline = self.sender.deadline();
        match &mut self.hosts {
            None => self.sender_timer.arm(deadline, now),
            Some(hosts) => hosts.sender.arm(&mut self.sender_timer, deadline, now),
        }
    }

    /// How many packets the sender hands over in a turn.
    #[inline]
    pub(super) fn per_turn(&self) -> u32 {
        let hosts = self.hosts.as_ref();
        hosts.map_or(u32::MAX, |hosts| hosts.per_turn)
    }

    /// The sender has sent so many packets. Whether that is a turn, and it may have more to send in
    /// the next.
    #[inline]
    pub(super) fn ends_turn(&mut self, packets: u32) -> bool {
        let hosts = self.hosts.as_mut();
        hosts.is_some_and(|hosts| hosts.ends_turn(packets))
    }

    /// The sender's next turn begins at this time, when an event is needed.
    pub(super) fn put_off(&mut self, turn: Instant) -> Instant {
        self.sender_timer.set(turn);
        if let Some(hosts) = &mut self.hosts {
            hosts.sender.due = turn;
        }
        turn
    }

    /// Whether the sender's timer has come for its next turn.
    pub(super) fn continues(&mut self) -> bool {
        let hosts = self.hosts.as_mut();
        hosts.is_some_and(|hosts| hosts.continues())
    }

    /// When an event is needed for the receiver's deadline, which may have changed.
    pub(super) fn arm_receiver(&mut self, now: Instant) -> Option<Instant> {
        let deadline = self.receiver.deadline();
        match &mut self.hosts {
            None => self.receiver_timer.arm(deadline, now),
            Some(hosts) => hosts.receiver.arm(&mut self.receiver_timer, deadline, now),
        }
    }

    /// The position up to which data has been delivered or acknowledged, where it is due to be noted.
    #[inline]
    pub(super) fn due(&self, stage: Stage) -> Option<u64> {
        let position = match stage {
            Stage::Delivered => self.receiver.delivered(),
            Stage::Acknowledged => self.sender.acknowledged(),
        };
        (position >= self.due[stage as usize]).then(|| position - self.flight)
    }

    /// Data of either stage is to be noted at this position.
    pub(super) fn set_due(&mut self, stage: Stage, position: u64) {
        self.due[stage as usize] = position.saturating_add(self.flight);
    }

    /// Bytes that both take.
    pub(super) fn bytes_held(&self) -> usize {
        size_of::<Endpoints>() + self.sender.bytes_held() + self.receiver.bytes_held()
    }

    /// Notes what a row will need of them.
    pub(super) fn note(&self, record: &mut FlowRecord, exits: &mut Vec<Exit>) {
        let size = record.plan.size().unwrap_or(u64::MAX);
        record.packets_arrived += self.receiver.arrived();
        let delivered = self.receiver.delivered().saturating_sub(self.flight);
        record.bytes_delivered = delivered.min(size);
        record.count(self.sender.counters());
        record.keep_exit(self.sender.exit(), exits);
        record.reset = self.sender.failed();
        record.min_rtt = self.sender.min_rtt().unwrap_or(Duration::MAX);
    }
}

/// The receiver of a flow that is over, while packets of its are on their way.
pub(super) struct LateReceiver {
    pub(super) receiver: Receiver,
    pub(super) timer: Timer,
    /// How many.
    pub(super) to_come: u64,
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
