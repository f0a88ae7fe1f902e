//! CUBIC as current Linux kernels have it (`tcp_cubic.c`, v2.3).
//!
//! The curve is the standard's; the kernel works in whole numbers, and they show: the window
//! grows by one for every `cnt` segments delivered, and `cnt` is worked out anew only when the
//! window has changed or a thirty-second of a second has passed. Before the first loss `cnt` is
//! at most 20, five percent a round trip. A timeout makes it forget everything. Names and
//! constants are the kernel's. See [`super::cubic`] for parameters.
//!
//! A spurious reduction restores the window and the threshold only: `tcp_undo_cwnd_reduction`
//! (`tcp_input.c`) calls `undo_cwnd`, which is `tcp_reno_undo_cwnd` here (`tcp_cong.c`): the larger of
//! the window and `prior_cwnd`. `last_max_cwnd` and `epoch_start` stay as
//! `cubictcp_recalc_ssthresh` has left them, so a new epoch begins at the restored window. After a
//! timeout everything stays reset (`cubictcp_state`, `TCP_CA_Loss`).
//!
//! Its clock counts jiffies, so `cnt` is worked out at most once in each of them, and is kept for
//! seven to eight. One thing is not the kernel's: its cube root, from a table and one Newton step,
//! is exact here.

use super::constants::Constants;
use crate::avoidance::hooks::Avoidance;
use crate::model::Model;
use crate::model::capacity::Capacity;
use crate::signals::{Ack, Loss, Timeout};
use crate::{Duration, Instant, Segments, Window};

/// `BICTCP_HZ`: the curve's time is counted in 1/2^10 s.
const BICTCP_HZ: u32 = 10;
/// `cnt` before the first loss at most: five percent a round trip.
const CNT_BEFORE_LOSS: u64 = 20;
/// `CONFIG_HZ` of the kernels that the `linux` stack is compared with: jiffies per second.
const HZ: u64 = 250;
const JIFFY: Duration = Duration(1_000_000_000 / HZ);
/// `cnt` is kept for so many jiffies while the window does not change.
const UPDATE_INTERVAL: u64 = HZ / 32;
/// Delays are not sampled for so many jiffies after an epoch begins.
const DEAF: u64 = HZ;

/// State of CUBIC v2.3 on one connection.
#[derive(Clone)]
pub(super) struct CubicLinux {
    constants: Constants,
    cnt: u64,
    last_max_cwnd: u64,
    last_cwnd: u64,
    /// Time of the last update in jiffies, as `epoch_start`.
    last_time: u64,
    bic_origin_point: u64,
    bic_k: u64,
    delay_min: Option<Duration>,
    epoch_start: Option<u64>,
    ack_cnt: u64,
    tcp_cwnd: u64,
    /// `snd_cwnd_cnt`: segments delivered since the window grew.
    cwnd_cnt: u64,
}

/// Converts a time to jiffies (`tcp_jiffies32`).
fn jiffies(now: Instant) -> u64 {
    now.nanos() / JIFFY.nanos()
}

impl CubicLinux {
    pub(super) fn new(constants: Constants) -> CubicLinux {
        CubicLinux {
            constants,
            cnt: 0,
            last_max_cwnd: 0,
            last_cwnd: 0,
            last_time: 0,
            bic_origin_point: 0,
            bic_k: 0,
            delay_min: None,
            epoch_start: None,
            ack_cnt: 0,
            tcp_cwnd: 0,
            cwnd_cnt: 0,
        }
    }

    /// Returns `beta` in units of 1/1024.
    fn beta(&self) -> u64 {
        (self.constants.beta * 1024.0) as u64
    }

    /// Returns C in units of 1/1024 (`cube_rtt_scale`).
    fn scale(&self) -> u64 {
        (self.constants.c * 1024.0) as u64
    }

    /// Updates the minimum delay (`cubictcp_acked`).
    fn sample(&mut self, a: &Ack) {
        let deaf = self
            .epoch_start
            .is_some_and(|start| jiffies(a.now) - start < DEAF);
        if let (Some(rtt), false) = (a.rtt, deaf) {
            self.delay_min = Some(self.delay_min.map_or(rtt, |least| least.min(rtt)));
        }
    }

