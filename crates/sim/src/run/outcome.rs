//! How the rows of an outcome are made.

use super::flows::Flows;
use super::simulation::Simulation;
use crate::flow_plan::Opening;
use crate::record::flow::{ideal_fct, FlowRow, TransferRow};
use crate::record::link::LinkRow;
use crate::record::outcome::Outcome;
use flowstart_control::Named;
use flowstart_control::Time;
use flowstart_network::graph::LinkId;
use flowstart_network::link::Link;

impl Simulation<'_> {
    pub(super) fn outcome(mut self) -> Outcome {
        self.settle();
        // Endpoints take more memory than rows: it is given back before those are made.
        let flows = std::mem::take(&mut self.flows);
        self.close_all(flows);
        let rows = (0..)
            .zip(self.on_the_way())
            .map(|(flow, packets)| self.row(flow, packets))
            .collect();
        let chain = self.prepared.chain();
        Outcome {
            flows: rows,
            transfers: self.transfers(),
            objects: self.objects(),
            links: self
                .links
                .iter()
                .map(|l| LinkRow::of(l, self.now))
                .collect(),
            buffer_reading: chain.reading.to_string(),
            buffer: chain.buffer().to_string(),
            events: self.queue.handled(),
            simulated_s: self.now.secs(),
            trace: self.trace.map(|t| *t),
        }
    }

    fn close_all(&mut self, flows: Flows) {
        for ((flow, plan), log) in (0..).zip(&self.plans).zip(&mut self.logs) {
            if let Some(ends) = flows.endpoints(flow) {
                ends.note(log, plan.size);
            }
        }
    }

    /// Brings links up to the present, which they have not been asked about since.
    fn settle(&mut self) {
        let moment = self.moment();
        for link in 0..self.links.len() as LinkId {
            self.links[link as usize].settle(moment);
            self.take_queue_events(link);
        }
        self.sample_departures_under_way();
        if let Some(trace) = &mut self.trace {
            trace.flow_samples.put_in_order();
            trace.queue_departures.put_in_order();
        }
    }

    /// Records the departures of packets that have left the queue and not arrived.
    fn sample_departures_under_way(&mut self) {
        if self.trace.is_none() {
            return;
        }
        for link in self.bottleneck {
            let state = &self.links[link as usize];
            let left = state.arrivals().map(|arrival| state.left_queue(arrival));
            let left: Vec<Time> = left.filter(|left| *left <= self.now).collect();
            for at in left {
                self.sample_departure(link, at);
            }
        }
    }

    /// How many data packets of each flow the links still hold.
    fn on_the_way(&self) -> Vec<u64> {
        let mut held = vec![0; self.plans.len()];
        for packet in self.links.iter().flat_map(Link::in_network) {
            held[packet.flow as usize] += u64::from(packet.is_data());
        }
        held
    }

    fn row(&self, flow: u32, packets_in_network: u64) -> FlowRow {
        let plan = &self.plans[flow as usize];
        let log = &self.logs[flow as usize];
        let stack = &plan.stack;
        let chain = self.prepared.chain();
        let rate = chain.bottleneck_rate(plan.from_hop, plan.to_hop, plan.reverse);
        let since = |at: Time| at.since(plan.start).secs();
        let fct = log.delivered_at.map(since);
        let ideal = plan.size.map(|size| {
            ideal_fct(
                size,
                match plan.opening {
                    Opening::Handshake => stack.round_trips(),
                    Opening::Established(_) => 0,
                },
                plan.rtt,
                rate,
                stack.mss,
                stack.header,
            )
        });
        let bottleneck = &self.links[self.bottleneck[usize::from(plan.reverse)] as usize];
        FlowRow {
            startup: plan.startup.clone(),
            avoidance: plan.avoidance.clone(),
            stack: stack.preset,
            size_bytes: plan.size,
            seed: self.prepared.seed,
            flow,
            direction: if plan.reverse { "reverse" } else { "forward" },
            opened_s: plan.start.secs(),
            fct_s: fct,
            duration_s: log.acked_at.map(since),
            ideal_fct_s: ideal,
            slowdown: fct.zip(ideal).map(|(fct, ideal)| fct / ideal),
            bytes_delivered: log.bytes_delivered,
            packets_sent: log.counters.packets_sent,
            packets_arrived: log.packets_arrived,
            packets_dropped: log.packets_dropped,
            packets_marked: log.packets_marked.into(),
            packets_in_network,
            packets_retransmitted: log.counters.packets_retransmitted,
            timeouts: log.counters.timeouts,
            fast_retransmits: log.counters.fast_retransmits,
            syn_retransmits: log.counters.syn_retransmits,
            startup_exit_s: log.exit.map(|e| since(e.at)),
            startup_exit_cwnd_pkts: log.exit.map(|e| e.cwnd),
            startup_exit_flight_bytes: log.exit.map(|e| e.flight),
            startup_exit_reason: log.exit.map(|e| e.reason),
            max_cwnd_pkts: log.counters.max_cwnd,
            max_queue_pkts: bottleneck.counters().max_held.packets,
            bdp_pkts: chain.bdp_packets(rate, plan.rtt),
            min_rtt_s: log.min_rtt.map(Time::secs),
            buffer_reading: chain.reading.name(),
            complete: log.acked_at.is_some(),
            reset: log.reset,
        }
    }

    fn transfers(&self) -> Vec<TransferRow> {
        let flows = self.plans.iter().zip(&self.logs).enumerate();
        flows
            .filter(|(_, (plan, _))| !plan.writes.is_empty())
            .flat_map(|(flow, (plan, log))| {
                let starts = std::iter::once(0).chain(plan.writes.iter().map(|w| w.1));
                plan.writes
                    .iter()
                    .zip(starts)
                    .zip(&log.writes)
                    .enumerate()
                    .map(
                        move |(i, (((at, end), start), [delivered, acked]))| TransferRow {
                            flow: flow as u32,
                            transfer: i as u32,
                            available_s: (plan.start + *at).secs(),
                            bytes: end - start,
                            delivered_s: delivered.map(Time::secs),
                            acked_s: acked.map(Time::secs),
                        },
                    )
            })
            .collect()
    }
}
