//! A timer of a connection. On Linux's timer wheel (`kernel/time/timer.c`) it fires in whole jiffies,
//! never early, and the later the coarser.

use flowstart_control::{Duration, Instant};

/// A timer that may be set, again and again mostly before it expires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Timer {
    /// When it expires; `Instant::MAX` where it is not set.
    due: Instant,
    /// When it was set; `Instant::MAX` where `due` is when the wheel comes round.
    set: Instant,
}

impl Default for Timer {
    fn default() -> Timer {
        Timer {
            due: Instant::MAX,
            set: Instant::MAX,
        }
    }
}

impl Timer {
    /// Sets it at `now`, in place of what was set before.
    #[inline]
    pub(crate) fn set(&mut self, due: Instant, now: Instant) {
        *self = Timer { due, set: now };
    }

    /// Forgets what was set.
    #[inline]
    pub(crate) fn stop(&mut self) {
        self.due = Instant::MAX;
    }

    /// When it is due; `None` where it is not set.
    #[inline]
    pub(crate) fn due(&self) -> Option<Instant> {
        (self.due != Instant::MAX).then_some(self.due)
    }

    /// Whether it fires at `now`, counted in jiffies where there are any. It stays set. When the
    /// wheel comes round is looked for only here, since most timers are set anew before.
    pub(crate) fn fires(&mut self, now: Instant, jiffy: Option<Duration>) -> bool {
        if self.due > now {
            return false;
        }
        if let (Some(jiffy), true) = (jiffy, self.set != Instant::MAX) {
            let round = comes_round(self.set, self.due.since(self.set), jiffy);
            self.due = self.due.max(round);
            self.set = Instant::MAX;
        }
        self.due <= now
    }
}

/// Jiffies that the first level spans, whose slots are a jiffy wide; every further level is eight
/// times as long and as coarse (`LVL_START`, `LVL_CLK_SHIFT`).
const FIRST_LEVEL: u64 = 63;
const LEVEL_SHIFT: u32 = 3;

/// When the wheel comes round to a timer that is set at `now` for `wait` later, with jiffies this
/// long.
pub(crate) fn comes_round(now: Instant, wait: Duration, jiffy: Duration) -> Instant {
    let set = now.0 / jiffy.0;
    let delta = wait.0.div_ceil(jiffy.0);
    let (mut shift, mut span) = (0, FIRST_LEVEL);
    while delta >= span {
        shift += LEVEL_SHIFT;
        span <<= LEVEL_SHIFT;
    }
    // The slot that ends after the expiry.
    let slot = ((set + delta) >> shift) + 1;
    Instant((slot << shift) * jiffy.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(now: u64, wait: u64) -> u64 {
        let (at_ms, ms) = (Instant::from_millis, Duration::from_millis);
        comes_round(at_ms(now), ms(wait), ms(4)).0 / 1_000_000
    }

    #[test]
    fn without_jiffies_it_fires_when_it_expires() {
        let mut timer = Timer::default();
        assert_eq!(timer.due(), None);
        assert!(!timer.fires(Instant::from_secs(9), None));
        timer.set(Instant(70), Instant(10));
        assert_eq!(timer.due(), Some(Instant(70)));
        assert!(!timer.fires(Instant(69), None));
        assert!(timer.fires(Instant(70), None));
        timer.stop();
        assert!(!timer.fires(Instant(71), None));
    }

    #[test]
    fn on_the_wheel_it_expires_once_more_when_that_comes_round() {
        let (at_ms, ms) = (Instant::from_millis, Duration::from_millis);
        let mut timer = Timer::default();
        timer.set(at_ms(221), at_ms(4));
        assert!(!timer.fires(at_ms(221), Some(ms(4))));
        assert_eq!(timer.due(), Some(at_ms(228)));
        assert!(timer.fires(at_ms(228), Some(ms(4))));
    }

    #[test]
    fn a_short_timer_fires_up_to_a_jiffy_late() {
        assert_eq!(after(0, 220), 224);
        assert_eq!(after(3, 220), 224);
        assert_eq!(after(4, 221), 232);
    }

    #[test]
    fn a_quarter_of_a_second_and_more_is_counted_in_eight_jiffies() {
        assert_eq!(after(0, 248), 252);
        assert_eq!(after(0, 252), 256);
        assert_eq!(after(0, 256), 288);
        assert_eq!(after(28, 256), 288);
    }

    #[test]
    fn two_seconds_and_more_are_counted_in_sixty_four() {
        assert_eq!(after(0, 2012), 2016);
        assert_eq!(after(0, 2016), 2048);
        assert_eq!(after(40, 2016), 2304);
    }
}
