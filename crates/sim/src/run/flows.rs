//! The flows of a run: the state of each, and its endpoints while it lasts.

use crate::maybe_time::MaybeTime;
use crate::record::flow_record::FlowRecord;
use crate::slab::Slab;
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
}

/// The one event of an endpoint's deadline. A deadline that moves later
/// leaves the event where it is, and it moves itself when it comes due; so a timer that
/// is restarted by every acknowledgement costs one event a timeout, not one an
/// acknowledgement.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Timer {
    armed: MaybeTime,
}

impl Timer {
    /// When an event is needed for this deadline, unless there is one that comes in time.
    pub(super) fn arm(&mut self, deadline: Option<Instant>, now: Instant) -> Option<Instant> {
        let deadline = deadline?.max(now);
        if self.armed.is_by(deadline) {
            return None;
        }
        self.armed = deadline.into();
        Some(deadline)
    }

    /// Its event has come; whether it still is the one that counts.
    pub(super) fn expire(&mut self, now: Instant) -> bool {
        let expires = self.armed == now.into();
        if expires {
            self.armed = MaybeTime::NONE;
        }
        expires
    }
}

impl Endpoints {
    /// When an event is needed for the sender's deadline, which may have changed.
    pub(super) fn arm_sender(&mut self, now: Instant) -> Option<Instant> {
        self.sender_timer.arm(self.sender.deadline(), now)
    }

    /// When an event is needed for the receiver's deadline, which may have changed.
    pub(super) fn arm_receiver(&mut self, now: Instant) -> Option<Instant> {
        self.receiver_timer.arm(self.receiver.deadline(), now)
    }

    fn bytes_held(&self) -> usize {
        size_of::<Endpoints>() + self.sender.bytes_held() + self.receiver.bytes_held()
    }

    /// Notes what a row will need of them.
    pub(super) fn note(&self, record: &mut FlowRecord, exits: &mut Vec<Exit>) {
        let size = record.plan.size().unwrap_or(u64::MAX);
        record.packets_arrived += self.receiver.arrived();
        record.bytes_delivered = self.receiver.delivered().min(size);
        record.count(self.sender.counters());
        record.keep_exit(self.sender.exit(), exits);
        record.reset = self.sender.failed();
        record.min_rtt = self.sender.min_rtt().unwrap_or(Duration::MAX);
    }
}

/// What every packet of a flow looks at, also when it is over.
pub(super) struct FlowState {
    pub(super) life: Life,
    /// Its route's number.
    pub(super) route: u32,
}

/// A flow costs memory for its endpoints only while it lasts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Life {
    Waiting,
    /// Its endpoints have this key.
    Open(u32),
    Over,
    /// And its receiver, which has this key, still answers.
    Answering(u32),
}

/// The receiver of a flow that is over, while packets of its are on their way.
pub(super) struct LateReceiver {
    pub(super) receiver: Receiver,
    pub(super) timer: Timer,
    /// How many.
    pub(super) to_come: u64,
}

impl LateReceiver {
    fn bytes_held(&self) -> usize {
        size_of::<LateReceiver>() + self.receiver.bytes_held()
    }

    /// Whether it has nothing more to answer.
    fn is_done(&self) -> bool {
        self.to_come == 0 && self.receiver.deadline().is_none()
    }
}

/// All flows, by their numbers.
#[derive(Default)]
pub(super) struct Flows {
    states: Vec<FlowState>,
    endpoints: Slab<Endpoints>,
    late: Slab<LateReceiver>,
}

impl Flows {
    /// Bytes that open and late flows take.
    pub(super) fn bytes_held(&self) -> usize {
        let endpoints = self.endpoints.all().iter();
        let late = self.late.all().iter();
        size_of_val(self.states.as_slice())
            + endpoints.map(Endpoints::bytes_held).sum::<usize>()
            + late.map(LateReceiver::bytes_held).sum::<usize>()
    }

    /// One more, which has not opened.
    pub(super) fn add(&mut self, route: u32) {
        self.states.push(FlowState {
            life: Life::Waiting,
            route,
        });
    }

    /// How many are open.
    #[inline]
    pub(super) fn open_count(&self) -> usize {
        self.endpoints.len()
    }

    pub(super) fn state(&self, flow: u32) -> &FlowState {
        &self.states[flow as usize]
    }

    /// Whether a flow was open and is so no more.
    pub(super) fn is_over(&self, flow: u32) -> bool {
        self.state(flow).life == Life::Over
    }

    /// A flow's endpoints, if it is open.
    pub(super) fn endpoints(&self, flow: u32) -> Option<&Endpoints> {
        match self.state(flow).life {
            Life::Open(key) => Some(self.endpoints.get(key)),
            _ => None,
        }
    }

    /// The same to be changed.
    pub(super) fn endpoints_mut(&mut self, flow: u32) -> Option<&mut Endpoints> {
        match self.state(flow).life {
            Life::Open(key) => Some(self.endpoints.get_mut(key)),
            _ => None,
        }
    }

    /// Opens a flow, of which delivery and acknowledgement up to `due` are the first to be noted.
    pub(super) fn open(
        &mut self,
        flow: u32,
        sender: Sender,
        receiver: Receiver,
        due: [u64; 2],
    ) -> &mut Endpoints {
        let key = self.endpoints.insert(Endpoints {
            sender,
            receiver,
            sender_timer: Timer::default(),
            receiver_timer: Timer::default(),
            due,
        });
        self.states[flow as usize].life = Life::Open(key);
        self.endpoints.get_mut(key)
    }

    /// An open flow is over: its endpoints' place is free for another's.
    pub(super) fn close(&mut self, flow: u32) {
        let life = std::mem::replace(&mut self.states[flow as usize].life, Life::Over);
        if let Life::Open(key) = life {
            self.endpoints.remove(key);
        }
    }

    /// A flow's receiver continues answering when it is over.
    pub(super) fn keep_answering(&mut self, flow: u32, late: LateReceiver) {
        let key = self.late.insert(late);
        self.states[flow as usize].life = Life::Answering(key);
    }

    /// The receiver that answers for a flow that is over, if one does.
    pub(super) fn late_mut(&mut self, flow: u32) -> Option<&mut LateReceiver> {
        match self.states[flow as usize].life {
            Life::Answering(key) => Some(self.late.get_mut(key)),
            _ => None,
        }
    }

    /// Lets it go if it has nothing more to answer.
    pub(super) fn forget_late(&mut self, flow: u32) {
        if let Life::Answering(key) = self.states[flow as usize].life {
            if self.late.get(key).is_done() {
                self.late.remove(key);
                self.states[flow as usize].life = Life::Over;
            }
        }
    }
}
