//! A line whose rate goes from step to step.
//!
//! Work is counted in bits at 10⁹ a second, so that a nanosecond at so many bits a second
//! does so much of it: nothing is rounded but the moments at which packets have left, and
//! what that leaves over of a nanosecond is the next packet's.

use crate::variation::RateSteps;
use flowstart_control::{Duration, Instant};

/// The clock of such a line.
#[derive(Clone)]
pub(super) struct Stepped {
    steps: RateSteps,
    /// The step that holds, and its end.
    rate: u64,
    until: Instant,
    /// The last packet has left, and so much of the work of the nanosecond before is not done.
    free: Instant,
    spare: u128,
}

impl Stepped {
    /// A line at the first of its steps.
    pub(super) fn new(steps: RateSteps) -> Stepped {
        Stepped {
            steps,
            rate: 0,
            until: Instant::ZERO,
            free: Instant::ZERO,
            spare: 0,
        }
    }

    /// Implements [`Clock::rest`](super::clock::Clock::rest) for steps.
    pub(super) fn rest(&mut self, now: Instant) {
        if self.free <= now {
            (self.free, self.spare) = (now, 0);
        }
    }

    /// Implements [`Clock::transmit`](super::clock::Clock::transmit) for steps.
    pub(super) fn transmit(&mut self, bytes: u64, now: Instant) -> (Instant, Instant) {
        self.rest(now);
        let start = self.free;
        let work = u128::from(bytes) * 8_000_000_000;
        let mut left = work.saturating_sub(self.spare);
        self.spare = self.spare.saturating_sub(work);
        while left > 0 {
            self.catch_up();
            let rate = u128::from(self.rate);
            let rest_of_step = u128::from(self.until.since(self.free).nanos());
            if left > rate * rest_of_step {
                left -= rate * rest_of_step;
                self.free = self.until;
            } else {
                let nanos = left.div_ceil(rate);
                self.spare = nanos * rate - left;
                self.free += Duration(nanos as u64);
                left = 0;
            }
        }
        (start, self.free)
    }

    /// The step comes up in which the line is free.
    fn catch_up(&mut self) {
        while self.until <= self.free {
            let step = self.steps.next_step();
            self.rate = step.rate.bps();
            self.until += step.lasts;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::variation::Step;
    use flowstart_control::Rate;
    use proptest::prelude::*;

    fn line(steps: &[(u64, u64)]) -> Stepped {
        let step = |&(ms, bps): &(u64, u64)| Step {
            rate: Rate(bps),
            lasts: Duration::from_millis(ms),
        };
        Stepped::new(RateSteps::repeated(steps.iter().map(step).collect()))
    }

    #[test]
    fn at_a_rate_that_never_changes_it_is_the_plain_transmitter() {
        use super::super::clock::Clock;
        use super::super::transmitter::{Service, Transmitter};
        let rate = 7_000_000_000;
        let mut plain = Transmitter::new(Service::Line(Rate(rate)));
        let mut stepped = line(&[(1, rate)]);
        for n in 0..10_000u64 {
            let (wire, now) = (40 + (n * 7919 % 1460) as u32, Instant(n * 1_900));
            assert_eq!(
                plain.transmit(wire, now),
                stepped.transmit(wire.into(), now)
            );
        }
    }

    #[test]
    fn a_packet_may_be_on_the_line_over_several_steps() {
        // 1500 bytes are 12 000 bits: 10 ms at 100 kbit/s, nothing for 5 ms, then 1 Mbit/s.
        let mut line = line(&[(10, 100_000), (5, 0), (100, 1_000_000)]);
        let (start, finish) = line.transmit(1500, Instant::ZERO);
        assert_eq!((start, finish), (Instant::ZERO, Instant::from_millis(26)));
        let (start, finish) = line.transmit(1500, Instant::ZERO);
        assert_eq!(start, Instant::from_millis(26));
        assert_eq!(finish, Instant::from_millis(38));
    }

    #[test]
    fn a_line_that_was_idle_is_where_its_course_has_come_to() {
        let mut line = line(&[(10, 1_000_000), (10, 2_000_000)]);
        let (_, finish) = line.transmit(125, Instant::from_millis(1015));
        assert_eq!(finish, Instant::from_micros(1_015_500));
    }

    proptest! {
        #[test]
        fn no_more_leaves_in_any_time_than_the_rate_gives_and_a_busy_line_gives_it_all(
            steps in prop::collection::vec((1u64..20, 0u64..50_000_000), 1..6),
            packets in prop::collection::vec((0u64..3_000_000, 40u64..9000), 1..100),
        ) {
            let mut steps = steps;
            steps.push((5, 1_000_000));
            let given = |until: Instant| {
                // Bits times 10⁹ up to a time, walked step by step.
                let (mut at, mut work) = (0, 0u128);
                for (ms, bps) in steps.iter().cycle() {
                    let end = (at + ms * 1_000_000).min(until.nanos());
                    work += u128::from(end.saturating_sub(at)) * u128::from(*bps);
                    at = end;
                    if at == until.nanos() {
                        return work;
                    }
                }
                work
            };
            let mut line = line(&steps);
            let (mut now, mut free) = (Instant::ZERO, Instant::ZERO);
            let (mut busy_since, mut done) = (Instant::ZERO, 0u128);
            for (gap, bytes) in packets {
                now += Duration(gap);
                if free <= now {
                    (busy_since, done) = (now, 0);
                }
                let (start, finish) = line.transmit(bytes, now);
                prop_assert_eq!(start, free.max(now));
                done += u128::from(bytes) * 8_000_000_000;
                let most = given(finish) - given(busy_since);
                let least = given(finish.saturating_sub(Duration(1))) - given(busy_since);
                prop_assert!(done <= most && least < done, "{least} {done} {most}");
                free = finish;
            }
        }
    }
}
