//! Queue disciplines by name: `red:th_min=5,th_max=15`.
//!
//! To add a discipline: write its file with a `const ENTRY`, and name it here once.

use super::{drop_tail, marked_first, Discipline, Port};
use flowstart_control::catalog::{self, Description, Entry};
use flowstart_control::params::{Kind, Params, SpecError};
use flowstart_control::Convention;
use std::fmt;

/// Makes a discipline for each link; `None` where a drop-tail link will do.
pub type Maker = dyn Fn(&Port) -> Option<Box<dyn Discipline>>;

/// The disciplines.
pub const QUEUES: &[Entry<Maker>] = &[drop_tail::ENTRY, marked_first::ENTRY];

/// A discipline with its parameters, read and found sound.
#[derive(Clone, Debug)]
pub struct QueueSpec {
    entry: &'static Entry<Maker>,
    params: Params,
}

/// Queues follow no stack.
const CONVENTION: Convention = Convention::Rfc;

impl QueueSpec {
    /// Reads a specification.
    pub fn parse(spec: &str) -> Result<QueueSpec, SpecError> {
        let (entry, params) = catalog::read(Kind::Queue, QUEUES, spec, CONVENTION)?;
        Ok(QueueSpec { entry, params })
    }

    /// A fresh discipline for a link.
    pub fn discipline(&self, port: &Port) -> Option<Box<dyn Discipline>> {
        let maker = (self.entry.build)(&self.params, CONVENTION);
        maker.expect("parse has built it before")(port)
    }
}

impl Default for QueueSpec {
    fn default() -> QueueSpec {
        QueueSpec::parse("drop-tail").expect("it is in the catalog")
    }
}

impl fmt::Display for QueueSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.params.fmt(f)
    }
}

/// Describes every discipline.
pub fn describe() -> Vec<Description> {
    let describe = |entry| catalog::describe_one(Kind::Queue, entry);
    QUEUES.iter().map(describe).collect()
}