    fn begin(&mut self, cwnd: u64, acked: u64, now: u64) -> u64 {
        self.epoch_start = Some(now);
        self.ack_cnt = acked;
        self.tcp_cwnd = cwnd;
        self.bic_origin_point = self.last_max_cwnd.max(cwnd);
        let below = (self.bic_origin_point - cwnd) as f64;
        let factor = (1_u64 << (4 * BICTCP_HZ)) as f64 / self.scale() as f64;
        self.bic_k = libm::cbrt(factor * below) as u64;
        now
    }

    /// `bictcp_update`: how many segments delivered buy one of window.
    fn update(&mut self, cwnd: u64, acked: u64, now: u64) {
        self.ack_cnt += acked;
        if self.last_cwnd == cwnd && now - self.last_time <= UPDATE_INTERVAL {
            return;
        }
        if self.epoch_start.is_none() || now > self.last_time {
            self.last_cwnd = cwnd;
            self.last_time = now;
            let start = match self.epoch_start {
                Some(start) => start,
                None => self.begin(cwnd, acked, now),
            };
            self.cnt = self.follow(cwnd, now - start);
        }
        if self.constants.friendly {
            self.keep_step(cwnd);
        }
        self.cnt = self.cnt.max(2);
    }

    /// The curve, one round trip from `t` jiffies into the epoch.
    fn follow(&self, cwnd: u64, t: u64) -> u64 {
        let round_trip = self.delay_min.unwrap_or(Duration::ZERO).nanos();
        // `usecs_to_jiffies` rounds up.
        let t = ((t + round_trip.div_ceil(JIFFY.nanos())) << BICTCP_HZ) / HZ;
        let offset = u128::from(t.abs_diff(self.bic_k));
        let delta = (u128::from(self.scale()) * offset * offset * offset) >> (4 * BICTCP_HZ);
        let delta = u64::try_from(delta).unwrap_or(u64::MAX);
        let target = if t < self.bic_k {
            self.bic_origin_point.saturating_sub(delta)
        } else {
            self.bic_origin_point.saturating_add(delta)
        };
        let cnt = if target > cwnd {
            cwnd / (target - cwnd)
        } else {
            100 * cwnd
        };
        if self.last_max_cwnd == 0 {
            return cnt.min(CNT_BEFORE_LOSS);
        }
        cnt
    }

    /// The window is at least that of a Reno with this beta.
    fn keep_step(&mut self, cwnd: u64) {
        let beta = self.beta();
        let beta_scale = 8 * (1024 + beta) / 3 / (1024 - beta);
        let price = ((cwnd * beta_scale) >> 3).max(1);
        // The kernel continues while the count is above, so that one that is even stays.
        let bought = self.ack_cnt.saturating_sub(1) / price;
        self.ack_cnt -= bought * price;
        self.tcp_cwnd += bought;
        if self.tcp_cwnd > cwnd {
            self.cnt = self.cnt.min(cwnd / (self.tcp_cwnd - cwnd));
        }
    }

    /// Computes the threshold after a loss (`cubictcp_recalc_ssthresh`).
    fn reduce(&mut self, cwnd: u64) -> Segments {
        self.epoch_start = None;
        let lower = self.constants.fast_convergence && cwnd < self.last_max_cwnd;
        self.last_max_cwnd = if lower {
            cwnd * (1024 + self.beta()) / 2048
        } else {
            cwnd
        };
        ((cwnd * self.beta()) / 1024).max(2) as f64
    }
}

impl Avoidance for CubicLinux {
    fn on_startup_ack(&mut self, _w: &Window, a: &Ack) {
        self.sample(a);
    }

    /// Grows the window (`cubictcp_cong_avoid` with `tcp_cong_avoid_ai`).
    fn on_ack(&mut self, w: &mut Window, a: &Ack) {
        self.sample(a);
        if !a.cwnd_limited {
            return;
        }
        let acked = a.credit.div_ceil(u64::from(w.mss));
        self.update(w.cwnd_segments(), acked, jiffies(a.now));
        if self.cwnd_cnt >= self.cnt {
            self.cwnd_cnt = 0;
            w.cwnd += 1.0;
        }
        self.cwnd_cnt += acked;
        if self.cwnd_cnt >= self.cnt {
            let grown = self.cwnd_cnt / self.cnt;
            self.cwnd_cnt -= grown * self.cnt;
            w.cwnd += grown as f64;
        }
    }

