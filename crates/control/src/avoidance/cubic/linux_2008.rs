//! CUBIC as Linux 2.6.22 had it (v2.1), which papers of 2007 to 2009 measured.
//!
//! The curve is the standard's; what differs is how the window follows it. The kernel
//! grows by whole segments: every `cnt` ACKs one, `cnt` being recomputed from the curve
//! when the window has changed or a thirty-second of a second has passed. ACKs are
//! counted, not segments, so `cnt` is divided by an estimate of how many segments an ACK
//! covers. Constants carry the kernel's names. See [`super::cubic`] for parameters.
//!
//! Two things are not the kernel's. Its clock counted jiffies, here it is exact; and its cube
//! root came from a table and one Newton step, right to 0.2 %, here it is exact too.

use super::constants::Constants;
use crate::avoidance::hooks::Avoidance;
use crate::model::Model;
use crate::model::capacity::Capacity;
use crate::signals::{Ack, Idle, Loss, Timeout};
use crate::{Duration, Instant, Segments, Window};

/// `max_increment`: segments per 100 ms at most, past the plateau.
const MAX_INCREMENT: f64 = 16.0;
/// ACKs per segment before the first loss: two percent a round trip.
const CNT_BEFORE_LOSS: f64 = 50.0;
/// `cnt` is kept for so long while the window does not change: HZ/32.
const UPDATE_INTERVAL: Duration = Duration(1_000_000_000 / 32);
/// Delays are not sampled for so long after an epoch begins.
const DEAF: Duration = Duration::from_secs(1);

/// State of CUBIC v2.1 on one connection.
#[derive(Clone)]
pub(super) struct Cubic2008 {
    constants: Constants,
    cnt: f64,
    last_max_cwnd: Segments,
    last_cwnd: Segments,
    last_time: Instant,
    origin_point: Segments,
    k: f64,
    delay_min: Option<Duration>,
    epoch_start: Option<Instant>,
    ack_cnt: f64,
    tcp_cwnd: Segments,
    /// Segments per ACK, an average.
    delayed_ack: f64,
    /// `snd_cwnd_cnt`: ACKs since the window grew.
    cwnd_cnt: f64,
}

impl Cubic2008 {
    pub(super) fn new(constants: Constants) -> Cubic2008 {
        Cubic2008 {
            constants,
            cnt: 0.0,
            last_max_cwnd: 0.0,
            last_cwnd: 0.0,
            last_time: Instant::ZERO,
            origin_point: 0.0,
            k: 0.0,
            delay_min: None,
            epoch_start: None,
            ack_cnt: 0.0,
            tcp_cwnd: 0.0,
            delayed_ack: 2.0,
            cwnd_cnt: 0.0,
        }
    }

    /// Updates the delays (`bictcp_acked` and `measure_delay`).
    fn sample(&mut self, w: &Window, a: &Ack) {
        self.delayed_ack += (w.segments(a.acked) - self.delayed_ack) / 16.0;
        let deaf = self
            .epoch_start
            .is_some_and(|start| a.now.since(start) < DEAF);
        if let (Some(rtt), false) = (a.rtt, deaf) {
            self.delay_min = Some(self.delay_min.map_or(rtt, |least| least.min(rtt)));
        }
    }

    fn begin(&mut self, cwnd: Segments, now: Instant) -> Instant {
        self.epoch_start = Some(now);
        self.ack_cnt = 1.0;
        self.tcp_cwnd = cwnd;
        self.origin_point = self.last_max_cwnd.max(cwnd);
        self.k = libm::cbrt((self.origin_point - cwnd) / self.constants.c);
        now
    }

