//! The rows of a comparison: one for each flow, or for each request on a connection.

use crate::Refusal;
use crate::plan::{Case, Plan};
use flowstart_sim::record::delay::DelayRow;
use flowstart_sim::record::flow::{FlowRow, TransferRow};
use flowstart_sim::record::goodput::GoodputRow;
use flowstart_sim::record::limits::LimitRow;
use flowstart_sim::record::object::ObjectRow;
use flowstart_sim::record::startup::StartupRow;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::HashMap;

/// Measures of what follows the end of startup, for flows with an available rate.
pub const MEASURES: [&str; 6] = [
    "exit_dropped_pkts",
    "later_dropped_pkts",
    "exit_recoveries",
    "exit_to_90_s",
    "exit_queue_pkts",
    "mean_acked_s",
];

/// Columns of the shares of what limited a flow, in the order of
/// [`LimitRow::shares`](flowstart_sim::record::limits::LimitRow::shares).
pub const LIMIT_SHARES: [&str; 9] = [
    "handshake_share",
    "application_share",
    "send_buffer_share",
    "stream_flow_control_share",
    "connection_flow_control_share",
    "receive_window_share",
    "cwnd_share",
    "pacing_share",
    "link_share",
];

/// The rows of one run that a comparison uses.
#[derive(Default)]
pub struct RunRows {
    /// One for each flow.
    pub flows: Vec<FlowRow>,
    /// One for each write of flows that list them.
    pub transfers: Vec<TransferRow>,
    /// One for each object of web sessions.
    pub objects: Vec<ObjectRow>,
    /// One for each flow with an available rate.
    pub startups: Vec<StartupRow>,
    /// What limited each flow, where that was recorded.
    pub limits: Vec<LimitRow>,
    /// The rates of each flow, in the order in which the scenario names times and speed tests.
    pub goodputs: Vec<GoodputRow>,
    /// The delays of writes, of flows with a source.
    pub delays: Vec<DelayRow>,
}

/// A flow of a comparison, a request on a connection, or the response of a web session.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Row {
    /// Which run.
    pub run: usize,
    /// What that run is.
    pub case: Case,
    /// The flow; of a request with its own times, sizes and counts.
    pub flow: FlowRow,
    /// Which request on its connection, from 1.
    pub request: Option<u32>,
    /// What it is of a web session.
    pub object: Option<ObjectRow>,
    /// What followed the end of startup.
    pub measures: Option<StartupRow>,
    /// What limited it, where that was recorded, unless it has requests or objects.
    pub limits: Option<LimitRow>,
    /// Its rate within a time, or in a speed test, and the place of that among those of the flow,
    /// from 1. Such a row has no completion time.
    pub goodput: Option<(u32, GoodputRow)>,
    /// The delays of its writes, where they come from a source: they are compared in the place of its
    /// completion time.
    pub delays: Option<DelayRow>,
    /// Whether it is under test.
    pub tested: bool,
}

impl Row {
    /// What is compared, of which less is better: the completion time, the 95th percentile of the
    /// delays of writes, or the time of a bit at the measured rate. None where it was not done.
    pub fn time_s(&self) -> Option<f64> {
        match &self.goodput {
            None => self.seconds().filter(|_| self.is_done()),
            Some((_, goodput)) => Some(1.0 / goodput.goodput_bps.filter(|rate| *rate > 0.0)?),
        }
    }

    /// The completion time, or the 95th percentile of the delays of writes.
    pub(crate) fn seconds(&self) -> Option<f64> {
        self.delays
            .as_ref()
            .map_or(self.flow.fct_s, |delays| delays.delay_p95_s)
    }

    /// Whether the transfer is complete, or what is measured of it is known.
    pub fn is_done(&self) -> bool {
        match (&self.goodput, &self.delays) {
            (Some(_), _) => self.time_s().is_some(),
            (None, Some(delays)) => delays.delay_p95_s.is_some(),
            (None, None) => self.flow.complete,
        }
    }
}

/// Rows as bytes, for another process.
pub fn rows_to_bytes(rows: &[Row]) -> Vec<u8> {
    postcard::to_allocvec(rows).expect("a row has nothing that bytes cannot hold")
}

/// The rows in such bytes.
///
/// # Errors
///
/// The bytes are not those of rows.
pub fn rows_from_bytes(bytes: &[u8]) -> Result<Vec<Row>, Refusal> {
    postcard::from_bytes(bytes)
        .map_err(|error| Refusal::new(format!("rows of a comparison: {error}")))
}

