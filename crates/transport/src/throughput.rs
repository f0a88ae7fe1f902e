//! How fast a connection's data arrives, round by round: what it leaves behind for later
//! connections besides its window.
//!
//! A round lasts from an acknowledgement until that of everything that was out then. What is
//! acknowledged in it left in the round before, so it is the time in which the application had
//! nothing to send in *that* round by which the rate is compensated: a path is not slow because it
//! was unused. A round after whose data nothing more leaves had too little to send; its time is as
//! likely that of a delayed acknowledgement.
//!
//! Nor is a path slow because the window let nothing out for long: such pauses are left out too, where
//! they last a quarter of the round before at least (shorter ones are the acknowledgements' own
//! spacing) and all gaps together less than half the round.

use flowstart_control::{Duration, Instant, Rate};

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
pub(crate) struct Throughput {
    /// The round: when it began, what had been delivered by then, and where it ends.
    since: Option<(Instant, u64)>,
    until: u64,
    /// Since when the application has been what holds the sender back.
    starved_since: Option<Instant>,
    /// For how long it was, up to a sending in this round and in the one before.
    starved: [Duration; 2],
    /// The duration of long pauses with data to send, which the window did not let out.
    blocked: [Duration; 2],
    last_sent: Instant,
    /// How long the round before lasted.
    span: Duration,
    last: Delivered,
}

impl Throughput {
    /// The last round that was busy, or one that was not but delivered more.
    pub(crate) fn last(&self) -> Delivered {
        self.last
    }

    /// There is room in the window and nothing to put into it.
    pub(crate) fn starve(&mut self, now: Instant) {
        self.starved_since.get_or_insert(now);
    }

    /// A segment leaves.
    pub(crate) fn feed(&mut self, now: Instant) {
        let pause = now.since(self.last_sent);
        match self.starved_since.take() {
            Some(since) => self.starved[0] += now.since(since),
            None if self.span > Duration::ZERO && pause >= self.span.over(4) => {
                self.blocked[0] += pause;
            }
            None => {}
        }
        self.last_sent = now;
    }

    /// An acknowledgement up to `una` with `high` sent; `delivered` bytes have arrived in all.
    pub(crate) fn on_ack(&mut self, now: Instant, una: u64, high: u64, delivered: u64) {
        if una < self.until {
            return;
        }
        // Where nothing is out, the next round begins with what comes after the pause.
        let idle = una == high;
        if let Some((at, before)) = self.since {
            self.span = now.since(at);
            self.take(delivered - before, self.span, idle);
        }
        self.since = (!idle).then_some((now, delivered));
        self.until = high;
        if idle {
            (self.starved, self.blocked) = ([Duration::ZERO; 2], [Duration::ZERO; 2]);
            self.starved_since = None;
        } else {
            self.starved = [Duration::ZERO, self.starved[0]];
            self.blocked = [Duration::ZERO, self.blocked[0]];
        }
    }

    /// A round is over. The `last` one had too little to send.
    fn take(&mut self, bytes: u64, span: Duration, last: bool) {
        let (starved, all) = (self.starved[1], self.starved[1] + self.blocked[1]);
        let gap = if all < span.over(2) { all } else { starved };
        let busy = !last && gap < span.over(2);
        let rate = Rate::of(bytes, span.saturating_sub(gap));
        if rate.bps() > 0 && (busy || bytes > self.last.bytes) {
            self.last = Delivered { bytes, rate };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn at_ms(n: u64) -> Instant {
        Instant::from_millis(n)
    }

    /// A round of 40 ms in which the application was idle for so long, and one of 60 ms in
    /// which what it had sent was acknowledged.
    fn after_a_gap_of(gap: u64) -> Delivered {
        let mut throughput = Throughput::default();
        throughput.on_ack(at_ms(40), 0, 300_000, 0);
        throughput.starve(at_ms(50));
        throughput.feed(at_ms(50 + gap));
        throughput.on_ack(at_ms(80), 300_000, 800_000, 300_000);
        throughput.on_ack(at_ms(100), 400_000, 900_000, 400_000);
        throughput.on_ack(at_ms(140), 800_000, 1_300_000, 800_000);
        throughput.last()
    }

    #[test]
    fn half_a_megabyte_in_sixty_milliseconds_less_ten_is_ten_megabytes_a_second() {
        let last = after_a_gap_of(10);
        assert_eq!((last.bytes, last.rate), (500_000, Rate(80_000_000)));
    }

    /// A round of 80 ms in which the window let nothing out for so long, and one as long in which what
    /// had been sent was acknowledged.
    fn after_a_pause_of(pause: u64) -> Delivered {
        let mut throughput = Throughput::default();
        throughput.on_ack(at_ms(0), 0, 100_000, 0);
        throughput.feed(at_ms(79));
        throughput.on_ack(at_ms(80), 100_000, 200_000, 100_000);
        throughput.feed(at_ms(90));
        throughput.feed(at_ms(90 + pause));
        throughput.on_ack(at_ms(160), 200_000, 500_000, 200_000);
        throughput.on_ack(at_ms(240), 500_000, 800_000, 500_000);
        throughput.last()
    }

    #[test]
    fn a_window_that_lets_nothing_out_for_thirty_of_eighty_milliseconds_is_a_gap() {
        let last = after_a_pause_of(30);
        assert_eq!((last.bytes, last.rate), (300_000, Rate(48_000_000)));
    }

    #[test]
    fn the_spacing_of_acknowledgements_and_half_a_round_are_no_gaps_of_the_window() {
        for pause in [19, 40] {
            assert_eq!(after_a_pause_of(pause).rate, Rate(30_000_000), "{pause}");
        }
    }

    #[test]
    fn a_round_that_was_mostly_idle_counts_only_where_it_delivered_more() {
        assert_eq!(after_a_gap_of(30).bytes, 500_000);
        let mut throughput = Throughput::default();
        throughput.on_ack(at_ms(0), 0, 1_000, 0);
        throughput.on_ack(at_ms(40), 1_000, 1_500, 1_000);
        throughput.starve(at_ms(41));
        throughput.feed(at_ms(70));
        throughput.on_ack(at_ms(80), 1_500, 1_600, 1_500);
        let before = throughput.last();
        assert_eq!(before.bytes, 500);
        throughput.on_ack(at_ms(120), 1_600, 1_700, 1_600);
        assert_eq!(throughput.last(), before);
    }

    #[test]
    fn what_is_left_at_the_end_and_a_pause_make_no_round() {
        let mut throughput = Throughput::default();
        throughput.on_ack(at_ms(40), 0, 400_000, 0);
        throughput.starve(at_ms(60));
        throughput.on_ack(at_ms(80), 400_000, 600_000, 400_000);
        // Half a round's data, the last of it acknowledged by a timer.
        throughput.on_ack(at_ms(300), 600_000, 600_000, 600_000);
        let last = throughput.last();
        assert_eq!((last.bytes, last.rate), (400_000, Rate(80_000_000)));
        throughput.feed(at_ms(1_000));
        throughput.on_ack(at_ms(1_040), 602_000, 700_000, 602_000);
        assert_eq!(throughput.last(), last);
    }
}
