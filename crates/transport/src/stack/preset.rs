//! A named stack.

use super::{Omission, Stack};

/// A preset of endpoints.
pub struct Preset {
    /// Its name.
    pub name: &'static str,
    /// What it is, in a line.
    pub about: &'static str,
    /// The rules of the stack that it leaves out.
    pub omissions: &'static [Omission],
    make: fn() -> Stack,
}

/// A preset of this name, which leaves out no rule.
pub(super) const fn preset(name: &'static str, make: fn() -> Stack, about: &'static str) -> Preset {
    Preset {
        name,
        about,
        omissions: &[],
        make,
    }
}

impl Preset {
    /// The same without these rules.
    pub(super) const fn without(self, omissions: &'static [Omission]) -> Preset {
        Preset { omissions, ..self }
    }

    /// The stack that it is.
    pub fn stack(&self) -> Stack {
        (self.make)()
    }
}