/// The rows of a run with their places in the comparison.
///
/// The flows of requests are left out: the time of a response or an object counts from its request.
pub fn rows(plan: &Plan, run: usize, case: Case, of: RunRows) -> Vec<Row> {
    let (places, requesting) = (plan.places(), plan.requesting());
    let objects = of.objects.into_iter();
    let mut objects: HashMap<u32, ObjectRow> = objects
        .filter_map(|object| Some((object.flow?, object)))
        .collect();
    let startups = of.startups.into_iter();
    let mut startups: HashMap<u32, StartupRow> = startups.map(|one| (one.flow, one)).collect();
    let limits = of.limits.into_iter().filter(|one| one.transfer.is_none());
    let mut limits: HashMap<u32, LimitRow> = limits.map(|one| (one.flow, one)).collect();
    let mut goodputs: HashMap<u32, Vec<GoodputRow>> = HashMap::new();
    for goodput in of.goodputs {
        goodputs.entry(goodput.flow).or_default().push(goodput);
    }
    let delays = of.delays.into_iter();
    let mut delays: HashMap<u32, DelayRow> = delays.map(|one| (one.flow, one)).collect();
    let mut found = Vec::new();
    for mut flow in of.flows {
        let object = objects.remove(&flow.flow);
        let entry = places.get(flow.flow as usize);
        let entry = entry.filter(|entry| object.is_none() && !requesting.contains(*entry));
        let tested = match (&object, entry) {
            (Some(object), _) => plan.tested_web.contains(&(object.web as usize)),
            (None, Some(entry)) => plan.tested.contains(entry),
            (None, None) => continue,
        };
        let number = flow.flow;
        if tested {
            flow.startup = plan.variants[case.variant].begins().into();
        }
        let row = Row {
            run,
            case,
            measures: startups.remove(&flow.flow),
            limits: limits.remove(&flow.flow).filter(|_| object.is_none()),
            flow,
            request: None,
            object,
            goodput: None,
            delays: delays.remove(&number).filter(|_| tested),
            tested,
        };
        let measured = goodputs.remove(&row.flow.flow).filter(|_| tested);
        let rates = rates(&row, measured.unwrap_or_default());
        if row.flow.size_bytes.is_none() && !rates.is_empty() {
            found.extend(rates);
            continue;
        }
        found.extend(rates);
        let writes = entry.map_or(&[][..], |entry| plan.writes(*entry));
        match tested && writes.len() > 1 {
            true => found.extend(requests(&row, writes, &of.transfers)),
            false => found.push(row),
        }
    }
    found
}

/// A row for each rate of a flow.
fn rates(row: &Row, goodputs: Vec<GoodputRow>) -> Vec<Row> {
    let rate = |(place, goodput): (u32, GoodputRow)| {
        let mut rate = row.clone();
        rate.flow.fct_s = None;
        rate.flow.duration_s = None;
        rate.flow.slowdown = None;
        rate.goodput = Some((place, goodput));
        rate.delays = None;
        rate
    };
    let first = 1 + u32::from(row.delays.is_some());
    (first..).zip(goodputs).map(rate).collect()
}

/// A row for each write of a flow. Its time counts from the write that it waits for: the request.
fn requests<'a>(
    row: &'a Row,
    writes: &'a [Value],
    transfers: &'a [TransferRow],
) -> impl Iterator<Item = Row> + 'a {
    let transfer = |flow: u64, number: u64| {
        let is = |one: &&TransferRow| (one.flow.into(), one.transfer.into()) == (flow, number);
        transfers.iter().find(is)
    };
    (0_u32..).zip(writes).filter_map(move |(number, write)| {
        let own = transfer(row.flow.flow.into(), number.into())?;
        let cause = write["after"]["flow"].as_u64();
        let asked = match cause {
            Some(flow) => transfer(flow, write["after"]["write"].as_u64().unwrap_or(0))?,
            None => own,
        };
        Some(request(row, number + 1, own, asked))
    })
}

fn request(row: &Row, number: u32, own: &TransferRow, asked: &TransferRow) -> Row {
    let mut found = row.clone();
    found.request = Some(number);
    found.limits = None;
    let flow = &mut found.flow;
    let since = |end: Option<f64>| Some(nanoseconds(end? - asked.available_s?));
    let waited_s = own
        .available_s
        .zip(asked.available_s)
        .map(|(own, asked)| own - asked);
    flow.packets_sent = own.packets_sent.into();
    flow.packets_dropped = own.packets_dropped.into();
    flow.packets_retransmitted = own.packets_retransmitted.into();
    flow.timeouts = own.timeouts.into();
    flow.size_bytes = Some(own.bytes);
    flow.fct_s = since(own.delivered_s);
    flow.duration_s = since(own.acked_s);
    flow.ideal_fct_s = waited_s.map(|waited_s| waited_s + own.ideal_fct_s);
    let ideal = flow.ideal_fct_s.filter(|ideal| *ideal != 0.0);
    flow.slowdown = flow
        .fct_s
        .zip(ideal)
        .map(|(fct_s, ideal_s)| fct_s / ideal_s);
    flow.complete = flow.duration_s.is_some();
    if !exits_within(flow, own.available_s, own.acked_s) {
        flow.startup_exit_s = None;
        flow.startup_exit_cwnd_segments = None;
        flow.startup_exit_flight_bytes = None;
        flow.startup_exit_reason = None;
    }
    found
}

/// Whether the flow's startup ended between two times.
fn exits_within(flow: &FlowRow, begin: Option<f64>, end: Option<f64>) -> bool {
    let at = flow.opened_s.zip(flow.startup_exit_s);
    at.zip(begin).is_some_and(|((opened, exit), begin)| {
        begin <= opened + exit && end.is_none_or(|end| opened + exit <= end)
    })
}

/// A time rounded to nanoseconds, so that a difference has no more digits than its parts.
fn nanoseconds(time_s: f64) -> f64 {
    format!("{time_s:.9}").parse().unwrap_or(time_s)
}
