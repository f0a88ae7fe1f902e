//! Startups that begin from a memory, or that send more than a window of ACKs' worth in the
//! first round trip: what their sources publish of them, seen on whole connections.

mod careful_resume;
mod memory;
mod one_round_trip;
mod queues;

use flowstart_sim::record::flow::FlowRow;
use flowstart_sim::record::trace::Event;
use flowstart_sim::{Outcome, run};

fn outcome(text: &str) -> Outcome {
    let scenario = crate::rfc_scenario(text).unwrap_or_else(|e| panic!("{e}"));
    run(&scenario).unwrap_or_else(|e| panic!("{e}"))
}

fn one(text: &str) -> FlowRow {
    outcome(text).flows.row(0)
}

/// When flow 0 sent each of its segments first, in milliseconds.
fn departures(outcome: &Outcome) -> Vec<f64> {
    let t = &outcome.trace.as_ref().unwrap().flow_samples;
    let sends = (0..t.event.len()).filter(|i| t.flow[*i] == 0 && t.event[*i] == Event::Send as u8);
    sends.map(|i| t.time_ns[i] as f64 / 1e6).collect()
}

/// What a sender knew after an event.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Moment {
    ms: f64,
    cwnd: f64,
    ssthresh: f64,
    /// Segments in flight.
    flight: f64,
}

/// Flow 0 after each acknowledgement.
fn acknowledgements(outcome: &Outcome) -> Vec<Moment> {
    let t = &outcome.trace.as_ref().unwrap().flow_samples;
    let acks = (0..t.event.len()).filter(|i| t.flow[*i] == 0 && t.event[*i] == Event::Ack as u8);
    let moment = |i: usize| Moment {
        ms: t.time_ns[i] as f64 / 1e6,
        cwnd: t.cwnd[i],
        ssthresh: t.ssthresh[i],
        flight: t.flight_bytes[i] as f64 / 1460.0,
    };
    acks.map(moment).collect()
}
