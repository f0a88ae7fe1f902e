//! Captures with known answers, and damaged ones.

mod damage;
mod field;
mod small;
mod support;
mod synthetic;
mod web_mix;
mod zeek_traces;
