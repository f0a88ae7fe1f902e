//! The rows of all flows of a run, each made when it is requested.
//!
//! A row has 34 columns, and most of their values follow from the kind of flow or from
//! other columns. So what is kept is a record for each flow, less than half as large, and a row
//! lasts while a caller reads it: a million of them can be written to a file one after
//! the other. They can only be made when the run has ended, for the largest queue of the run is
//! one of the columns, and packets may come to their end after the connection that sent them.

use super::flow::{FlowRow, Ideal, wire_bytes};
use super::flow_record::FlowRecord;
use crate::flow_plan::FlowKind;
use flowstart_control::{Duration, Exit, Instant};
use flowstart_network::chain::Chain;
use serde::{Serialize, Serializer};
use std::sync::Arc;

/// The rows of all flows, in the order of their numbers.
#[derive(Clone, Debug)]
pub struct FlowTable {
    pub(crate) records: Vec<FlowRecord>,
    /// How startups ended, in the order in which their flows did.
    pub(crate) exits: Vec<Exit>,
    pub(crate) kinds: Vec<KindColumns>,
    pub(crate) shared: SharedColumns,
    /// Flows of which data packets were on their way when the run ended, in order, and how many.
    pub(crate) in_network: Vec<(u32, u64)>,
    /// Flows that have lost data packets at the socket of their receiver, in order, and how many.
    pub(crate) at_sockets: Vec<(u32, u64)>,
}

/// What the rows of all flows have in common.
#[derive(Clone, Debug)]
pub(crate) struct SharedColumns {
    pub(crate) seed: u64,
    pub(crate) buffer_accounting: &'static str,
}

/// What the rows of all flows of a kind have in common.
#[derive(Clone, Debug)]
pub(crate) struct KindColumns {
    startup: Arc<str>,
    cc: Arc<str>,
    stack: &'static str,
    mss: u32,
    header: u32,
    /// What the first packet of a connection that is open from the beginning spares of it.
    spared_header: u32,
    /// Of both directions, forward first.
    ideal: [Ideal; 2],
    bdp_pkts: [u64; 2],
    max_queue_pkts: [u64; 2],
    /// Data packets may find the buffer of the receiver's socket full.
    has_socket: bool,
}

impl KindColumns {
    /// Those of a kind; its bottleneck held `max_queue_pkts` packets at most, forward first.
    pub(crate) fn of(kind: &FlowKind, chain: &Chain, max_queue_pkts: [u64; 2]) -> KindColumns {
        let hops = (kind.from_hop, kind.to_hop);
        let bdp = |reverse| {
            let rate = chain.bottleneck_rate(hops.0, hops.1, reverse);
            chain.bdp_packets(rate, kind.rtt)
        };
        KindColumns {
            startup: kind.startup.clone(),
            cc: kind.cc.clone(),
            stack: kind.stack.preset,
            mss: kind.stack.framing.mss,
            header: kind.stack.framing.header,
            spared_header: match kind.stack.ns2.headerless_first {
                true => kind.stack.framing.header,
                false => 0,
            },
            ideal: [false, true].map(|reverse| Ideal::of(kind, chain, reverse)),
            bdp_pkts: [false, true].map(bdp),
            max_queue_pkts,
            has_socket: kind.hosts[1].receive_buffer > 0,
        }
    }
}

impl FlowTable {
    /// How many flows there were.
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// Whether there was none.
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// The row of a flow. Panics where there is no such flow.
    pub fn row(&self, flow: u32) -> FlowRow {
        self.row_of(flow, &self.records[flow as usize])
    }

    /// All rows.
    pub fn iter(&self) -> FlowRows<'_> {
        FlowRows {
            table: self,
            next: 0,
        }
    }

    /// In line, so that a reader of two columns does not pay for the others.
    #[inline(always)]
    fn row_of(&self, flow: u32, record: &FlowRecord) -> FlowRow {
        let plan = &record.plan;
        let kind = &self.kinds[plan.kind as usize];
        let direction = usize::from(plan.reverse);
        let ideal = plan.size().map(|size| {
            // The first packet of a connection that is open already may have no header.
            let spared = if plan.handshake {
                0
            } else {
                kind.spared_header
            };
            let wire = wire_bytes(size, kind.mss, kind.header) - u64::from(spared);
            kind.ideal[direction].secs(wire, plan.handshake)
        });
        let since = |at: Instant| record.since_opened(at);
        let exit = record.exit(&self.exits);
        let fct = record.delivered_at.get().map(since);
        FlowRow {
            startup: kind.startup.clone(),
            cc: kind.cc.clone(),
            stack: kind.stack.into(),
            size_bytes: plan.size(),
            seed: self.shared.seed,
            flow,
            direction: if plan.reverse { "reverse" } else { "forward" }.into(),
            opened_s: plan.start.get().map(Instant::secs),
            fct_s: fct,
            duration_s: record.acked_at.get().map(since),
            ideal_fct_s: ideal,
            slowdown: fct.zip(ideal).map(|(fct, ideal)| fct / ideal),
            bytes_delivered: record.bytes_delivered,
            packets_sent: record.packets_sent,
            packets_arrived: record.packets_arrived,
            packets_dropped: record.packets_dropped,
            packets_dropped_at_socket: (kind.has_socket).then(|| of(&self.at_sockets, flow)),
            packets_marked: record.packets_marked.into(),
            packets_in_network: of(&self.in_network, flow),
            packets_retransmitted: record.packets_retransmitted,
            timeouts: record.timeouts.into(),
            fast_retransmits: record.fast_retransmits.into(),
            syn_retransmits: record.syn_retransmits.into(),
            startup_exit_s: exit.map(|exit| since(exit.at)),
            startup_exit_cwnd_segments: exit.map(|exit| exit.cwnd),
            startup_exit_flight_bytes: exit.map(|exit| exit.flight),
            startup_exit_reason: exit.map(|exit| exit.reason),
            max_cwnd_segments: record.max_cwnd,
            max_queue_pkts: kind.max_queue_pkts[direction],
            bdp_pkts: kind.bdp_pkts[direction],
            min_rtt_s: (record.min_rtt < Duration::MAX).then(|| record.min_rtt.secs()),
            buffer_accounting: self.shared.buffer_accounting.into(),
            complete: record.acked_at.is_some(),
            reset: record.reset,
        }
    }
}

/// What a flow has of counts in the order of flows.
fn of(counts: &[(u32, u64)], flow: u32) -> u64 {
    let found = counts.binary_search_by_key(&flow, |count| count.0);
    found.map_or(0, |at| counts[at].1)
}

/// The rows of a table, one after the other.
pub struct FlowRows<'a> {
    table: &'a FlowTable,
    next: u32,
}

impl Iterator for FlowRows<'_> {
    type Item = FlowRow;

    #[inline(always)]
    fn next(&mut self) -> Option<FlowRow> {
        let record = self.table.records.get(self.next as usize)?;
        let row = self.table.row_of(self.next, record);
        self.next += 1;
        Some(row)
    }
}

impl Serialize for FlowTable {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}
