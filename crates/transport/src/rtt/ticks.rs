//! Averages of ns-2, in whole ticks of a coarse clock. Its rounding decides when its timers fire.

use crate::narrow::whole;
use flowstart_control::{Duration, Instant};

/// `srtt8` is 8 × srtt and `rttvar4` is 4 × rttvar, in ticks.
#[derive(Clone, Debug)]
pub(super) struct TickCounts {
    srtt8: i64,
    rttvar4: i64,
    tick: Duration,
    phase: Duration,
}

impl TickCounts {
    /// Without samples, on a clock that started at this share of a tick.
    pub(super) fn new(tick: Duration, phase: f64) -> TickCounts {
        TickCounts {
            srtt8: 0,
            rttvar4: 0,
            tick,
            phase: Duration(whole(tick.0 as f64 * phase)),
        }
    }

    pub(super) fn srtt(&self) -> Duration {
        Duration(self.srtt8.unsigned_abs() * self.tick.0 / 8)
    }

    /// SRTT and its variation, once there are samples.
    pub(super) fn smoothed(&self) -> Option<(Duration, Duration)> {
        let variation = Duration(self.rttvar4.unsigned_abs() * self.tick.0 / 4);
        (self.srtt8 > 0).then(|| (self.srtt(), variation))
    }

    /// A segment that left at `sent` was acknowledged after `rtt`. Returns that in whole ticks.
    pub(super) fn sample(&mut self, sent: Instant, rtt: Duration) -> Duration {
        let tick = self.tick.0;
        let into_tick = (sent.0 + self.phase.0) % tick;
        let ticks = (((rtt.0 + into_tick) / tick) as i64).max(1);
        if self.srtt8 != 0 {
            let delta = ticks - (self.srtt8 >> 3);
            self.srtt8 = (self.srtt8 + delta).max(1);
            self.rttvar4 = (self.rttvar4 + delta.abs() - (self.rttvar4 >> 2)).max(1);
        } else {
            (self.srtt8, self.rttvar4) = (ticks << 3, ticks << 1);
        }
        Duration(ticks.unsigned_abs() * tick)
    }

    /// The timeout of the averages.
    pub(super) fn rto(&self) -> Duration {
        let ticks = ((self.rttvar4 << 3) + self.srtt8) >> 3;
        Duration(ticks.unsigned_abs() * self.tick.0)
    }

    /// The timeout has been doubled so many times: beyond three, ns-2 gives up its average and
    /// keeps its size as variation.
    pub(super) fn back_off(&mut self, times: u32) {
        if times > 3 {
            self.rttvar4 += self.srtt8 >> 3;
            self.srtt8 = 0;
        }
    }
}
