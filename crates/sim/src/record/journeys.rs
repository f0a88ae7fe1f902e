//! The ways of single packets: when each left its host, came to the bottleneck's queue, left it,
//! and arrived or was dropped.

use super::recorder::{
    ANSWERED, ARRIVED, HopQueue, IN_NETWORK, Kinds, QUEUES, QueueEvent, REPLIED, Recorder,
    RunEvent, SENT, Scene,
};
use flowstart_control::Instant;
use flowstart_wire::{Ack, Body, Packet};

/// What is to be recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JourneysRequest {
    /// Of which flow.
    pub flow: u32,
    /// Of how many packets, [`MOST_JOURNEYS`] at most. The run is stopped when they have arrived.
    pub most: u32,
}

/// More packets are refused.
pub const MOST_JOURNEYS: u32 = 5_000;

/// What a packet is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Load {
    /// Data that leaves for the first time.
    Data,
    /// Data that was sent before.
    Again,
    /// An acknowledgement.
    Ack,
    /// It opens the connection, or answers one that does.
    Syn,
}

impl Load {
    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Load::Data => "data",
            Load::Again => "again",
            Load::Ack => "ack",
            Load::Syn => "syn",
        }
    }
}

/// The way of one packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Journey {
    /// What it is for.
    pub load: Load,
    /// Whether it goes from the data's sender to its receiver.
    pub forward: bool,
    /// Its first byte, or the acknowledgement's number.
    pub seq: u64,
    /// When it left its host.
    pub sent: Instant,
    /// When it came to the queue of the bottleneck's direction that it passes.
    pub queued: Option<Instant>,
    /// When it left that to be transmitted.
    pub left: Option<Instant>,
    /// When it was dropped, by whatever.
    pub dropped: Option<Instant>,
    /// When it reached the other host.
    pub received: Option<Instant>,
    key: (u64, u64),
}

impl Journey {
    fn is_under_way(&self) -> bool {
        self.dropped.is_none() && self.received.is_none()
    }

    fn is_like(&self, packet: &Packet) -> bool {
        let (load, key) = load_and_key(packet, self.load == Load::Again);
        (self.load, self.key, self.forward) == (load, key, packet.is_forward())
    }
}

/// The ways of a flow's first packets.
#[derive(Clone, Debug, Default)]
pub struct Journeys {
    /// In the order in which they left; times of the run.
    pub packets: Vec<Journey>,
    /// There were more.
    pub cut: bool,
}

/// Follows packets, identified by what they carry: of two that are alike the first to leave a
/// place is taken for the first that came to it.
pub(crate) struct JourneyRecorder {
    request: JourneysRequest,
    found: Journeys,
    /// Data and acknowledgements under way.
    under_way: [usize; 2],
    /// An acknowledgement has arrived that is not followed, so that those before it have too, or
    /// never will.
    overtaken: bool,
    /// All before this are not under way any more.
    first: usize,
    /// The packet that the bottleneck's queue has just refused or evicted.
    to_drop: Option<usize>,
}

impl JourneyRecorder {
    pub(crate) fn new(request: JourneysRequest) -> JourneyRecorder {
        JourneyRecorder {
            request,
            found: Journeys::default(),
            under_way: [0; 2],
            overtaken: false,
            first: 0,
            to_drop: None,
        }
    }

    /// A packet leaves its host; its data was sent before if `again`.
    fn send(&mut self, now: Instant, packet: &Packet, again: bool) {
        if self.found.packets.len() >= self.request.most as usize {
            self.found.cut = true;
            return;
        }
        let (load, key) = load_and_key(packet, again);
        self.under_way[usize::from(load == Load::Ack)] += 1;
        self.found.packets.push(Journey {
            load,
            forward: packet.is_forward(),
            seq: key.0,
            sent: now,
            queued: None,
            left: None,
            dropped: None,
            received: None,
            key,
        });
    }

    /// It comes to the bottleneck's queue, which refuses it or not.
    fn queue(&mut self, now: Instant, packet: &Packet, refused: bool) {
        let place = self.find(packet, |way| way.queued.is_none());
        if let Some(place) = place {
            self.found.packets[place].queued = Some(now);
        }
        self.to_drop = place.filter(|_| refused);
    }

