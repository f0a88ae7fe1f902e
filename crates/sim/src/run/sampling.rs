//! What a run records over time, where that is asked for. Recording changes nothing.

use super::simulation::Simulation;
use crate::record::trace::{Event, FlowSample};
use flowstart_control::{Rate, Time};
use flowstart_network::graph::LinkId;
use flowstart_transport::sender::Sender;
use flowstart_wire::{Body, Packet};

impl Simulation<'_> {
    pub(super) fn sample(&mut self, flow: u32, event: Event, seq: u64, sack_blocks: u8) {
        let Some(ends) = self.flows.endpoints(flow) else {
            return;
        };
        if let Some(trace) = &mut self.trace {
            let sample = flow_sample(&ends.sender, flow, event, seq, sack_blocks);
            trace.flow_samples.push(self.now, sample);
            let own = &mut |name: &str, value| trace.flow_samples.push_own(name, value);
            ends.sender.trace(own);
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
        self.sample(packet.flow, event, packet.start(), 0);
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
    pub(super) fn sample_in_network(&mut self, packet: &Packet, event: Event, at: Time) {
        if let Some(trace) = &mut self.trace {
            trace.flow_samples.push(
                at,
                FlowSample {
                    flow: packet.flow,
                    event,
                    seq: packet.start(),
                    sack_blocks: 0,
                    cwnd: f64::NAN,
                    ssthresh: f64::NAN,
                    flight: 0,
                    srtt_s: f64::NAN,
                    pacing_bps: f64::NAN,
                    delivery_bps: f64::NAN,
                },
            );
        }
    }

    pub(super) fn sample_queue(&mut self, link: LinkId, dropped: bool) {
        let Some(direction) = self.direction(link) else {
            return;
        };
        let moment = self.moment();
        let link = &mut self.links[link as usize];
        let (held, empty) = (link.held(moment), link.empty_at());
        let Some(trace) = &mut self.trace else { return };
        let samples = &mut trace.queue_samples;
        samples.time_ns.push(self.now.0);
        samples.direction.push(direction);
        samples.packets.push(held.packets);
        samples.bytes.push(held.bytes);
        samples.empty_ns.push(empty.max(self.now).0);
        samples.dropped.push(dropped);
    }

    /// A packet has left the link's queue, if that is recorded.
    pub(super) fn sample_departure(&mut self, link: LinkId, at: Time) {
        if let (Some(direction), Some(trace)) = (self.direction(link), &mut self.trace) {
            trace.queue_departures.note(at, direction);
        }
    }

    /// Which direction of the bottleneck a link is.
    fn direction(&self, link: LinkId) -> Option<u8> {
        let place = self.bottleneck.iter().position(|b| *b == link);
        place.map(|direction| direction as u8)
    }
}

fn flow_sample(sender: &Sender, flow: u32, event: Event, seq: u64, sack_blocks: u8) -> FlowSample {
    let window = sender.window();
    FlowSample {
        flow,
        event,
        seq,
        sack_blocks,
        cwnd: window.cwnd,
        ssthresh: window.ssthresh,
        flight: sender.flight(),
        srtt_s: sender
            .rtt()
            .smoothed()
            .map_or(f64::NAN, |(srtt, _)| srtt.secs()),
        pacing_bps: bits_per_second(window.pacing),
        delivery_bps: bits_per_second(sender.delivery_rate()),
    }
}

fn bits_per_second(rate: Option<Rate>) -> f64 {
    rate.map_or(f64::NAN, |rate| rate.bps() as f64)
}