    fn on_recovery_ack(&mut self, _w: &mut Window, a: &Ack) {
        self.sample(a);
    }

    fn on_loss(&mut self, w: &mut Window, _l: &Loss) {
        // `tcp_init_cwnd_reduction`.
        self.cwnd_cnt = 0;
        w.ssthresh = self.reduce(w.cwnd_segments());
        w.cwnd = w.ssthresh;
    }

    /// The kernel forgets everything about the path.
    fn on_timeout(&mut self, w: &mut Window, t: &Timeout) {
        if !t.repeated {
            w.ssthresh = self.reduce(w.cwnd_segments());
        }
        w.cwnd = 1.0;
        *self = CubicLinux::new(self.constants);
    }

    /// Time without a packet in flight is not the curve's (`cubictcp_cwnd_event`, `CA_EVENT_TX_START`).
    fn on_transmit_start(&mut self, now: Instant, last: Instant) {
        let (now, last) = (jiffies(now), jiffies(last));
        if let Some(start) = &mut self.epoch_start {
            *start = (*start + (now - last)).min(now);
        }
    }

    /// An estimate of what path and queue hold replaces the window of a loss there.
    fn adopt_model(&mut self, model: Box<dyn Model>) -> Option<Box<dyn Model>> {
        let capacity = match Capacity::of(model) {
            Ok(capacity) => capacity,
            Err(model) => return Some(model),
        };
        (self.last_max_cwnd, self.epoch_start) = (capacity as u64, None);
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Controller, Convention, catalog};

    const MSS: u64 = 1448;
    const RTT: Duration = Duration::from_millis(100);

    fn flow(cwnd: f64) -> (Controller, Window) {
        let c = catalog::controller("slow-start", "cubic", Convention::LINUX).unwrap();
        let mut w = Window::new(MSS as u32);
        (w.cwnd, w.ssthresh) = (cwnd, cwnd);
        (c, w)
    }

    /// A round trip of acknowledgements, one for every segment of the window.
    fn round(c: &mut Controller, w: &mut Window, number: u64) {
        let count = w.cwnd_segments();
        for i in 0..count {
            let now = Instant::ZERO + RTT.times(number) + RTT.over(count).times(i);
            let rtt = Some(RTT);
            c.on_ack(
                w,
                &Ack {
                    rtt,
                    ..Ack::of(now, MSS)
                },
            );
        }
    }

    fn lose(c: &mut Controller, w: &mut Window) {
        let loss = Loss {
            now: Instant::ZERO,
            flight: 0,
            usable: w.cwnd,
        };
        c.on_loss(w, &loss);
    }

    #[test]
    fn a_loss_leaves_717_of_1024() {
        let (mut c, mut w) = flow(3448.0);
        lose(&mut c, &mut w);
        assert_eq!((w.cwnd, w.ssthresh), (2414.0, 2414.0));
    }

    #[test]
    fn before_the_first_loss_a_window_grows_by_at_least_a_twentieth_a_round_trip() {
        let (mut c, mut w) = flow(500.0);
        (0..10).for_each(|n| round(&mut c, &mut w, n));
        let growth = w.cwnd / 500.0;
        assert!(
            (libm::pow(1.04, 10.0)..=libm::pow(1.06, 10.0)).contains(&growth),
            "{growth}"
        );
    }

    #[test]
    fn it_regains_the_window_of_the_loss_after_k_seconds() {
        // W_max 1000, window 700: K = cbrt(300/0.4) = 9.09 s.
        let (mut c, mut w) = flow(1000.0);
        lose(&mut c, &mut w);
        assert_eq!(w.cwnd, 700.0);
        let rounds = (0..200).take_while(|n| {
            round(&mut c, &mut w, *n);
            w.cwnd < 998.0
        });
        let rounds = rounds.count();
        assert!((70..=95).contains(&rounds), "{rounds} rounds of 100 ms");
    }

