//! The lateness of a host's wakes.

use super::properties::{Host, LateLaw};
use crate::random::open_share;
use flowstart_control::{Duration, Instant};
use rand_pcg::Pcg64Mcg;

/// The timer of a host: a wake at `d` happens at the next multiple of its step, and late.
#[derive(Clone, Debug)]
pub struct Wake {
    step: Duration,
    late: Duration,
    law: LateLaw,
    random: Pcg64Mcg,
}

impl Wake {
    /// That of a host, with this random stream.
    pub fn new(host: &Host, random: Pcg64Mcg) -> Wake {
        Wake {
            step: host.timer,
            late: host.late,
            law: host.late_law,
            random,
        }
    }

    /// When a wake happens that is due at `due`.
    pub fn at(&mut self, due: Instant) -> Instant {
        self.on_step(due) + self.lateness()
    }

    fn on_step(&self, due: Instant) -> Instant {
        if self.step == Duration::ZERO {
            return due;
        }
        Instant(due.0.div_ceil(self.step.0).saturating_mul(self.step.0))
    }

    fn lateness(&mut self) -> Duration {
        if self.late == Duration::ZERO || self.law == LateLaw::Constant {
            return self.late;
        }
        let share = open_share(&mut self.random);
        let factor = match self.law {
            LateLaw::Exponential => -libm::log(share),
            _ => 2.0 * share,
        };
        Duration((self.late.0 as f64 * factor) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::stream;

    fn wake(late_law: LateLaw) -> Wake {
        let host = Host {
            timer: Duration::from_millis(1),
            late: Duration::from_micros(200),
            late_law,
            ..Host::IDEAL
        };
        Wake::new(&host, stream(1, "wakes", 0))
    }

    #[test]
    fn a_wake_happens_at_the_next_step_and_late() {
        let mut wake = wake(LateLaw::Constant);
        for (due, woken) in [(0, 200), (1, 1200), (1000, 1200), (1001, 2200)] {
            assert_eq!(
                wake.at(Instant::from_micros(due)),
                Instant::from_micros(woken)
            );
        }
    }

    #[test]
    fn lateness_has_the_mean_of_its_law() {
        for law in [LateLaw::Exponential, LateLaw::Uniform] {
            let mut wake = wake(law);
            let late: u64 = (0..10_000).map(|_| wake.at(Instant::ZERO).0).sum();
            let mean_us = late / 10_000 / 1000;
            assert!((194..=206).contains(&mean_us), "{law:?} {mean_us}");
        }
    }
}
