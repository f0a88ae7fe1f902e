//! s2n-quic's two endpoints over the simulator's links, in virtual time.
//!
//! s2n-quic runs its own event loops, in its testing environment. There a network is called whenever
//! nothing else is left to do, so it can carry each packet at its very nanosecond; the endpoints'
//! timestamps are whole microseconds.

mod controls;
mod ends;
mod links;
mod notes;
mod unskipped;
mod watcher;

pub use controls::NATIVE;

use controls::Controls;
use ends::Transfer;
use flowstart_live::lab::{self, Clock, Native, Outcome};
use flowstart_sim::{ExternalSender, RequestError};
use links::Links;
use notes::Notes;
use s2n_quic::provider::io::testing::Executor;

/// Runs a scenario's only flow under its startup.
///
/// # Errors
///
/// What s2n-quic cannot give a startup, and real time.
pub fn run(flow: ExternalSender, clock: Clock) -> Result<Outcome, RequestError> {
    let startup = lab::startup(&flow)?;
    run_under(Controls::Catalog(startup), flow, clock)
}

/// Runs a scenario's only flow under s2n-quic's own congestion control and pacer.
///
/// # Errors
///
/// Real time.
pub fn run_native(
    native: &Native,
    flow: ExternalSender,
    clock: Clock,
) -> Result<Outcome, RequestError> {
    run_under(Controls::native(native), flow, clock)
}

/// As [`run_native`] with CUBIC, but without packet numbers skipped at random. A receiver acknowledges at
/// once behind a skipped number, so random numbers decide which packets later acknowledgements cover.
///
/// # Errors
///
/// Real time.
pub fn run_without_skips(
    native: &Native,
    flow: ExternalSender,
    clock: Clock,
) -> Result<Outcome, RequestError> {
    run_under(Controls::without_skips(native), flow, clock)
}

fn run_under(
    controls: Controls,
    mut flow: ExternalSender,
    clock: Clock,
) -> Result<Outcome, RequestError> {
    if clock == Clock::Real {
        let problem = "`real`: s2n runs in virtual time";
        return Err(RequestError::new("clock", problem));
    }
    let notes = Notes::default();
    let transfer = Transfer {
        controls,
        sender: lab::sender(&flow),
        size: flow.size,
        start: flow.start,
        end: flow.end,
        seed: flow.seed,
        shipped: flow.stack.flow_control().is_some(),
        flight: flow.stack.flight_bytes(),
        notes: notes.clone(),
    };
    let mut executor = Executor::new(Links::of(&mut flow, notes.clone()), flow.seed);
    let environment = executor.handle().clone();
    match executor.enter(|| transfer.open(&environment)) {
        Ok(()) => executor.run(),
        Err(e) => notes.open().failure = Some(e.to_string()),
    }
    drop(executor);
    let found = std::mem::take(&mut *notes.open());
    let failure = found.failure.filter(|_| found.fct.is_none());
    let adapter = found.adapter.as_ref();
    let mut outcome = Outcome::of(adapter, found.fct, found.dropped, failure);
    if let Some(observed) = found.observed {
        observed.into_outcome(&mut outcome);
    }
    outcome.opened = found.opened;
    Ok(outcome)
}
