//! A run: the only place where links and endpoints meet.
//!
//! A packet travels one way. The application's data arrives at a sender, the sender's
//! packets enter the first link of their route, each link hands them to the next, the
//! last to the receiver; its acknowledgements come back the same way.

use super::flows::{Flows, Life};
use super::followers::Followers;
use super::log::{next_due, Stage};
use super::meter::Meter;
use super::recorders::Recorders;
use super::routers::routers;
use super::write_dependencies::WriteDependencies;
use crate::compile::Prepared;
use crate::engine::{Due, EventId, EventQueue};
use crate::flow_plan::{FlowKind, FlowPlan, Opening};
use crate::memory::Memories;
use crate::record::flow_record::FlowRecord;
use crate::record::recorder::{
    Kinds, RunEvent, ANSWERED, ARRIVED, IN_NETWORK, PROGRESS, QUEUES, REPLIED, SENT, TIMER,
    TRANSMITTED,
};
use crate::workload::web::Sessions;
use crate::workload::{arrivals, Arrival, ScheduledArrival};
use flowstart_control::{Exit, Instant};
use flowstart_network::graph::{LinkId, Network, Route};
use flowstart_network::link::{Link, Verdict};
use flowstart_network::moment::Moment;
use flowstart_network::queue::QueueEventKind;
use flowstart_network::quick_start::Router;
use flowstart_transport::stack::Sharing;
use flowstart_wire::{Body, Packet};
use std::ops::Range;

/// The number of the event for a write that has waited for another: greater than any
/// timer's.
pub(super) const DEPENDENT_WRITE: EventId = EventId::MAX - 2;
/// The event of the next arrival.
const ARRIVAL: EventId = EventId::MAX - 1;
/// And that of every wake of web sessions.
pub(super) const WEB: EventId = EventId::MAX;

/// A run in progress.
pub(super) struct Simulation<'a> {
    pub(super) prepared: &'a Prepared,
    pub(super) now: Instant,
    /// When the event that is being handled was caused.
    pub(super) cause: Instant,
    pub(super) queue: EventQueue,
    /// Events handled so far.
    pub(super) events: u64,
    pub(super) meter: Meter<'a>,
    pub(super) links: Vec<Link>,
    pub(super) routes: Vec<Route>,
    pub(super) bottleneck: [LinkId; 2],
    /// The line of each hop, forward and reverse.
    pub(super) lines: [Vec<LinkId>; 2],
    pub(super) flows: Flows,
    /// What is known of each flow and noted of it.
    pub(super) records: Vec<FlowRecord>,
    /// How startups of flows that are over have ended.
    pub(super) exits: Vec<Exit>,
    /// What waits for what.
    pub(super) dependencies: WriteDependencies,
    /// Flows that wait for the end of others' startups.
    pub(super) followers: Followers,
    /// What records what happens.
    pub(super) recorders: Recorders<'a>,
    /// The kinds of events that recorders take, or that flows wait for; mostly none.
    pub(super) recorded: Kinds,
    pub(super) arrivals: Vec<ScheduledArrival>,
    pub(super) next_arrival: usize,
    /// Adds flows while the run continues.
    pub(super) web: Sessions<'a>,
    /// The routes of its data.
    pub(super) web_routes: Vec<u32>,
    /// Flows and sessions that have not ended.
    pub(super) unfinished: usize,
    pub(super) memories: Memories,
    /// Routers that decide on rate requests, by their output link; none where no flow has requests.
    pub(super) routers: Vec<Option<Router>>,
    /// When it is stopped.
    pub(super) end: Instant,
}

