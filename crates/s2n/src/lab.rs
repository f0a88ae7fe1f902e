//! s2n-quic's two endpoints over the simulator's links, in virtual time.
//!
//! s2n-quic runs its own event loops, in its testing environment. There a network is called whenever
//! nothing else is left to do, so it can carry each packet at its very nanosecond; the endpoints'
//! timestamps are whole microseconds.

mod ends;
mod links;
mod notes;

use ends::Transfer;
use flowstart_live::lab::{self, Outcome};
use flowstart_sim::{ExternalSender, RequestError};
use links::Links;
use notes::Notes;
use s2n_quic::provider::io::testing::Executor;

/// Runs a scenario's only flow.
pub fn run(mut flow: ExternalSender) -> Result<Outcome, RequestError> {
    let notes = Notes::default();
    let transfer = Transfer {
        startup: lab::startup(&flow)?,
        sender: lab::sender(&flow),
        size: flow.size,
        start: flow.start,
        end: flow.end,
        seed: flow.seed,
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
    outcome.opened = found.opened;
    Ok(outcome)
}
