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
pub mod page;
mod part;
mod path;
mod plan;
mod refusal;
mod rows;
mod scenario_file;
mod settings;
mod stack;
mod startups;
mod summary;
mod table;
pub mod text;
mod words;

pub use fields::request_fields;
pub use headline::{initial_window, small_buffers, Headline, SmallBuffer};
pub use netem::{is_netem, netem_fields};
pub use notes::{drawn, without_effect, Legend, Setting};
pub use omissions::omissions;
pub use part::{decode, Finished, Part};
pub use path::rate_steps;
pub use plan::{check_options, Custom};
pub use refusal::{near, Refusal};
pub use settings::{Kind, Settings, StateOption};
pub use stack::{stack_fields, typed};
pub use summary::fastest;
pub use table::marked;
pub use words::{split, table};

use flowstart_sim::{Prepared, Scenario};

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