impl<'a> Simulation<'a> {
    pub(super) fn new(
        prepared: &'a Prepared,
        plans: Vec<FlowPlan>,
        network: Network,
        meter: Meter<'a>,
    ) -> Simulation<'a> {
        let routers = routers(prepared, &network.quick_start_routers, &network.links);
        let web = Sessions::new(&prepared.web, plans.len(), prepared.seed);
        let mut flows = Flows::default();
        for route in network.route_of {
            flows.add(route);
        }
        let links = network.links;
        let mut recorders = Recorders::new(prepared, &plans, &network.lines);
        let followers = Followers::new(prepared, &plans);
        let awaited = match followers.is_empty() {
            true => 0,
            false => TRANSMITTED,
        };
        let mut simulation = Simulation {
            now: Instant::ZERO,
            cause: Instant::ZERO,
            queue: EventQueue::new(links.len()),
            events: 0,
            meter,
            links,
            routes: network.routes,
            bottleneck: network.bottleneck,
            lines: network.lines,
            flows,
            arrivals: arrivals(&plans, &prepared.kinds),
            dependencies: WriteDependencies::new(prepared, &plans, &recorders.writes),
            followers,
            recorded: awaited | recorders.takes(),
            recorders,
            next_arrival: 0,
            unfinished: plans.len() + web.unfinished(),
            web,
            web_routes: network.other_routes,
            records: plans.into_iter().map(FlowRecord::new).collect(),
            exits: Vec::new(),
            memories: Memories::default(),
            routers,
            end: prepared.recording.end().min(prepared.end),
            prepared,
        };
        simulation.record_links();
        simulation
    }

    // Events are numbered: first the links, then the flows' timers, of which there may come
    // more, then what begins.

    fn timer_event(&self, flow: u32, receiver: bool) -> EventId {
        self.links.len() as EventId + 2 * flow + EventId::from(receiver)
    }

    pub(super) fn run(&mut self, mut go_on: impl FnMut() -> bool) {
        self.schedule_arrival();
        self.schedule_web();
        while let Some(due) = self.next_event() {
            if due.moment.time > self.end {
                (self.now, self.cause) = (self.end, self.end);
                return;
            }
            Moment {
                time: self.now,
                cause: self.cause,
            } = due.moment;
            self.events += 1;
            let links = self.links.len() as EventId;
            if due.event < links {
                self.on_delivery(due.event);
            } else if due.event < DEPENDENT_WRITE {
                self.queue.pop();
                let timer = due.event - links;
                self.on_timer(timer / 2, timer % 2 == 1);
            } else {
                self.queue.pop();
                match due.event {
                    DEPENDENT_WRITE => self.on_dependent_write(),
                    ARRIVAL => self.on_arrival(),
                    _ => self.on_web(),
                }
            }
            if self.meter.step() && self.is_over() || !go_on() {
                return;
            }
        }
    }

    /// Whether every flow is over, or the run may use no more.
    #[cold]
    #[inline(never)]
    fn is_over(&mut self) -> bool {
        self.unfinished == 0 || !self.may_use_more()
    }

    /// The next event. Timers of flows that are over are dropped when they come near.
    fn next_event(&mut self) -> Option<Due> {
        let (links, flows) = (self.links.len() as EventId, &self.flows);
        self.queue
            .peek(|event| event >= DEPENDENT_WRITE || !flows.is_over((event - links) / 2))
    }

    pub(super) fn moment(&self) -> Moment {
        Moment {
            time: self.now,
            cause: self.cause,
        }
    }

    pub(super) fn route(&self, flow: u32) -> &Route {
        &self.routes[self.flows.state(flow).route as usize]
    }

    pub(super) fn kind(&self, flow: u32) -> &'a FlowKind {
        &self.prepared.kinds[self.records[flow as usize].plan.kind as usize]
    }

    /// What is a flow's own, and what it shares with those of its kind.
    pub(super) fn flow(&self, flow: u32) -> (&FlowPlan, &'a FlowKind) {
        (&self.records[flow as usize].plan, self.kind(flow))
    }

    fn next_arrival(&self) -> Option<Arrival> {
        let next = self.arrivals.get(self.next_arrival)?;
        let (plan, kind) = self.flow(next.flow);
        Some(next.of(plan, kind))
    }

    /// When what is scheduled arrives.
    pub(super) fn time_of(&self, arrival: ScheduledArrival) -> Instant {
        let (plan, kind) = self.flow(arrival.flow);
        arrival.of(plan, kind).at
    }

    /// Since when it is known when a flow starts: from the beginning, or from a startup's end on.
    fn known_since(&self, flow: u32) -> Instant {
        let (plan, kind) = self.flow(flow);
        let after = kind.start_after.zip(plan.start.get());
        after.map_or(Instant::ZERO, |(after, start)| {
            start.saturating_sub(after.pause)
        })
    }

    pub(super) fn schedule_arrival(&mut self) {
        if let Some(next) = self.next_arrival() {
            let moment = Moment {
                time: next.at,
                cause: self.known_since(next.flow),
            };
            self.queue.push(moment, ARRIVAL);
        }
    }

    fn on_arrival(&mut self) {
        // Of what is due at a startup's end there may be more events than arrivals.
        let Some(arrival) = self.next_arrival().filter(|next| next.at <= self.now) else {
            return;
        };
        self.next_arrival += 1;
        self.schedule_arrival();
        self.take_in(arrival);
        if !self.dependencies.is_empty() {
            self.note_available(arrival.flow);
        }
    }

    /// A flow gets data.
    pub(super) fn take_in(&mut self, arrival: Arrival) {
        if self.flows.state(arrival.flow).life == Life::Waiting {
            let (plan, kind) = self.flow(arrival.flow);
            let opening = match plan.handshake {
                true if kind.by_receiver => Opening::ByReceiver,
                true => Opening::Handshake,
                false => Opening::Established(kind.rtt),
            };
            self.open(arrival, opening);
        } else if let Some(ends) = self.flows.endpoints_mut(arrival.flow) {
            ends.sender.push(arrival.bytes, self.now);
        } else {
            // The connection was given up.
            return;
        }
        self.transmit(arrival.flow);
    }

    fn on_delivery(&mut self, link: LinkId) {
        let moment = self.moment();
        let state = &mut self.links[link as usize];
        let mut packet = state.deliver(moment);
        let news = state.has_news();
        let next = state.next_delivery();
        self.queue.set_link(link, next.unwrap_or(Moment::NEVER));
        if news {
            self.take_news(link, packet.as_ref());
        }
        let Some(packet) = &mut packet else { return };
        let route = &self.routes[self.flows.state(packet.flow).route as usize];
        let data = packet.is_forward();
        let way = if data { &route.data } else { &route.acks };
        match way.get(usize::from(packet.hop)) {
            Some(&next) => self.enter(next, packet),
            None => {
                self.look_ahead(link);
                if data {
                    self.on_data(packet);
                } else {
                    self.on_answer(packet);
                }
            }
        }
    }

    /// A packet has arrived at the receiver.
    #[inline]
    fn on_data(&mut self, packet: &Packet) {
        if self.is_recorded(ARRIVED) {
            self.record_received(packet);
        }
        let flow = packet.flow;
        let Some(ends) = self.flows.endpoints_mut(flow) else {
            return self.on_late_packet(packet);
        };
        let answer = ends.receiver.on_packet(packet, self.now);
        let delivered = ends.receiver.delivered();
        let due = delivered >= ends.due[0];
        let timer = ends.arm_receiver(self.now);
        if due {
            self.note(flow, Stage::Delivered, delivered);
        }
        self.answer(flow, answer);
        self.schedule_timer(flow, true, timer);
    }

    /// A packet has arrived at the sender.
    #[inline]
    fn on_answer(&mut self, packet: &Packet) {
        let flow = packet.flow;
        if let Some(ends) = self.flows.endpoints_mut(flow) {
            ends.sender.on_packet(packet, self.now);
        }
        if self.is_recorded(ANSWERED) {
            self.record_received(packet);
        }
        self.transmit(flow);
    }

    /// Sees to it that a receiver's timer is heard.
    pub(super) fn arm_receiver(&mut self, flow: u32) {
        if let Some(ends) = self.flows.endpoints_mut(flow) {
            let timer = ends.arm_receiver(self.now);
            self.schedule_timer(flow, true, timer);
        }
    }

    pub(super) fn answer(&mut self, flow: u32, mut answer: Option<Packet>) {
        if let Some(answer) = &mut answer {
            if self.is_recorded(REPLIED) {
                self.record_sent(answer);
            }
            let first = self.route(flow).acks[0];
            self.enter(first, answer);
        }
    }

    fn on_timer(&mut self, flow: u32, receiver: bool) {
        let Some(ends) = self.flows.endpoints_mut(flow) else {
            return self.on_late_timer(flow, receiver);
        };
        let timer = if receiver {
            &mut ends.receiver_timer
        } else {
            &mut ends.sender_timer
        };
        if !timer.expire(self.now) {
            return;
        }
        if receiver {
            let answer = ends.receiver.on_timer(self.now);
            let timer = ends.arm_receiver(self.now);
            self.answer(flow, answer);
            self.schedule_timer(flow, true, timer);
        } else if ends.sender.saves_tokens(self.now) {
            let timer = ends.arm_sender(self.now);
            self.schedule_timer(flow, false, timer);
        } else {
            let before = ends.sender.counters().timeouts;
            ends.sender.on_timer(self.now);
            let expired = ends.sender.counters().timeouts > before;
            if self.is_recorded(TIMER) {
                self.record_flow(flow, RunEvent::Timer { expired });
            }
            self.transmit(flow);
        }
    }

    /// Sends all that a sender may send, and checks whether it has finished.
    pub(super) fn transmit(&mut self, flow: u32) {
        let first = self.route(flow).data[0];
        let (whole, failed, timer) = loop {
            let Some(ends) = self.flows.endpoints_mut(flow) else {
                return;
            };
            let mut next = ends.sender.poll_transmit(self.now);
            let Some(packet) = &mut next else {
                let timer = ends.arm_sender(self.now);
                let (acknowledged, failed) = (ends.sender.acknowledged(), ends.sender.failed());
                let due = acknowledged >= ends.due[1];
                let stage = Stage::Acknowledged;
                break (due && self.note(flow, stage, acknowledged), failed, timer);
            };
            if self.is_recorded(SENT) {
                self.record_sent(packet);
            }
            self.enter(first, packet);
            // One event may send a whole window.
            if self.meter.step() && !self.may_use_more() {
                return;
            }
        };
        if self.is_recorded(TRANSMITTED) {
            self.record_transmitted(flow);
        }
        if failed || whole {
            self.finish(flow);
        } else {
            self.schedule_timer(flow, false, timer);
        }
    }

    /// Puts the event that an endpoint's timer needs, if any, into the queue.
    pub(super) fn schedule_timer(&mut self, flow: u32, receiver: bool, at: Option<Instant>) {
        let Some(time) = at else { return };
        let moment = Moment {
            time,
            cause: self.now,
        };
        self.queue.push(moment, self.timer_event(flow, receiver));
    }

    /// A packet comes to a link.
    #[inline(always)]
    fn enter(&mut self, link: LinkId, packet: &mut Packet) {
        let moment = self.moment();
        if !self.routers.is_empty() {
            self.ask_router(link, packet);
        }
        let state = &mut self.links[link as usize];
        let verdict = state.send(packet, moment);
        if state.has_queue_events() {
            self.take_queue_events(link);
        }
        if self.is_recorded(QUEUES[0] | QUEUES[1]) {
            self.record_offer(link, packet, verdict == Verdict::Dropped);
        }
        match verdict {
            Verdict::Accepted => {}
            Verdict::First => self.schedule_delivery(link),
            Verdict::Dropped => self.on_drop(packet, self.now),
        }
    }

    #[inline]
    fn schedule_delivery(&mut self, link: LinkId) {
        let next = self.links[link as usize].next_delivery();
        self.queue.set_link(link, next.unwrap_or(Moment::NEVER));
    }

    fn ask_router(&mut self, link: LinkId, packet: &mut Packet) {
        let Some(router) = &mut self.routers[link as usize] else {
            return;
        };
        router.observe(self.now, self.links[link as usize].busy_until());
        if let Body::Syn(syn) = &mut packet.body {
            if let Some(request) = &mut syn.request {
                *request = router.on_request(*request, self.now);
            }
        }
    }

    /// Accounts for the packets that a link had accepted and has evicted, and for those that
    /// it has marked.
    #[cold]
    pub(super) fn take_queue_events(&mut self, link: LinkId) {
        while let Some(event) = self.links[link as usize].take_queue_event() {
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
        if self.is_recorded(IN_NETWORK) {
            self.record_in_network(at, packet.flow, RunEvent::Dropped(packet));
        }
        if packet.is_data() {
            self.records[packet.flow as usize].packets_dropped += 1;
        }
    }

    /// A queue has marked a packet. Acknowledgements may be ECT(1) too, whose marks have
    /// no receiver.
    fn on_mark(&mut self, packet: &Packet, at: Instant) {
        if !packet.is_data() {
            return;
        }
        self.records[packet.flow as usize].packets_marked += 1;
        if self.is_recorded(IN_NETWORK) {
            self.record_in_network(at, packet.flow, RunEvent::Marked(packet));
        }
    }

    /// An open flow's data has been delivered or acknowledged up to `position`, which was due to be
    /// noted. Whether that is all of it.
    fn note(&mut self, flow: u32, stage: Stage, position: u64) -> bool {
        let kind = self.kind(flow);
        let record = &mut self.records[flow as usize];
        let plan = &record.plan;
        let writes = self.recorders.writes.of(flow, plan.kind);
        let reached = writes.map_or(0..0, |mut writes| writes.reach(stage, position, self.now));
        if let Some(ends) = self.flows.endpoints_mut(flow) {
            ends.due[stage as usize] = next_due(plan, kind, stage, position);
        }
        let is_whole = plan.ends_at(position);
        if is_whole {
            let noted = match stage {
                Stage::Delivered => &mut record.delivered_at,
                Stage::Acknowledged => &mut record.acked_at,
            };
            if !noted.is_some() {
                *noted = self.now.into();
            }
        }
        if stage == Stage::Delivered {
            self.on_note_delivered(flow, is_whole, reached);
        }
        is_whole
    }

    /// Notifies what waits for delivered data: all of the flow's if it `is_whole`,
    /// and the writes at these places.
    fn on_note_delivered(&mut self, flow: u32, is_whole: bool, reached: Range<usize>) {
        if is_whole && self.is_recorded(PROGRESS) {
            self.record_flow(flow, RunEvent::Delivered);
        }
        if is_whole && self.web.owns(flow) {
            self.on_web_delivered(flow);
        }
        if !reached.is_empty() && !self.dependencies.is_empty() {
            self.on_dependency_delivered(reached);
        }
    }

    /// A flow or a session has ended. After the last, the run is over.
    pub(super) fn end_one(&mut self) {
        self.unfinished -= 1;
        if self.unfinished == 0 {
            self.meter.look_next();
        }
    }

    fn finish(&mut self, flow: u32) {
        let now = self.moment();
        if self.is_recorded(PROGRESS) {
            self.record_flow(flow, RunEvent::Closed);
        }
        let Some(ends) = self.flows.endpoints(flow) else {
            return;
        };
        ends.note(&mut self.records[flow as usize], &mut self.exits);
        let (plan, kind) = (&self.records[flow as usize].plan, self.kind(flow));
        if kind.stack.sharing.kind != Sharing::None {
            let memory = ends.sender.memory();
            self.memories.close(flow, (plan, kind), memory, self.now);
        }
        let late = match kind.stack.ns2.acks_when_over {
            true => ends.late_receiver(&self.records[flow as usize]),
            false => None,
        };
        self.flows.close(flow);
        self.end_one();
        if let Some(after) = self.prepared.end_after.filter(|after| after.flow == flow) {
            self.end = self.end.min(now.time + after.pause);
        }
        if let Some(late) = late {
            self.flows.keep_answering(flow, late);
        }
        if self.web.owns(flow) {
            self.on_web_closed(flow);
        }
    }

    /// What the queue did meanwhile, and a packet that has arrived at the far end of a link that is
    /// recorded.
    #[cold]
    #[inline(never)]
    fn take_news(&mut self, link: LinkId, arrived: Option<&Packet>) {
        self.take_queue_events(link);
        if let Some(packet) = arrived {
            let left = self.links[link as usize].left_queue(self.moment());
            self.record_departure(link, left, packet, false);
        }
    }
}
