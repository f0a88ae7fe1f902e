//! What a run tells its recorder, where it has one.

use super::recorder::{Departure, Happened, Offer};
use super::simulation::Simulation;
use crate::record::trace::Event;
use flowstart_control::Time;
use flowstart_network::graph::LinkId;
use flowstart_wire::{Body, Packet};

impl Simulation<'_> {
    /// Sees to it that links tell what is to be recorded of them.
    pub(super) fn record_links(&mut self) {
        let Some(recorder) = &self.recorder else {
            return;
        };
        for (direction, link) in (0..).zip(self.bottleneck) {
            if recorder.hears_queue(direction) {
                self.links[link as usize].record();
            }
        }
    }

    pub(super) fn sample(&mut self, flow: u32, event: Event, seq: u64, sack_blocks: u8) {
        let Some(ends) = self.flows.endpoints(flow) else {
            return;
        };
        if let Some(recorder) = &mut self.recorder {
            let happened = Happened {
                flow,
                event,
                seq,
                sack_blocks,
            };
            recorder.at_sender(self.now, happened, &ends.sender);
        }
    }

    pub(super) fn sample_sent(&mut self, packet: &Packet) {
        let Some(ends) = self.flows.endpoints(packet.flow) else {
            return;
        };
        let event = match packet.body {
            Body::Syn(_) | Body::SynAck(_) => Event::Syn,
            _ if ends.sender.is_retransmission(packet) => Event::Retransmit,
            _ => Event::Send,
        };
        if let Some(recorder) = &mut self.recorder {
            recorder.sent(self.now, packet, event == Event::Retransmit);
        }
        self.sample(packet.flow, event, packet.start(), 0);
    }

    /// A packet leaves a receiver.
    #[cold]
    #[inline(never)]
    pub(super) fn sample_answer_sent(&mut self, packet: &Packet) {
        if let Some(recorder) = &mut self.recorder {
            recorder.sent(self.now, packet, false);
        }
    }

    /// The packet at the far end of a link reaches a host.
    #[cold]
    #[inline(never)]
    pub(super) fn sample_arrival(&mut self, link: LinkId) {
        let packet = self.links[link as usize].first();
        if let (Some(recorder), Some(packet)) = (&mut self.recorder, packet) {
            recorder.received(self.now, packet);
        }
        self.end_if_recorded();
    }

    /// A packet was dropped on its way.
    #[cold]
    #[inline(never)]
    pub(super) fn sample_loss(&mut self, packet: &Packet, at: Time) {
        if let Some(recorder) = &mut self.recorder {
            recorder.lost(at, packet);
        }
        self.end_if_recorded();
    }

    fn end_if_recorded(&mut self) {
        if self
            .recorder
            .as_ref()
            .is_some_and(|recorder| recorder.is_done())
        {
            self.end = self.now;
        }
    }

    /// An answer has reached its sender, which has read it.
    #[cold]
    pub(super) fn sample_answer(&mut self, packet: &Packet) {
        let event = match packet.body {
            Body::Ack(_) => Event::Ack,
            _ => Event::Open,
        };
        if let Some(ends) = self.flows.endpoints(packet.flow) {
            let seq = ends.sender.position_of(packet);
            self.sample(packet.flow, event, seq, packet.sack_blocks());
        }
    }

    /// Something happened to a packet on its way.
    #[cold]
    #[inline(never)]
    pub(super) fn sample_in_network(&mut self, packet: &Packet, event: Event, at: Time) {
        if let Some(recorder) = &mut self.recorder {
            recorder.in_network(at, packet, event);
        }
    }

    /// A packet has come to a link, which has dropped it or not.
    #[cold]
    #[inline(never)]
    pub(super) fn sample_offer(&mut self, link: LinkId, packet: &Packet, dropped: bool) {
        let Some(direction) = self.direction(link) else {
            return;
        };
        let moment = self.moment();
        let Some(recorder) = &mut self.recorder else {
            return;
        };
        if !recorder.hears_queue(direction) {
            return;
        }
        let link = &mut self.links[link as usize];
        let offer = Offer {
            direction,
            packet,
            dropped,
            held: link.held(moment),
            empty: link.empty_at(),
        };
        recorder.offered(self.now, offer);
    }

    /// A packet has left a link's queue, to be transmitted or evicted.
    #[cold]
    #[inline(never)]
    pub(super) fn sample_departure(
        &mut self,
        link: LinkId,
        at: Time,
        packet: &Packet,
        evicted: bool,
    ) {
        let direction = self.direction(link);
        if let (Some(direction), Some(recorder)) = (direction, &mut self.recorder) {
            let departure = Departure {
                direction,
                packet,
                evicted,
            };
            if recorder.hears_queue(direction) {
                recorder.left(at, departure);
            }
        }
    }

    /// Which direction of the bottleneck a link is.
    fn direction(&self, link: LinkId) -> Option<u8> {
        let place = self.bottleneck.iter().position(|b| *b == link);
        place.map(|direction| direction as u8)
    }
}