    /// `bictcp_update`: how many ACKs the next segment costs.
    fn update(&mut self, cwnd: Segments, now: Instant) {
        self.ack_cnt += 1.0;
        let unchanged = self.last_cwnd == cwnd && now.since(self.last_time) <= UPDATE_INTERVAL;
        if unchanged && self.cnt > 0.0 {
            return;
        }
        (self.last_cwnd, self.last_time) = (cwnd, now);
        let start = match self.epoch_start {
            Some(start) => start,
            None => self.begin(cwnd, now),
        };
        let delay = self.delay_min.unwrap_or(Duration::ZERO);
        let t = (now.since(start) + delay).secs();
        let d = t - self.k;
        let target = self.origin_point + self.constants.c * (d * d * d);
        self.cnt = if target > cwnd {
            (cwnd / (target - cwnd)).floor()
        } else {
            (100.0 * cwnd).floor()
        };
        // v2.1 bounds the increment only beyond the plateau, v2.0 did so everywhere.
        if t >= self.k && delay > Duration::ZERO {
            self.cnt = self
                .cnt
                .max((cwnd * 0.1 / (MAX_INCREMENT * delay.secs())).floor());
        }
        if self.last_max_cwnd == 0.0 {
            self.cnt = CNT_BEFORE_LOSS;
        }
        if self.constants.friendly {
            self.keep_step(cwnd);
        }
        self.cnt = (self.cnt / self.delayed_ack.max(1.0)).floor().max(1.0);
    }

    /// The window is at least that of a Reno with this beta, which grows a segment every
    /// `cwnd * beta_scale/8` ACKs.
    fn keep_step(&mut self, cwnd: Segments) {
        let beta = (self.constants.beta * 1024.0).floor();
        let beta_scale = (8.0 * (1024.0 + beta) / 3.0 / (1024.0 - beta)).floor();
        let price = (cwnd * beta_scale / 8.0).floor().max(1.0);
        let bought = (self.ack_cnt / price).floor();
        self.ack_cnt -= bought * price;
        self.tcp_cwnd += bought;
        if self.tcp_cwnd > cwnd {
            self.cnt = self.cnt.min((cwnd / (self.tcp_cwnd - cwnd)).floor());
        }
    }

    /// Computes the threshold after a loss (`bictcp_recalc_ssthresh`).
    fn reduce(&mut self, w: &Window, flight: u64, usable: Segments) -> Segments {
        let beta = self.constants.beta;
        self.last_max_cwnd = self.constants.w_max(w.cwnd, self.last_max_cwnd);
        self.epoch_start = None;
        (self.cnt, self.cwnd_cnt) = (0.0, 0.0);
        (self.constants.base.segments(w, flight, usable) * beta)
            .floor()
            .max(2.0)
    }
}

impl Avoidance for Cubic2008 {
    fn on_start(&mut self, w: &mut Window, now: Instant) {
        if self.epoch_start.is_none() {
            self.begin(w.cwnd, now);
        }
    }

    fn on_ack(&mut self, w: &mut Window, a: &Ack) {
        self.sample(w, a);
        if !a.cwnd_limited {
            return;
        }
        self.update(w.cwnd, a.now);
        if self.cwnd_cnt >= self.cnt {
            w.cwnd += 1.0;
            self.cwnd_cnt = 0.0;
        } else {
            self.cwnd_cnt += 1.0;
        }
    }

    fn on_loss(&mut self, w: &mut Window, l: &Loss) {
        w.ssthresh = self.reduce(w, l.flight, l.usable);
        w.cwnd = w.ssthresh;
    }

    /// The kernel forgets everything about the path. A spurious reduction gives nothing of it back:
    /// `bictcp_undo_cwnd` restores the window alone.
    fn on_timeout(&mut self, w: &mut Window, t: &Timeout) {
        if !t.repeated {
            w.ssthresh = self.reduce(w, t.flight, t.usable);
        }
        w.cwnd = 1.0;
        *self = Cubic2008::new(self.constants);
    }

    fn on_idle(&mut self, _w: &mut Window, i: &Idle) {
        if let Some(start) = &mut self.epoch_start {
            *start += i.idle;
        }
    }

