//! What a run leaves behind, and the recorders that make it. Recording changes nothing.

mod audit;
pub mod columns;
pub mod delay;
pub mod flow;
pub(crate) mod flow_record;
pub mod flow_table;
pub mod goodput;
pub mod journeys;
pub mod limits;
pub mod lines;
pub mod link;
pub mod object;
pub mod outcome;
pub mod packets;
pub(crate) mod recorder;
pub(crate) mod recorders;
pub mod run;
pub mod startup;
pub(crate) mod startup_measures;
pub mod trace;
pub(crate) mod write_log;
