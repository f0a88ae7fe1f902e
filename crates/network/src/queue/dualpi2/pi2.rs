//! The base controller of DualPI2 (PI2): a probability that follows a queue's delay.

use flowstart_control::{Duration, Instant};

/// How the probability follows the delay.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gains {
    /// Target delay of the classic queue.
    pub(super) target: Duration,
    /// How often the probability changes.
    pub(super) tupdate: Duration,
    /// Weight of the distance from the target, per second.
    pub(super) alpha: f64,
    /// Weight of the change since the last update, per second.
    pub(super) beta: f64,
    /// The probability rises no further.
    pub(super) most: f64,
}

/// State of the PI controller.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pi2 {
    gains: Gains,
    /// Base probability p' of the controller.
    p: f64,
    /// The delay at the last update, seconds.
    q_prev: f64,
    next_update: Instant,
}

impl Pi2 {
    pub(super) fn new(gains: Gains) -> Pi2 {
        Pi2 {
            gains,
            p: 0.0,
            q_prev: 0.0,
            next_update: Instant::ZERO + gains.tupdate,
        }
    }

    /// Returns the base probability p'.
    pub(super) fn p(&self) -> f64 {
        self.p
    }

    /// Makes up for the updates that were due up to `now`, each with the delay at its own time:
    /// the packet at the head came at `head`, and nothing has moved since the last call.
    pub(super) fn catch_up(&mut self, head: Option<Instant>, now: Instant) {
        while self.next_update <= now {
            let at = self.next_update;
            self.update(head.map_or(Duration::ZERO, |since| at.since(since)));
            self.next_update += match head.is_none() && self.rests() {
                true => self.gains.tupdate.times(self.due_after(at, now)),
                false => self.gains.tupdate,
            };
        }
    }

    /// Whether an update with an empty queue changes nothing.
    fn rests(&self) -> bool {
        self.p == 0.0 && self.q_prev == 0.0
    }

    /// How many updates lie between `at`, it included, and `now`.
    fn due_after(&self, at: Instant, now: Instant) -> u64 {
        now.since(at).nanos() / self.gains.tupdate.nanos() + 1
    }

    /// One update with the delay `q` (`calculate_probability`).
    pub(super) fn update(&mut self, q: Duration) {
        let Gains {
            target,
            alpha,
            beta,
            most,
            ..
        } = self.gains;
        let q = q.secs();
        let change = alpha * (q - target.secs()) + beta * (q - self.q_prev);
        self.p = (self.p + change).clamp(0.0, most);
        self.q_prev = q;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINUX: Gains = Gains {
        target: Duration::from_millis(15),
        tupdate: Duration::from_millis(16),
        alpha: 0.160_156_25,
        beta: 3.199_218_75,
        most: 1.0,
    };
    const RFC: Gains = Gains {
        target: Duration::from_millis(15),
        tupdate: Duration::from_millis(15),
        alpha: 0.15,
        beta: 3.0,
        most: 0.5,
    };

    /// The probability after updates with these delays, in milliseconds.
    fn followed(gains: Gains, delays: &[u64]) -> Vec<f64> {
        let mut pi2 = Pi2::new(gains);
        let after = |ms: &u64| {
            pi2.update(Duration::from_millis(*ms));
            pi2.p()
        };
        delays.iter().map(after).collect()
    }

    fn assert_near(found: &[f64], expected: &[f64]) {
        assert_eq!(found.len(), expected.len());
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-7, "{found} {expected}");
        }
    }

    #[test]
    fn the_probability_follows_the_distance_from_the_target_and_the_change() {
        let delays = [30, 30, 30, 20, 15, 10];
        assert_near(
            &followed(LINUX, &delays),
            &[
                0.098_378_9,
                0.100_781_25,
                0.103_183_6,
                0.071_992_19,
                0.055_996_09,
                0.039_199_22,
            ],
        );
        assert_near(
            &followed(RFC, &delays),
            &[0.092_25, 0.0945, 0.096_75, 0.0675, 0.0525, 0.036_75],
        );
    }

    #[test]
    fn a_sudden_delay_brings_the_probability_to_its_bound_at_most() {
        assert_near(&followed(LINUX, &[170]), &[0.568_691_4]);
        assert_near(&followed(RFC, &[170, 0, 0]), &[0.5, 0.0, 0.0]);
    }

    #[test]
    fn updates_that_were_due_count_the_delay_at_their_own_times() {
        let mut late = Pi2::new(LINUX);
        late.catch_up(Some(Instant::from_millis(10)), Instant::from_millis(50));
        assert_near(&[late.p()], &followed(LINUX, &[6, 22, 38])[2..]);
    }

    #[test]
    fn an_idle_time_of_any_length_is_made_up_for_at_once() {
        let mut pi2 = Pi2::new(LINUX);
        pi2.update(Duration::from_millis(30));
        pi2.catch_up(None, Instant::from_secs(1_000_000));
        assert_eq!((pi2.p(), pi2.q_prev), (0.0, 0.0));
        assert_eq!(
            pi2.next_update,
            Instant::from_secs(1_000_000) + LINUX.tupdate
        );
    }
}
