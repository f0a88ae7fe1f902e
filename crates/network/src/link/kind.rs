//! What links are: a line behind a queue, or a stage of a path, which has no transmitter.

use super::common::LinkImpl;
use crate::queue::{Port, QueueSpec};
use rand_pcg::Pcg64Mcg;
use std::fmt;
use std::sync::Arc;

/// How packets wait and leave.
#[derive(Default)]
pub enum LinkKind {
    /// First in, first out, refused when full.
    #[default]
    DropTail,
    /// As a discipline has it.
    Managed(QueueSpec, Box<Port>),
    /// As a stage has it.
    Stage(BoxedStage),
}

/// A stage, ready to run.
pub struct BoxedStage(pub(super) Box<dyn LinkImpl>);

/// How the stages of one kind are made, each with a random stream.
#[derive(Clone)]
pub struct StagePlan {
    /// What links of the kind are called.
    pub name: &'static str,
    /// What their random streams are drawn for.
    pub purpose: &'static str,
    make: Arc<dyn Fn(Pcg64Mcg) -> Box<dyn LinkImpl> + Send + Sync>,
}

impl StagePlan {
    pub(super) fn new<S: LinkImpl + 'static>(
        name: &'static str,
        purpose: &'static str,
        make: impl Fn(Pcg64Mcg) -> S + Send + Sync + 'static,
    ) -> StagePlan {
        let make = Arc::new(move |random| -> Box<dyn LinkImpl> { Box::new(make(random)) });
        StagePlan {
            name,
            purpose,
            make,
        }
    }

    /// A stage with this random stream.
    pub fn stage(&self, random: Pcg64Mcg) -> LinkKind {
        LinkKind::Stage(BoxedStage((self.make)(random)))
    }
}

impl fmt::Debug for StagePlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}
