//! How the rows of an outcome are made.

use super::simulation::Simulation;
use crate::record::flow_table::{FlowTable, KindColumns, SharedColumns};
use crate::record::link::LinkRow;
use crate::record::object::ObjectTable;
use crate::record::outcome::Outcome;
use flowstart_control::Named;
use flowstart_control::Time;
use flowstart_network::graph::LinkId;
use flowstart_network::link::Link;
use flowstart_network::moment::Moment;
use flowstart_wire::Packet;

impl Simulation<'_> {
    pub(super) fn outcome(mut self) -> Outcome {
        self.settle();
        self.close_all();
        let recorder = self.recorder.take();
        let end = self.now;
        let prepared = self.prepared;
        let chain = prepared.chain();
        let packets = self.take_packet_logs();
        let startups = self.observers.startup_rows();
        let mut outcome = Outcome {
            packets,
            startups,
            transfers: self.writes.rows(&self.records, &prepared.kinds, chain),
            flows: self.flow_table(),
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
            trace: None,
            lines: None,
            journeys: None,
        };
        if let Some(recorder) = recorder {
            recorder.finish(end, &mut outcome);
        }
        outcome
    }

    /// Notes what is to be known of flows that are still open, and gives their memory back.
    fn close_all(&mut self) {
        let now = self.moment();
        let flows = std::mem::take(&mut self.flows);
        for (flow, record) in (0..).zip(&mut self.records) {
            if let Some(ends) = flows.endpoints(flow) {
                ends.note(record, &mut self.exits);
                self.observers.close(flow, ends, &mut self.links, now);
            }
        }
    }

    fn flow_table(&mut self) -> FlowTable {
        let chain = self.prepared.chain();
        let max_held = |link| self.links[link as usize].counters().max_held.packets;
        FlowTable {
            in_network: self.in_network(),
            shared: SharedColumns {
                seed: self.prepared.seed,
                max_queue_pkts: self.bottleneck.map(max_held),
                buffer_accounting: chain.reading.name(),
            },
            kinds: (self.prepared.kinds.iter())
                .map(|kind| KindColumns::of(kind, chain))
                .collect(),
            records: std::mem::take(&mut self.records),
            exits: std::mem::take(&mut self.exits),
        }
    }

    /// Brings links up to the present, which they have not been asked about since. Nothing follows
    /// it, so what begins at this very time has begun.
    fn settle(&mut self) {
        let end = Moment {
            time: self.now,
            cause: Time::MAX,
        };
        for link in 0..self.links.len() as LinkId {
            self.links[link as usize].settle(end);
            self.take_queue_events(link);
        }
        self.sample_departures_under_way();
    }

    /// Records the departures of packets that have left the queue and not arrived.
    fn sample_departures_under_way(&mut self) {
        if self.recorder.is_none() {
            return;
        }
        for link in self.bottleneck {
            let state = &self.links[link as usize];
            let ahead = state.arrivals().map(|arrival| state.left_queue(arrival));
            let left: Vec<(Time, Packet)> = ahead
                .zip((0..).map_while(|ahead| state.upcoming(ahead).copied()))
                .filter(|(left, _)| *left <= self.now)
                .collect();
            for (at, packet) in left {
                self.sample_departure(link, at, &packet, false);
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
