//! The flows of a run: the state and record of each, and its endpoints while it lasts.

use super::endpoints::{Endpoints, LateReceiver};
use super::timer::Timer;
use crate::flow_plan::{FlowKind, FlowPlan};
use crate::memory::Memories;
use crate::record::flow_record::FlowRecord;
use crate::record::handshake::{HandshakeRecord, HandshakeRow};
use crate::record::write_log::{Stage, next_due};
use crate::slab::Slab;
use flowstart_control::signals::PathMemory;
use flowstart_control::{Exit, Instant};
use flowstart_transport::receiver::Receiver;
use flowstart_transport::sender::Sender;
use flowstart_transport::stack::Sharing;
use std::collections::BTreeMap;

/// What every packet of a flow looks at, also when it is over.
#[derive(Clone, Copy)]
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

/// All flows, by their numbers.
pub(super) struct Flows<'a> {
    kinds: &'a [FlowKind],
    states: Vec<FlowState>,
    endpoints: Slab<Endpoints>,
    late: Slab<LateReceiver>,
    /// What is known of each flow and noted of it.
    pub(super) records: Vec<FlowRecord>,
    /// How startups of flows that are over have ended.
    exits: Vec<Exit>,
    /// What is noted of handshakes that are made of packets.
    handshakes: BTreeMap<u32, HandshakeRecord>,
    /// What connections leave for later ones.
    memories: Memories,
    /// Data packets that flows have lost at the sockets of their receivers.
    pub(super) lost_at_sockets: BTreeMap<u32, u64>,
    /// Flows that have not ended.
    unfinished: usize,
}

impl<'a> Flows<'a> {
    /// The flows of these plans, over the routes with these numbers.
    pub(super) fn new(kinds: &'a [FlowKind], plans: Vec<FlowPlan>, routes: &[u32]) -> Flows<'a> {
        let state = |route: &u32| FlowState {
            life: Life::Waiting,
            route: *route,
        };
        Flows {
            kinds,
            states: routes.iter().map(state).collect(),
            endpoints: Slab::default(),
            late: Slab::default(),
            unfinished: plans.len(),
            records: plans.into_iter().map(FlowRecord::new).collect(),
            exits: Vec::new(),
            handshakes: BTreeMap::new(),
            memories: Memories::default(),
            lost_at_sockets: BTreeMap::new(),
        }
    }

    /// One more, which has not opened; its number.
    pub(super) fn add(&mut self, plan: FlowPlan, route: u32) -> u32 {
        let life = Life::Waiting;
        self.states.push(FlowState { life, route });
        self.records.push(FlowRecord::new(plan));
        self.unfinished += 1;
        self.records.len() as u32 - 1
    }

    /// Bytes that records, and open and late flows take.
    pub(super) fn bytes_held(&self) -> usize {
        let endpoints = self.endpoints.all().iter();
        let late = self.late.all().iter();
        size_of_val(self.records.as_slice())
            + size_of_val(self.states.as_slice())
            + endpoints.map(Endpoints::bytes_held).sum::<usize>()
            + late.map(LateReceiver::bytes_held).sum::<usize>()
    }

    /// How many are open.
    #[inline]
    pub(super) fn open_count(&self) -> usize {
        self.endpoints.len()
    }

    /// How many have not ended.
    pub(super) fn unfinished(&self) -> usize {
        self.unfinished
    }

    #[inline]
    pub(super) fn state(&self, flow: u32) -> &FlowState {
        &self.states[flow as usize]
    }

    /// What flows of its kind share.
    pub(super) fn kind(&self, flow: u32) -> &'a FlowKind {
        &self.kinds[self.records[flow as usize].plan.kind as usize]
    }

    /// What is a flow's own, and what it shares with those of its kind.
    pub(super) fn flow(&self, flow: u32) -> (&FlowPlan, &'a FlowKind) {
        (&self.records[flow as usize].plan, self.kind(flow))
    }

    /// A flow starts now, or when it is known that it will.
    pub(super) fn set_start(&mut self, flow: u32, start: Instant) {
        self.records[flow as usize].plan.start = start.into();
    }

    /// Whether a flow was open and is so no more.
    #[inline]
    pub(super) fn is_over(&self, flow: u32) -> bool {
        self.state(flow).life == Life::Over
    }

    /// A flow's endpoints, if it is open.
    #[inline]
    pub(super) fn endpoints(&self, flow: u32) -> Option<&Endpoints> {
        match self.state(flow).life {
            Life::Open(key) => Some(self.endpoints.get(key)),
            _ => None,
        }
    }

    /// A flow's endpoints to be changed, if it is open.
    #[inline]
    pub(super) fn endpoints_mut(&mut self, flow: u32) -> Option<&mut Endpoints> {
        match self.state(flow).life {
            Life::Open(key) => Some(self.endpoints.get_mut(key)),
            _ => None,
        }
    }

    /// The endpoints with this key, of a flow that is open.
    #[inline]
    pub(super) fn open_mut(&mut self, key: u32) -> &mut Endpoints {
        self.endpoints.get_mut(key)
    }

