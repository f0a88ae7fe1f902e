//! v1's gain cycle in ProbeBW.

use super::state::scatter;
use crate::Instant;

/// One round trip of each: probe, drain what the probe has queued, cruise.
const GAINS: [f64; 8] = [1.25, 0.75, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0];
/// The cycle begins at any phase but the second.
const FIRST_PHASES: u64 = 7;

/// Position in v1's cycle of pacing gains.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cycle {
    index: usize,
    pub(super) since: Instant,
}

impl Cycle {
    /// Enters ProbeBW, at a phase that depends on the time.
    pub(super) fn begin(&mut self, now: Instant) {
        self.index = (GAINS.len() - scatter(now, FIRST_PHASES) as usize) % GAINS.len();
        self.since = now;
    }

    /// Advances to the next phase.
    pub(super) fn go_on(&mut self, now: Instant) {
        self.index = (self.index + 1) % GAINS.len();
        self.since = now;
    }

    /// Pacing gain of the current phase.
    pub(super) fn gain(&self) -> f64 {
        GAINS[self.index]
    }

    /// Whether it is the phase that probes for more.
    pub(super) fn is_probing(&self) -> bool {
        self.index == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cycle_begins_at_any_phase_but_the_draining_one() {
        let mut seen = [0; GAINS.len()];
        for us in 0..1000 {
            let mut cycle = Cycle::default();
            cycle.begin(Instant::from_micros(us));
            seen[cycle.index] += 1;
        }
        assert_eq!(seen[1], 0);
        assert!(
            (0..8).filter(|i| *i != 1).all(|i| seen[i] > 100),
            "{seen:?}"
        );
    }
}
