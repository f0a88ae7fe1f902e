//! How the rows of an outcome are made.

use super::flows::Flows;
use super::simulation::Simulation;
use crate::record::flow_record::FlowRecord;
use crate::record::flow_table::{FlowTable, KindColumns, SharedColumns};
use crate::record::journeys::JourneyRecorder;
use crate::record::link::LinkRow;
use crate::record::object::ObjectTable;
use crate::record::outcome::Outcome;
use crate::record::packets::PacketRecorder;
use crate::record::recorder::{RunEvent, PROGRESS};
use flowstart_control::Instant;
use flowstart_control::Named;
use flowstart_network::graph::LinkId;
use flowstart_network::link::Link;
use flowstart_network::moment::Moment;
use flowstart_wire::Packet;

impl Simulation<'_> {
    pub(super) fn outcome(mut self) -> Outcome {
        self.settle();
        self.close_all();
        let end = self.now;
        let chain = self.prepared.chain();
        let transfers = self.recorders.writes.rows(&self.records, chain);
        let flows = self.flow_table();
        let narrowest = |record: &FlowRecord| {
            let kind = &self.prepared.kinds[record.plan.kind as usize];
            chain.narrowest(kind.from_hop, kind.to_hop) as u8
        };
        let trace = self.recorders.trace;
        let trace = trace.map(|trace| {
            let bottleneck = chain.narrowest(0, chain.hops() - 1) as u8;
            trace.finish(flows.records.iter().map(narrowest).collect(), bottleneck)
        });
        Outcome {
            packets: self
                .recorders
                .packets
                .map_or_else(Vec::new, PacketRecorder::finish),
            startups: self
                .recorders
                .startups
                .map_or_else(Vec::new, |startups| startups.rows()),
            transfers,
            flows,
            objects: ObjectTable {
                records: self.web.into_objects(),
            },
            links: self
                .links
                .iter()
                .map(|l| LinkRow::of(l, self.now))
                .collect(),
            buffer_accounting: chain.reading.to_string(),
            buffer: chain.buffer().to_string(),
            events: self.events,
            simulated_s: self.now.secs(),
            trace,
            lines: self.recorders.lines.map(|lines| lines.finish(end)),
            journeys: self.recorders.journeys.map(JourneyRecorder::finish),
        }
    }

    /// Notes what is to be known of flows that are still open, and gives their memory back.
    fn close_all(&mut self) {
        for flow in 0..self.records.len() as u32 {
            let Some(ends) = self.flows.endpoints(flow) else {
                continue;
            };
            ends.note(&mut self.records[flow as usize], &mut self.exits);
            if self.is_recorded(PROGRESS) {
                self.record_flow(flow, RunEvent::Closed);
            }
        }
        self.flows = Flows::default();
    }

    fn flow_table(&mut self) -> FlowTable {
        let chain = self.prepared.chain();
        let max_held = |link| self.links[link as usize].counters().max_held.packets;
        FlowTable {
            in_network: self.in_network(),
            shared: SharedColumns {
                seed: self.prepared.seed,
                buffer_accounting: chain.reading.name(),
            },
            kinds: (self.prepared.kinds.iter())
                .map(|kind| {
                    let narrowest = chain.narrowest(kind.from_hop, kind.to_hop);
                    let lines = [self.lines[0][narrowest], self.lines[1][narrowest]];
                    KindColumns::of(kind, chain, lines.map(max_held))
                })
                .collect(),
            records: std::mem::take(&mut self.records),
            exits: std::mem::take(&mut self.exits),
        }
    }

    /// Brings links up to the present, which they have not reported since. Nothing follows
    /// it, so what begins at this very time has begun.
    fn settle(&mut self) {
        let end = Moment {
            time: self.now,
            cause: Instant::MAX,
        };
        for link in 0..self.links.len() as LinkId {
            self.links[link as usize].settle(end);
            self.take_queue_events(link);
        }
        self.record_departures_under_way();
    }

    /// Records the departures of packets that have left the queue and not arrived.
    fn record_departures_under_way(&mut self) {
        for link in self.hop_links() {
            if self.recorded_queue(link).is_none() {
                continue;
            }
            let state = &self.links[link as usize];
            let ahead = state.arrivals().map(|arrival| state.left_queue(arrival));
            let left: Vec<(Instant, Packet)> = ahead
                .zip((0..).map_while(|ahead| state.upcoming(ahead).copied()))
                .filter(|(left, _)| *left <= self.now)
                .collect();
            for (at, packet) in left {
                self.record_departure(link, at, &packet, false);
            }
        }
    }

    /// The flows of which links still hold data packets, in order, and how many.
    fn in_network(&self) -> Vec<(u32, u64)> {
        let packets = self.links.iter().flat_map(Link::in_network);
        let data = packets.filter(|packet| packet.is_data());
        let mut flows: Vec<u32> = data.map(|packet| packet.flow).collect();
        flows.sort_unstable();
        let of_each = flows.chunk_by(|a, b| a == b);
        of_each.map(|of| (of[0], of.len() as u64)).collect()
    }
}
