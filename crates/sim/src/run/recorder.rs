//! Who records what happens over time in a run that is asked to. Recording changes nothing.

use crate::compile::{Prepared, Recording};
use crate::flow_plan::FlowPlan;
use crate::record::journeys::JourneyRecorder;
use crate::record::lines::LineRecorder;
use crate::record::outcome::Outcome;
use crate::record::trace::{Event, FlowSample, Trace};
use flowstart_control::{Rate, Time};
use flowstart_network::queue::Backlog;
use flowstart_transport::sender::Sender;
use flowstart_wire::Packet;

/// What the bottleneck's queue was offered.
pub(super) struct Offer<'a> {
    /// Which direction of the bottleneck.
    pub(super) direction: u8,
    pub(super) packet: &'a Packet,
    pub(super) dropped: bool,
    /// What it holds then.
    pub(super) held: Backlog,
    /// When it would hold nothing if nothing else came.
    pub(super) empty: Time,
}

/// A packet that has left the bottleneck's queue.
pub(super) struct Departure<'a> {
    pub(super) direction: u8,
    pub(super) packet: &'a Packet,
    /// It was evicted, and not transmitted.
    pub(super) evicted: bool,
}

/// A packet, or a sender that has dealt with one, and what happened.
#[derive(Clone, Copy)]
pub(super) struct Happened {
    pub(super) flow: u32,
    pub(super) event: Event,
    pub(super) seq: u64,
    pub(super) sack_blocks: u8,
}

/// Hears what happens, in the order of events; of queues it is told when links are looked at.
pub(super) trait Recorder {
    /// Something has changed at a sender.
    fn at_sender(&mut self, now: Time, happened: Happened, sender: &Sender);

    /// A packet was dropped or marked on its way.
    fn in_network(&mut self, at: Time, packet: &Packet, event: Event);

    /// Whether it wants to hear of a direction of the bottleneck.
    fn hears_queue(&self, direction: u8) -> bool;

