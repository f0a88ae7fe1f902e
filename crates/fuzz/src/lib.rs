//! Entry points for fuzzing: plain functions from bytes to nothing, which panic where a property does not hold.
//!
//! [`TARGETS`] lists them. Three harnesses drive the same functions: the tests of this crate, for a second each; the
//! program `fuzz`, for as long as one likes; and libFuzzer, in the folder `fuzz` of the repository. docs/maintainers/fuzzing.md
//! describes how to run them.
#![forbid(unsafe_code)]

pub mod mutation;
pub mod seeds;
mod sentence;
pub mod target;
mod targets;

pub use sentence::assert_sentence;
pub use target::{Kind, Target};
pub use targets::TARGETS;

/// The target of this name.
pub fn target(name: &str) -> Option<&'static Target> {
    TARGETS.iter().find(|target| target.name == name)
}

/// Runs the target of this name.
///
/// # Panics
///
/// Where there is none, and where a property of it does not hold.
pub fn run(name: &str, bytes: &[u8]) {
    let target = target(name).expect("a target of this name");
    (target.run)(bytes);
}
