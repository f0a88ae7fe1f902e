//! A run: the only place where links and endpoints meet.
//!
//! A packet travels one way. The application's data arrives at a sender, the sender's
//! packets enter the first link of their route, each link hands them to the next, the
//! last to the receiver; its acknowledgements come back the same way.

use super::arrivals::Arrivals;
use super::clock::{Clock, Event};
use super::dependent_writes::DependentWrites;
use super::flows::{FlowState, Flows, Life};
use super::meter::{Meter, Usage};
use super::network::{Offer, RunNetwork};
use crate::compile::Prepared;
use crate::flow_plan::FlowPlan;
use crate::record::recorder::{
    ANSWERED, ARRIVED, IN_NETWORK, PROGRESS, REACHED, REPLIED, RunEvent, SENT, TIMER, TRANSMITTED,
};
use crate::record::recorders::Recorders;
use crate::record::write_log::Stage;
use crate::workload::web::Sessions;
use flowstart_control::Instant;
use flowstart_network::graph::{LinkId, Network, Route};
use flowstart_network::queue::QueueEventKind;
use flowstart_wire::Packet;
use std::ops::Range;

/// A run in progress.
pub(super) struct Simulation<'a> {
    pub(super) prepared: &'a Prepared,
    pub(super) clock: Clock,
    pub(super) network: RunNetwork,
    pub(super) flows: Flows<'a>,
    pub(super) arrivals: Arrivals,
    /// Writes that wait for others.
    pub(super) dependencies: DependentWrites,
    /// Adds flows while the run continues.
    pub(super) web: Sessions<'a>,
    pub(super) recorders: Recorders<'a>,
    pub(super) meter: Meter<'a>,
}

