//! Which packets a probability picks: by draws, or at even distances.

use super::credit::Turn;
use crate::random::share;
use rand_pcg::Pcg64Mcg;

/// Picks packets of the two queues.
#[derive(Clone, Debug)]
pub(super) enum Picks {
    /// Packets are picked by independent draws.
    Drawn(Pcg64Mcg),
    /// RFC 9332's `recur`: the sum of the probabilities since the last pick, of each queue.
    Even {
        /// Accumulated probability of the low-latency queue.
        low_latency: f64,
        /// Accumulated probability of the classic queue.
        classic: f64,
    },
}

impl Picks {
    /// Picks packets at even distances.
    pub(super) fn even() -> Picks {
        Picks::Even {
            low_latency: 0.0,
            classic: 0.0,
        }
    }

    /// Whether a packet of this queue is picked with this probability.
    pub(super) fn hit(&mut self, queue: Turn, probability: f64) -> bool {
        let sum = match self {
            Picks::Drawn(random) => return share(random) < probability,
            Picks::Even { low_latency, .. } if queue == Turn::LowLatency => low_latency,
            Picks::Even { classic, .. } => classic,
        };
        *sum += probability;
        let hit = *sum > 1.0;
        if hit {
            *sum -= 1.0;
        }
        hit
    }

    /// Picks with the square of a probability. Drawn, both of two draws have to be below it.
    pub(super) fn hit_squared(&mut self, queue: Turn, p: f64) -> bool {
        match self {
            Picks::Drawn(_) => self.hit(queue, p) && self.hit(queue, p),
            Picks::Even { .. } => self.hit(queue, p * p),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::stream;

    const L: Turn = Turn::LowLatency;

    #[test]
    fn even_picks_are_as_far_apart_as_the_probability_requires() {
        let mut picks = Picks::even();
        let picked: Vec<u32> = (1..=18).filter(|_| picks.hit(L, 0.3)).collect();
        assert_eq!(picked, [4, 7, 11, 14, 17]);
    }

    #[test]
    fn even_picks_of_one_queue_do_not_count_for_the_other() {
        let mut picks = Picks::even();
        assert!(!picks.hit(L, 0.9) && !picks.hit(Turn::Classic, 0.9));
        assert!(picks.hit(L, 0.9) && picks.hit(Turn::Classic, 0.9));
    }

    #[test]
    fn drawn_picks_are_as_many_as_the_probability_requires() {
        let mut picks = Picks::Drawn(stream(1, "queue", 0));
        let once = (0..10_000).filter(|_| picks.hit(L, 0.3)).count();
        let squared = (0..10_000).filter(|_| picks.hit_squared(L, 0.3)).count();
        assert!((2800..3200).contains(&once), "{once}");
        assert!((800..1000).contains(&squared), "{squared}");
        assert!((0..1000).all(|_| picks.hit(L, 1.0) && !picks.hit(L, 0.0)));
    }
}
