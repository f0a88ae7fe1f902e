//! How far the data of flows has got: what is due to be noted next, and what became of writes.

use super::delay::{DelayRow, WriteTimes};
use super::flow::{Ideal, TransferRow, wire_bytes};
use super::flow_record::FlowRecord;
use super::recorder::{IN_NETWORK, Kinds, Recorder, RunEvent, SENT, Scene, TIMER};
use crate::compile::Prepared;
use crate::flow_plan::{FlowKind, FlowPlan, When, Write};
use crate::maybe_time::MaybeTime;
use flowstart_control::Instant;
use flowstart_network::chain::Chain;
use flowstart_wire::{Body, Data};
use std::ops::Range;

/// How far data can have got.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    Delivered = 0,
    Acknowledged = 1,
}

/// The first position beyond `position` at which a write or the whole transfer ends, or where the
/// first byte of a write is delivered; every position where all deliveries are noted.
pub(crate) fn next_due(plan: &FlowPlan, kind: &FlowKind, stage: Stage, position: u64) -> u64 {
    if kind.notes_deliveries && stage == Stage::Delivered {
        return position + 1;
    }
    if kind.flight > 0 && stage == Stage::Delivered && position == 0 {
        return 1;
    }
    let next = kind.writes.partition_point(|write| write.end <= position);
    let begins = begin(&kind.writes, next) == position;
    let write = kind.writes.get(next).map(|write| match stage {
        Stage::Delivered if begins => position + 1,
        _ => write.end,
    });
    let whole = plan.size().filter(|size| *size > position);
    write.or(whole).unwrap_or(u64::MAX)
}

/// Where a write begins.
pub(crate) fn begin(writes: &[Write], number: usize) -> u64 {
    let before = number.checked_sub(1).and_then(|last| writes.get(last));
    before.map_or(0, |write| write.end)
}

/// What is noted of a write.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct WriteRecord {
    /// What it waits for has been delivered, and the pause after it is over.
    pub(crate) is_due: bool,
    /// When it was handed over; not noted where nothing waits for anything.
    pub(crate) available: MaybeTime,
    /// When its first byte left.
    sent: MaybeTime,
    first_delivered: MaybeTime,
    /// When it was delivered, and when acknowledged.
    times: [MaybeTime; 2],
    packets_sent: u32,
    packets_dropped: u32,
    packets_retransmitted: u32,
    timeouts: u32,
}

/// What is noted of the writes of flows that have several. These are flows of entries, so those of a
/// kind have consecutive numbers.
pub(crate) struct WriteLog<'a> {
    kinds: &'a [FlowKind],
    pub(crate) records: Vec<WriteRecord>,
    /// For each kind: its first flow, and where the records of that begin.
    begins: Vec<(u32, usize)>,
}

