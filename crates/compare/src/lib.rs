//! Comparisons: the same traffic under one startup after another.
//!
//! One implementation of what `flowstart compare`, `fs.compare` and the explorer's page share: the
//! startups that are meant, the runs, their rows, summaries and table, and the command that repeats
//! them. The caller runs the simulations ([`Runs`]), on threads or not. [`page`] has what only the
//! page needs.

mod command;
mod fields;
mod given;
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

pub use command::{option, Command};
pub use fields::request_fields;
pub use headline::{initial_window, small_buffers, Headline, SmallBuffer};
pub use netem::{is_netem, netem_fields};
pub use notes::{drawn, without_effect, Legend, Setting};
pub use omissions::omissions;
pub use options::check_options;
pub use part::{decode, Finished, Part};
pub use path::{superseded, Path};
pub use perturbation::{perturb, DELAY_SHARE, START_SPREAD};
pub use plan::{flows, size_bytes, Case, Plan, CACHED, USUAL_SIZES};
pub use refusal::{near, Refusal};
pub use rows::{rows, Row, RunRows, MEASURES};
pub use settings::{Kind, Settings, StateOption, INTERFACE};
pub use stack::{given_stack, stack_fields, typed, word as stack_word};
pub use startups::{STARTUP_OF, USUAL};
pub use summary::{order, summaries, Group, Summary};
pub use table::{marked, table, Grid, Judged};
pub use variants::{baseline, variants, Variant};
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
