//! Rules of a stack that its preset leaves out.

use flowstart_control::named;

named! {
    /// The part of a result that such a rule decides.
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
        /// Nothing by default: the stack offers it as an option.
        Option = "option",
    }
}

/// A rule of a stack that its preset leaves out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Omission {
    /// The rule, as a clause.
    pub rule: &'static str,
    /// Where the stack has it.
    pub source: &'static str,
    /// The part of a result that it decides.
    pub touches: Touches,
    /// Only flows with this congestion control are concerned; `None` for all.
    pub cc: Option<&'static str>,
    /// Only flows that begin with this startup are concerned; `None` for all.
    pub startup: Option<&'static str>,
    /// Only stacks with the preset's value of this field are concerned: another replaces the rule.
    pub field: Option<&'static str>,
}

impl Omission {
    /// A rule that concerns every flow.
    pub(super) const fn of(touches: Touches, source: &'static str, rule: &'static str) -> Omission {
        Omission {
            rule,
            source,
            touches,
            cc: None,
            startup: None,
            field: None,
        }
    }

    /// A rule of one congestion control.
    pub(super) const fn under(self, cc: &'static str) -> Omission {
        Omission {
            cc: Some(cc),
            ..self
        }
    }

    /// A rule of one startup.
    pub(super) const fn with(self, startup: &'static str) -> Omission {
        Omission {
            startup: Some(startup),
            ..self
        }
    }

    /// A rule that a field of the stack replaces.
    pub(super) const fn unless(self, field: &'static str) -> Omission {
        Omission {
            field: Some(field),
            ..self
        }
    }
}
