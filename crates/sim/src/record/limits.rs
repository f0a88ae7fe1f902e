//! For how long each reason kept each sender from sending.

use super::flow_record::FlowRecord;
use super::recorder::{Kinds, PROGRESS, Recorder, RunEvent, Scene};
use super::write_log::begin;
use crate::compile::{Prepared, Recording};
use crate::flow_plan::{FlowKind, Write};
use crate::maybe_time::MaybeTime;
use flowstart_control::named::Named;
use flowstart_control::{Duration, Instant};
use flowstart_transport::sender::{Limit, Sender};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What limited a flow, or one of its writes: the share of each reason in its time, until all was
/// acknowledged, or the run ended.
///
/// The shares add up to 1. At each moment the reason is the first check that stops the next packet:
/// see `flowstart_transport::sender::Limit`.
#[derive(Clone, Debug, JsonSchema, Serialize, Deserialize)]
pub struct LimitRow {
    /// Which flow.
    pub flow: u32,
    /// Which of its `writes`, from 0. Its time begins when it has been handed over and all before it
    /// is acknowledged.
    #[schemars(extend("null" = "the whole flow, from its opening"))]
    pub transfer: Option<u32>,
    /// The connection was not open.
    #[schemars(extend("unit" = "ratio"))]
    pub handshake_share: f64,
    /// The application had handed over nothing more.
    #[schemars(extend("unit" = "ratio"))]
    pub application_share: f64,
    /// The send buffer was full and the congestion window was not, as in Linux's
    /// `tcpi_sndbuf_limited`.
    #[schemars(extend("unit" = "ratio"))]
    pub send_buffer_share: f64,
    /// QUIC's limit for the stream was reached.
    #[schemars(extend("unit" = "ratio"))]
    pub stream_flow_control_share: f64,
    /// QUIC's limit for the connection was reached.
    #[schemars(extend("unit" = "ratio"))]
    pub connection_flow_control_share: f64,
    /// TCP's receive window was full and the congestion window was not, as in Linux's
    /// `tcpi_rwnd_limited`.
    #[schemars(extend("unit" = "ratio"))]
    pub receive_window_share: f64,
    /// The congestion window was full.
    #[schemars(extend("unit" = "ratio"))]
    pub cwnd_share: f64,
    /// The pacer held a packet back.
    #[schemars(extend("unit" = "ratio"))]
    pub pacing_share: f64,
    /// All data had left, and was not acknowledged.
    #[schemars(extend("unit" = "ratio"))]
    pub link_share: f64,
    /// The reason with the largest share; the first of equal ones.
    pub limited_by: String,
    /// When it first held, from the beginning of that time.
    #[schemars(extend("unit" = "seconds"))]
    pub limited_from_s: f64,
}

impl LimitRow {
    /// The reasons with their shares.
    pub fn shares(&self) -> [(Limit, f64); Limit::VALUES.len()] {
        [
            (Limit::Handshake, self.handshake_share),
            (Limit::Application, self.application_share),
            (Limit::SendBuffer, self.send_buffer_share),
            (Limit::StreamFlowControl, self.stream_flow_control_share),
            (
                Limit::ConnectionFlowControl,
                self.connection_flow_control_share,
            ),
            (Limit::ReceiveWindow, self.receive_window_share),
            (Limit::Cwnd, self.cwnd_share),
            (Limit::Pacing, self.pacing_share),
            (Limit::Link, self.link_share),
        ]
    }
}

/// What limits a flow, and a write by its number.
type Limits = (Limit, Option<(usize, Limit)>);

/// Records the limits of all flows.
pub(crate) struct LimitRecorder<'a> {
    kinds: &'a [FlowKind],
    /// By the number of the flow.
    clocks: Vec<Option<LimitClock>>,
    /// How many writes these have.
    writes: usize,
    /// When which reason began, for a trace; `None` without one.
    turns: Option<LimitTurns>,
}

/// When which reason of which flow began, in order of time.
#[derive(Clone, Debug, Default)]
pub struct LimitTurns {
    /// The flow.
    pub flow: Vec<u32>,
    /// When, in nanoseconds from the start of the run.
    pub time_ns: Vec<u64>,
    /// The reason, by its place among [`Limit::VALUES`].
    pub limit: Vec<u8>,
}

impl LimitTurns {
    fn push(&mut self, flow: u32, now: Instant, limit: Limit) {
        self.flow.push(flow);
        self.time_ns.push(now.nanos());
        self.limit.push(limit as u8);
    }
}