    fn usual() -> CubicLinux {
        CubicLinux::new(Constants {
            beta: 717.0 / 1024.0,
            c: 410.0 / 1024.0,
            fast_convergence: true,
            friendly: true,
            base: super::super::reno::Base::Cwnd,
        })
    }

    #[test]
    fn a_second_loss_below_the_first_lowers_the_plateau() {
        let mut cubic = usual();
        cubic.last_max_cwnd = 100;
        assert_eq!(cubic.reduce(80), 56.0);
        assert_eq!(cubic.last_max_cwnd, 68);
    }

    /// A window of 85 below a plateau of 103: K is cbrt(18 / 0.4) s, and the curve is read a round
    /// trip of 17 jiffies ahead.
    #[test]
    fn the_curve_is_read_at_whole_jiffies_and_kept_for_more_than_seven() {
        let mut cubic = usual();
        (cubic.last_max_cwnd, cubic.delay_min) = (103, Some(Duration::from_micros(66_483)));
        let mut cnt = |jiffy| {
            cubic.update(85, 1, jiffy);
            cubic.cnt
        };
        // The target is 87, and 88 from 18 jiffies on.
        assert_eq!(
            [326, 334, 342, 349, 350].map(&mut cnt),
            [42, 42, 42, 42, 28]
        );
    }

    /// `cubictcp_cwnd_event`: the epoch moves by the jiffies since the last segment left, at most to
    /// the present.
    #[test]
    fn the_epoch_moves_by_the_time_since_the_last_segment_left() {
        let moved = |start: u64, last_ms: u64| {
            let mut cubic = usual();
            cubic.epoch_start = Some(start);
            cubic.on_transmit_start(Instant::from_millis(2_500), Instant::from_millis(last_ms));
            cubic.epoch_start
        };
        // 2500 ms are jiffy 625, 1999 ms jiffy 499.
        assert_eq!(moved(250, 1_999), Some(376));
        assert_eq!(moved(600, 1_000), Some(625));
        assert_eq!(moved(250, 2_500), Some(250));
        let mut before = usual();
        before.on_transmit_start(Instant::from_secs(2), Instant::from_secs(1));
        assert_eq!(before.epoch_start, None);
    }

    #[test]
    fn a_timeout_makes_it_forget() {
        let (mut c, mut w) = flow(100.0);
        lose(&mut c, &mut w);
        let timeout = Timeout {
            now: Instant::from_secs(1),
            flight: 0,
            usable: w.cwnd,
            repeated: false,
        };
        c.on_timeout(&mut w, &timeout);
        assert_eq!((w.cwnd, w.ssthresh), (1.0, 49.0));
    }

    /// `tcp_undo_cwnd_reduction` restores the window; `last_max_cwnd` and `epoch_start` are as
    /// `cubictcp_recalc_ssthresh` left them.
    #[test]
    fn a_spurious_loss_begins_a_new_epoch_at_the_restored_window() {
        let mut cubic = CubicLinux::new(Constants {
            beta: 717.0 / 1024.0,
            c: 410.0 / 1024.0,
            fast_convergence: true,
            friendly: true,
            base: super::super::reno::Base::Cwnd,
        });
        let mut w = Window::new(MSS as u32);
        (w.cwnd, w.ssthresh) = (80.0, 80.0);
        (cubic.last_max_cwnd, cubic.epoch_start) = (100, Some(0));
        let l = Loss {
            now: Instant::from_secs(1),
            flight: w.cwnd_bytes(),
            usable: 80.0,
        };
        cubic.on_loss(&mut w, &l);
        (w.cwnd, w.ssthresh) = (80.0, 80.0);
        cubic.on_spurious(&mut w);
        // 80 * (1024 + 717) / 2048.
        assert_eq!((cubic.last_max_cwnd, cubic.epoch_start), (68, None));
        cubic.on_ack(&mut w, &Ack::of(Instant::from_secs(2), MSS));
        assert_eq!((cubic.bic_origin_point, cubic.bic_k), (80, 0));
    }
}
