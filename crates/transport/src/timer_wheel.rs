//! When timers fire that wait on Linux's timer wheel (`kernel/time/timer.c`): counted in jiffies,
//! never early, and the later the coarser.

use flowstart_control::Time;

/// Jiffies that the first level spans, whose slots are a jiffy wide; every further level is eight
/// times as long and as coarse (`LVL_START`, `LVL_CLK_SHIFT`).
const FIRST_LEVEL: u64 = 63;
const LEVEL_SHIFT: u32 = 3;

/// When a timer fires that is set at `now` for `wait` later, with jiffies this long.
pub fn fires(now: Time, wait: Time, jiffy: Time) -> Time {
    let set = now.0 / jiffy.0;
    let delta = wait.0.div_ceil(jiffy.0);
    let (mut shift, mut span) = (0, FIRST_LEVEL);
    while delta >= span {
        shift += LEVEL_SHIFT;
        span <<= LEVEL_SHIFT;
    }
    // The slot that ends after the expiry.
    let slot = ((set + delta) >> shift) + 1;
    Time((slot << shift) * jiffy.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(now: u64, wait: u64) -> u64 {
        let ms = Time::from_millis;
        fires(ms(now), ms(wait), ms(4)).0 / 1_000_000
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
