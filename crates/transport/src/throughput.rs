//! How fast a connection's data arrives, round by round: what it leaves behind for later
//! connections beside its window.
//!
//! A round lasts from an acknowledgement until that of everything that was out then. What is
//! acknowledged in it left in the round before, so it is the time in which the application had
//! nothing to send in *that* round by which the rate is compensated: a path is not slow because
//! nobody used it. A gap after which nothing more leaves is none: the round ends with it.

use flowstart_control::{Rate, Time};

/// What a round delivered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Delivered {
    /// Bytes of payload.
    pub bytes: u64,
    /// And how fast, gaps left out.
    pub rate: Rate,
}

/// The measurement of one connection.
#[derive(Clone, Copy, Debug, Default)]
pub struct Throughput {
    /// The round: when it began, what had been delivered by then, and where it ends.
    since: Option<(Time, u64)>,
    until: u64,
    /// Since when the application has been what holds the sender back.
    starved_since: Option<Time>,
    /// For how long it was, up to a sending in this round and in the one before.
    starved: [Time; 2],
    last: Delivered,
}

impl Throughput {
    /// The last round that was busy, or one that was not but delivered more.
    pub fn last(&self) -> Delivered {
        self.last
    }

    /// There is room in the window and nothing to put into it.
    pub fn starve(&mut self, now: Time) {
        self.starved_since.get_or_insert(now);
    }

    /// A segment leaves.
    pub fn feed(&mut self, now: Time) {
        if let Some(since) = self.starved_since.take() {
            self.starved[0] += now.since(since);
        }
    }

    /// An acknowledgement up to `una` with `high` sent; `delivered` bytes have arrived in all.
    pub fn on_ack(&mut self, now: Time, una: u64, high: u64, delivered: u64) {
        if una < self.until {
            return;
        }
        if let Some((at, before)) = self.since {
            self.take(delivered - before, now.since(at));
        }
        // Where nothing is out, the next round begins with what comes after the pause.
        let idle = una == high;
        self.since = (!idle).then_some((now, delivered));
        self.until = high;
        self.starved = match idle {
            true => [Time::ZERO; 2],
            false => [Time::ZERO, self.starved[0]],
        };
        self.starved_since = self.starved_since.filter(|_| !idle);
    }

    /// A round is over.
    fn take(&mut self, bytes: u64, span: Time) {
        let gap = self.starved[1];
        let busy = gap < span.over(2);
        let rate = Rate::of(bytes, span.since(gap));
        if rate.bps() > 0 && (busy || bytes > self.last.bytes) {
            self.last = Delivered { bytes, rate };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(n: u64) -> Time {
        Time::from_millis(n)
    }

    /// A round of 40 ms in which the application was idle for so long, and one of 60 ms in
    /// which what it had sent was acknowledged.
    fn after_a_gap_of(gap: u64) -> Delivered {
        let mut throughput = Throughput::default();
        throughput.on_ack(ms(40), 0, 300_000, 0);
        throughput.starve(ms(50));
        throughput.feed(ms(50 + gap));
        throughput.on_ack(ms(80), 300_000, 800_000, 300_000);
        throughput.on_ack(ms(100), 400_000, 900_000, 400_000);
        throughput.on_ack(ms(140), 800_000, 1_300_000, 800_000);
        throughput.last()
    }

    #[test]
    fn half_a_megabyte_in_sixty_milliseconds_less_ten_is_ten_megabytes_a_second() {
        let last = after_a_gap_of(10);
        assert_eq!((last.bytes, last.rate), (500_000, Rate(80_000_000)));
    }

    #[test]
    fn a_round_that_was_mostly_idle_counts_only_where_it_delivered_more() {
        assert_eq!(after_a_gap_of(30).bytes, 500_000);
        let mut throughput = Throughput::default();
        throughput.on_ack(ms(0), 0, 1_000, 0);
        throughput.on_ack(ms(40), 1_000, 1_500, 1_000);
        throughput.starve(ms(41));
        throughput.feed(ms(70));
        throughput.on_ack(ms(80), 1_500, 1_600, 1_500);
        let before = throughput.last();
        assert_eq!(before.bytes, 500);
        throughput.on_ack(ms(120), 1_600, 1_700, 1_600);
        assert_eq!(throughput.last(), before);
    }

    #[test]
    fn the_end_of_the_data_is_no_gap_and_a_pause_no_round() {
        let mut throughput = Throughput::default();
        throughput.on_ack(ms(40), 0, 400_000, 0);
        throughput.starve(ms(60));
        throughput.on_ack(ms(80), 400_000, 600_000, 400_000);
        // Half a round's data, acknowledged in half the time.
        throughput.on_ack(ms(100), 600_000, 600_000, 600_000);
        let last = throughput.last();
        assert_eq!((last.bytes, last.rate), (200_000, Rate(80_000_000)));
        throughput.feed(ms(1_000));
        throughput.on_ack(ms(1_040), 602_000, 700_000, 602_000);
        assert_eq!(throughput.last(), last);
    }
}
