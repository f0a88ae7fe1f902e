//! What is wrong with a script, or with what it was run against.

use flowstart_control::one_line;
use std::fmt;

/// A difference from the script, or an empty script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The line of the script, from one.
    pub line: usize,
    /// What was expected and what came.
    pub message: String,
}

impl Problem {
    pub(crate) fn new(line: usize, message: impl Into<String>) -> Problem {
        Problem {
            line,
            message: message.into(),
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.line, one_line(&self.message))
    }
}

impl std::error::Error for Problem {}
