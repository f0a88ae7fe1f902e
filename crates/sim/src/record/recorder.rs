//! The one interface of everything that records what happens in a run. Recording changes nothing.

use super::flow_record::FlowRecord;
use flowstart_control::{Duration, Instant, Rate};
use flowstart_network::graph::LinkId;
use flowstart_network::link::Link;
use flowstart_network::moment::Moment;
use flowstart_network::queue::Backlog;
use flowstart_transport::sender::Sender;
use flowstart_wire::Packet;

/// Kinds of events, as bits: a run checks for each event whether any recorder takes its kind.
pub(crate) type Kinds = u16;

/// A data sender sends a packet.
pub(crate) const SENT: Kinds = 1;
/// A packet reaches a data sender, which has read it if its flow is open.
pub(crate) const ANSWERED: Kinds = 1 << 1;
/// A timer of a data sender was due.
pub(crate) const TIMER: Kinds = 1 << 2;
/// A packet reaches a data receiver.
pub(crate) const ARRIVED: Kinds = 1 << 3;
/// A packet is dropped or marked in the network.
pub(crate) const IN_NETWORK: Kinds = 1 << 4;
/// A flow opens, is delivered, or is over.
pub(crate) const PROGRESS: Kinds = 1 << 5;
/// A hop's queue is offered a packet, or one leaves it, by the hop's direction.
pub(crate) const QUEUES: [Kinds; 2] = [1 << 6, 1 << 7];
/// A data receiver sends a packet.
pub(crate) const REPLIED: Kinds = 1 << 8;
/// A data sender has sent all that it may after an event.
pub(crate) const TRANSMITTED: Kinds = 1 << 9;
/// More data of a flow has been delivered, where every delivery is noted.
pub(crate) const REACHED: Kinds = 1 << 10;

/// What happened to a flow, or to a packet of it.
#[derive(Clone, Copy)]
pub(crate) enum RunEvent<'a> {
    /// The flow opens.
    Opened,
    /// A host sends a packet, which has data that was sent before if `again`.
    Sent { packet: &'a Packet, again: bool },
    /// A packet reaches a host. A data sender has read it, a data receiver has not.
    Received(&'a Packet),
    /// A timer of the data sender was due, that of retransmissions if `expired`.
    Timer { expired: bool },
    /// The data sender has sent all that it may after an event.
    Transmitted,
    /// A packet of any kind was dropped in the network.
    Dropped(&'a Packet),
    /// A data packet was marked by a queue.
    Marked(&'a Packet),
    /// Data of the flow has been delivered up to this position.
    Reached(u64),
    /// All data of the flow has been delivered.
    Delivered,
    /// The flow, or the run, is over.
    Closed,
}

impl RunEvent<'_> {
    /// Its kind.
    pub(crate) fn kind(&self) -> Kinds {
        match self {
            RunEvent::Sent { packet, .. } if packet.is_forward() => SENT,
            RunEvent::Sent { .. } => REPLIED,
            RunEvent::Received(packet) if packet.is_forward() => ARRIVED,
            RunEvent::Received(_) => ANSWERED,
            RunEvent::Timer { .. } => TIMER,
            RunEvent::Transmitted => TRANSMITTED,
            RunEvent::Dropped(_) | RunEvent::Marked(_) => IN_NETWORK,
            RunEvent::Reached(_) => REACHED,
            RunEvent::Opened | RunEvent::Delivered | RunEvent::Closed => PROGRESS,
        }
    }

    /// Whether it happens at the data sender.
    pub(crate) fn is_at_sender(&self) -> bool {
        let at_sender = self.kind() & (SENT | ANSWERED | TIMER | TRANSMITTED) != 0;
        at_sender || matches!(self, RunEvent::Closed)
    }
}

/// The queue of a hop in one of its directions.
#[derive(Clone, Copy)]
pub(crate) struct HopQueue {
    /// The hop, from 0.
    pub(crate) hop: u8,
    /// 0 forward, 1 reverse.
    pub(crate) direction: u8,
    /// Whether the hop is the narrowest of all.
    pub(crate) is_bottleneck: bool,
}

/// What happened to the queue of a hop in a direction.
pub(crate) enum QueueEvent {
    /// It was offered a packet, and dropped it or not.
    Offered {
        dropped: bool,
        /// What it holds then.
        held: Backlog,
        /// When it would hold nothing if nothing else came.
        empty: Instant,
    },
    /// A packet left it to be transmitted.
    Left,
    /// A packet was evicted.
    Evicted,
}

/// When and where something happened.
pub(crate) struct Scene<'a> {
    /// Before `now` where a queue has dropped or marked a packet since its link was last looked at.
    pub(crate) at: Instant,
    pub(crate) now: Moment,
    pub(crate) flow: u32,
    pub(crate) records: &'a [FlowRecord],
    /// The data sender, if the event happens at it and the flow is open.
    pub(crate) sender: Option<&'a Sender>,
    pub(crate) links: &'a mut [Link],
}

impl Scene<'_> {
    /// The number of the flow's kind.
    pub(crate) fn kind(&self) -> u32 {
        self.records[self.flow as usize].plan.kind
    }

    /// How long packets have waited in a link's queue.
    pub(crate) fn waited(&mut self, link: LinkId) -> Duration {
        self.links[link as usize].waited(self.now)
    }

    /// For how long a link has transmitted.
    pub(crate) fn transmitted(&mut self, link: LinkId) -> Duration {
        self.links[link as usize].transmitted(self.now)
    }
}

/// Records events in the order in which they happen; what leaves a queue is reported late.
pub(crate) trait Recorder {
    /// The kinds of events that it takes.
    fn takes(&self) -> Kinds;

    /// Records an event of one of these kinds.
    fn record(&mut self, scene: &mut Scene<'_>, event: &RunEvent<'_>);

    /// Records what a packet did to a hop's queue.
    fn record_queue(
        &mut self,
        _at: Instant,
        _queue: HopQueue,
        _packet: &Packet,
        _event: &QueueEvent,
    ) {
    }

    /// Bytes that grow with what is recorded.
    fn bytes_held(&self) -> usize {
        0
    }
}

/// Bits per second; not a number where there is no rate.
pub(crate) fn bits_per_second(rate: Option<Rate>) -> f64 {
    rate.map_or(f64::NAN, |rate| rate.bps() as f64)
}
