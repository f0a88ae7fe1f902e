//! TCP endpoints as whole connections: the worked vectors of the RFCs' rules, read from
//! traces of runs in which chosen packets are lost.

mod bbr;
mod conversations;
mod ecn;
mod flow_control;
mod followers;
mod goodput;
mod growth_gate;
mod http2;
mod hystart_figure_2;
mod l4s;
mod lan;
mod landing;
mod limits;
mod memory;
mod modified_swift_start;
mod opening;
mod own_stack;
mod paced_gradual;
mod published;
mod quic;
mod quick_start;
mod rapid_start;
mod recoveries;
mod search;
mod sources;
mod startup_measures;
mod suss;
mod windows;
mod xcp;

use flowstart_sim::record::trace::{Event, FlowSamples};
use flowstart_sim::{Outcome, run};

const MSS: u64 = 1460;

fn outcome(text: &str) -> Outcome {
    let scenario = crate::rfc_scenario(text).unwrap_or_else(|e| panic!("{e}"));
    run(&scenario).unwrap_or_else(|e| panic!("{e}"))
}

/// What a sender did or learned, in the order in which it did; segments count from 1.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Step {
    /// New data.
    Send(u64),
    /// Data sent again.
    Again(u64),
    /// An acknowledgement: what it expects next, and the window after it.
    Ack(u64, f64),
    /// The timer expired.
    Timeout,
    /// A SYN.
    Syn,
    /// The connection opened.
    Open,
}

/// The steps of flow 0 with their times in seconds.
fn steps(outcome: &Outcome) -> Vec<(f64, Step)> {
    let t: &FlowSamples = &outcome.trace.as_ref().unwrap().flow_samples;
    let step = |i: usize| {
        let number = t.seq_bytes[i] / MSS + 1;
        Some(match t.event[i] {
            e if e == Event::Send as u8 => Step::Send(number),
            e if e == Event::Retransmit as u8 => Step::Again(number),
            e if e == Event::Ack as u8 => Step::Ack(number, t.cwnd[i]),
            e if e == Event::Timeout as u8 => Step::Timeout,
            e if e == Event::Syn as u8 => Step::Syn,
            e if e == Event::Open as u8 => Step::Open,
            _ => return None,
        })
    };
    (0..t.time_ns.len())
        .filter(|i| t.flow[*i] == 0)
        .filter_map(|i| Some((t.time_ns[i] as f64 / 1e9, step(i)?)))
        .collect()
}

/// What flow 0 sends, acknowledgements left out, from the first acknowledgement on.
fn sends(outcome: &Outcome) -> Vec<Step> {
    let steps = steps(outcome);
    let first = steps.iter().position(|(_, s)| matches!(s, Step::Ack(..)));
    let sent = |s: &Step| matches!(s, Step::Send(_) | Step::Again(_) | Step::Timeout);
    let after = steps[first.unwrap_or(0)..].iter().map(|(_, s)| *s);
    after.filter(sent).collect()
}

/// When flow 0 did something, in milliseconds.
fn times(outcome: &Outcome, what: impl Fn(&Step) -> bool) -> Vec<u64> {
    let steps = steps(outcome);
    let of_kind = steps.iter().filter(|(_, s)| what(s));
    of_kind.map(|(t, _)| (t * 1e3).round() as u64).collect()
}