    /// An estimate of what path and queue hold replaces the window of a loss there.
    fn adopt_model(&mut self, model: Box<dyn Model>) -> Option<Box<dyn Model>> {
        let capacity = match Capacity::of(model) {
            Ok(capacity) => capacity,
            Err(model) => return Some(model),
        };
        (self.last_max_cwnd, self.epoch_start) = (capacity, None);
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Controller, Convention, catalog};

    const MSS: u64 = 1460;
    const RTT: Duration = Duration::from_millis(100);

    fn flow(cwnd: f64) -> (Controller, Window) {
        let c = catalog::controller("slow-start", "cubic:variant=2008", Convention::RFC).unwrap();
        let mut w = Window::new(MSS as u32);
        (w.cwnd, w.ssthresh) = (cwnd, cwnd);
        (c, w)
    }

    fn acks(c: &mut Controller, w: &mut Window, start: Instant, count: u64) {
        for i in 0..count {
            let now = start + RTT.over(count).times(i);
            c.on_ack(
                w,
                &Ack {
                    rtt: Some(RTT),
                    ..Ack::of(now, MSS)
                },
            );
        }
    }

    fn lose(c: &mut Controller, w: &mut Window) {
        let flight = w.cwnd as u64 * MSS;
        c.on_loss(
            w,
            &Loss {
                now: Instant::ZERO,
                flight,
                usable: w.cwnd,
            },
        );
    }

    #[test]
    fn a_loss_leaves_four_fifths() {
        let (mut c, mut w) = flow(1024.0);
        lose(&mut c, &mut w);
        assert_eq!((w.cwnd, w.ssthresh), (819.0, 819.0));
        let mut w = Window { cwnd: 80.0, ..w };
        let mut cubic = Cubic2008::new(Constants {
            beta: 819.0 / 1024.0,
            c: 410.0 / 1024.0,
            fast_convergence: true,
            friendly: true,
            base: super::super::reno::Base::Cwnd,
        });
        cubic.last_max_cwnd = 100.0;
        cubic.on_loss(
            &mut w,
            &Loss {
                now: Instant::ZERO,
                flight: 0,
                usable: 80.0,
            },
        );
        assert_eq!(w.cwnd, 63.0);
        assert!((cubic.last_max_cwnd - 80.0 * 1843.0 / 2048.0).abs() < 1e-9);
    }

    #[test]
    fn it_regains_the_window_of_the_loss_after_about_k_seconds() {
        // W_max 1000, window 799: K = cbrt(201/0.4) = 7.95 s.
        let (mut c, mut w) = flow(1000.0);
        lose(&mut c, &mut w);
        let mut rounds = 0;
        while w.cwnd < 995.0 && rounds < 200 {
            let size = w.cwnd_segments();
            acks(&mut c, &mut w, Instant::ZERO + RTT.times(rounds), size);
            rounds += 1;
        }
        assert!((50..=90).contains(&rounds), "{rounds} rounds of 100 ms");
    }

    #[test]
    fn before_the_first_loss_a_window_grows_by_a_fiftieth_a_round_trip() {
        let (mut c, mut w) = flow(500.0);
        for round in 0..20 {
            let size = w.cwnd_segments();
            acks(&mut c, &mut w, Instant::ZERO + RTT.times(round), size);
        }
        let growth = w.cwnd / 500.0;
        assert!(
            (libm::pow(1.018, 20.0)..=libm::pow(1.022, 20.0)).contains(&growth),
            "{growth}"
        );
    }

    #[test]
    fn a_small_window_keeps_step_with_reno() {
        // K = cbrt(2/0.4) = 1.7 s here; Reno with this beta gains 8/23 segments a round.
        let (mut c, mut w) = flow(10.0);
        lose(&mut c, &mut w);
        assert_eq!(w.cwnd, 7.0);
        for round in 0..9 {
            let size = w.cwnd_segments();
            acks(&mut c, &mut w, Instant::ZERO + RTT.times(round), size);
        }
        assert!((9.0..=11.0).contains(&w.cwnd), "{}", w.cwnd);
    }
}
