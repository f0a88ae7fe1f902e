//! Constants that every variant of CUBIC has.

use super::reno;

/// The constants of one CUBIC sender.
#[derive(Clone, Copy, Debug)]
pub(super) struct Constants {
    pub(super) beta: f64,
    pub(super) c: f64,
    pub(super) fast_convergence: bool,
    pub(super) friendly: bool,
    pub(super) base: reno::Base,
}
