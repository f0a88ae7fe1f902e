//! Round trips counted by what is delivered.

use crate::signals::{Delivery, RateSample};

/// Round trips counted in packets: one is over when something is acknowledged that was sent
/// after it had begun.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Rounds {
    /// Number of rounds begun.
    pub(crate) count: u64,
    /// `round_start`: the acknowledgement under way begins one.
    pub(crate) start: bool,
    next_delivered: u64,
}

impl Rounds {
    /// Updates the round by an acknowledgement.
    pub(crate) fn take(&mut self, d: &Delivery) {
        let over = |s: &RateSample| s.prior_delivered >= self.next_delivered;
        self.start = d.sample.as_ref().is_some_and(over);
        if self.start {
            self.count += 1;
            self.next_delivered = d.total;
        }
    }

    /// The round under way begins now.
    pub(crate) fn restart(&mut self, delivered: u64) {
        self.next_delivered = delivered;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Duration;

    #[test]
    fn a_round_ends_with_what_was_sent_after_it_began() {
        let sample = |prior: u64, total: u64| Delivery {
            total,
            newly: 0,
            lost: 0,
            in_flight_before: 0,
            repairing: false,
            sample: Some(RateSample {
                prior_delivered: prior,
                delivered: total - prior,
                interval: Duration::from_millis(1),
                app_limited: false,
                tx_in_flight: 0,
                lost: 0,
                ..RateSample::default()
            }),
        };
        let mut rounds = Rounds::default();
        let mut starts = |prior, total| {
            rounds.take(&sample(prior, total));
            rounds.start
        };
        assert!(starts(0, 1));
        assert!(!starts(0, 2));
        assert!(starts(1, 3));
        assert!(!starts(2, 4));
        assert!(starts(3, 5));
    }
}
