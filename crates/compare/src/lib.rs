//! Comparisons: the same traffic under one startup after another.
//!
//! One implementation of what `flowstart compare`, `fs.compare` and the explorer's page share: the
//! startups that are meant, the runs, their rows, summaries and table, and the command that repeats
//! them. The caller runs the simulations ([`Runs`]), on threads or not. [`page`] has what only the
//! page needs.

mod command;
mod fields;
mod given;
mod goodput;
mod headline;
mod ingredients;
mod netem;
mod notes;
mod omissions;
mod options;
pub mod page;
mod part;
mod path;
mod perturbation;
mod plan;
mod refusal;
mod rows;
mod settings;
mod stack;
mod startups;
mod summary;
mod table;
pub mod text;
mod variants;
mod words;

pub use command::{Command, option};
pub use fields::request_fields;
pub use headline::{Headline, SmallBuffer, initial_window, small_buffers};
pub use netem::{is_netem, netem_fields};
pub use notes::{Legend, Setting, drawn, without_effect};
pub use omissions::omissions;
pub use options::check_options;
pub use part::{Finished, Part, decode};
pub use path::{Path, superseded};
pub use perturbation::{DELAY_SHARE, START_SPREAD, perturb};
pub use plan::{CACHED, Case, Plan, USUAL_SIZES, flows, size_bytes};
pub use refusal::{Refusal, near};
pub use rows::{LIMIT_SHARES, MEASURES, Row, RunRows, rows, rows_from_bytes, rows_to_bytes};
pub use settings::{INTERFACE, Kind, Settings, StateOption};
pub use stack::{given_stack, stack_fields, typed, word as stack_word};
pub use startups::{STARTUP_OF, USUAL};
pub use summary::{Group, Summary, measure_words, order, summaries};
pub use table::{Grid, Judged, marked, table};
pub use variants::{Variant, baseline, variants};
pub use words::split;

use flowstart_control::CustomStartups;
use flowstart_sim::{Prepared, Scenario};
use std::collections::BTreeMap;

/// Startups that are not in the catalog.
#[derive(Clone, Default)]
pub struct Custom {
    /// What makes them.
    pub startups: CustomStartups,
    /// The names of the hooks that each has.
    pub hooks: BTreeMap<String, Vec<String>>,
}

/// A run that is to be simulated.
pub struct Run {
    /// What it simulates.
    pub scenario: Scenario,
    /// The same, checked.
    pub prepared: Prepared,
}

/// Simulates runs. One entry for each, in their order; none of a run that is not over.
///
/// # Errors
///
/// What ended them early.
pub type Runs<'a, E> = dyn FnMut(Vec<Run>) -> Result<Vec<Option<Finished>>, E> + 'a;

/// Why there is no answer.
#[derive(Debug)]
pub enum Failure<E> {
    /// The request is wrong.
    Refused(Refusal),
    /// The runs were ended early.
    Ended(E),
}

impl<E> From<Refusal> for Failure<E> {
    fn from(refusal: Refusal) -> Failure<E> {
        Failure::Refused(refusal)
    }
}