impl<'a> LimitRecorder<'a> {
    pub(crate) fn new(prepared: &'a Prepared) -> LimitRecorder<'a> {
        LimitRecorder {
            kinds: &prepared.kinds,
            clocks: Vec::new(),
            writes: 0,
            turns: matches!(prepared.recording, Recording::Trace).then(LimitTurns::default),
        }
    }

    /// A flow of this kind opens.
    fn open(&mut self, kind: u32, flow: u32, now: Instant) {
        let (at, writes) = (flow as usize, self.kinds[kind as usize].writes.len());
        let count = self.clocks.len().max(at + 1);
        self.clocks.resize_with(count, || None);
        self.clocks[at] = Some(LimitClock::new(now, writes));
        self.writes += writes;
        if let Some(turns) = &mut self.turns {
            turns.push(flow, now, Limit::Handshake);
        }
    }

    /// A sender has sent all that it may after an event.
    pub(crate) fn on_transmitted(
        &mut self,
        flow: u32,
        record: &FlowRecord,
        sender: &Sender,
        now: Instant,
    ) {
        let Some(Some(clock)) = self.clocks.get(flow as usize) else {
            return;
        };
        let limit = sender.limit();
        if clock.continues(limit) {
            return;
        }
        let limits = self.limits(record, sender, limit);
        // What has not changed counts once it changes, or the flow ends.
        if limits != (clock.limit, clock.of_write) {
            self.turn(flow, limits, now);
        }
    }

    /// What limits the flow and its first write that is not acknowledged, where this limits the
    /// sender.
    fn limits(&self, record: &FlowRecord, sender: &Sender, limit: Limit) -> Limits {
        let writes = &self.kinds[record.plan.kind as usize].writes;
        let of_write = limit_of_write(writes, sender, limit);
        (limit_of_flow(record, sender, limit), of_write)
    }

    /// From now on these are the reasons.
    fn turn(&mut self, flow: u32, (of_flow, of_write): Limits, now: Instant) {
        let Some(Some(clock)) = self.clocks.get_mut(flow as usize) else {
            return;
        };
        if let Some(turns) = &mut self.turns
            && of_flow != clock.limit
        {
            turns.push(flow, now, of_flow);
        }
        clock.turn(of_flow, of_write, now);
    }

    /// When which reason began, where a trace is recorded.
    pub(crate) fn take_turns(&mut self) -> LimitTurns {
        self.turns.take().unwrap_or_default()
    }

    /// For each flow that has opened one row, and one for each of its writes that has begun.
    pub(crate) fn rows(&self) -> Vec<LimitRow> {
        let clocks = (0..).zip(&self.clocks);
        clocks
            .filter_map(|(flow, clock)| Some((flow, clock.as_ref()?)))
            .flat_map(|(flow, clock)| clock.rows(flow))
            .collect()
    }
}

impl Recorder for LimitRecorder<'_> {
    fn takes(&self) -> Kinds {
        PROGRESS
    }

    fn record(&mut self, scene: &mut Scene<'_>, event: &RunEvent<'_>) {
        let now = scene.now.time;
        if let RunEvent::Opened = event {
            self.open(scene.kind(), scene.flow, now);
        }
        if let Some(sender) = scene.sender {
            let record = &scene.records[scene.flow as usize];
            let limits = self.limits(record, sender, sender.limit());
            self.turn(scene.flow, limits, now);
        }
    }

    fn bytes_held(&self) -> usize {
        let turns = self.turns.as_ref().map_or(0, |turns| turns.flow.len());
        let turns = turns * (size_of::<u32>() + size_of::<u64>() + size_of::<u8>());
        size_of_val(self.clocks.as_slice()) + self.writes * size_of::<Option<LimitTimes>>() + turns
    }
}

/// What limits the flow of a sender with this limit.
pub(super) fn limit_of_flow(record: &FlowRecord, sender: &Sender, limit: Limit) -> Limit {
    match limit {
        Limit::Application => link_if(record.plan.ends_at(sender.high()), limit),
        limit => limit,
    }
}

/// The first write that is not acknowledged and what limits it; none while the sender waits for the
/// application to hand it over.
fn limit_of_write(writes: &[Write], sender: &Sender, limit: Limit) -> Option<(usize, Limit)> {
    let (done, sent) = (sender.acknowledged(), sender.high());
    let number = writes.partition_point(|write| write.end <= done);
    let write = writes.get(number)?;
    let waits = limit == Limit::Application && sent <= begin(writes, number);
    (!waits).then(|| (number, link_if(sent >= write.end, limit)))
}

