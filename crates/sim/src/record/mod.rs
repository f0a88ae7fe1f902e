//! What a run leaves behind. Recording listens; it never changes anything.

mod audit;
pub mod columns;
pub mod flow;
pub(crate) mod flow_record;
pub mod flow_table;
pub mod journeys;
pub mod lines;
pub mod link;
pub mod object;
pub mod outcome;
pub mod packets;
pub mod run;
pub mod startup;
pub mod trace;