impl<'a> Simulation<'a> {
    pub(super) fn new(
        prepared: &'a Prepared,
        plans: Vec<FlowPlan>,
        network: Network,
        meter: Meter<'a>,
    ) -> Simulation<'a> {
        let routes = network.route_of.clone();
        let network = RunNetwork::new(prepared, network);
        let recorders = Recorders::new(prepared, &plans, &network.lines);
        let mut simulation = Simulation {
            clock: Clock::new(
                network.links.len(),
                prepared.recording.end().min(prepared.end),
            ),
            network,
            arrivals: Arrivals::new(prepared, &plans),
            dependencies: DependentWrites::new(prepared, &plans, &recorders.writes),
            web: Sessions::new(&prepared.web, plans.len(), prepared.seed),
            flows: Flows::new(&prepared.kinds, plans, &routes),
            recorders,
            meter,
            prepared,
        };
        simulation.record_links();
        simulation
    }

    pub(super) fn run(&mut self, mut go_on: impl FnMut() -> bool) {
        self.schedule_arrival();
        self.schedule_web();
        while let Some(event) = self.clock.advance(|flow| self.flows.is_over(flow)) {
            match event {
                Event::Delivery(link) => self.on_delivery(link),
                Event::Timer { flow, receiver } => self.on_timer(flow, receiver),
                Event::DependentWrite => self.on_dependent_write(),
                Event::Arrival => self.on_arrival(),
                Event::Web => self.on_web(),
            }
            if self.meter.step() && self.is_over() || !go_on() {
                return;
            }
        }
    }

    /// Whether every flow and session is over, or the run may use no more.
    #[cold]
    #[inline(never)]
    fn is_over(&mut self) -> bool {
        self.all_have_ended() || !self.may_use_more()
    }

    fn all_have_ended(&self) -> bool {
        self.flows.unfinished() == 0 && self.web.unfinished() == 0
    }

    /// Whether the run is allowed to use more than it has.
    #[cold]
    #[inline(never)]
    pub(super) fn may_use_more(&mut self) -> bool {
        let packets = self.meter.packets(self.clock.events);
        let visited = self.flows.open_count() + self.network.links.len();
        if self.meter.is_old(packets, visited) {
            let bytes = self.bytes_held();
            self.meter.count(Usage { packets, bytes });
        }
        self.meter.allow(packets)
    }

    /// Bytes of state, without what does not grow while the run continues.
    fn bytes_held(&mut self) -> u64 {
        let recorded = self.recorders.bytes_held();
        (self.network.bytes_held() + recorded + self.flows.bytes_held()) as u64
    }

    #[inline]
    fn route(&self, flow: u32) -> &Route {
        self.network.route(self.flows.state(flow).route)
    }

    fn on_delivery(&mut self, link: LinkId) {
        let state = &mut self.network.links[link as usize];
        let mut packet = state.deliver(self.clock.moment());
        let news = state.has_news();
        self.clock.set_delivery(link, state.next_delivery());
        if news {
            self.take_news(link, packet.as_ref());
        }
        let Some(packet) = &mut packet else { return };
        let data = packet.is_forward();
        let FlowState { life, route } = *self.flows.state(packet.flow);
        let Route {
            data: there,
            acks: back,
        } = self.network.route(route);
        let (way, other) = if data { (there, back) } else { (back, there) };
        if let Some(&next) = way.get(usize::from(packet.hop)) {
            return self.enter(next, packet);
        }
        let first = other[0];
        self.look_ahead(link);
        match data {
            true => self.on_data(packet, life, first),
            false => self.on_answer(packet, life, first),
        }
    }

    /// A packet has arrived at the receiver, whose answers enter the network by the link `first`.
    #[inline]
    fn on_data(&mut self, packet: &Packet, life: Life, first: LinkId) {
        if self.recorders.take(ARRIVED) {
            self.record_received(packet);
        }
        let (flow, now) = (packet.flow, self.clock.now);
        let Life::Open(key) = life else {
            return self.on_late_packet(packet);
        };
        let ends = self.flows.open_mut(key);
        let answer = ends.receiver.on_packet(packet, now);
        let due = ends.due(Stage::Delivered);
        let timer = ends.arm_receiver(now);
        if let Some(position) = due {
            self.on_delivered(flow, position);
        }
        self.answer_by(first, answer);
        self.schedule_timer(flow, true, timer);
    }

    /// A packet has arrived at the sender, whose packets enter the network by the link `first`.
    #[inline]
    fn on_answer(&mut self, packet: &Packet, life: Life, first: LinkId) {
        if let Life::Open(key) = life {
            let sender = &mut self.flows.open_mut(key).sender;
            sender.on_packet(packet, self.clock.now);
        }
        if self.recorders.take(ANSWERED) {
            self.record_received(packet);
        }
        if let Life::Open(key) = life {
            self.transmit_by(first, packet.flow, key);
        }
    }

    /// A receiver sends its answer, if there is one.
    pub(super) fn answer(&mut self, flow: u32, answer: Option<Packet>) {
        self.answer_by(self.route(flow).acks[0], answer);
    }

    /// The same by this link.
    #[inline(always)]
    fn answer_by(&mut self, link: LinkId, mut answer: Option<Packet>) {
        if let Some(answer) = &mut answer {
            if self.recorders.take(REPLIED) {
                self.record_sent(answer);
            }
            self.enter(link, answer);
        }
    }

    fn on_timer(&mut self, flow: u32, receiver: bool) {
        let now = self.clock.now;
        let Some(ends) = self.flows.endpoints_mut(flow) else {
            return self.on_late_timer(flow, receiver);
        };
        let timer = if receiver {
            &mut ends.receiver_timer
        } else {
            &mut ends.sender_timer
        };
        if !timer.expire(now) {
            return;
        }
        if receiver {
            let answer = ends.receiver.on_timer(now);
            let timer = ends.arm_receiver(now);
            self.answer(flow, answer);
            self.schedule_timer(flow, true, timer);
        } else if !ends.continues() && ends.sender.saves_tokens(now) {
            let timer = ends.arm_sender(now);
            self.schedule_timer(flow, false, timer);
        } else {
            let before = ends.sender.counters().timeouts;
            ends.sender.on_timer(now);
            let expired = ends.sender.counters().timeouts > before;
            if self.recorders.take(TIMER) {
                self.record_flow(flow, RunEvent::Timer { expired });
            }
            self.transmit(flow);
        }
    }

    /// Sends all that a sender may send, and checks whether it has finished.
    pub(super) fn transmit(&mut self, flow: u32) {
        if let Life::Open(key) = self.flows.state(flow).life {
            self.transmit_by(self.route(flow).data[0], flow, key);
        }
    }

    /// The same by the link `first`, of a flow whose endpoints have this key.
    fn transmit_by(&mut self, first: LinkId, flow: u32, key: u32) {
        let now = self.clock.now;
        let mut ends = self.flows.open_mut(key);
        let (mut turn, per_turn) = (0, ends.per_turn());
        while turn < per_turn {
            let mut polled = ends.sender.poll_transmit(now);
            let Some(packet) = &mut polled else { break };
            turn += 1;
            if self.recorders.take(SENT) {
                self.record_sent(packet);
                ends = self.flows.open_mut(key);
            }
            let offer = self.network.offer(first, packet, &mut self.clock);
            let looks = self.meter.step();
            if looks | !offer.is_plain() {
                self.account(first, packet, offer);
                // One event may send a whole window.
                if looks && !self.may_use_more() {
                    return;
                }
                ends = self.flows.open_mut(key);
            }
        }
        let timer = match ends.ends_turn(turn) {
            false => ends.arm_sender(now),
            true => {
                let next = self.network.links[first as usize].busy_until();
                Some(ends.put_off(next.max(now)))
            }
        };
        let (due, failed) = (ends.due(Stage::Acknowledged), ends.sender.failed());
        let whole = due.is_some_and(|position| self.on_acknowledged(flow, position));
        if self.recorders.take(TRANSMITTED) {
            self.record_flow(flow, RunEvent::Transmitted);
        }
        if self.recorders.limits.is_some() {
            self.record_limit(flow);
        }
        if self.arrivals.has_followers() {
            self.release_followers(flow);
        }
        if failed || whole {
            self.finish(flow);
        } else {
            self.schedule_timer(flow, false, timer);
        }
    }

    /// Schedules the event that an endpoint's timer needs, if any.
    pub(super) fn schedule_timer(&mut self, flow: u32, receiver: bool, at: Option<Instant>) {
        if let Some(time) = at {
            self.clock.schedule(Event::Timer { flow, receiver }, time);
        }
    }

    /// A packet comes to a link.
    #[inline(always)]
    fn enter(&mut self, link: LinkId, packet: &mut Packet) {
        let offer = self.network.offer(link, packet, &mut self.clock);
        if !offer.is_plain() {
            self.account(link, packet, offer);
        }
    }

    /// Accounts for a packet that has come to a link, and for what the queue did meanwhile.
    #[cold]
    #[inline(never)]
    fn account(&mut self, link: LinkId, packet: &Packet, offer: Offer) {
        if offer.has_news {
            self.take_queue_events(link);
            self.record_offer(link, packet, offer.is_dropped);
        }
        if offer.is_dropped {
            if packet.is_data() && self.network.links[link as usize].is_socket() {
                self.flows.lose_at_socket(packet.flow);
            }
            self.on_drop(packet, self.clock.now);
        }
    }

    /// Accounts for the packets that a link had accepted and has evicted, and for those that
    /// it has marked.
    #[cold]
    pub(super) fn take_queue_events(&mut self, link: LinkId) {
        while let Some(event) = self.network.links[link as usize].take_queue_event() {
            match event.kind {
                QueueEventKind::Evicted => {
                    self.record_departure(link, event.at, &event.packet, true);
                    self.on_drop(&event.packet, event.at);
                }
                QueueEventKind::Marked => self.on_mark(&event.packet, event.at),
            }
        }
    }

    fn on_drop(&mut self, packet: &Packet, at: Instant) {
        if self.recorders.take(IN_NETWORK) {
            self.record_in_network(at, packet.flow, RunEvent::Dropped(packet));
        }
        if packet.is_data() {
            self.flows.records[packet.flow as usize].packets_dropped += 1;
        }
    }

    /// A queue has marked a packet. Acknowledgements may be ECT(1) too, whose marks have
    /// no receiver.
    fn on_mark(&mut self, packet: &Packet, at: Instant) {
        if !packet.is_data() {
            return;
        }
        self.flows.records[packet.flow as usize].packets_marked += 1;
        if self.recorders.take(IN_NETWORK) {
            self.record_in_network(at, packet.flow, RunEvent::Marked(packet));
        }
    }

    /// Data of a flow has been acknowledged up to `position`, which was due to be noted. Whether
    /// that is all of it.
    fn on_acknowledged(&mut self, flow: u32, position: u64) -> bool {
        self.note(flow, Stage::Acknowledged, position).0
    }

    /// Data of a flow has been delivered up to `position`, which was due to be noted.
    fn on_delivered(&mut self, flow: u32, position: u64) {
        let (is_whole, reached) = self.note(flow, Stage::Delivered, position);
        if self.recorders.take(REACHED) {
            self.record_flow(flow, RunEvent::Reached(position));
        }
        if is_whole && self.recorders.take(PROGRESS) {
            self.record_flow(flow, RunEvent::Delivered);
        }
        if is_whole && self.web.owns(flow) {
            self.on_web_delivered(flow);
        }
        if !reached.is_empty() && !self.dependencies.is_empty() {
            self.on_dependency_delivered(reached);
        }
    }

    /// Notes how far data has got: whether that is all of it, and the places of the writes that have
    /// got there with it.
    fn note(&mut self, flow: u32, stage: Stage, position: u64) -> (bool, Range<usize>) {
        let now = self.clock.now;
        let kind = self.flows.flow(flow).0.kind;
        let writes = self.recorders.writes.of(flow, kind);
        let reached = writes.map_or(0..0, |mut writes| writes.reach(stage, position, now));
        (self.flows.note(flow, stage, position, now), reached)
    }

    fn finish(&mut self, flow: u32) {
        let now = self.clock.now;
        if self.recorders.take(PROGRESS) {
            self.record_flow(flow, RunEvent::Closed);
        }
        self.flows.close(flow, now);
        if let Some(after) = self.prepared.end_after.filter(|after| after.flow == flow) {
            self.clock.end_by(now + after.pause);
        }
        if self.web.owns(flow) {
            self.on_web_closed(flow);
        }
        if self.all_have_ended() {
            self.meter.look_next();
        }
    }

    /// What the queue did meanwhile, and a packet that has arrived at the far end of a link that is
    /// recorded.
    #[cold]
    #[inline(never)]
    fn take_news(&mut self, link: LinkId, arrived: Option<&Packet>) {
        self.take_queue_events(link);
        if let Some(packet) = arrived {
            let left = self.network.links[link as usize].left_queue(self.clock.moment());
            self.record_departure(link, left, packet, false);
        }
    }
}
