//! Rules of a stack that its preset leaves out.

use flowstart_control::named;

named! {
    /// What of a result a rule decides that a preset leaves out.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Touches {
        /// The window or the pace of a startup.
        Startup = "startup",
        /// When the receiver acknowledges.
        Acknowledgements = "acknowledgements",
        /// The window after a loss.
        Loss = "loss",
        /// What both ends make of congestion marks.
        Marks = "marks",
        /// The window after an idle time.
        Idle = "idle",
    }
}

/// A rule of a stack that its preset leaves out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Omission {
    /// The rule, as a clause.
    pub rule: &'static str,
    /// Where the stack has it.
    pub source: &'static str,
    /// What of a result it decides.
    pub touches: Touches,
    /// Only transfers of more bytes are concerned.
    pub above: u64,
    /// Only flows with this congestion control are concerned; `None` for all.
    pub cc: Option<&'static str>,
}

impl Omission {
    /// A rule that concerns every flow.
    pub(super) const fn of(touches: Touches, source: &'static str, rule: &'static str) -> Omission {
        Omission {
            rule,
            source,
            touches,
            above: 0,
            cc: None,
        }
    }

    /// A rule that concerns transfers of more bytes.
    pub(super) const fn above(self, bytes: u64) -> Omission {
        Omission {
            above: bytes,
            ..self
        }
    }

    /// A rule of one congestion control.
    pub(super) const fn under(self, cc: &'static str) -> Omission {
        Omission {
            cc: Some(cc),
            ..self
        }
    }
}