    /// Opens a flow.
    pub(super) fn open(&mut self, flow: u32, sender: Sender, receiver: Receiver) -> &mut Endpoints {
        let (plan, kind) = self.flow(flow);
        let stages = [Stage::Delivered, Stage::Acknowledged];
        let due = stages.map(|stage| (stage, next_due(plan, kind, stage, 0)));
        let mut ends = Endpoints {
            sender,
            receiver,
            sender_timer: Timer::default(),
            receiver_timer: Timer::default(),
            due: [0; 2],
            flight: kind.flight,
            hosts: None,
        };
        for (stage, position) in due {
            ends.set_due(stage, position);
        }
        let key = self.endpoints.insert(ends);
        self.states[flow as usize].life = Life::Open(key);
        self.endpoints.get_mut(key)
    }

    /// What earlier connections between its hosts have left; those that are open make room.
    pub(super) fn recall(&mut self, flow: u32, now: Instant) -> Option<PathMemory> {
        let (plan, kind) = (&self.records[flow as usize].plan, self.kind(flow));
        if kind.stack.sharing.kind == Sharing::None {
            return None;
        }
        let (states, endpoints) = (&self.states, &self.endpoints);
        let sender_of = |flow: u32| match states[flow as usize].life {
            Life::Open(key) => Some(&endpoints.get(key).sender),
            _ => None,
        };
        let opened = self.memories.open(flow, (plan, kind), now, sender_of);
        for other in &opened.others {
            if let Some(ends) = self.endpoints_mut(*other) {
                ends.sender.make_room(opened.others.len());
            }
        }
        opened.memory
    }

    /// Data of an open flow has got to `position`, which was due to be noted. Whether that is all
    /// of it.
    pub(super) fn note(&mut self, flow: u32, stage: Stage, position: u64, now: Instant) -> bool {
        let kind = self.kind(flow);
        let due = next_due(&self.records[flow as usize].plan, kind, stage, position);
        if let Some(ends) = self.endpoints_mut(flow) {
            ends.set_due(stage, due);
        }
        if kind.flight > 0 && stage == Stage::Delivered {
            let handshake = self.handshakes.entry(flow).or_default();
            handshake.first_byte.get_or_insert(now);
        }
        let record = &mut self.records[flow as usize];
        let is_whole = record.plan.ends_at(position);
        if is_whole {
            let noted = match stage {
                Stage::Delivered => &mut record.delivered_at,
                Stage::Acknowledged => &mut record.acked_at,
            };
            if !noted.is_some() {
                *noted = now.into();
            }
        }
        is_whole
    }

    /// An open flow is over: its endpoints' place is free for another's, though its receiver may
    /// continue answering.
    pub(super) fn close(&mut self, flow: u32, now: Instant) {
        let state = &mut self.states[flow as usize];
        let Life::Open(key) = state.life else { return };
        let ends = self.endpoints.get(key);
        let record = &mut self.records[flow as usize];
        ends.note(record, &mut self.exits);
        if ends.flight > 0 {
            let noted = self.handshakes.entry(flow).or_default();
            noted.note(ends.receiver.client(), ends.sender.handshake());
        }
        let kind = &self.kinds[record.plan.kind as usize];
        if kind.stack.sharing.kind != Sharing::None {
            let memory = ends.sender.memory();
            self.memories.close(flow, (&record.plan, kind), memory, now);
        }
        let answers = kind.stack.ns2.acks_when_over;
        let late = answers.then(|| LateReceiver::of(ends, record)).flatten();
        state.life = match late {
            Some(late) => Life::Answering(self.late.insert(late)),
            None => Life::Over,
        };
        self.endpoints.remove(key);
        self.unfinished -= 1;
    }

    /// Notes of a flow that is still open when the run is over what its row will need.
    pub(super) fn note_open(&mut self, flow: u32) {
        if let Life::Open(key) = self.states[flow as usize].life {
            let ends = self.endpoints.get(key);
            ends.note(&mut self.records[flow as usize], &mut self.exits);
            if ends.flight > 0 {
                let noted = self.handshakes.entry(flow).or_default();
                noted.note(ends.receiver.client(), ends.sender.handshake());
            }
        }
    }

    /// One row for each flow whose handshake is made of packets.
    pub(super) fn handshake_rows(&self) -> Vec<HandshakeRow> {
        let row = |(flow, noted): (&u32, &HandshakeRecord)| {
            noted.row(*flow, &self.records[*flow as usize])
        };
        self.handshakes.iter().map(row).collect()
    }

    /// A data packet has found the buffer of its receiver's socket full.
    #[cold]
    pub(super) fn lose_at_socket(&mut self, flow: u32) {
        *self.lost_at_sockets.entry(flow).or_default() += 1;
    }

    /// The records of a run that is over, and its exits; endpoints give their memory back.
    pub(super) fn take_records(&mut self) -> (Vec<FlowRecord>, Vec<Exit>) {
        let flows = std::mem::replace(self, Flows::new(self.kinds, Vec::new(), &[]));
        (flows.records, flows.exits)
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
        if let Life::Answering(key) = self.states[flow as usize].life
            && self.late.get(key).is_done()
        {
            self.late.remove(key);
            self.states[flow as usize].life = Life::Over;
        }
    }
}
