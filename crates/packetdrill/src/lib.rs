//! Runs packetdrill scripts against the sender of `flowstart-transport`, in virtual time.
//!
//! A script lists segment by segment what a host receives and what it must answer, and when. Here
//! the host is a [`Sender`](flowstart_transport::sender::Sender) with the stack `linux` and
//! nothing else: no kernel, no interface, and a clock that jumps from event to event. What is
//! interpreted is the part of the language that scripts about startup, recovery and SACK use:
//!
//! - the events `<`, `>`, `%{ }%` and system calls, with all forms of times;
//! - segments of TCP with ECN bits and the options `mss`, `sackOK`, `wscale`, `TS` and `sack`;
//! - assertions on the fields of `tcp_info` that [`flowstart_transport::info`] has;
//! - of shell commands, the settings in [`settings`], those known to make no difference, and a
//!   device that refuses what is sent (`tc qdisc replace dev tun0 root pfifo limit 0`).
//!
//! Not compared are PSH, the windows and timestamps that the host sends, and into how many large
//! segments it puts what leaves at once: a `>` may mean several consecutive segments.

mod chronograph;
mod expression;
mod host;
mod parse;
mod problem;
mod runner;
pub mod script;
pub mod settings;

use flowstart_control::Duration;
use host::Host;
use runner::Runner;
use settings::Settings;

pub use parse::{TOLERANCES, tolerance};
pub use problem::Problem;

/// Runs a script to its end, or to the first difference. Returns the parts that have no
/// effect.
pub fn run(text: &str) -> Result<Vec<Problem>, Problem> {
    run_within(text, None)
}

/// The same with this tolerance of times, which takes the place of the script's.
pub fn run_within(text: &str, tolerance: Option<Duration>) -> Result<Vec<Problem>, Problem> {
    let script = parse::script(text)?;
    let settings = Settings::of(&script)?;
    let host = Host::new(&settings)?;
    Runner::new(host, tolerance.unwrap_or(script.tolerance)).run(&script.events)?;
    Ok(settings.notes)
}