impl<'a> WriteLog<'a> {
    pub(crate) fn new(prepared: &'a Prepared) -> WriteLog<'a> {
        let (mut flows, mut writes) = (0, 0);
        let mut begins = Vec::with_capacity(prepared.flows.len());
        for entry in &prepared.flows {
            begins.push((flows, writes));
            let kind = &prepared.kinds[entry.template.kind as usize];
            flows += entry.count as u32;
            writes += entry.count as usize * kind.writes.len();
        }
        WriteLog {
            kinds: &prepared.kinds,
            records: vec![WriteRecord::default(); writes],
            begins,
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// The places of the records of a flow of a kind.
    pub(crate) fn places(&self, flow: u32, kind: u32) -> Range<usize> {
        let writes = self.kinds[kind as usize].writes.len();
        let (first, begin) = self.begins[kind as usize];
        let begin = begin + (flow - first) as usize * writes;
        begin..begin + writes
    }

    /// The records of a flow of a kind, if its writes are listed.
    pub(crate) fn of(&mut self, flow: u32, kind: u32) -> Option<FlowWrites<'_>> {
        let writes = &self.kinds[kind as usize].writes;
        if writes.is_empty() {
            return None;
        }
        let places = self.places(flow, kind);
        Some(FlowWrites {
            flight: self.kinds[kind as usize].flight,
            writes,
            first: places.start,
            records: &mut self.records[places],
        })
    }

    /// The number and the record of the first write of a flow that has not been handed over.
    pub(crate) fn next(&mut self, flow: u32, kind: u32) -> Option<(usize, &mut WriteRecord)> {
        let places = self.places(flow, kind);
        let records = &mut self.records[places];
        let number = records.partition_point(|noted| noted.available.is_some());
        Some((number, records.get_mut(number)?))
    }

    /// One row for each of them.
    pub(crate) fn rows(&self, records: &[FlowRecord], chain: &Chain) -> Vec<TransferRow> {
        let mut rows = Vec::with_capacity(self.records.len());
        let mut mine = self.records.iter();
        if mine.len() == 0 {
            return rows;
        }
        for (flow, record) in (0..).zip(records) {
            let kind = &self.kinds[record.plan.kind as usize];
            for ((number, write), noted) in (0..).zip(&kind.writes).zip(&mut mine) {
                let available = match write.when {
                    When::At(at) => record.plan.start.get().map(|start| start + at),
                    When::After(_) => noted.available.get(),
                };
                rows.push(TransferRow {
                    flow,
                    transfer: number,
                    available_s: available.map(Instant::secs),
                    bytes: kind.bytes_of(number as usize),
                    ideal_fct_s: ideal(kind, &record.plan, number as usize, chain),
                    ..noted.row()
                });
            }
        }
        rows
    }

    /// One row for each flow with a source, of a run that ended then.
    pub(crate) fn delays(&self, records: &[FlowRecord], end: Instant) -> Vec<DelayRow> {
        let row = |(flow, record): (u32, &FlowRecord)| {
            let kind = &self.kinds[record.plan.kind as usize];
            let (deadline, opened) = (kind.source?, record.plan.start.get()?);
            let noted = &self.records[self.places(flow, record.plan.kind)];
            let times = kind
                .writes
                .iter()
                .zip(noted)
                .map(|(write, noted)| WriteTimes {
                    available: match write.when {
                        When::At(at) => opened + at,
                        When::After(_) => noted.available.get().unwrap_or(Instant::MAX),
                    },
                    delivered: noted.times[Stage::Delivered as usize],
                });
            Some(DelayRow::of(flow, opened, times, deadline, end))
        };
        (0..).zip(records).filter_map(row).collect()
    }
}

impl Recorder for WriteLog<'_> {
    fn takes(&self) -> Kinds {
        SENT | TIMER | IN_NETWORK
    }

    fn record(&mut self, scene: &mut Scene<'_>, event: &RunEvent<'_>) {
        let Some(mut writes) = self.of(scene.flow, scene.kind()) else {
            return;
        };
        match (*event, scene.sender) {
            (RunEvent::Sent { packet, again }, _) => {
                if let Body::Data(data) = &packet.body {
                    writes.send(data, again, scene.at);
                }
            }
            (RunEvent::Dropped(packet), _) => {
                if let Body::Data(data) = &packet.body {
                    writes.drop(data);
                }
            }
            (RunEvent::Timer { expired: true }, Some(sender)) => {
                writes.time_out(sender.acknowledged());
            }
            _ => {}
        }
    }
}

impl WriteRecord {
    /// A row of what is noted.
    fn row(&self) -> TransferRow {
        let seconds = |time: MaybeTime| time.get().map(Instant::secs);
        TransferRow {
            flow: 0,
            transfer: 0,
            available_s: None,
            bytes: 0,
            ideal_fct_s: 0.0,
            sent_s: seconds(self.sent),
            first_delivered_s: seconds(self.first_delivered),
            delivered_s: seconds(self.times[Stage::Delivered as usize]),
            acked_s: seconds(self.times[Stage::Acknowledged as usize]),
            packets_sent: self.packets_sent,
            packets_dropped: self.packets_dropped,
            packets_retransmitted: self.packets_retransmitted,
            timeouts: self.timeouts,
        }
    }
}

/// The best possible time for a write.
fn ideal(kind: &FlowKind, plan: &FlowPlan, number: usize, chain: &Chain) -> f64 {
    let stack = &kind.stack;
    let is_first = number == 0;
    // The first packet of a connection that is open already may have no header.
    let spared = match is_first && !plan.handshake && stack.ns2.headerless_first {
        true => stack.framing.header,
        false => 0,
    };
    let wire = wire_bytes(
        kind.bytes_of(number),
        stack.framing.mss,
        stack.framing.header,
    ) - u64::from(spared);
    Ideal::of(kind, chain, plan.reverse).secs(wire, plan.handshake && is_first)
}

/// The writes of a flow, and what is noted of them.
pub(crate) struct FlowWrites<'a> {
    writes: &'a [Write],
    /// Where they begin in the stream.
    flight: u64,
    /// The place of the first record.
    first: usize,
    records: &'a mut [WriteRecord],
}