/// Without more data to come, it is not the application that limits.
fn link_if(has_left: bool, limit: Limit) -> Limit {
    match limit {
        Limit::Application if has_left => Limit::Link,
        limit => limit,
    }
}

/// The times of a flow's reasons and of those of its writes, of which one each runs.
#[derive(Debug)]
struct LimitClock {
    since: Instant,
    limit: Limit,
    of_write: Option<(usize, Limit)>,
    whole: LimitTimes,
    writes: Vec<Option<LimitTimes>>,
}

impl LimitClock {
    fn new(opened: Instant, writes: usize) -> LimitClock {
        let mut whole = LimitTimes::new(opened);
        whole.begin(Limit::Handshake, opened);
        LimitClock {
            since: opened,
            limit: Limit::Handshake,
            of_write: None,
            whole,
            writes: std::iter::repeat_with(|| None).take(writes).collect(),
        }
    }

    /// Whether nothing changes where this limits the sender. Of writes, and without data to send, it
    /// depends on more.
    fn continues(&self, limit: Limit) -> bool {
        limit == self.limit && limit != Limit::Application && self.writes.is_empty()
    }

    /// From now on these are the reasons.
    fn turn(&mut self, limit: Limit, of_write: Option<(usize, Limit)>, now: Instant) {
        let time = now.since(self.since);
        self.whole.times[self.limit as usize] += time;
        if let Some((number, limit)) = self.of_write
            && let Some(times) = &mut self.writes[number]
        {
            times.times[limit as usize] += time;
        }
        (self.since, self.limit, self.of_write) = (now, limit, of_write);
        self.whole.begin(limit, now);
        if let Some((number, limit)) = of_write {
            let times = self.writes[number].get_or_insert_with(|| LimitTimes::new(now));
            times.begin(limit, now);
        }
    }

    fn rows(&self, flow: u32) -> impl Iterator<Item = LimitRow> {
        let writes = (0..).zip(&self.writes);
        let writes =
            writes.filter_map(move |(number, times)| Some(times.as_ref()?.row(flow, Some(number))));
        std::iter::once(self.whole.row(flow, None)).chain(writes)
    }
}

/// For how long each reason held, and when first.
#[derive(Debug)]
struct LimitTimes {
    began: Instant,
    times: [Duration; Limit::VALUES.len()],
    first: [MaybeTime; Limit::VALUES.len()],
}

impl LimitTimes {
    fn new(began: Instant) -> LimitTimes {
        LimitTimes {
            began,
            times: [Duration::ZERO; Limit::VALUES.len()],
            first: [MaybeTime::NONE; Limit::VALUES.len()],
        }
    }

    /// Notes the first time of a reason.
    fn begin(&mut self, limit: Limit, now: Instant) {
        let first = &mut self.first[limit as usize];
        if !first.is_some() {
            *first = now.into();
        }
    }

    fn row(&self, flow: u32, transfer: Option<u32>) -> LimitRow {
        let time = |limit: Limit| self.times[limit as usize];
        let longer = |best: Limit, next: Limit| if time(next) > time(best) { next } else { best };
        let values = Limit::VALUES.iter().map(|value| value.0);
        let longest = values.fold(Limit::Handshake, longer);
        let first = self.first[longest as usize].get().unwrap_or(self.began);
        let whole: f64 = self.times.iter().copied().sum::<Duration>().secs();
        let share = |limit: Limit| {
            if whole > 0.0 {
                time(limit).secs() / whole
            } else {
                0.0
            }
        };
        LimitRow {
            flow,
            transfer,
            handshake_share: share(Limit::Handshake),
            application_share: share(Limit::Application),
            send_buffer_share: share(Limit::SendBuffer),
            stream_flow_control_share: share(Limit::StreamFlowControl),
            connection_flow_control_share: share(Limit::ConnectionFlowControl),
            receive_window_share: share(Limit::ReceiveWindow),
            cwnd_share: share(Limit::Cwnd),
            pacing_share: share(Limit::Pacing),
            link_share: share(Limit::Link),
            limited_by: longest.name().to_owned(),
            limited_from_s: first.since(self.began).secs(),
        }
    }
}
