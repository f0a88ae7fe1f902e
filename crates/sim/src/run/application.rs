//! What applications do: data arrives at flows, and flows open.

use super::clock::Event;
use super::flows::Life;
use super::hosts::EndHosts;
use super::simulation::Simulation;
use crate::flow_plan::Opening;
use crate::record::recorder::{PROGRESS, RunEvent};
use crate::workload::Arrival;
use flowstart_control::signals::PathInfo;
use flowstart_network::random::stream;
use flowstart_transport::receiver::Receiver;
use flowstart_transport::sender::{Preparation, Sender};
use rand_core::RngCore;
use std::ops::Range;

impl Simulation<'_> {
    /// Puts the next arrival among the events.
    pub(super) fn schedule_arrival(&mut self) {
        if let Some(moment) = self.arrivals.next(&self.flows) {
            self.clock.schedule_at(Event::Arrival, moment);
        }
    }

    /// The next arrival is due.
    pub(super) fn on_arrival(&mut self) {
        // Of what is due at a startup's end there may be more events than arrivals.
        let Some(arrival) = self.arrivals.take(&self.flows, self.clock.now) else {
            return;
        };
        self.schedule_arrival();
        self.take_in(arrival);
        if !self.dependencies.is_empty() {
            self.on_available(arrival.flow);
        }
    }

    /// A flow gets data.
    pub(super) fn take_in(&mut self, arrival: Arrival) {
        if self.flows.state(arrival.flow).life == Life::Waiting {
            let (plan, kind) = self.flows.flow(arrival.flow);
            let opening = match plan.handshake {
                true if kind.by_receiver => Opening::ByReceiver,
                true => Opening::Handshake,
                false => Opening::Established(kind.rtt),
            };
            self.open(arrival, opening);
        } else if let Some(ends) = self.flows.endpoints_mut(arrival.flow) {
            ends.sender.push(arrival.bytes, self.clock.now);
        } else {
            // The connection was given up.
            return;
        }
        self.transmit(arrival.flow);
    }

    /// Opens the flows that have waited for the end of this one's startup, if it has ended.
    #[cold]
    pub(super) fn release_followers(&mut self, flow: u32) {
        if !self.arrivals.wait_for(flow) {
            return;
        }
        let ends = self.flows.endpoints(flow);
        if ends.is_none_or(|ends| ends.sender.exit().is_none()) {
            return;
        }
        for follower in self.arrivals.release(flow) {
            let start = self.clock.now + follower.after.pause;
            self.flows.set_start(follower.flow, start);
            self.arrivals.schedule(follower.flow, &self.flows);
            self.schedule_arrival();
        }
    }

    /// Opens the connection to which the first data has come.
    pub(super) fn open(&mut self, arrival: Arrival, opening: Opening) {
        let (flow, now) = (arrival.flow, self.clock.now);
        let preparation = self.prepare(flow);
        self.meter.count_opening(opening);
        if self.recorders.take(PROGRESS) {
            self.record_flow(flow, RunEvent::Opened);
        }
        let kind = self.flows.kind(flow);
        let ends = self.flows.open(
            flow,
            Sender::new(kind.stack.clone(), flow, kind.recipe.build(), preparation),
            Receiver::new(kind.receiver.clone(), flow),
        );
        ends.hosts = EndHosts::of(&kind.hosts, self.prepared.seed, flow);
        if self.recorders.trace.is_some() {
            ends.sender.keep_sampling();
        }
        ends.sender.push(arrival.bytes, now);
        match opening {
            Opening::Handshake => ends.sender.open(now),
            Opening::ByReceiver => {
                ends.sender.listen();
                let syn = ends.receiver.connect(now);
                let timer = ends.arm_receiver(now);
                self.answer(flow, Some(syn));
                self.schedule_timer(flow, true, timer);
            }
            Opening::Established(rtt) => {
                ends.sender.open_established(now, rtt);
                ends.receiver.open(now, rtt);
            }
        }
    }

    /// What a flow's sender is given before it opens its connection.
    fn prepare(&mut self, flow: u32) -> Preparation {
        let kind = self.flows.kind(flow);
        let route = self.flows.state(flow).route;
        let own = || self.network.interface_rate(route);
        let known = PathInfo {
            interface_rate: kind.interface_rate.or_else(own),
            memory: self.flows.recall(flow, self.clock.now).or(kind.memory),
            ..PathInfo::default()
        };
        Preparation {
            known,
            secret: self.secret(flow),
        }
    }

    /// Used only by a flow with rate requests.
    fn secret(&self, flow: u32) -> u64 {
        match self.network.has_routers() {
            false => 0,
            true => stream(self.prepared.seed, "secrets", u64::from(flow)).next_u64(),
        }
    }

    /// The writes at these places have been delivered.
    #[cold]
    pub(super) fn on_dependency_delivered(&mut self, places: Range<usize>) {
        for time in self.dependencies.delivered(places, self.clock.now) {
            self.clock.schedule(Event::DependentWrite, time);
        }
    }

    /// The next write that has waited is due.
    pub(super) fn on_dependent_write(&mut self) {
        let Some(wait) = self.dependencies.take_due() else {
            return;
        };
        self.recorders.writes.records[wait.place].is_due = true;
        self.hand_over(wait.flow);
    }

    /// An application that has written at a separate time continues with what has waited and is
    /// due.
    pub(super) fn on_available(&mut self, flow: u32) {
        let kind = self.flows.flow(flow).0.kind;
        if let Some((_, record)) = self.recorders.writes.next(flow, kind) {
            record.available = self.clock.now.into();
            self.hand_over(flow);
        }
    }

    /// Hands over what is due of a flow, in order.
    fn hand_over(&mut self, flow: u32) {
        let at = self.clock.now;
        loop {
            let (plan, kind) = self.flows.flow(flow);
            let Some((number, record)) = self.recorders.writes.next(flow, plan.kind) else {
                return;
            };
            if !record.is_due {
                return;
            }
            record.available = at.into();
            if !plan.start.is_some() {
                self.flows.set_start(flow, at);
            }
            let bytes = kind.bytes_of(number);
            self.take_in(Arrival { at, flow, bytes });
        }
    }

    /// Puts the wakes that sessions have requested among the events: one event for each, so that
    /// the next event is that of the next wake.
    pub(super) fn schedule_web(&mut self) {
        for moment in self.web.take_news() {
            self.clock.schedule_at(Event::Web, moment);
        }
    }

    /// The next wake has come.
    pub(super) fn on_web(&mut self) {
        let at = self.clock.now;
        let launch = self.web.wake(at);
        self.schedule_web();
        let Some(launch) = launch else { return };
        let bytes = launch.plan.size().unwrap_or(0);
        let route = self.network.web_route(launch.route);
        let flow = self.flows.add(launch.plan, route);
        self.open(Arrival { at, flow, bytes }, launch.opening);
        self.transmit(flow);
    }

    /// All data of a session's flow has arrived.
    pub(super) fn on_web_delivered(&mut self, flow: u32) {
        let ends = self.flows.endpoints(flow);
        let measured = ends.and_then(|ends| ends.sender.min_rtt());
        let rtt = measured.unwrap_or(self.flows.kind(flow).rtt);
        self.web.on_delivered(flow, rtt, self.clock.now);
        self.schedule_web();
    }

    /// A session's flow has closed.
    pub(super) fn on_web_closed(&mut self, flow: u32) {
        let record = &self.flows.records[flow as usize];
        let (delivered, acknowledged) = (record.delivered_at.is_some(), record.acked_at.is_some());
        let now = self.clock.now;
        self.web.on_closed(flow, delivered, acknowledged, now);
        self.schedule_web();
    }
}
