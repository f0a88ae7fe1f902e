//! Whole runs: against recordings of ns-2 and Linux, snapshots, properties, and the messages of refusals.

mod custom_startups;
mod errors;
mod hosts;
mod linux;
mod ns2;
mod paths;
mod properties;
mod queues;
mod resolved;
mod resume;
mod snapshot;
mod stacks;
mod tcp;
mod web;

use flowstart_sim::{RequestError, Scenario};

/// A scenario whose endpoints follow the RFCs unless it names others.
fn rfc_scenario(text: &str) -> Result<Scenario, RequestError> {
    let mut scenario = Scenario::from_toml(text)?;
    let preset = &mut scenario.stack.preset;
    preset.get_or_insert_with(|| "rfc".into());
    Ok(scenario)
}
