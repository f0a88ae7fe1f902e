//! What is delivered, of what was sent: rates and losses of this round trip and the last.

use crate::model::rounds::Rounds;
use crate::signals::Delivery;
use crate::{Instant, Rate};

/// One rate as a share of another.
pub(super) fn share(rate: Rate, of: Rate) -> f64 {
    rate.bps() as f64 / of.bps().max(1) as f64
}

/// Deliveries of one round trip.
#[derive(Clone, Copy, Debug, Default)]
struct Round {
    /// The largest sample of the delivery rate, payload only.
    delivered: Rate,
    /// The largest rate at which what a sample covers was sent.
    sent: Rate,
    /// Bytes found lost, and bytes delivered or lost.
    lost: u64,
    of: u64,
}

/// This round trip and the last.
#[derive(Clone, Copy, Debug)]
pub(super) struct Deliveries {
    rounds: [Round; 2],
    clock: Rounds,
    /// Of what was sent before so much was delivered, a part left at once: its rate is no sample.
    paced_from: u64,
    /// Bytes that the connection has delivered, and found lost.
    total: u64,
    lost: u64,
    /// Samples of what was sent before so much was delivered are of another time.
    fresh_from: u64,
    /// When the average begins, and what was delivered by then.
    average_from: (Instant, u64),
}

impl Default for Deliveries {
    fn default() -> Deliveries {
        Deliveries {
            rounds: [Round::default(); 2],
            clock: Rounds::default(),
            paced_from: u64::MAX,
            total: 0,
            lost: 0,
            fresh_from: 0,
            average_from: (Instant::ZERO, 0),
        }
    }
}

impl Deliveries {
    /// From now on all that leaves is paced.
    pub(super) fn compare_from_now(&mut self) {
        self.paced_from = self.total;
    }

    /// Updates the rates by an ACK.
    pub(super) fn take(&mut self, d: &Delivery) {
        self.clock.take(d);
        if self.clock.start {
            self.rounds = [self.rounds[1], Round::default()];
        }
        if let Some(sample) = &d.sample {
            let round = &mut self.rounds[1];
            round.delivered = match sample.prior_delivered < self.fresh_from {
                true => sample.rate(),
                false => round.delivered.max(sample.rate()),
            };
            if sample.prior_delivered >= self.paced_from {
                round.sent = round.sent.max(sample.sent_rate());
            }
        }
        self.total = d.total;
        self.lost += d.lost;
        self.rounds[1].lost += d.lost;
        self.rounds[1].of += d.newly + d.lost;
    }

    /// What was delivered until now does not predict what will be: for a round trip only the latest
    /// sample counts.
    pub(super) fn forget(&mut self) {
        let delivered = self.rounds[1].delivered;
        self.rounds = [Round::default(); 2];
        self.rounds[1].delivered = delivered;
        self.fresh_from = self.total;
        self.clock.restart(self.total);
    }

    /// The average begins.
    pub(super) fn average_from_now(&mut self, now: Instant) {
        self.average_from = (now, self.total);
    }

    /// Returns the rate delivered since the average began.
    pub(super) fn average(&self, now: Instant) -> Rate {
        let (begin, before) = self.average_from;
        Rate::of(self.total - before, now.since(begin))
    }

    /// Whether the latest ACK began a round trip.
    pub(super) fn round_began(&self) -> bool {
        self.clock.start
    }

    /// Returns the maximum rate delivered.
    pub(super) fn rate(&self) -> Rate {
        let [before, now] = self.rounds;
        before.delivered.max(now.delivered)
    }

    /// How much of the rate sent was delivered.
    pub(super) fn share_of_sent(&self) -> f64 {
        let [before, now] = self.rounds;
        share(self.rate(), before.sent.max(now.sent))
    }

    /// The share of all bytes that was lost.
    pub(super) fn share_lost(&self) -> f64 {
        self.lost as f64 / (self.total + self.lost).max(1) as f64
    }

    /// Bytes found lost, and bytes delivered or lost.
    pub(super) fn lost(&self) -> (u64, u64) {
        let [before, now] = self.rounds;
        (before.lost + now.lost, before.of + now.of)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Duration;
    use crate::signals::RateSample;

    /// A thousand bytes in so many milliseconds, sent in 10; of `newly` bytes more.
    fn ack(total: u64, prior: u64, took: u64, lost: u64) -> Delivery {
        Delivery {
            total,
            newly: 1_000,
            lost,
            sample: Some(RateSample {
                prior_delivered: prior,
                delivered: 1_000,
                interval: Duration::from_millis(took),
                send_interval: Duration::from_millis(10),
                ack_interval: Duration::from_millis(took),
                ..RateSample::default()
            }),
            ..Delivery::default()
        }
    }

    #[test]
    fn the_largest_rate_of_two_round_trips_counts() {
        let mut d = Deliveries::default();
        d.take(&ack(1_000, 0, 10, 0));
        d.take(&ack(2_000, 0, 20, 0));
        assert_eq!(d.rate(), Rate(800_000));
        d.take(&ack(3_000, 1_000, 20, 0));
        assert_eq!(d.rate(), Rate(800_000));
        d.take(&ack(4_000, 3_000, 20, 0));
        assert_eq!(d.rate(), Rate(400_000));
    }

    #[test]
    fn what_is_delivered_is_compared_with_what_was_sent_once_all_is_paced() {
        let mut d = Deliveries::default();
        d.take(&ack(1_000, 0, 20, 0));
        assert!(d.share_of_sent() > 1.0, "nothing is known of what was sent");
        d.compare_from_now();
        d.take(&ack(2_000, 999, 20, 0));
        assert!(d.share_of_sent() > 1.0);
        d.take(&ack(3_000, 1_000, 20, 0));
        assert_eq!(d.share_of_sent(), 0.5);
    }

    #[test]
    fn losses_of_two_round_trips_count() {
        let mut d = Deliveries::default();
        d.take(&ack(1_000, 0, 10, 500));
        d.take(&ack(2_000, 1_000, 10, 0));
        assert_eq!(d.lost(), (500, 2_500));
        d.take(&ack(3_000, 2_000, 10, 0));
        assert_eq!(d.lost(), (0, 2_000));
    }

    /// V9
    #[test]
    fn after_losses_only_the_latest_sample_counts_for_a_round_trip() {
        let mut d = Deliveries::default();
        d.take(&ack(1_000, 0, 10, 0));
        d.take(&ack(2_000, 1_000, 20, 0));
        assert_eq!(d.rate(), Rate(800_000));
        d.forget();
        assert_eq!(d.rate(), Rate(400_000));
        d.take(&ack(3_000, 1_500, 40, 0));
        assert_eq!(d.rate(), Rate(200_000));
        // What left after that.
        d.take(&ack(4_000, 2_000, 80, 0));
        d.take(&ack(5_000, 2_500, 20, 0));
        assert_eq!(d.rate(), Rate(400_000));
    }
}
