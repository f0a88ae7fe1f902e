//! How the rows of an outcome are made.

use super::simulation::Simulation;
use crate::record::flow_record::FlowRecord;
use crate::record::flow_table::{FlowTable, KindColumns, SharedColumns};
use crate::record::journeys::JourneyRecorder;
use crate::record::limits::LimitRecorder;
use crate::record::link::LinkRow;
use crate::record::object::ObjectTable;
use crate::record::outcome::Outcome;
use crate::record::packets::PacketRecorder;
use crate::record::recorder::{PROGRESS, RunEvent};
use flowstart_control::Instant;
use flowstart_control::Named;
use flowstart_network::graph::LinkId;
use flowstart_network::moment::Moment;
use flowstart_wire::Packet;

impl Simulation<'_> {
    pub(super) fn outcome(mut self) -> Outcome {
        self.settle();
        self.close_all();
        let end = self.clock.now;
        let chain = self.prepared.chain();
        let handshakes = self.flows.handshake_rows();
        let flows = self.flow_table();
        let narrowest = |record: &FlowRecord| {
            let kind = &self.prepared.kinds[record.plan.kind as usize];
            chain.narrowest(kind.from_hop, kind.to_hop) as u8
        };
        let link = |record: &FlowRecord| {
            let kind = &self.prepared.kinds[record.plan.kind as usize];
            let rate = chain.bottleneck_rate(kind.from_hop, kind.to_hop, record.plan.reverse);
            rate.bps() as f64
        };
        let mut recorders = self.recorders;
        let trace = recorders.trace.map(|trace| {
            let bottleneck = chain.narrowest(0, chain.hops() - 1) as u8;
            let turns = recorders.limits.as_mut().map(LimitRecorder::take_turns);
            let hops = flows.records.iter().map(narrowest).collect();
            trace.finish(hops, bottleneck, turns.unwrap_or_default())
        });
        let links = self.network.links.iter();
        Outcome {
            packets: recorders
                .packets
                .map_or_else(Vec::new, PacketRecorder::finish),
            startups: recorders
                .startups
                .map_or_else(Vec::new, |startups| startups.rows()),
            limits: recorders
                .limits
                .map_or_else(Vec::new, |limits| limits.rows()),
            goodputs: recorders.goodputs.map_or_else(Vec::new, |goodputs| {
                goodputs.rows(&flows.records, &self.prepared.kinds, end, link)
            }),
            delays: recorders.writes.delays(&flows.records, end),
            handshakes,
            transfers: recorders.writes.rows(&flows.records, chain),
            flows,
            objects: ObjectTable {
                records: self.web.into_objects(),
            },
            links: links.map(|link| LinkRow::of(link, end)).collect(),
            buffer_accounting: chain.reading.to_string(),
            buffer: chain.buffer().to_string(),
            events: self.clock.events,
            simulated_s: end.secs(),
            trace,
            lines: recorders.lines.map(|lines| lines.finish(end)),
            journeys: recorders.journeys.map(JourneyRecorder::finish),
        }
    }

    /// Notes what is to be known of flows that are still open.
    fn close_all(&mut self) {
        for flow in 0..self.flows.records.len() as u32 {
            if self.flows.endpoints(flow).is_none() {
                continue;
            }
            self.flows.note_open(flow);
            if self.recorders.take(PROGRESS) {
                self.record_flow(flow, RunEvent::Closed);
            }
        }
    }

    /// The rows of flows. Their endpoints give their memory back.
    fn flow_table(&mut self) -> FlowTable {
        let (chain, network) = (self.prepared.chain(), &self.network);
        let max_held = |link| network.links[link as usize].counters().max_held.packets;
        let at_sockets = std::mem::take(&mut self.flows.lost_at_sockets);
        let (records, exits) = self.flows.take_records();
        FlowTable {
            in_network: network.data_in_links(),
            at_sockets: at_sockets.into_iter().collect(),
            shared: SharedColumns {
                seed: self.prepared.seed,
                buffer_accounting: chain.reading.name(),
            },
            kinds: (self.prepared.kinds.iter())
                .map(|kind| {
                    let narrowest = chain.narrowest(kind.from_hop, kind.to_hop);
                    let lines = [network.lines[0][narrowest], network.lines[1][narrowest]];
                    KindColumns::of(kind, chain, lines.map(max_held))
                })
                .collect(),
            records,
            exits,
        }
    }

    /// Brings links up to the present, which they have not reported since. Nothing follows
    /// it, so what begins at this very time has begun.
    fn settle(&mut self) {
        let end = Moment {
            time: self.clock.now,
            cause: Instant::MAX,
        };
        for link in 0..self.network.links.len() as LinkId {
            self.network.links[link as usize].settle(end);
            self.take_queue_events(link);
        }
        self.record_departures_under_way();
    }

    /// Records the departures of packets that have left the queue and not arrived.
    fn record_departures_under_way(&mut self) {
        for link in self.network.hop_links() {
            if self.recorded_queue(link).is_none() {
                continue;
            }
            let state = &self.network.links[link as usize];
            let ahead = state.arrivals().map(|arrival| state.left_queue(arrival));
            let left: Vec<(Instant, Packet)> = ahead
                .zip((0..).map_while(|ahead| state.upcoming(ahead).copied()))
                .filter(|(left, _)| *left <= self.clock.now)
                .collect();
            for (at, packet) in left {
                self.record_departure(link, at, &packet, false);
            }
        }
    }
}
