//! Constants that every variant of CUBIC has.

use crate::Segments;
use crate::avoidance::reno;

/// The constants of one CUBIC sender.
#[derive(Clone, Copy, Debug)]
pub(super) struct Constants {
    pub(super) beta: f64,
    pub(super) c: f64,
    pub(super) fast_convergence: bool,
    pub(super) friendly: bool,
    pub(super) base: reno::Base,
}

impl Constants {
    /// `W_max` after a congestion event at `cwnd`, where it was `last` before: with fast convergence less
    /// than `cwnd` if the window had not come so far (RFC 9438 §4.7).
    pub(super) fn w_max(&self, cwnd: Segments, last: Segments) -> Segments {
        match self.fast_convergence && cwnd < last {
            true => cwnd * (1.0 + self.beta) / 2.0,
            false => cwnd,
        }
    }

    /// Those of RFC 9438; a reduction is one of the window.
    #[cfg(test)]
    pub(super) const RFC: Constants = Constants {
        beta: 0.7,
        c: 0.4,
        fast_convergence: true,
        friendly: true,
        base: reno::Base::Window,
    };
}
