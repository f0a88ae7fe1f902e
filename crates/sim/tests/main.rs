//! Whole runs: against recordings of ns-2 and Linux, snapshots, properties, and the messages of refusals.

mod custom_startups;
mod errors;
mod linux;
mod ns2;
mod paths;
mod properties;
mod queues;
mod resolved;
mod resume;
mod snapshot;
mod tcp;
mod web;