impl FlowWrites<'_> {
    /// All data has got so far as `position`. The places of what has got there with it, as a whole.
    pub(crate) fn reach(&mut self, stage: Stage, position: u64, now: Instant) -> Range<usize> {
        let at = stage as usize;
        let next = self
            .records
            .partition_point(|noted| noted.times[at].is_some());
        let done = self.writes.partition_point(|write| write.end <= position);
        for noted in self.records.iter_mut().take(done).skip(next) {
            noted.times[at] = now.into();
        }
        if stage == Stage::Delivered {
            self.begin_delivery(position, now);
        }
        self.first + next..self.first + done.max(next)
    }

    fn begin_delivery(&mut self, position: u64, now: Instant) {
        let began = |noted: &WriteRecord| noted.first_delivered.is_some();
        let mut next = self.records.partition_point(began);
        while next < self.writes.len() && begin(self.writes, next) < position {
            self.records[next].first_delivered = now.into();
            next += 1;
        }
    }

    /// A packet leaves. It counts for the write in which it begins.
    pub(crate) fn send(&mut self, data: &Data, again: bool, now: Instant) {
        let Some((start, end)) = self.range(data) else {
            return;
        };
        if let Some(noted) = self.at(start) {
            noted.packets_sent += 1;
            noted.packets_retransmitted += u32::from(again);
        }
        let mut next = self.number_at(start);
        while next < self.writes.len() && begin(self.writes, next) < end {
            let first = begin(self.writes, next) >= start;
            let noted = &mut self.records[next];
            if first && !noted.sent.is_some() {
                noted.sent = now.into();
            }
            next += 1;
        }
    }

    /// A packet is lost. It counts for the write in which it begins, where it was counted as sent.
    pub(crate) fn drop(&mut self, data: &Data) {
        let Some((start, _)) = self.range(data) else {
            return;
        };
        if let Some(noted) = self.at(start) {
            noted.packets_dropped += 1;
        }
    }

    /// The timer has expired with data outstanding from here on.
    pub(crate) fn time_out(&mut self, position: u64) {
        let position = position.checked_sub(self.flight);
        if let Some(noted) = position.and_then(|position| self.at(position)) {
            noted.timeouts += 1;
        }
    }

    /// The bytes of writes that a packet has; `None` for those of a server's flight.
    fn range(&self, data: &Data) -> Option<(u64, u64)> {
        let start = data.start().checked_sub(self.flight)?;
        (!data.is_empty()).then(|| (start, data.end() - self.flight))
    }

    fn number_at(&self, position: u64) -> usize {
        self.writes.partition_point(|write| write.end <= position)
    }

    fn at(&mut self, position: u64) -> Option<&mut WriteRecord> {
        let number = self.number_at(position);
        self.records.get_mut(number)
    }
}
