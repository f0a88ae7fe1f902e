//! Captures with known answers, and damaged ones.

mod damage;
mod small;
mod support;
mod synthetic;
mod web_mix;
mod zeek_traces;