    /// It is evicted from there.
    fn evict(&mut self, packet: &Packet) {
        self.to_drop = self.find(packet, |way| way.queued.is_some() && way.left.is_none());
    }

    /// It has left that to be transmitted.
    fn leave(&mut self, at: Instant, packet: &Packet) {
        let waits =
            |way: &Journey| way.left.is_none() && way.queued.is_some_and(|since| since <= at);
        if let Some(place) = self.find(packet, waits) {
            self.found.packets[place].left = Some(at);
        }
    }

    /// It was dropped.
    fn drop(&mut self, at: Instant, packet: &Packet) {
        let place = self.to_drop.take();
        if let Some(place) = place.or_else(|| self.find(packet, |_| true)) {
            self.found.packets[place].dropped = Some(at);
            self.is_over(packet);
        }
    }

    /// It reaches the other host.
    fn receive(&mut self, now: Instant, packet: &Packet) {
        let passed = self.find(packet, |way| way.left.is_some());
        match passed.or_else(|| self.find(packet, |_| true)) {
            Some(place) => {
                self.found.packets[place].received = Some(now);
                self.is_over(packet);
            }
            None => self.overtaken |= matches!(packet.body, Body::Ack(_)),
        }
    }

    /// Whether enough is known.
    pub(crate) fn is_done(&self) -> bool {
        let [data, acks] = self.under_way;
        self.found.cut && data == 0 && (acks == 0 || self.overtaken)
    }

    /// What was found.
    pub(crate) fn finish(self) -> Journeys {
        self.found
    }

    /// One like this packet is not under way any more.
    fn is_over(&mut self, packet: &Packet) {
        self.under_way[usize::from(matches!(packet.body, Body::Ack(_)))] -= 1;
        let rest = &self.found.packets[self.first..];
        self.first += rest.iter().take_while(|way| !way.is_under_way()).count();
    }

    /// The place of the first packet under way that is like this and of which something holds.
    fn find(&self, packet: &Packet, holds: impl Fn(&Journey) -> bool) -> Option<usize> {
        let mut rest = self.found.packets[self.first..].iter();
        let place = rest.position(|way| way.is_under_way() && way.is_like(packet) && holds(way));
        place.map(|place| self.first + place)
    }
}

impl Recorder for JourneyRecorder {
    fn takes(&self) -> Kinds {
        SENT | ANSWERED | ARRIVED | REPLIED | IN_NETWORK | QUEUES[0] | QUEUES[1]
    }

    fn record(&mut self, scene: &mut Scene<'_>, event: &RunEvent<'_>) {
        if scene.flow != self.request.flow {
            return;
        }
        match *event {
            RunEvent::Sent { packet, again } => self.send(scene.at, packet, again),
            RunEvent::Received(packet) => self.receive(scene.at, packet),
            RunEvent::Dropped(packet) => self.drop(scene.at, packet),
            _ => {}
        }
    }

    fn record_queue(&mut self, at: Instant, queue: HopQueue, packet: &Packet, event: &QueueEvent) {
        if packet.flow != self.request.flow || !queue.is_bottleneck {
            return;
        }
        match *event {
            QueueEvent::Offered { dropped, .. } => self.queue(at, packet, dropped),
            QueueEvent::Left => self.leave(at, packet),
            QueueEvent::Evicted => self.evict(packet),
        }
    }
}

/// What a packet is for, and what identifies it: a position, and a packet's number where
/// packets have one.
fn load_and_key(packet: &Packet, again: bool) -> (Load, (u64, u64)) {
    match &packet.body {
        Body::Data(data) if again => (Load::Again, (data.start(), u64::from(data.number()))),
        Body::Data(data) => (Load::Data, (data.start(), u64::from(data.number()))),
        Body::Ack(Ack::Bytes(ack)) => (Load::Ack, (ack.una(), u64::from(ack.blocks()))),
        Body::Ack(Ack::Numbers(ack)) => (Load::Ack, (ack.end(), u64::from(ack.delay()))),
        Body::Syn(_) | Body::SynAck(_) | Body::Message(_) => (Load::Syn, (0, 0)),
    }
}