    /// The bottleneck's queue was offered a packet.
    fn offered(&mut self, now: Time, offer: Offer<'_>);

    /// A packet has left it.
    fn left(&mut self, at: Time, departure: Departure<'_>);

    /// A packet leaves a host; its data was sent before if `again`.
    fn sent(&mut self, _now: Time, _packet: &Packet, _again: bool) {}

    /// A packet reaches a host; only those hear of it who have observers.
    fn received(&mut self, _now: Time, _packet: &Packet) {}

    /// A packet of any kind was dropped; the same.
    fn lost(&mut self, _at: Time, _packet: &Packet) {}

    /// Bytes that grow with what is recorded.
    fn bytes_held(&self) -> usize {
        0
    }

    /// Whether nothing more will be recorded.
    fn is_done(&self) -> bool {
        false
    }

    /// The run is over: what was recorded becomes a part of its outcome.
    fn finish(self: Box<Self>, end: Time, outcome: &mut Outcome);
}

/// Who records a run of these flows.
pub(super) fn recorder(prepared: &Prepared, plans: &[FlowPlan]) -> Option<Box<dyn Recorder>> {
    match &prepared.recording {
        Recording::Nothing => None,
        Recording::Trace => Some(Box::<Trace>::default()),
        Recording::Journeys(request) => Some(Box::new(JourneyRecorder::new(*request))),
        Recording::Lines(request) => {
            let direction = |flow: u32| u8::from(plans[flow as usize].reverse);
            Some(Box::new(LineRecorder::new(request, direction)))
        }
    }
}

impl Recorder for Trace {
    fn bytes_held(&self) -> usize {
        Trace::bytes_held(self)
    }

    fn at_sender(&mut self, now: Time, happened: Happened, sender: &Sender) {
        let window = sender.window();
        let smoothed = sender.rtt().smoothed();
        self.flow_samples.push(
            now,
            FlowSample {
                flow: happened.flow,
                event: happened.event,
                seq_bytes: happened.seq,
                sack_blocks: happened.sack_blocks,
                cwnd: window.cwnd,
                ssthresh: window.ssthresh,
                flight_bytes: sender.flight(),
                srtt_s: smoothed.map_or(f64::NAN, |(srtt, _)| srtt.secs()),
                pacing_bps: bits_per_second(window.pacing),
                delivery_bps: bits_per_second(sender.delivery_rate()),
            },
        );
        sender.trace(&mut |name: &str, value| self.flow_samples.push_own(name, value));
    }

    fn in_network(&mut self, at: Time, packet: &Packet, event: Event) {
        self.flow_samples.push(
            at,
            FlowSample {
                flow: packet.flow,
                event,
                seq_bytes: packet.start(),
                sack_blocks: 0,
                cwnd: f64::NAN,
                ssthresh: f64::NAN,
                flight_bytes: 0,
                srtt_s: f64::NAN,
                pacing_bps: f64::NAN,
                delivery_bps: f64::NAN,
            },
        );
    }

    fn hears_queue(&self, _direction: u8) -> bool {
        true
    }

    fn offered(&mut self, now: Time, offer: Offer<'_>) {
        let samples = &mut self.queue_samples;
        samples.time_ns.push(now.0);
        samples.direction.push(offer.direction);
        samples.packets.push(offer.held.packets);
        samples.bytes.push(offer.held.bytes);
        samples.empty_ns.push(offer.empty.max(now).0);
        samples.dropped.push(offer.dropped);
    }

    fn left(&mut self, at: Time, departure: Departure<'_>) {
        self.queue_departures.note(at, departure.direction);
    }

    fn finish(mut self: Box<Self>, _end: Time, outcome: &mut Outcome) {
        self.flow_samples.put_in_order();
        self.queue_departures.put_in_order();
        outcome.trace = Some(*self);
    }
}

impl Recorder for LineRecorder {
    fn at_sender(&mut self, now: Time, happened: Happened, sender: &Sender) {
        self.look_at(now, happened.flow, sender);
        match happened.event {
            Event::Retransmit => self.happen(now, happened.flow, 0, happened.seq as f64),
            Event::Timeout => self.happen(now, happened.flow, 3, sender.window().cwnd),
            _ => {}
        }
    }

    fn in_network(&mut self, at: Time, packet: &Packet, event: Event) {
        let place = match event {
            Event::Drop => 1,
            Event::Mark => 2,
            _ => return,
        };
        self.happen(at, packet.flow, place, packet.start() as f64);
    }

    fn hears_queue(&self, direction: u8) -> bool {
        self.records_queue(direction)
    }

    fn offered(&mut self, now: Time, offer: Offer<'_>) {
        self.offer(now, offer.direction, offer.held.packets, offer.dropped);
    }

    fn left(&mut self, at: Time, departure: Departure<'_>) {
        match departure.evicted {
            true => self.evict(at, departure.direction),
            false => self.depart(at, departure.direction),
        }
    }

    fn finish(self: Box<Self>, end: Time, outcome: &mut Outcome) {
        outcome.lines = Some((*self).finish(end));
    }
}

impl Recorder for JourneyRecorder {
    fn at_sender(&mut self, _now: Time, _happened: Happened, _sender: &Sender) {}

    fn in_network(&mut self, _at: Time, _packet: &Packet, _event: Event) {}

    fn hears_queue(&self, _direction: u8) -> bool {
        true
    }

    fn offered(&mut self, now: Time, offer: Offer<'_>) {
        self.queue(now, offer.packet, offer.dropped);
    }

    fn left(&mut self, at: Time, departure: Departure<'_>) {
        match departure.evicted {
            true => self.evict(departure.packet),
            false => self.leave(at, departure.packet),
        }
    }

    fn sent(&mut self, now: Time, packet: &Packet, again: bool) {
        self.send(now, packet, again);
    }

    fn received(&mut self, now: Time, packet: &Packet) {
        self.receive(now, packet);
    }

    fn lost(&mut self, at: Time, packet: &Packet) {
        self.drop(at, packet);
    }

    fn is_done(&self) -> bool {
        JourneyRecorder::is_done(self)
    }

    fn finish(self: Box<Self>, _end: Time, outcome: &mut Outcome) {
        outcome.journeys = Some((*self).finish());
    }
}

fn bits_per_second(rate: Option<Rate>) -> f64 {
    rate.map_or(f64::NAN, |rate| rate.bps() as f64)
}
