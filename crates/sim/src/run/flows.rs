//! The flows of a run: where each stands, and its endpoints while it lasts.

use super::log::next_due;
use crate::flow_plan::FlowPlan;
use crate::record::flow::FlowLog;
use crate::slab::Slab;
use flowstart_control::Time;
use flowstart_transport::receiver::Receiver;
use flowstart_transport::sender::Sender;

/// A flow's two endpoints while it lasts.
pub(super) struct Endpoints {
    pub(super) sender: Sender,
    pub(super) receiver: Receiver,
    pub(super) sender_timer: Timer,
    pub(super) receiver_timer: Timer,
}

/// The one event that stands for an endpoint's deadline. A deadline that moves later
/// leaves the event where it is, and it moves itself when it comes due; so a timer that
/// is restarted by every acknowledgement costs one event a timeout, not one an
/// acknowledgement.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Timer {
    pub(super) armed: Option<Time>,
}

impl Timer {
    /// When an event is needed for this deadline, unless there is one that comes in time.
    fn arm(&mut self, deadline: Option<Time>, now: Time) -> Option<Time> {
        let deadline = deadline?.max(now);
        if self.armed.is_some_and(|armed| armed <= deadline) {
            return None;
        }
        self.armed = Some(deadline);
        self.armed
    }
}

impl Endpoints {
    /// When an event is needed for the sender's deadline, which may have changed.
    pub(super) fn arm_sender(&mut self, now: Time) -> Option<Time> {
        self.sender_timer.arm(self.sender.deadline(), now)
    }

    /// The same for the receiver's.
    pub(super) fn arm_receiver(&mut self, now: Time) -> Option<Time> {
        self.receiver_timer.arm(self.receiver.deadline(), now)
    }

    /// Notes what a row will need of them.
    pub(super) fn note(&self, log: &mut FlowLog, size: Option<u64>) {
        log.packets_arrived += self.receiver.arrived();
        log.bytes_delivered = self.receiver.delivered().min(size.unwrap_or(u64::MAX));
        log.counters = *self.sender.counters();
        log.exit = self.sender.exit().copied();
        log.reset = self.sender.failed();
        log.min_rtt = self.sender.min_rtt();
    }
}

/// What every packet of a flow looks at, in one line of the cache; its log is apart.
pub(super) struct FlowState {
    pub(super) life: Life,
    /// Its route's number.
    pub(super) route: u32,
    /// The next position whose delivery, and whose acknowledgement, is to be noted: until
    /// then a packet has no business with the plan or the log.
    pub(super) due: [u64; 2],
}

/// A flow costs memory for its endpoints only while it lasts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Life {
    Waiting,
    /// Its endpoints have this key.
    Open(u32),
    Over,
}

/// All flows, by their numbers.
#[derive(Default)]
pub(super) struct Flows {
    states: Vec<FlowState>,
    endpoints: Slab<Endpoints>,
}

impl Flows {
    /// One more, which has not opened.
    pub(super) fn add(&mut self, plan: &FlowPlan, route: u32) {
        self.states.push(FlowState {
            life: Life::Waiting,
            route,
            due: [next_due(plan, 0); 2],
        });
    }

    pub(super) fn len(&self) -> usize {
        self.states.len()
    }

    pub(super) fn state(&self, flow: u32) -> &FlowState {
        &self.states[flow as usize]
    }

    pub(super) fn state_mut(&mut self, flow: u32) -> &mut FlowState {
        &mut self.states[flow as usize]
    }

    /// A flow's endpoints, if it is open.
    pub(super) fn endpoints(&self, flow: u32) -> Option<&Endpoints> {
        match self.state(flow).life {
            Life::Open(key) => Some(self.endpoints.get(key)),
            Life::Waiting | Life::Over => None,
        }
    }

    /// The same to be changed.
    pub(super) fn endpoints_mut(&mut self, flow: u32) -> Option<&mut Endpoints> {
        match self.state(flow).life {
            Life::Open(key) => Some(self.endpoints.get_mut(key)),
            Life::Waiting | Life::Over => None,
        }
    }

    pub(super) fn open(&mut self, flow: u32, sender: Sender, receiver: Receiver) {
        let key = self.endpoints.insert(Endpoints {
            sender,
            receiver,
            sender_timer: Timer::default(),
            receiver_timer: Timer::default(),
        });
        self.state_mut(flow).life = Life::Open(key);
    }

    /// A flow is over: takes its endpoints away.
    pub(super) fn close(&mut self, flow: u32) -> Option<Endpoints> {
        let life = std::mem::replace(&mut self.state_mut(flow).life, Life::Over);
        match life {
            Life::Open(key) => Some(self.endpoints.remove(key)),
            Life::Waiting | Life::Over => None,
        }
    }
}
